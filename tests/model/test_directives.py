"""Directives stand at the statement they apply to, and mean what the scopes at the pragma say."""

from __future__ import annotations

import pytest
from together import together

from ompls.analysis.model import ast
from ompls.analysis.model.declare import declare
from ompls.analysis.model.tu import TU
from ompls.analysis.syntax.binding import is_omp

from .support import analyze


def shape(n: ast.Node) -> str:
    """The statements of a tree, in short."""
    if isinstance(n, ast.DirectiveStmt):
        return f"{n.directive.name}[{shape(n.body) if n.body is not None else ''}]"
    if isinstance(n, ast.Compound):
        return "{" + " ".join(map(shape, n.items)) + "}"
    if isinstance(n, ast.If):
        return f"if({shape(n.then)})" + (f"else({shape(n.otherwise)})" if n.otherwise else "")
    if isinstance(n, (ast.For, ast.While, ast.DoWhile, ast.Switch)):
        return f"{type(n).__name__.lower()}({shape(n.body)})"
    if isinstance(n, (ast.Case, ast.Labeled)):
        return f"{type(n).__name__.lower()}:{shape(n.body) if n.body is not None else ''}"
    return {ast.ExprStmt: "e", ast.DeclStmt: "d", ast.Jump: "j", ast.OtherStmt: "?"}[type(n)]  # type: ignore[index]


# Each "@name" is a `#pragma omp name` line of its own.
SHAPES = [
    ("x++; @target\n x++; x++;", "{e target[e] e}"),
    ("@target\n { x++; }", "{target[{e}]}"),
    ("@target\n @teams\n @distribute\n for (;;) x++;", "{target[teams[distribute[for(e)]]]}"),
    ("@barrier\n x++;", "{barrier[] e}"),
    ("x++; @taskwait\n", "{e taskwait[]}"),
    ("@target enter data map(to: x)\n @target\n x++; @target exit data map(from: x)\n",
     "{target enter data[] target[e] target exit data[]}"),
    ("if (x)\n @target\n x++; else\n @target\n x--;", "{if(target[e])else(target[e])}"),
    ("if (x) x++; @target\n x--;", "{if(e) target[e]}"),
    ("for (;;)\n @target\n x++;", "{for(target[e])}"),
    ("while (x)\n @parallel\n { @barrier\n }", "{while(parallel[{barrier[]}])}"),
    ("do\n @target\n x++; while (x);", "{dowhile(target[e])}"),
    ("l:\n @target\n x++;", "{labeled:target[e]}"),
    ("switch (x) { case 1:\n @target\n x++; break; default:\n @taskwait\n ; }",
     "{switch({case:target[e] j case:taskwait[] e})}"),
    ("if (x)\n @barrier\n x++;", "{if({barrier[] e})}"),
    ("@parallel sections\n { @section\n x++; @section\n { x++; } }",
     "{parallel sections[{section[e] section[{e}]}]}"),
    ("for (;;) { x++; @scan inclusive(x)\n x--; }", "{for({e scan[] e})}"),
    ("@ordered depend(sink: x)\n x++; @ordered\n x++;", "{ordered[] e ordered[e]}"),
    ("@atomic\n x++; @atomic capture\n { int v = x; x++; }", "{atomic[e] atomic[{d e}]}"),
    ("@target\n int y = 3;", "{target[d]}"),
    ("@target parallel for\n for (int i = 0; i < x; i++)\n @atomic\n x++;", "{target parallel for[for(atomic[e])]}"),
    ("@targt\n x++;", "{targt[] e}"),
    ("@target map(to: \\\n x) // comment\n x++;", "{target[e]}"),
    ("int s = ({ @target\n x++; x; });", "{d}"),
    ("#pragma once\n x++; #pragma GCC ivdep\n x--;", "{e e}"),
    ("@target_enter_data map(to: x)\n x++;", "{target enter data[] e}"),
    ("@target\n", "{target[]}"),
]  # fmt: skip


def unit(body: str) -> TU:
    return analyze(
        "void f(int x) {\n" + body.replace("@", "\n#pragma omp ").replace("#pragma GCC", "\n#pragma GCC") + "\n}\n"
    )


@together(("body", "expected"), SHAPES)
def test_directives_are_bound_by_position(body: str, expected: str) -> None:
    tu = unit(body)
    node = tu.items[0].content.node
    assert isinstance(node, ast.FunctionDef)
    assert shape(node.body) == expected


def test_a_directive_without_a_statement_is_noted() -> None:
    assert [n.message for n in unit("@target\n").notes] == ["no statement follows the directive 'target'"]


def test_spans_run_from_the_pragma_to_the_end_of_the_body() -> None:
    tu = unit("@target\n { x++; } x--;")
    stmt = tu.items[0].content.directives[0]
    assert tu.text(tu.items[0], stmt.span) == "#pragma omp target\n { x++; }"


def test_clauses_mean_what_the_scope_says() -> None:
    tu = analyze("""
typedef double real;
int n;
void f(real *n, int m[10][4]) {
  {
    long n = 3;
#pragma omp target map(to: n, m[0:2][1]) if(target: (real)n > sizeof(real)) device(m[1][2])
    n++;
  }
#pragma omp target map(n[0:4]) depend(iterator(long k = 0 : 4), in: n[k])
  n[1] = 2;
}
""")
    first, second = (d.directive for d in tu.items[-1].content.directives)
    types = [declare(i.expr.type) for c in first.clauses for i in c.items]
    assert types == ["long", "int"]
    assert [declare(e.type) for c in first.clauses for e in c.args] == ["int", "int"]
    symbol = second.clauses[0].items[0].symbol
    assert symbol is not None
    assert (symbol.level, declare(symbol.type)) == ("param", "double *")
    assert declare(second.clauses[1].items[0].expr.type) == "double"


@pytest.mark.parametrize(
    "source",
    [
        "#pragma omp declare target\nint x; void f(void);\n#pragma omp end declare target\nint y;",
        "#pragma omp begin declare target\nint x; void f(void) { }\n#pragma omp end declare target\nint y;",
        "#pragma omp begin declare_target\nint x; void f(void) { }\n#pragma omp end declare_target\nint y;",
        "#pragma omp declare target\n#pragma omp declare target\nint a;\n#pragma omp end declare target\n"
        "int x; void f(void);\n#pragma omp end declare target\n#pragma omp end declare target\nint y;",
        "int x, y; void f(void);\n#pragma omp declare target(x, f)\n",
        "int x, y; void f(void);\n#pragma omp declare target enter(x) to(f)\n",
        "int x, y; void f(void);\n#pragma omp declare target(x, f)\nint x; void f(void) { }\n",
        "int y; extern int x;\n#pragma omp declare target to(x)\nint x = 3;\n"
        "#pragma omp declare target\nstatic void f(void) { }\n#pragma omp end declare target\n",
    ],
)
def test_declare_target(source: str) -> None:
    symbols = analyze(source).symbols
    assert {n: symbols[n].declare_target for n in "xyf"} == {"x": "enter", "y": "", "f": "enter"}


def test_a_function_variant_does_not_replace_its_base() -> None:
    tu = analyze("""
int add(int x) { return x; }
#pragma omp begin declare variant match(device={kind(nohost)})
long add(int x) { return x + 1; }
#pragma omp end declare variant
int f(void) { return add(1); }
""")
    assert declare(tu.symbols["add"].type, "add") == "int add(int)"
    assert tu.items[-1].content.calls == (tu.symbols["add"],)


def test_declare_target_link() -> None:
    tu = analyze(
        "int big[100];\n#pragma omp declare target link(big)\nvoid f(void) {\n#pragma omp target\n big[1] = 2;\n}\n"
    )
    assert tu.symbols["big"].declare_target == "link"
    variable = tu.items[1].content.regions[0].variables[0]
    assert variable.symbol is tu.symbols["big"]


def test_header_names_are_found_without_reading_all() -> None:
    tu = analyze('#include <stdio.h>\n#include <omp.h>\nint f(void) { return printf("%d", omp_get_num_devices()); }\n')
    printf = tu.symbols["printf"]
    assert printf.from_system_header
    assert declare(printf.type, "printf") == "int printf(const char *, ...)"
    assert "fputs" in tu.symbols
    assert "no_such_name" not in tu.symbols
    assert tu.symbols.get("no_such_name") is None
    assert [s.name for s in tu.items[0].content.calls] == ["printf", "omp_get_num_devices"]
    assert {"printf", "fopen", "omp_target_alloc", "FILE"} <= set(tu.symbols)
    assert tu.symbols["FILE"].kind == "typedef"


@pytest.mark.parametrize(
    "head",
    [
        "# /* c */ pragma omp", "#pragma /* c */ omp", "#pragma/**/omp", "#/**/pragma omp", "/* c */ # pragma omp",
        "#pragma \\\n/* c */ omp", "#pragma /* * / ** */ omp /* c */", "%: pragma /**/ omp", "#pragma /*\n*/ omp",
    ],
)  # fmt: skip
def test_comments_stand_anywhere_in_a_pragma(head: str) -> None:
    tu = analyze(f"void f(int *x) {{\n{head} target map(x[0:1])\nx[0] = 1;\n}}\n")
    assert [r.directive.name for item in tu.items for r in item.content.regions] == ["target"]


def test_many_comments_before_a_word_cost_no_more_than_one() -> None:
    assert not is_omp(b"#pragma " + b"/**/*/" * 5000 + b"once")
