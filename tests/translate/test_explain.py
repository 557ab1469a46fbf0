"""An explained preview is the preview with comments: the host's steps in order, each source line once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from named import preview

from ompls.analysis.model.tu import TU

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.c"))
_SOURCE = re.compile(r"\s*// (\d+) \| (.*)")
_STEP = re.compile(r"//   (map|pass|launch|unmap) +(.*)")


@pytest.mark.parametrize("device", ["cuda", "host"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_only_comments_are_added(path: Path, device: str, load: Callable[[Path], TU]) -> None:
    tu = load(path)
    plain, explained = preview(tu, device), preview(tu, device, explain=True)
    assert explained.text != plain.text
    added = [x for x in explained.text.splitlines() if x not in plain.text.splitlines()]
    assert all(x.lstrip().startswith("//") and not x.endswith("\\") for x in added)
    kept = [x for x in explained.text.splitlines() if not x.lstrip().startswith("//")]
    assert kept == [x for x in plain.text.splitlines() if not x.lstrip().startswith("//")]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_source_lines_are_the_files_own(path: Path, load: Callable[[Path], TU]) -> None:
    source = path.read_text().splitlines()
    for kernel in preview(load(path), "cuda", explain=True).text.split("// Each time the host reaches")[1:]:
        shown = [(int(m[1]), m[2]) for m in map(_SOURCE.match, kernel.splitlines()) if m]
        assert shown
        assert len(shown) == len(dict(shown))
        assert all(source[line - 1].strip().rstrip("\\").rstrip() == text for line, text in shown)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_the_line_map_still_holds(path: Path, load: Callable[[Path], TU]) -> None:
    tu = load(path)
    plain, explained = preview(tu, "cuda"), preview(tu, "cuda", explain=True)

    def pairs(text: str, line_map: tuple[tuple[int, int], ...]) -> list[tuple[str, int]]:
        rows = text.splitlines()
        return [(rows[made - 1], line) for made, line in line_map]

    assert pairs(explained.text, explained.line_map) == pairs(plain.text, plain.line_map)


def test_the_steps_of_the_host_are_in_order(load: Callable[[Path], TU]) -> None:
    text = preview(load(ROOT / "examples/saxpy.c"), "cuda", explain=True).text
    steps = [(m[1], re.split(r"  +", m[2])) for m in map(_STEP.match, text.splitlines()) if m]
    assert [kind for kind, _ in steps] == ["map", "map", "pass", "pass", "launch", "unmap", "unmap"]
    assert steps[0][1] == ["x[0:n]", "n * sizeof(x[0]) bytes", "copied in, unless present"]
    assert steps[2][1][:2] == ["n", "4 bytes"]
    assert steps[4][1][1] == "(0 < n ? n : 0) / 128 teams, rounded up, of 128 threads"
    assert steps[5][1] == ["x[0:n]", "not copied back; released, when nothing else maps it"]
    assert steps[6][1] == ["y[0:n]", "copied back; released, when nothing else maps it"]


@pytest.mark.parametrize(
    ("length", "bytes_"),
    [
        ("n*n", "n*n * sizeof(a[0])"),
        ("n * n", "n * n * sizeof(a[0])"),
        ("n + 1", "(n + 1) * sizeof(a[0])"),
        ("n / (n * 2)", "(n / (n * 2)) * sizeof(a[0])"),
    ],
)
def test_a_size_has_only_the_parentheses_that_a_reader_needs(
    length: str, bytes_: str, unit: Callable[[str], TU]
) -> None:
    source = f"void f(int *a, int n)\n{{\n#pragma omp target map(tofrom: a[0:{length}])\n    a[0] = 1;\n}}\n"
    steps = [m[2] for m in map(_STEP.match, preview(unit(source), "cuda", explain=True).text.splitlines()) if m]
    assert re.split(r"  +", steps[0])[1] == f"{bytes_} bytes"


def test_what_is_always_or_never_copied_says_so(unit: Callable[[str], TU]) -> None:
    source = """
void f(int *a, int n)
{
    int kept[4], made[4], t = 0;
    #pragma omp target map(always, tofrom: kept) map(alloc: made) map(present, to: a[:n])
    for (int i = 0; i < 4; i++) { made[i] = a[i] + t; kept[i] = made[i]; }
}
"""
    text = preview(unit(source), "cuda", explain=True).text
    steps = [(m[1], re.split(r"  +", m[2])) for m in map(_STEP.match, text.splitlines()) if m]
    said = {(kind, cells[0]): cells[-1] for kind, cells in steps}
    assert said["map", "kept"] == "copied in"
    assert said["map", "made"] == "memory without a value, unless present"
    assert said["map", "a[:n]"] == "has to be present"
    assert said["unmap", "kept"] == "copied back"
