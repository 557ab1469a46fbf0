"""Signatures, tokens, inlay hints, folds and growing selections, on snippets."""

from __future__ import annotations

import pytest

from ompls.analysis import features
from ompls.analysis.features.pragmas import pragma_at
from ompls.analysis.spec import CLAUSES

from .marked import marked, unit

SIGNATURES = [
    # pragma with the mark, the label, the active part
    ("#pragma omp target map(¦", "map([modifier, …] [map-type:] list)", "[modifier, …] [map-type:]"),
    ("#pragma omp target map(to: a, ¦b)", "map([modifier, …] [map-type:] list)", "list"),
    ("#pragma omp for schedule(¦)", "schedule([modifier:] kind, [chunk size])", "kind"),
    ("#pragma omp for schedule(static, ¦)", "schedule([modifier:] kind, [chunk size])", "[chunk size]"),
    ("#pragma omp for schedule(monotonic: dynamic, ¦)", "schedule([modifier:] kind, [chunk size])", "[chunk size]"),
    ("#pragma omp for reduction(+:¦", "reduction([modifier,] identifier: list)", "list"),
    ("#pragma omp for reduction(¦", "reduction([modifier,] identifier: list)", "[modifier,] identifier:"),
    ("#pragma omp for linear(a, b: ¦)", "linear(list : [step])", "[step]"),
    ("#pragma omp for collapse(¦)", "collapse(number of loops)", "number of loops"),
    ("#pragma omp parallel proc_bind(¦)", "proc_bind(close|spread|primary)", "close|spread|primary"),
    ("#pragma omp parallel private(a, ¦)", "private(list)", "list"),
    ("#pragma omp target if(n > (3 + ¦", "if([directive-name:] condition)", "condition"),
    ("#pragma omp tile sizes(1, 2¦)", "sizes(size, …)", "…"),
]


@pytest.mark.parametrize(("pragma", "label", "active"), SIGNATURES, ids=[s[0] for s in SIGNATURES])
def test_signature(pragma: str, label: str, active: str) -> None:
    found = features.signature(*marked(f"void f(int n) {{\n{pragma}\n}}\n"))
    assert found is not None
    start, end = found.parts[found.active]
    assert (found.label, found.label[start:end]) == (label, active)
    assert "OpenMP" in found.documentation


@pytest.mark.parametrize(
    "pragma", ["#pragma omp target ¦map(a)", "#pragma omp flush(¦)", "f(¦)", "#pragma omp for map¦"]
)
def test_no_signature(pragma: str) -> None:
    assert features.signature(*marked(f"void f(int n) {{\n{pragma}\n}}\n")) is None


def test_signatures_name_every_part_once() -> None:
    """Each clause's form is one line whose parts are in it, in order."""
    for name, spec in CLAUSES.items():
        found = features.signature(*marked(f"#pragma omp barrier {name}(¦)\n"))
        assert (found is None) == (spec.shape == "none"), name
        if found is not None:
            assert found.label.startswith(f"{name}(")
            assert all(a < b <= len(found.label) for a, b in found.parts)


TOKENS = [
    ("#pragma omp target teams map(always, to: x[0:n]) nowait",
     "pragma:sentinel omp:sentinel target:directive teams:directive map:clause always:modifier to:modifier x:variable "
     "0:number n:variable nowait:clause"),
    ("#pragma omp target \\\n  map(tofrom: s.a)",
     "pragma:sentinel omp:sentinel target:directive map:clause tofrom:modifier s:variable a:member"),
    ("#define N 3\n#pragma omp for schedule(static, N) /* map */ collapse(f(2))",
     "pragma:sentinel omp:sentinel for:directive schedule:clause static:modifier N:macro collapse:clause f:function "
     "2:number"),
    ("#pragma omp for linear(x: step(2)) if(for: to > 1)",
     "pragma:sentinel omp:sentinel for:directive linear:clause x:variable step:modifier 2:number if:clause "
     "for:modifier to:variable 1:number"),
    ("#if 0\n#pragma omp target map(to: to)\n#endif",
     "pragma:sentinel omp:sentinel target:directive map:clause to:modifier to:variable"),
    ("#pragma omp declare target enter(f)",
     "pragma:sentinel omp:sentinel declare:directive target:directive enter:clause f:variable"),
    ("#pragma omp begin declare variant match(construct={target})",
     "pragma:sentinel omp:sentinel begin:directive declare:directive variant:directive match:clause construct:modifier "
     "target:modifier"),
    ("#pragma omp flush(a)", "pragma:sentinel omp:sentinel flush:directive a:variable"),
    ("#pragma omp tarrget map(x)", "pragma:sentinel omp:sentinel tarrget:directive map:clause x:variable"),
    ("// #pragma omp target\n#pragma once\nint target;", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TOKENS, ids=[t[0] for t in TOKENS])
def test_tokens(text: str, expected: str) -> None:
    data = text.encode()
    found = features.tokens(data)
    assert " ".join(f"{data[start:end].decode()}:{kind}" for start, end, kind in found) == expected
    assert (starts := [t[0] for t in found]) == sorted(set(starts))


def test_tokens_of_a_range() -> None:
    text = b"#pragma omp target\n;\n#pragma omp parallel\n;\n#pragma omp single\n;\n"
    words = [text[start:end] for start, end, _ in features.tokens(text, 24, 26)]
    assert words == [b"pragma", b"omp", b"parallel"]


INLAYS = [
    ("#pragma omp target map(to: x[0:n])\n a[0] = n + x[0];", ["map(tofrom: a) firstprivate(n)"]),
    ("#pragma omp target // says\n x[0] = k;", ["map(x[:0]) firstprivate(k)"]),
    ("#pragma omp target \\\n  map(x[0:n]) firstprivate(n)\n x[0] = n;", []),
    ("#pragma omp target defaultmap(to: aggregate)\n k = a[0];", ["firstprivate(k) map(to: a)"]),
    ("#define T _Pragma(\"omp target\")\n T\n k = 1;", []),
    ("#pragma omp parallel\n k = 1;", []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), INLAYS, ids=[i[0] for i in INLAYS])
def test_inlays(body: str, expected: list[str]) -> None:
    tu = unit(f"void f(int n, float *x, int k) {{ float a[9];\n{body}\n}}\n")
    found = features.inlays(tu)
    assert [sorted(i.label.split(") ")) for i in found] == [sorted(e.split(") ")) for e in expected]
    for inlay in found:
        line = tu.source[: inlay.offset].splitlines()[-1]
        assert not line.endswith(b" ")
        assert b"//" not in line
        assert "§" in inlay.why


@pytest.mark.parametrize(
    ("count", "label"),
    [
        (8, "firstprivate(v0, v1, v2, v3, v4, v5, v6, v7)"),
        (9, "firstprivate(v0, v1, v2, v3, v4, v5, v6, v7, … 1 more)"),
    ],
)
def test_an_inlay_has_eight_names_of_a_kind(count: int, label: str) -> None:
    names = [f"v{n}" for n in range(count)]
    text = (
        f"int f(int {', int '.join(names)}, int *x) {{\n#pragma omp target map(x[0:1])\nx[0] = {' + '.join(names)};\n}}"
    )
    (inlay,) = features.inlays(unit(text))
    assert inlay.label == label


def test_inlays_of_a_range() -> None:
    text = "void f(int n) {\n#pragma omp target\n n++;\n#pragma omp target\n n++;\n}"
    tu = unit(text)
    second = text.rindex("target") + len("target")
    assert [i.offset for i in features.inlays(tu)] == [text.index("target") + 6, second]
    assert [i.offset for i in features.inlays(tu, second, len(text))] == [second]


FOLDS = """\
/* a
   comment */
#if 1
struct s {
    int m;
};
#else
int x;
#endif
void f(int n) {
#pragma omp target \\
    map(tofrom: n)
    {
        n++; { }
    }
    char *t = "{";
}
"""


def test_folds() -> None:
    index = FOLDS.encode()
    lines = {
        (index.count(b"\n", 0, f.start), index.count(b"\n", 0, f.end), f.kind) for f in features.folds(unit(FOLDS))
    }
    assert lines == {
        (0, 1, "comment"), (2, 5, ""), (6, 7, ""), (3, 5, ""), (9, 16, ""), (10, 11, ""), (12, 14, ""),
        (10, 14, "region"),
    }  # fmt: skip


def test_selections_grow() -> None:
    text = "void f(int n, float *x) {\n#pragma omp target map(to: n, x[0:n¦]) nowait\n { n = 1; }\n}"
    tu, offset = marked(text)
    grown = [tu.source[a:b].decode() for a, b in features.selections(tu, offset)]
    assert grown[:6] == ["n", "0:n", "x[0:n]", "n, x[0:n]", "to: n, x[0:n]", "map(to: n, x[0:n])"]
    assert grown[6:] == [
        "#pragma omp target map(to: n, x[0:n]) nowait",
        "#pragma omp target map(to: n, x[0:n]) nowait\n { n = 1; }",
    ]
    assert features.selections(tu, len(tu.source) - 3) == []


LINES = (
    "int a; /* #pragma omp one */ \r\n/*\n#pragma omp two\n*/ #pragma omp three\n//\\\n#pragma omp four\n"
    '  /* x */ # pragma omp five \\\n  six /* and\n seven */ eight // nine\n%:pragma omp ten \\  \n\n"/*";\n'
    '#pragma omp eleven\r#pragma omp twelve\rint b;\n#pragma omp "/*" thirteen\n#pragma ompx\n/*/\n#pragma omp no\n'
)


def test_one_pragma_is_found_as_all_are() -> None:
    """The quick look at one line says what the scan of the whole text says."""
    data = LINES.encode()
    found = features.pragmas(data)
    assert [data[p.start : p.end].split()[-1] for p in found] == [
        b"three", b"eight", b"ten", b"eleven", b"twelve", b"thirteen"
    ]  # fmt: skip
    for offset in range(len(data) + 1):
        expected = next((p for p in found if p.start <= offset <= p.line_end), None)
        assert pragma_at(data, offset) == expected, data[offset - 10 : offset + 10]
