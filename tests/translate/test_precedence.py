"""Generated expressions have the parentheses that C asks for, and no others."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from named import preview
from together import together

from ompls.analysis.model.tu import TU
from ompls.translate.precedence import operand

PLAIN = ["n", "7", "0x1.8p3", '"s"', "(a + b)", "f(a, b)", "x[i + 1]", "s.n", "p->n[2]", "n++", "(f)"]
LOOSE = ["a, b", "a = b", "a += 1", "a ? b : c", "a || b", "a & b", "a == b", "a < b", "a << b"]


@pytest.mark.parametrize("text", PLAIN)
def test_operands_stay_as_they_are(text: str) -> None:
    assert operand(text, "unary") == operand(text, "cast") == operand(text, "*", right=True) == text


@pytest.mark.parametrize("text", LOOSE)
def test_what_binds_less_is_put_in_parentheses(text: str) -> None:
    assert operand(text, "+") == operand(text, "cast") == f"({text})"


@together(
    ("text", "op", "right", "expected"),
    [
        ("a - b", "-", False, "a - b"),
        ("a - b", "-", True, "(a - b)"),
        ("a * b", "-", True, "a * b"),
        ("a * b", "/", True, "(a * b)"),
        ("a + b", "*", False, "(a + b)"),
        ("-n", "cast", False, "-n"),
        ("-n", "unary", False, "(-n)"),
        ("(int)n", "*", True, "(int)n"),
        ("(int)n + 1", "cast", False, "((int)n + 1)"),
        ("(n) - 1", "cast", False, "((n) - 1)"),
        ("sizeof(int)", "*", True, "sizeof(int)"),
        ("sizeof(int) * n", "cast", False, "(sizeof(int) * n)"),
        ("a ? b : c", "?", False, "a ? b : c"),
    ],
)
def test_an_operator_decides(text: str, op: str, right: bool, expected: str) -> None:
    assert operand(text, op, right=right) == expected


@pytest.mark.parametrize("text", ["unsigned n", "[&] { return 1; }()", "(struct s){1}.n", "a b", "", "a +", "(a", "}"])
def test_what_is_no_plain_expression_is_put_in_parentheses(text: str) -> None:
    assert operand(text, "?") == f"({text})"


def count(unit: Callable[[str], TU], loop: str, head: str = "") -> str:
    directive = "#pragma omp target teams distribute parallel for num_teams(8) map(tofrom: x[0:n])"
    text = preview(unit(f"{head}void f(int *x, int n, int m)\n{{\n{directive}\n{loop} x[0] = 1;\n}}\n"), "cuda").text
    (found,) = re.findall(r"ompls_count(?:_i)? = (.*);", text)
    return str(found)


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for (int i = 1; i < n; i++)", r"1 < n ? (unsigned int)n - 1 : 0"),
        ("for (int i = 1; i < n - 1; i++)", r"1 < n - 1 ? (unsigned int)(n - 1) - 1 : 0"),
        ("for (int i = 0; i < n; i += 3)", r"0 < n ? ((unsigned int)n - 1) / 3 + 1 : 0"),
        ("for (int i = 0; i < n; i += m)", r"0 < n ? ((unsigned int)n - 1) / m + 1 : 0"),
        ("for (int i = 0; i < n; i += m + 1)", r"0 < n ? ((unsigned int)n - 1) / (m + 1) + 1 : 0"),
        ("for (int i = m; i < n; i++)", r"m < n ? (unsigned int)n - (unsigned int)m : 0"),
    ],
)
def test_counts_read_as_a_person_writes_them(loop: str, expected: str, unit: Callable[[str], TU]) -> None:
    assert count(unit, loop) == expected
