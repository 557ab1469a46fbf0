"""What a quick fix is called: it names what it changes, so that two of one line can be told apart."""

from __future__ import annotations

import pytest
from drawing import analyze

from ompls.analysis import fixing
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.rules import check


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
