"""How deep an expression of a clause may be: what stands side by side is as deep as the deepest of it."""

from __future__ import annotations

import pytest

from ompls.analysis.syntax.clause_expr import ExprParser, ParseError, tokenize
from ompls.analysis.syntax.limits import TOO_DEEP

MANY = 400


def parsed(text: str) -> str:
    """'' or what is wrong."""
    tokens = tokenize(text.encode())
    try:
        ExprParser(tokens, 0, len(tokens), lambda _: False).expression()
    except ParseError as e:
        return str(e)
    return ""


@pytest.mark.parametrize(
    "text",
    [
        "+".join(f"a[{k}]" for k in range(MANY)),
        "p[" + "+".join(f"q->n[{k}]" for k in range(MANY)) + " : 4]",
        "f(" + ", ".join(f"a[{k}].b" for k in range(MANY)) + ")",
    ],
)
def test_many_subscripts_side_by_side_are_not_deep(text: str) -> None:
    assert parsed(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "p" + "->n" * MANY,
        "a[" * MANY + "0" + "]" * MANY,
        "a[(p" + "->n" * 200 + ")]" + "->n" * 200,
        "a[p" + "->n" * 200 + " : 1]" + "->n" * 200,
        "f(p" + "->n" * 200 + ", 1)" + "->n" * 200,
        "<".join("a" * MANY),
    ],
)
def test_levels_in_and_around_each_other_add_up(text: str) -> None:
    assert parsed(text) == TOO_DEEP
