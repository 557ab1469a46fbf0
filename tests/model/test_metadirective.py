"""Which directive a metadirective stands for: texts and the directives that the model holds in their place."""

from __future__ import annotations

from together import together

from ompls.analysis.model.ast import Compound, DirectiveStmt, For
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

# The clauses of a metadirective before `for (…)`, and the directive; a `?` marks one that is not certain.
CASES = [
    # conditions that the compiler knows
    ("when(user={condition(1)}: target parallel for) default(parallel for)", "target parallel for"),
    ("when(user={condition(0)}: target parallel for) default(parallel for)", "parallel for"),
    ("when(user={condition(BIG > 2)}: target parallel for) otherwise(for)", "target parallel for"),
    ("when(user={condition(sizeof(int) == 8)}: target parallel for) otherwise(for)", "for"),
    ("when(user={condition(LIMIT)}: simd) default(for)", "simd"),
    ("when(user={condition(1)}: ) default(for)", "nothing"),
    ("when(user={condition(0)}: for)", "nothing"),
    ("when(user={condition(0)}: for) when(user={condition(1)}: simd)", "simd"),
    ("when(user={condition(1)}: target teams loop map(tofrom: x[0:n]) if(target: n > 3))", "target teams loop"),
    # conditions that it does not know
    ("when(user={condition(n > 3)}: target parallel for) default(parallel for)", "target parallel for ?"),
    ("when(user={condition(n > 3)}: parallel for) default(target parallel for)", "target parallel for ?"),
    ("when(user={condition(n > 3)}: simd) default(for)", "simd ?"),
    ("when(user={condition(n)}: simd) when(user={condition(1)}: target simd)", "target simd ?"),
    ("when(implementation={vendor(llvm)}: simd) default(for)", "simd ?"),
    ("when(target_device={kind(gpu)}: target teams loop) default(for)", "target teams loop ?"),
    ("when(implementation={vendor(score(2): llvm)}, user={condition(0)}: simd) default(for)", "for"),
    # the host is no GPU; but the function may run on one
    ("when(device={kind(gpu)}: simd) default(for)", "for ?"),
    ("when(device={kind(host)}: simd) default(for)", "simd ?"),
    ('when(device={arch("nvptx")}: simd) when(device={isa(sm_70)}: simd) default(for)', "for ?"),
    ("when(device={arch(x86_64)}: simd) default(for)", "simd ?"),
    # the constructs around it
    ("when(construct={target}: simd) default(for)", "simd ?"),
    # garbled: it stays what it is
    ("when(device={kind(gpu)} simd) default(for)", "metadirective"),
    ("when(user={condition(1)}: tarteg) default(for)", "metadirective"),
    ("when(user={condition(1): for) default(for)", "metadirective"),
    ("whenever(user={condition(1)}: for)", "metadirective"),
]
HEAD = "#define LIMIT (2 > 1)\nenum { BIG = 3 };\nvoid f(int n, float *x) {\n"
LOOP = "for (int i = 0; i < n; i++) x[i] = 0;\n}\n"


def directives(text: str) -> list[DirectiveStmt]:
    tu = Analyzer().analyze("test.c", text.encode(), EMPTY_SNAPSHOT, Settings())
    return tu.items[-1].content.directives


def shown(stmt: DirectiveStmt) -> str:
    return stmt.directive.name + ("" if stmt.directive.decided else " ?")


@together(("clauses", "expected"), CASES)
def test_resolves(clauses: str, expected: str) -> None:
    (stmt,) = directives(f"{HEAD}#pragma omp metadirective {clauses}\n{LOOP}")
    assert shown(stmt) == expected
    bound = expected.removesuffix(" ?") not in ("nothing", "metadirective")
    assert isinstance(stmt.body, For) is bound
    if stmt.directive.meta is not None:
        assert stmt.directive.meta.name == "metadirective"
        assert stmt.directive.span == stmt.directive.meta.span


@together(("clauses", "expected"), CASES)
def test_every_prefix_is_read(clauses: str, expected: str) -> None:
    for end in range(len(clauses)):
        directives(f"{HEAD}#pragma omp metadirective {clauses[:end]}\n{LOOP}")


def test_spans_of_a_variant_are_where_it_stands() -> None:
    text = f"{HEAD}#pragma omp metadirective when(user={{condition(1)}}: \\\n target teams loop map(x[0:n]))\n{LOOP}"
    tu = Analyzer().analyze("test.c", text.encode(), EMPTY_SNAPSHOT, Settings())
    item = tu.items[-1]
    directive = item.content.directives[0].directive
    assert tu.text(item, directive.name_span) == "target teams loop"
    assert tu.text(item, directive.clauses[0].span) == "map(x[0:n])"
    assert [r.id for r in item.content.regions] == ["f_0"]
    assert [v.symbol.name for v in item.content.regions[0].variables if v.sharing == "mapped"] == ["x"]


def test_a_target_around_it_is_a_device() -> None:
    outer, inner = directives(
        f"{HEAD}#pragma omp target map(x[0:n])\n#pragma omp metadirective when(construct={{target}}: teams loop) "
        f"default(loop)\n{LOOP}"
    )
    assert [shown(outer), shown(inner)] == ["target", "teams loop"]
    _, inner = directives(
        f"{HEAD}#pragma omp target map(x[0:n])\n#pragma omp metadirective when(device={{kind(nohost)}}: teams loop) "
        f"default(loop)\n{LOOP}"
    )
    assert shown(inner) == "teams loop ?"


def test_begin_metadirective_holds_what_is_before_its_end() -> None:
    tail = "x[0] = 1;\nx[1] = 1;\n#pragma omp end metadirective\nx[2] = 1;\n}\n"
    begun, end = directives(f"{HEAD}#pragma omp begin metadirective when(user={{condition(1)}}: target)\n{tail}")
    assert [shown(begun), shown(end)] == ["target", "end metadirective"]
    assert isinstance(begun.body, Compound)
    assert len(begun.body.items) == 2
    begun, end = directives(f"{HEAD}#pragma omp begin metadirective when(user={{condition(0)}}: target)\n{tail}")
    assert [shown(begun), begun.body] == ["nothing", None]
