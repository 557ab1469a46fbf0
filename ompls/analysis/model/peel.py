"""What stands around an expression and does not change what it is about: parentheses, casts, subscripts."""

from __future__ import annotations

from collections.abc import Container
from typing import overload

from ompls.analysis.model.ast import Cast, Expr, Index, Member, Paren, Section, Shaping, Unary
from ompls.analysis.model.ctype import Array, Pointer


@overload
def bare(expr: Expr) -> Expr: ...
@overload
def bare(expr: Expr | None) -> Expr | None: ...
def bare(expr: Expr | None) -> Expr | None:
    """Without parentheses."""
    while isinstance(expr, Paren):
        expr = expr.inner
    return expr


def strip(expr: Expr) -> Expr:
    """Without parentheses and casts."""
    while isinstance(expr, (Paren, Cast)):
        expr = expr.inner if isinstance(expr, Paren) else expr.operand
    return expr


def peel(expr: Expr, *kinds: type[Cast | Index | Member | Section | Shaping], ops: Container[str] = ()) -> Expr:
    """Without parentheses, nodes of these kinds and these unary operators: `p->x` of `(p->x[0:n])[i]`."""
    while True:
        match expr:
            case Paren():
                expr = expr.inner
            case Unary() if expr.op in ops:
                expr = expr.operand
            case Index() if Index in kinds:
                expr = indexed(expr)
            case Section() | Member() if type(expr) in kinds:
                expr = expr.base
            case Cast() | Shaping() if type(expr) in kinds:
                expr = expr.operand
            case _:
                return expr


def indexed(expr: Index) -> Expr:
    """The pointer or array of a subscript: `p` of `p[3]` and of `3[p]`."""
    return expr.index if _is_address(expr.index) and not _is_address(expr.base) else expr.base


def _is_address(expr: Expr) -> bool:
    return isinstance(expr.type, (Pointer, Array))
