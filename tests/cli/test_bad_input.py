"""What goes wrong outside of us: each has a clear message, nothing is overwritten, nothing stays behind."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests_cli_paths import EXAMPLES

SAXPY = (EXAMPLES / "saxpy.c").read_bytes()
ERROR = re.compile(r"ompls: error: [^\n]+: [^\n]+; [^\n]+\n")


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


UNREADABLE = {
    "missing": (None, "cannot read"),
    "binary": (bytes(range(256)) * 20, "binary file"),
    "utf-16": (SAXPY.decode().encode("utf-16"), "iconv -f UTF-16 "),
    "utf-16 without a mark": (SAXPY.decode().encode("utf-16-le"), "iconv -f UTF-16LE "),
    "utf-16, big end first": (SAXPY.decode().encode("utf-16-be"), "iconv -f UTF-16BE "),
    "utf-32": (SAXPY.decode().encode("utf-32"), "iconv -f UTF-32 "),
    "50 MB": (b"int x;\n" * 7_500_000, "MB"),
    "prose": (b"Dear Sir,\n\nI hope this finds you well (and happy)!\nBest\n", "cannot be understood as C"),
    "a page": (b"<!DOCTYPE html>\n<html><body><p>It works!</p></body></html>\n", "understood as C"),
}


@pytest.mark.parametrize("command", ["check", "preview", "run"])
@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_is_named(ompls, tmp_path: Path, what: str, command: str) -> None:
    data, text = UNREADABLE[what]
    path = tmp_path / "input.c"
    if data is not None:
        path.write_bytes(data)
    done = ompls(command, path)
    assert done.code == (125 if command == "run" else 2)
    assert ERROR.fullmatch(done.err), done.err
    assert "input.c" in done.err
    assert text in done.err or what == "prose"


def test_a_directory_is_no_file(ompls, tmp_path: Path) -> None:
    done = ompls("preview", tmp_path)
    assert done.code == 2
    assert "is a directory" in done.err
    done = ompls("check", tmp_path)
    assert done.code == 2
    assert "no C files are in it" in done.err


def test_an_unreadable_file_says_so(ompls, tmp_path: Path) -> None:
    path = _write(tmp_path / "x.c", SAXPY)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert "ermission" in ompls("check", path).err


def test_latin_1_in_a_comment_is_fine(ompls, tmp_path: Path) -> None:
    path = _write(tmp_path / "x.c", b"/* gr\xfc\xdfe */\n" + SAXPY)
    assert ompls("check", path).code == 0


@pytest.mark.parametrize("share", [0.3, 0.45, 0.6, 0.8, 0.95])
def test_a_truncated_file_is_reported(ompls, tmp_path: Path, share: float) -> None:
    path = _write(tmp_path / "x.c", SAXPY[: int(len(SAXPY) * share)])
    done = ompls("check", path)
    assert done.code == 1
    assert "x.c:" in done.out


def test_an_unclosed_pragma_is_reported(ompls, tmp_path: Path) -> None:
    path = _write(tmp_path / "x.c", SAXPY.replace(b"map(tofrom: y[0:n])", b"map(tofrom: y[0:n]"))
    done = ompls("check", path)
    assert done.code == 1
    assert "not closed" in done.out


@pytest.mark.parametrize("command", ["run", "preview", "translate -o {out}", "cc -fopenmp -c -o {out}"])
def test_what_is_no_c_is_told_by_the_compiler(process, tmp_path: Path, command: str) -> None:
    """Not what the translator makes of a loop whose bound it cannot know."""
    text = b"void f(int *a) {\n int n = 10\n#pragma omp target parallel for\n  for (int i = 0; i < n; i++) a[i]++;\n}\n"
    path = _write(tmp_path / "input.c", text)
    result = process(*command.format(out=tmp_path / "out").split(), str(path))
    assert result.code != 0
    assert re.search(r"input.c:\d+:\d+: error: expected", result.err)
    assert "cannot be translated" not in result.err


def test_without_gcc_the_check_works_and_says_what_is_missing(process, tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "OMPLS_CACHE_DIR": str(tmp_path / "cache")}
    done = process("check", EXAMPLES / "saxpy.c", env=env)
    assert done.code == 0
    assert re.search(r"ompls: warning: .*gcc.*; .*install", done.err), done.err


def test_without_gcc_a_run_says_what_is_missing(process, tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "OMPLS_CACHE_DIR": str(tmp_path / "cache")}
    done = process("run", "--device", "host", EXAMPLES / "saxpy.c", env=env)
    assert done.code == 125
    assert re.search(r"ompls: error: .*gcc.*; .*", done.err), done.err


def test_an_unwritable_cache_costs_a_warning_only(process, tmp_path: Path) -> None:
    blocker = _write(tmp_path / "file", b"")
    done = process("check", EXAMPLES / "saxpy.c", env={"OMPLS_CACHE_DIR": str(blocker / "cache")})
    assert done.code == 0
    assert "ompls: warning:" in done.err
    assert blocker.read_bytes() == b""
