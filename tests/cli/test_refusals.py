"""Who chose a device hears from `check` what `translate` would refuse: the same places, each once, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests_cli_paths import ROOT
from thinned import thinned

HEAD = "int hidden = 3;\nint helper(void) { return hidden; }\nvoid f(int n, int *a)\n{\n"
# What stands in a function's body, and the text that `check` has to point to.
REFUSED: dict[str, tuple[str, str]] = {
    "a bound": ("#pragma omp target parallel for map(a[0:n])\nfor (int i = 0; i < 9.5; i++) a[i] = i;", "9.5"),
    "a rule knows": ("#pragma omp target map(a[0:n])\n{ _Atomic int x; a[0] = 1; }", "x;"),
    "a global of a callee": ("#pragma omp target map(a[0:n])\na[0] = helper();", "hidden"),
}
PROGRAMS = sorted((ROOT / "tests/translate/programs").glob("*.c"))
DEVICES = ("cudasim", "host")


def limits(ompls, path: Path, *words: str) -> list[tuple[str, str, str, int]]:
    """(rule, severity, the text that it points to) of what keeps the region from a device, and the line."""
    done = ompls("check", "--format", "json", *words, path)
    lines = path.read_text().split("\n")
    found = []
    for d in json.loads(done.out)["diagnostics"]:
        start = d["range"]["start"]
        if "cannot" in d["message"]:
            found.append((d["rule"], d["severity"], lines[start["line"] - 1][start["column"] - 1 :], start["line"]))
    return found


@pytest.mark.parametrize(("body", "at"), REFUSED.values(), ids=REFUSED)
def test_check_says_what_translate_refuses(ompls, tmp_path: Path, body: str, at: str) -> None:
    path = tmp_path / "refused.c"
    path.write_text(f"{HEAD}{body}\n}}\n")
    refused = ompls("translate", "--device", "cudasim", "-o", tmp_path / "bundle", path)
    assert refused.code == 1
    found = limits(ompls, path, "--device", "cudasim")
    assert len(found) == 1, found
    _, severity, text, line = found[0]
    assert severity in ("warning", "error")
    assert f"{path.name}:{line}:" in refused.err
    assert text.startswith(at)


def test_nothing_of_that_when_nobody_chose_a_device(ompls, tmp_path: Path) -> None:
    path = tmp_path / "refused.c"
    path.write_text(f"{HEAD}{REFUSED['a bound'][0]}\n}}\n")
    assert limits(ompls, path) == []
    assert limits(ompls, path, "--device", "cudasim", "--ignore", "device-limits") == []
    assert limits(ompls, path, "--device", "cudasim", "--select", "mapping") == []
    assert len(limits(ompls, path, "--device", "cudasim", "--select", "device-limits")) == 1
    (tmp_path / ".ompls.toml").write_text('device = "cudasim"\n')
    assert len(limits(ompls, path)) == 1


def test_a_comment_silences_it(ompls, tmp_path: Path) -> None:
    path = tmp_path / "refused.c"
    body = REFUSED["a bound"][0].replace(" a[i] = i;", " a[i] = i; // ompls: ignore[untranslatable-construct]")
    path.write_text(f"{HEAD}{body}\n}}\n")
    done = ompls("check", "--device", "cudasim", path)
    assert (done.code, done.out) == (0, "")


@pytest.mark.parametrize("path", thinned(PROGRAMS, 18, of_rest=20), ids=lambda path: path.stem)
def test_nothing_is_said_of_programs_that_run(ompls, path: Path) -> None:
    for device in DEVICES:
        assert limits(ompls, path, "--device", device) == []
