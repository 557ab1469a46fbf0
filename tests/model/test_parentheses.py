"""Variables in parentheses before `+`, `-`, `*` and `&`, as macros leave them, are no casts."""

from __future__ import annotations

import random

import pytest

from ompls.analysis.model import ast

from .support import analyze

RANKS = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<": 7, "==": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1}
PREFIXES = ("- ", "~", "!", "(long)", "(T)")


def grouped(e: ast.Expr | None) -> str:
    """The expression with brackets around each operation."""
    match e:
        case ast.Paren(inner=inner):
            return grouped(inner)
        case ast.Binary(op=op, left=left, right=right):
            return f"[{grouped(left)} {op} {grouped(right)}]"
        case ast.Unary(op=op, operand=operand):
            return f"[{op} {grouped(operand)}]"
        case ast.Cast(operand=operand):
            return f"[cast {grouped(operand)}]"
        case ast.Call(function=function, args=args):
            return f"{grouped(function)}({', '.join(map(grouped, args))})"
        case ast.Name(name=name):
            return name
        case ast.IntLiteral(text=text) | ast.FloatLiteral(text=text):
            return text
    return repr(e)


def shapes(expressions: list[str]) -> list[str]:
    """How the front end groups each."""
    lines = "".join(f"  r = {e};\n" for e in expressions)
    tu = analyze(f"typedef long T;\nlong g(long);\nvoid f(long r, long a, long b, long c, long d) {{\n{lines}}}\n")
    assert not any(item.content.tainted for item in tu.items)
    values = [n.value for item in tu.items for n in item.content.node.walk() if isinstance(n, ast.Assign)]
    return [grouped(v) for v in values]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("(a) + (b + 2) * (c)", "[a + [[b + 2] * c]]"),
        ("(a) * (b) * (c) + (a) * (c) + (d)", "[[[[a * b] * c] + [a * c]] + d]"),
        ("a * (b) * (c) * (d) + (c) * (d) + (b)", "[[[[[a * b] * c] * d] + [c * d]] + b]"),
        ("(a) & 1 == 0", "[a & [1 == 0]]"),
        ("r == (a) - b * c", "[r == [a - [b * c]]]"),
        ("(a)-1 * c", "[a - [1 * c]]"),
        ("(a) - -1 * c", "[a - [-1 * c]]"),
        ("(a) + g(b) * 2", "[a + [g(b) * 2]]"),
        ("- (a) + b * (c)", "[[- a] + [b * c]]"),
        ("(int)-(a) + b * 2", "[[cast [- a]] + [b * 2]]"),
        ("(T) - a", "[cast [- a]]"),
        ("(g)(a) * 2 + b", "[[g(a) * 2] + b]"),
        ("(a) && b == c", "[a && [b == c]]"),
    ],
)
def test_operators_around_a_variable_in_parentheses(text: str, shape: str) -> None:
    assert shapes([text]) == [shape]


def test_random_expressions() -> None:
    rng = random.Random(4)
    made = [expression(rng, rng.randint(1, 5)) for _ in range(400)]
    for (text, _, shape), found in zip(made, shapes([text for text, _, _ in made]), strict=True):
        assert found == shape, text


def expression(rng: random.Random, depth: int) -> tuple[str, int, str]:
    """Text, rank and shape of an expression; variables often stand in parentheses."""
    kind = rng.random()
    if depth == 0 or kind < 0.2:
        name = rng.choice("abcd")
        return (f"({name})" if rng.random() < 0.6 else name), 12, name
    if kind < 0.27:
        prefix, name = rng.choice(PREFIXES), rng.choice("abcd")
        return f"{prefix}({name})", 11, f"[{'cast' if ')' in prefix else prefix.strip()} {name}]"
    op = rng.choice([*RANKS, "+", "-", "*", "&", "*"])
    left, right = expression(rng, depth - 1), expression(rng, depth - 1)
    first = left[0] if left[1] >= RANKS[op] else f"({left[0]})"
    second = right[0] if right[1] > RANKS[op] else f"({right[0]})"
    return f"{first} {op} {second}", RANKS[op], f"[{left[2]} {op} {right[2]}]"
