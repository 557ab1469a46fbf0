"""No text raises: truncated, deeply nested, not C, huge lines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from thinned import thinned

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import check
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, HeaderUnit, Settings

from . import dump
from .support import EXAMPLES, FIXTURES, snapshot

SOURCES = [*sorted(FIXTURES.glob("*.c")), *sorted(EXAMPLES.glob("*.c"))]


@pytest.mark.parametrize("path", thinned(SOURCES, 4), ids=lambda p: p.name)
def test_cut_anywhere(path: Path) -> None:
    """At every offset with OMPLS_EXHAUSTIVE, else at every 17th and all of the last 40."""
    source = path.read_bytes()
    headers = snapshot(path, source)
    step = 1 if "OMPLS_EXHAUSTIVE" in os.environ else 1 + len(source) // 120
    analyzer = Analyzer()
    for end in [*range(0, len(source) - 40, step), *range(len(source) - 40, len(source))]:
        tu = analyzer.analyze("t.c", source[:end], headers, Settings())
        for item in tu.items:
            assert 0 <= item.start <= item.end <= len(tu.expanded)


TEXTS = {
    "empty": b"",
    "zeros": b"\0" * 300,
    "not C": b"<html><body>&nbsp;</body></html>\n" * 5,
    "latin-1": 'void f(void) { char *s = "\xe9"; /* \xfc */ }'.encode("latin-1"),
    "braces": b"void f(void) " + b"{" * 10_000,
    "closed braces": b"void f(void) " + b"{" * 10_000 + b"}" * 10_000,
    "parentheses": b"int x = " + b"(" * 10_000 + b"1" + b")" * 10_000 + b";",
    "sum": b"int f(int a) { return " + b"a + " * 20_000 + b"a; }",
    "assignments": b"void f(int a) { " + b"a = " * 5_000 + b"a; }",
    "else if": b"void f(int a) { " + b"if (a) a++; else " * 3_000 + b"a--; }",
    "pointers": b"int " + b"*" * 20_000 + b"p;",
    "arrays": b"int a" + b"[2]" * 5_000 + b";",
    "functions": b"int f" + b"(int)" * 3_000 + b";",
    "initialisers": b"int a[] = " + b"{" * 5_000 + b"1" + b"}" * 5_000 + b";",
    "records": b"struct a {" * 3_000 + b"int x;" + b"};" * 3_000,
    "calls": b"void f(void) { " + b"f(" * 5_000 + b")" * 5_000 + b"; }",
    "casts": b"int x = " + b"(int)" * 5_000 + b"1;",
    "pragmas": b"void f(void) {\n" + b"#pragma omp target\n" * 1_000 + b";}",
    "members": b"int f(void) { return a" + b".b" * 5_000 + b"; }",
    "long line": b"int x; " * 150_000,
    "conditionals": b"int f(int a) { return " + b"a ? a : " * 3_000 + b"a; }",
    "typeof": b"int x; " + b"typeof(" * 3_000 + b"x" + b")" * 3_000 + b" y;",
    "nested clauses": b"void f(int a) {\n#pragma omp target if(" + b"(" * 5_000 + b"a" + b")" * 5_000 + b")\na++; }",
}


@pytest.mark.parametrize("name", thinned(TEXTS, 4))
def test_extreme_texts(name: str) -> None:
    tu = Analyzer().analyze("t.c", TEXTS[name], EMPTY_SNAPSHOT, Settings())
    if name != "long line":
        dump.unit(tu)


def test_what_is_too_deep_is_tainted() -> None:
    tu = Analyzer().analyze("t.c", TEXTS["closed braces"], EMPTY_SNAPSHOT, Settings())
    assert tu.items[0].content.tainted


def test_a_broken_statement_taints_its_region_only() -> None:
    source = b"""void f(int n) {
#pragma omp target
  { n = ; }
#pragma omp target
  { n++; }
}
"""
    tu = Analyzer().analyze("t.c", source, EMPTY_SNAPSHOT, Settings())
    assert [r.tainted for r in tu.items[0].content.regions] == [True, False]
    assert [n.kind for n in tu.notes] == ["parse"]


def test_unknown_names_and_types_taint() -> None:
    sources = {
        "void f(void) {\n#pragma omp target\n { unknown++; }\n}\n": True,
        "void f(unknown *p) {\n#pragma omp target\n { p[0]++; }\n}\n": True,
        "typedef float v4 __attribute__((vector_size(16)));\nvoid f(v4 a) {\n#pragma omp target\n { a; }\n}\n": True,
        "void f(void) {\n#pragma omp target\n { implicit(); }\n}\n": False,
    }
    for source, tainted in sources.items():
        content = Analyzer().analyze("t.c", source.encode(), EMPTY_SNAPSHOT, Settings()).items[-1].content
        assert content.tainted is tainted, source


@pytest.mark.parametrize(
    "text",
    [
        b"static void f(int n, const flo",
        b"int a;\n@\nint b;\n",
        b"void f(void) {\n  if (1) {\n",
        b"int x = 5\n",
        b"}\n",
    ],
)
def test_what_is_no_c_is_noted(text: bytes) -> None:
    tu = Analyzer().analyze("t.c", b"int before;\n" + text, EMPTY_SNAPSHOT, Settings())
    assert [n.kind for n in tu.notes][:1] == ["parse"]
    assert all(n.start >= len("int before;\n") for n in tu.notes)


def test_functions_after_a_broken_one_are_read() -> None:
    source = b"int f( { return 1; }\nint g(void) { return 2; }\nint h(void) { return 3; }\n"
    tu = Analyzer().analyze("t.c", source, EMPTY_SNAPSHOT, Settings())
    assert {"g", "h"} <= set(tu.symbols.own)


def test_inline_assembly_is_no_reason_to_doubt_the_rest() -> None:
    source = b"""void f(int n) {
  __asm__ volatile("nop" : "+r"(n));
#pragma omp target
  { n++; }
#pragma omp target
  { __asm__ volatile("nop" : "+r"(n)); }
}
"""
    content = Analyzer().analyze("t.c", source, EMPTY_SNAPSHOT, Settings()).items[0].content
    assert not content.tainted
    assert [r.tainted for r in content.regions] == [False, True]


def test_bodies_of_header_functions_are_not_followed() -> None:
    """Each inline function of <immintrin.h> calls others; a chain of them once was a recursion."""
    count = 3000
    lines = ["static inline int f0(int x) { return x; }"]
    lines += [f"static inline int f{k}(int x) {{ return f{k - 1}(x); }}" for k in range(1, count)]
    headers = HeaderSnapshot("deep", system={"<deep.h>": HeaderUnit((), "\n".join(lines))})
    source = b"#include <deep.h>\nint g(void) { return f%d(1); }\n" % (count - 1)
    tu = Analyzer().analyze("test.c", source, headers, Settings())
    assert tu.items[-1].content.calls[0].name == f"f{count - 1}"
    assert not tu.items[-1].content.tainted


@pytest.mark.parametrize(
    "text",
    [
        "struct node { int a; struct node; int b; }; int f(struct node *p) { return p->x + sizeof(*p); }",
        "struct node { struct node n[2]; } g; int f(struct node *p) { return p->n[1].x + sizeof(*p); }",
        "union u { struct { union u in; } s; }; int f(union u *p) { return p->x + sizeof(*p); }",
    ],
)
def test_a_record_in_itself_has_an_end(text: str) -> None:
    check(Analyzer().analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings()))
