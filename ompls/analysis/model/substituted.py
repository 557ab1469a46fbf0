"""An expression with other expressions in place of names: what a called function asks, as its caller would write it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ompls.analysis.model.ast import Expr, Name, StatementExpr, Symbol, walk_all

_MOST = 100  # nodes of an expression that is rewritten; a larger one is left


def substituted(expr: Expr, values: Mapping[Symbol, Expr]) -> Expr:
    """`expr` with `values` in place of the variables; what names none of them is the same node as before."""
    seen = list(walk_all(expr)) if values else []
    if len(seen) > _MOST or not any(isinstance(n, Name) and n.symbol in values for n in seen):
        return expr
    return _made(expr, values)


def _made(expr: Expr, values: Mapping[Symbol, Expr]) -> Expr:
    if isinstance(expr, Name):
        return values.get(expr.symbol, expr) if expr.symbol is not None else expr
    if isinstance(expr, StatementExpr):
        return expr
    changes: dict[str, Any] = {}
    for field in fields(expr):
        old = getattr(expr, field.name)
        if isinstance(old, Expr):
            new: object = _made(old, values)
        elif isinstance(old, list):
            new = [_made(n, values) if isinstance(n, Expr) else n for n in old]
            new = old if all(a is b for a, b in zip(old, new, strict=True)) else new
        else:
            continue
        if new is not old:
            changes[field.name] = new
    return replace(expr, **changes) if changes else expr
