"""What a quick fix is called: it names what it changes, so that two of one line can be told apart."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from command import ompls
from drawing import analyze

from ompls.analysis import fixing
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.rules import check
from ompls.analysis.source import OpenMPVersion, Settings


def judge(data: bytes) -> list[Diagnostic]:
    return check(analyze(data.decode()))


def titles(text: str) -> dict[str, list[tuple[str, bool]]]:
    """By rule: the titles of its fixes that make nothing worse, and whether they are safe."""
    found = judge(text.encode())
    made: dict[str, list[tuple[str, bool]]] = {}
    for d in fixing.tried(found, found, text.encode(), judge):
        made.setdefault(d.rule, []).extend((fix.title, fix.safe) for fix in d.fixes)
    return made


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ("a[0:n], b[0:n-1]", ["Change to `a[0:n + 1]`", "Change to `b[0:n]`"]),
        ("a[0:ROWS], b[1:n-1]", ["Change to `a[0:n + 1]`", "Change `b[1:n-1]` to `b[0:n]`"]),
        ("a[ZERO:n], b[0:n]", ["Change to `a[ZERO:n + 1]`"]),
    ],
)
def test_a_longer_section_is_named(sections: str, expected: list[str]) -> None:
    text = f"""
#define ROWS (n - 1)
#define ZERO 0
void f(int n, int *a, int *b) {{
    #pragma omp target map(tofrom: {sections})
    for (int i = 0; i < n; i++) {{ a[i] = a[i + 1]; b[i] = 1; }}
}}
"""
    assert [title for title, _ in titles(text)["section-too-short"]] == expected


def test_a_map_is_offered_where_nothing_races() -> None:
    text = """
int f(int n, const int *a) {
    int hits = 0;
    #pragma omp target map(to: a[0:n])
    for (int i = 0; i < n; i++) hits += a[i];
    return hits;
}
"""
    assert titles(text)["firstprivate-result-lost"] == [("Add `map(tofrom: hits)`", False)]


COUNTED = """
#include <stdio.h>
int main(void) {{
    int hits = 2, a[10] = {{1, 5, 6, 3, 8, 9, 1, 2, 3, 4}};
    #pragma omp target teams distribute parallel for map(to: a)
    for (int i = 0; i < 10; i++)
        if (a[i] > {most})
            {update};
    printf("%d\\n", hits);
    return 0;
}}
"""


@pytest.mark.parametrize("update", ["hits++", "hits += a[i]"])
def test_one_reduction_mends_a_race_and_the_value_that_is_lost(update: str, tmp_path: Path) -> None:
    """With `map(tofrom:)` the race would be left."""
    text = COUNTED.format(most=3, update=update)
    found = titles(text)
    assert found["missing-reduction"] == found["firstprivate-result-lost"] == [("Add `reduction(+: hits)`", True)]
    diagnostics = judge(text.encode())
    edits = fixing.choose(diagnostics, unsafe=True)["example.c"]
    program = tmp_path / "program.c"
    program.write_bytes(fixing.apply(text.encode(), edits))
    assert not {"missing-reduction", "firstprivate-result-lost"} & {d.rule for d in judge(program.read_bytes())}
    subprocess.run(["gcc", "-fopenmp", "-w", program, "-o", tmp_path / "host"], check=True)
    expected = subprocess.run([tmp_path / "host"], capture_output=True, text=True, check=True).stdout
    assert ompls("run", "--device", "host", program).stdout == expected


@pytest.mark.parametrize(
    ("version", "update"),
    [
        ("4.5", "hits++"),  # where a reduction does not map
        ("5.2", "hits = i"),  # where there is none
        ("5.2", "hits++, a[i] = hits"),  # where each value counts
    ],
)
def test_else_the_map_brings_the_value_back(version: OpenMPVersion, update: str) -> None:
    tu = analyze(COUNTED.format(most="hits", update=update), Settings(openmp=version))
    offered = {fix.title for d in check(tu) if d.rule == "firstprivate-result-lost" for fix in d.fixes}
    assert offered == {"Add `map(tofrom: hits)`"}
