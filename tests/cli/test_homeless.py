"""Where HOME is no directory nothing is installed or registered anywhere else, and nothing is kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command import ompls

SOURCE = "int main(void) {\n    int a = 0;\n#pragma omp target map(tofrom: a)\n    a = 1;\n    return a - 1;\n}\n"


@pytest.fixture(params=["", "here"], ids=["empty", "relative"])
def environment(request: pytest.FixtureRequest) -> dict[str, str]:
    without = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "OMPLS_CACHE_DIR")
    return {name: value for name, value in os.environ.items() if name not in without} | {"HOME": request.param}


@pytest.mark.parametrize(
    ("words", "variable"),
    [
        (("editor", "nvim", "--install"), "XDG_DATA_HOME"),
        (("editor", "nvim", "--uninstall"), "XDG_DATA_HOME"),
        (("remote", "list"), "XDG_CONFIG_HOME"),
        (("remote", "add", "board", "me@host"), "XDG_CONFIG_HOME"),
    ],
    ids=["install", "uninstall", "list", "add"],
)
def test_what_needs_it_says_so(
    environment: dict[str, str], words: tuple[str, ...], variable: str, tmp_path: Path
) -> None:
    done = ompls(*words, cwd=tmp_path, env=environment)
    why = (
        f"cannot find your home directory: HOME is '{environment['HOME']}'; set HOME or {variable} to an absolute path"
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"ompls: error: {why}\n")
    assert list(tmp_path.iterdir()) == []


def test_what_would_be_kept_is_not(environment: dict[str, str], tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(SOURCE)
    for words in (("check", source), ("run", "--device", "host", source), ("cache",), ("cache", "clear")):
        done = ompls(*words, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [source]
    assert not Path("/.cache/ompls").exists()


@pytest.mark.parametrize("variable", ["OMPLS_CACHE_DIR", "XDG_CACHE_HOME"])
def test_a_cache_that_would_be_another_one_in_each_directory_does_not_count(variable: str, tmp_path: Path) -> None:
    source, home = tmp_path / "a.c", tmp_path / "home"
    source.write_text(SOURCE)
    environment = {
        name: value for name, value in os.environ.items() if name not in ("OMPLS_CACHE_DIR", "XDG_CACHE_HOME")
    }
    done = ompls("check", source, cwd=tmp_path, env={**environment, "HOME": str(home), variable: "x/\x1b[31my"})
    why = f"'x/\ufffd[31my' is not an absolute path; {home}/.cache/ompls is used"
    told = f"ompls: warning: OMPLS_CACHE_DIR: {why}\n" if variable == "OMPLS_CACHE_DIR" else ""
    assert (done.returncode, done.stderr) == (0, told + "ompls: 1 file checked: no findings\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.c", "home"]
    assert (home / ".cache/ompls").is_dir()
