"""Polynomials: arithmetic by property, reading of expressions, order, loops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from together import together

from ompls.analysis import rules
from ompls.analysis.dataenv.symbolic import Opaque, Poly, compare, loop_range, poly_of, sign
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.ctype import INT
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

X, Y = Symbol("x", "var", INT), Symbol("y", "var", INT)
SMALL = st.integers(-5, 5)


@st.composite
def polys(draw: st.DrawFn) -> Poly:
    x, y = Poly.of(X), Poly.of(Y)
    a, b, c, d = (draw(SMALL) for _ in range(4))
    return x * a + y * b + x * y * c + d


def at(p: Poly, x: int, y: int) -> int:
    value = p.substitute({X: Poly.of(x), Y: Poly.of(y)}).constant
    assert value is not None
    return value


@given(polys(), polys(), SMALL, SMALL)
def test_arithmetic_is_that_of_the_values(p: Poly, q: Poly, x: int, y: int) -> None:
    assert at(p + q, x, y) == at(p, x, y) + at(q, x, y)
    assert at(p - q, x, y) == at(p, x, y) - at(q, x, y)
    assert at(p * q, x, y) == at(p, x, y) * at(q, x, y)
    assert p + q == q + p
    assert hash(p + q) == hash(q + p)
    assert p - p == Poly({})


@given(polys(), polys(), st.integers(1, 9), st.integers(1, 9))
def test_an_order_that_is_known_is_true(p: Poly, q: Poly, x: int, y: int) -> None:
    a, b = at(p, x, y), at(q, x, y)
    truth = {"<": a < b, "<=": a <= b, "==": a == b, ">=": a >= b, ">": a > b, "": True}
    assert truth[compare(p, q)]


@given(polys(), polys(), st.tuples(st.integers(2, 5), SMALL), st.integers(1, 9), st.integers(1, 9))
def test_an_order_with_a_quotient_that_is_known_is_true(p: Poly, q: Poly, by: tuple[int, int], x: int, y: int) -> None:
    k, c = by
    quotient = Opaque("/", None, (p, Poly.of(k)))
    a, b = at(p, x, y), at(q, x, y) + c * int(at(p, x, y) / k)
    truth = {"<": a < b, "<=": a <= b, "==": a == b, ">=": a >= b, ">": a > b, "": True}
    known = {X, Y}.__contains__  # nothing is said of the quotient itself
    assert truth[compare(p, q + Poly.of(quotient) * c, known)]


@pytest.mark.parametrize(
    ("a", "b", "order"),
    [
        ("n / 2", "n", "<"), ("8 * (n * n / 2)", "8 * n * n", "<"), ("(n + 1) / 2", "n", "<="),
        ("(n + 63) / 64 * 64", "n", ">="), ("n / 2 + n / 3", "n", "<"), ("n / 2 * 2", "n", "<="), ("C / 2", "n", ""),
    ],
)  # fmt: skip
def test_quotients_are_ordered(a: str, b: str, order: str) -> None:
    difference = poly_of(expression(f"({a}) - ({b})"), {})
    assert difference is not None
    assert sign(difference) == order


@given(polys(), SMALL)
def test_coefficient_takes_a_polynomial_apart(p: Poly, x: int) -> None:
    parts = p.coefficient(X)
    assert parts is not None
    assert parts[0] * Poly.of(X) + parts[1] == p


def expression(text: str) -> ast.Expr:
    head = "enum { E = 7 }; struct s { int m; }; static const int K = 3; int f(void);\n"
    body = f"int g(int i, int n, int C, struct s v, int *idx, float r) {{ return {text}; }}\n"
    tu = Analyzer().analyze("x.c", (head + body).encode(), EMPTY_SNAPSHOT, Settings())
    node = tu.items[-1].content.node
    assert isinstance(node, ast.FunctionDef)
    jump = node.body.items[-1]
    assert isinstance(jump, ast.Jump)
    assert jump.value is not None
    return jump.value


EXPRESSIONS = [
    ("i * C + 1", "1 + C*i"),
    ("(i + 1) * (i - 1)", "-1 + i*i"),
    ("4 * n / 2", "2*n"),
    ("n / 2", "/(n, 2)"),
    ("i % n", "%(i, n)"),
    ("(n / 2) * 2 - n / 2", "/(n, 2)"),
    ("(long) i + (unsigned long) n", "i + n"),
    ("(char) i", "None"),
    ("sizeof(int) * n", "4*n"),
    ("n * sizeof(struct s) / sizeof(int)", "n"),
    ("i << 3", "8*i"),
    ("K + E", "10"),
    ("v.m + idx[i + 1]", "idx[](1 + i) + v.m()"),
    ("f()", "None"),
    ("r", "None"),
    ("n > 0 ? 1 : 2", "None"),
    ("-(i - n)", "-1*i + n"),
]


@together(("text", "expected"), EXPRESSIONS, ids=[t for t, _ in EXPRESSIONS])
def test_expressions(text: str, expected: str) -> None:
    assert repr(poly_of(expression(text))) == expected


LOOPS = [
    ("int i = 0; i < n; i++", "0..-1 + n by 1"),
    ("int i = 0; n > i; ++i", "0..-1 + n by 1"),
    ("int i = 1; i <= n; i = i + 1", "1..n by 1"),
    ("int i = n; i-- > 0;", "None"),
    ("int i = n - 1; i >= 0; i--", "0..-1 + n by -1"),
    ("int i = n; i > 0; i--", "1..n by -1"),
    ("int i = 0; i != n; i += 1", "0..-1 + n by 1"),
    ("int i = 0; i != n; i += 2", "None"),
    ("int i = 0; i < 10; i += 4", "0..8 by 4"),
    ("int i = 10; i > 0; i -= 4", "2..10 by -4"),
    ("int i = 0; i < n; i += 4", "0..-1 + n by 4 inexact"),
    ("int i = 0; i < n; i--", "None"),
    ("int i = 0; i < i + n; i++", "None"),
    ("int i = 0; i < n; i *= 2", "None"),
    ("int i = 0; i < f(); i++", "0..None by 1"),
]


@together(("head", "expected"), LOOPS, ids=[h for h, _ in LOOPS])
def test_loops(head: str, expected: str) -> None:
    text = f"int f(void); void g(int n) {{ for ({head}) ; }}\n"
    tu = Analyzer().analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings())
    loop = next(n for n in tu.items[-1].content.node.walk() if isinstance(n, ast.For))
    found = loop_range(loop)
    written = "None"
    if found is not None:
        written = f"{found.lower!r}..{found.upper!r} by {found.step}" + ("" if found.exact else " inexact")
    assert written == expected


def test_a_product_of_many_sizes_is_not_written_out() -> None:
    """Forty sizes plus one each would be 2 to the 40 terms."""
    sizes = [Symbol(f"n{k}", "param", INT) for k in range(40)]
    whole = Poly.of(1)
    for size in sizes:
        whole = whole * Poly.of(size)
    again = Poly.of(1)
    for size in reversed(sizes):
        again = Poly.of(size) * again
    assert whole == again
    assert compare(whole - 1, whole) == "<"
    assert compare(whole, 0) == ">="
    more = {size: Poly.of(size) + 1 for size in sizes}
    assert whole.substitute(more) == again.substitute(more) != whole
    assert sum(len(p.terms) for p in (whole.substitute(more), Poly.of(sizes[0]) + 1)) < 10
    power = Poly.of(1)
    for size in sizes:
        power = power * (Poly.of(size) + 1)
    assert len(power.terms) <= 1024


VALUES = {
    "quotients": "long v{0} = v{1} / 3 + v{1} % 7;",
    "loads": "long v{0} = a[v{1}] + b[v{1}];",
    "members": "long v{0} = a[v{1}] + s[v{1}].n;",
}


@pytest.mark.parametrize("name", VALUES)
def test_values_of_values_come_to_an_end(name: str) -> None:
    """Each variable names the one before twice."""
    body = "".join(VALUES[name].format(k + 1, k) for k in range(40))
    source = f"""
struct s {{ long n; }};
void f(long v0, long *a, long *b, struct s *s, double *d) {{ {body}
#pragma omp target parallel for map(d[0:v0])
for (long i = 0; i < v0; i++) d[v40 + i] = d[v40 - i];
}}
"""
    tu = Analyzer().analyze("x.c", source.encode(), EMPTY_SNAPSHOT, Settings())
    assert rules.report(tu).complete
