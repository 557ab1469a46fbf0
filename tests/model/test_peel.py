"""What is taken off an expression: parentheses, casts, subscripts on either side."""

from __future__ import annotations

import pytest

from ompls.analysis.model import ast
from ompls.analysis.model.peel import bare, peel, strip

from .support import analyze

CASES = [  # an expression, it without parentheses, without casts too, without subscripts, without `*` and `!`
    ("p", "p", "p", "p", "p"),
    ("((p))", "p", "p", "p", "p"),
    ("((long)((int)*p))", "(long)((int)*p)", "*p", "(long)((int)*p)", "(long)((int)*p)"),
    ("(p)[3]", "(p)[3]", "(p)[3]", "p", "(p)[3]"),
    ("3[(p)]", "3[(p)]", "3[(p)]", "p", "3[(p)]"),
    ("(*p)", "*p", "*p", "*p", "p"),
    ("!(!*p)", "!(!*p)", "!(!*p)", "!(!*p)", "p"),
    ("-(*p)", "-(*p)", "-(*p)", "-(*p)", "-(*p)"),
]


@pytest.mark.parametrize(("text", "no_parentheses", "no_casts", "no_subscripts", "no_operators"), CASES)
def test_what_is_taken_off(
    text: str, no_parentheses: str, no_casts: str, no_subscripts: str, no_operators: str
) -> None:
    whole = f"void f(int *p) {{ {text}; }}"
    item = analyze(whole).items[0]
    expr = next(n.expr for n in item.content.node.walk() if isinstance(n, ast.ExprStmt))
    assert expr is not None
    left = [bare(expr), strip(expr), peel(expr, ast.Index, ast.Section), peel(expr, ops="*!")]
    assert [whole[slice(*e.span)] for e in left] == [no_parentheses, no_casts, no_subscripts, no_operators]
