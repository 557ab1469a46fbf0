"""Expressions that choose the smaller or the larger of two values: `a < b ? a : b`, `fmin(a, b)`, functions like them."""

from __future__ import annotations

from typing import Literal

from ompls.analysis.dataenv.paths import same
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.races.computed import Functions

Direction = Literal["min", "max"]
_LIBRARY = frozenset(f"f{kind}{suffix}" for kind in ("min", "max") for suffix in ("", "f", "l"))


def extreme_of(expr: Expr, functions: Functions) -> tuple[Direction, tuple[Expr, Expr]] | None:
    """Which of two values it is, and they."""
    expr = bare(expr)
    if isinstance(expr, ast.Conditional) and expr.then is not None:
        return _chosen(expr.condition, expr.then, expr.otherwise)
    if not isinstance(expr, ast.Call) or not isinstance(expr.function, ast.Name) or len(expr.args) != 2:
        return None
    name = expr.function.name
    both = (expr.args[0], expr.args[1])
    called = functions.get(name)
    if called is None or not isinstance(called.node, ast.FunctionDef):
        if name not in _LIBRARY:
            return None
        return ("min" if name[1:4] == "min" else "max"), both
    inside = _returned(called.node)
    if inside is None or {n.symbol for e in inside[1] for n in (bare(e),) if isinstance(n, ast.Name)} != set(
        called.node.params
    ):
        return None
    return inside[0], both


def _chosen(condition: Expr, then: Expr, otherwise: Expr) -> tuple[Direction, tuple[Expr, Expr]] | None:
    """What `condition ? then : otherwise` chooses."""
    asked = bare(condition)
    if not isinstance(asked, ast.Binary) or asked.op not in ("<", "<=", ">", ">="):
        return None
    left, right, one, other = (bare(e) for e in (asked.left, asked.right, then, otherwise))
    smaller = asked.op in ("<", "<=")
    if same(left, one) and same(right, other):
        return ("min" if smaller else "max"), (one, other)
    if same(left, other) and same(right, one):
        return ("max" if smaller else "min"), (one, other)
    return None


def _returned(function: ast.FunctionDef) -> tuple[Direction, tuple[Expr, Expr]] | None:
    """What a function returns: `return a < b ? a : b;`, or `if (a < b) return a; return b;`."""
    values = [n.value for n in function.body.walk() if isinstance(n, ast.Jump) and n.value is not None]
    if len(values) == 1 and isinstance(one := bare(values[0]), ast.Conditional) and one.then is not None:
        return _chosen(one.condition, one.then, one.otherwise)
    tests = [n for n in function.body.walk() if isinstance(n, ast.If)]
    if len(values) == 2 and len(tests) == 1 and any(n is values[0] for n in tests[0].then.walk()):
        return _chosen(tests[0].condition, values[0], values[1])
    return None
