"""A version's result is the same whatever was analysed before it, and little is analysed again."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from thinned import thinned

from ompls.analysis import rules
from ompls.analysis.model import memo
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import Settings
from ompls.analysis.syntax import blocks, lines

from . import dump
from .support import EXAMPLES, FIXTURES, snapshot

PROGRAM = b"""#include <stdio.h>
struct list;
typedef struct list list;
struct list { list *next; int value; };
#define SIZE 10
static int total;
int table[SIZE];
int helper(int x);
void first(list *l, double *a, int n) {
#pragma omp target map(tofrom: a[0:n])
  for (int i = 0; i < n; i++)
    a[i] += l->value;
}
#pragma omp declare target
int helper(int x) { return x + total; }
#pragma omp end declare target
void second(int *b) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < SIZE; i++) b[i] = helper(i) + table[i];
  printf("%d", b[0]);
}
enum { LAST = 3 };
int main(void) { int a[LAST]; second(a); return a[LAST - 1]; }
"""
PIECES = [
    *(bytes([c]) for c in b";{}()*x1 \n,\""), b"#pragma omp target\n", b"struct list { int q; };", b"typedef int T;",
    b"int ", b"/*", b"*/", b"map(to: a)", b"value", b"struct list", b"a[i]", b"else", b"#define n 3\n",
    b"{", b"}\n", b"list (*q) = 0;", b"int old(a) int a;\n{ }\n", b"#pragma omp declare target\n", b"#if 0\n",
    b"#endif\n", b"#pragma omp end declare target\n", b"static int total;", b"double", b"\n#include <stdlib.h>\n",
]  # fmt: skip
MORE = b"#include <stdlib.h>\n"


def check(analyzer: Analyzer, source: bytes, known: bytes = PROGRAM) -> None:
    """`known`: a text with the headers that were looked for."""
    headers = snapshot(Path("t.c"), known)
    kept = dump.unit(analyzer.analyze("t.c", source, headers, Settings()))
    fresh = dump.unit(Analyzer().analyze("t.c", source, headers, Settings()))
    assert kept == fresh


def check_findings(analyzer: Analyzer, source: bytes, known: bytes = PROGRAM) -> None:
    """As `check`, for what the rules say, which is kept with the declarations."""
    headers = snapshot(Path("t.c"), known)
    kept = rules.check(analyzer.analyze("t.c", source, headers, Settings()))
    assert kept == rules.check(Analyzer().analyze("t.c", source, headers, Settings()))


# `make fuzz`: 10,000 edits
@pytest.mark.parametrize("seed", range(200) if "OMPLS_EXHAUSTIVE" in os.environ else thinned(range(6), 3))
def test_random_edits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(blocks, "SIZE", rng.choice((30, 100, blocks.SIZE)))
    monkeypatch.setattr(blocks, "LARGE", rng.choice((50, blocks.LARGE)))
    monkeypatch.setattr(lines, "FEW_BLOCKS", rng.choice((0, 3, lines.FEW_BLOCKS)))
    monkeypatch.setattr(memo, "MUCH_TEXT", rng.choice((0, 200, memo.MUCH_TEXT)))
    monkeypatch.setattr(memo, "FEW_GROUPS", rng.choice((1, memo.FEW_GROUPS)))
    analyzer = Analyzer()
    source = PROGRAM
    for step in range(50):
        at = rng.randrange(len(source) + 1)
        gone = rng.choice((0, 0, 1, 5, 20))
        source = source[:at] + rng.choice(PIECES) + source[at + gone :]
        if step % 12 == 11:
            source = PROGRAM
        known = rng.choice((PROGRAM, PROGRAM, MORE + PROGRAM))
        check(analyzer, source, known)
        if step % 5 == 0:
            check_findings(analyzer, source, known)


def test_an_include_changes_only_what_asks_for_its_names() -> None:
    """First the new header is not known, then it is; both times, and back, the other declarations stay."""
    source = (
        PROGRAM
        + b"""int asks(void) { return atoi("3"); }
void maps(void) {
#pragma omp target enter data map(to: not_declared)
}
"""
    )
    more = MORE + source
    analyzer = Analyzer()
    analyzed = []
    for text, known in ((source, source), (more, source), (more, more), (source, source)):
        analyzer.analyze("t.c", text, snapshot(Path("t.c"), known), Settings())
        analyzed.append(analyzer.analysed)
        check(analyzer, text, known)
        check_findings(analyzer, text, known)
    assert "main" in analyzed[0]
    assert analyzed[1:] == [["asks"], ["asks"], []]


@pytest.mark.parametrize(
    ("old", "new", "analysed"),
    [
        (b"a[i] += l", b"a[i] -= l", ["first"]),  # a body
        (b"x + total", b"x - total", ["helper"]),  # a body: who calls it stays
        (b"static int total", b"static long total", ["", "helper"]),  # a declaration, and what uses it
        (b"LAST = 3", b"LAST = 4", ["", "main"]),
        (b"#include <stdio.h>\n", b"#include <stdio.h>\n\n// moved\n\n", []),
        (b"SIZE 10", b"SIZE 12", ["", "second"]),
        (b"int helper(int x) {", b"int helper(long x) {", ["helper", "second"]),
    ],
)
def test_only_what_depends_on_an_edit(old: bytes, new: bytes, analysed: list[str]) -> None:
    analyzer = Analyzer()
    headers = snapshot(Path("t.c"), PROGRAM)
    analyzer.analyze("t.c", PROGRAM, headers, Settings())
    edited = PROGRAM.replace(old, new)
    assert edited != PROGRAM
    analyzer.analyze("t.c", edited, headers, Settings())
    assert analyzer.analysed == analysed
    check(analyzer, edited)


@pytest.mark.parametrize(
    "source",
    [
        b"struct list { struct list { int q; } a; int value; } x;\nint f(void) { return x.value + x.a.q; }\n",
        b"struct list;\ntypedef struct list list;\nstruct list { list *p; struct list { int q; }; int value; };\n",
        b"union u { struct s { union u { int a; } b; } c; union u *d; };\n",
    ],
)
def test_a_record_in_itself_ends(source: bytes) -> None:
    analyzer = Analyzer()
    check(analyzer, source)
    check(analyzer, source.replace(b"int q", b"long r"))
    check(analyzer, source)


def test_an_old_unit_keeps_its_records() -> None:
    analyzer = Analyzer()
    headers = snapshot(Path("t.c"), PROGRAM)
    old = analyzer.analyze("t.c", PROGRAM, headers, Settings())
    before = dump.unit(old)
    analyzer.analyze("t.c", PROGRAM.replace(b"int value;", b"double value, more;"), headers, Settings())
    analyzer.analyze("t.c", PROGRAM.replace(b"struct list { list *next; int value; };", b""), headers, Settings())
    assert dump.unit(old) == before


def test_settings_are_part_of_the_key() -> None:
    analyzer = Analyzer()
    source = b"void f(int n) {\n#pragma omp target\n  n++;\n}\n"
    headers = snapshot(Path("t.c"), source)
    sharing = []
    for version in ("5.2", "4.0", "5.2"):
        tu = analyzer.analyze("t.c", source, headers, Settings(openmp=version))  # type: ignore[arg-type]
        sharing.append(tu.items[0].content.regions[0].variables[0].sharing)
    assert sharing == ["firstprivate", "mapped", "firstprivate"]


class _Spent:
    def __init__(self, polls: int) -> None:
        self.left = polls

    def expired(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_a_budget_that_runs_out_keeps_what_there_is() -> None:
    headers = snapshot(Path("t.c"), PROGRAM)
    tu = Analyzer().analyze("t.c", PROGRAM, headers, Settings(), _Spent(5))
    assert not tu.complete
    assert len(tu.items) == 5
    assert [n.kind for n in tu.notes] == ["budget"]


@pytest.mark.parametrize("path", [*sorted(FIXTURES.glob("*.c")), EXAMPLES / "jacobi.c"], ids=lambda p: p.name)
def test_one_analyzer_for_many_texts(path: Path) -> None:
    analyzer = Analyzer()
    check(analyzer, PROGRAM)
    source = path.read_bytes()
    headers = snapshot(path, source)
    kept = dump.unit(analyzer.analyze("t.c", source, headers, Settings()))
    assert kept == dump.unit(Analyzer().analyze("t.c", source, headers, Settings()))
    check(analyzer, PROGRAM)
