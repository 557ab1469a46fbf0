"""Integer constant expressions (C11 §6.6), folded on the typed tree."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ompls.analysis.model import ast
from ompls.analysis.model.convert import arithmetic
from ompls.analysis.model.ctype import CType, Enum, Integer


def fold(e: ast.Expr | None) -> int | None:
    """The value of an integer constant expression; None when it is none (or is not known)."""
    folder = _FOLDERS.get(type(e))
    value = folder(e) if folder is not None else None
    return None if value is None or e is None else wrap(value, e.type)


def wrap(value: int, t: CType) -> int:
    """`value` converted to integer type `t` (two's complement)."""
    if isinstance(t, Enum):
        t = t.underlying
    if not isinstance(t, Integer):
        return value
    if t.kind == "_Bool":
        return int(value != 0)
    value &= (1 << t.size * 8) - 1
    return value - (1 << t.size * 8) if t.signed and value >> (t.size * 8 - 1) else value


def _literal(e: ast.IntLiteral | ast.CharLiteral) -> int:
    return e.value


def _paren(e: ast.Paren) -> int | None:
    return fold(e.inner)


def _name(e: ast.Name) -> int | None:
    return e.symbol.value if e.symbol is not None and e.symbol.kind == "enumconst" else None


def _conditional(e: ast.Conditional) -> int | None:
    condition = fold(e.condition)
    if condition is None:
        return None
    if condition:
        return condition if e.then is None else fold(e.then)
    return fold(e.otherwise)


def _cast(e: ast.Cast) -> int | None:
    if not isinstance(e.to, (Integer, Enum)):
        return None
    return _float(e.operand.text) if isinstance(e.operand, ast.FloatLiteral) else fold(e.operand)


def _sizeof(e: ast.SizeOf) -> int | None:
    return e.size


def _generic(e: ast.Generic) -> int | None:
    return fold(e.chosen)


def _float(text: str) -> int | None:
    try:
        return int(float(text.rstrip("fFlL")))
    except (ValueError, OverflowError):
        return None


def _unary(e: ast.Unary) -> int | None:
    value = fold(e.operand)
    if value is None or e.op not in "+-~!":
        return None
    return {"+": value, "-": -value, "~": ~value, "!": int(not value)}[e.op]


def _binary(e: ast.Binary) -> int | None:
    row = ast.chain(e)
    value = fold(row[0].left)
    for operation in row:
        value = combined(operation, value)
    return value


def combined(e: ast.Binary, left: int | None) -> int | None:
    """As `fold`, of an operation whose left operand is known to be `left`."""
    value = _combined(e, left) if left is not None else None
    return None if value is None else wrap(value, e.type)


def _combined(e: ast.Binary, a: int) -> int | None:
    if e.op in ("&&", "||") and bool(a) == (e.op == "||"):
        return int(e.op == "||")
    b = fold(e.right)
    return None if b is None else operated(e, a, b)


def operated(e: ast.Binary, a: int, b: int) -> int | None:
    """What the operator of `e` makes of two values, before that is converted to its type; None: it is undefined."""
    op = e.op
    if op in ("&&", "||"):
        return int(bool(a and b)) if op == "&&" else int(bool(a or b))
    if op not in ("<<", ">>"):  # a negative operand of an unsigned operation is large
        common = arithmetic(e.left.type, e.right.type)
        a, b = wrap(a, common), wrap(b, common)
    if op in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if op == "/" else a - quotient * b
    if op in ("<<", ">>"):
        if not 0 <= b < 128:
            return None
        return a << b if op == "<<" else a >> b
    return int(_OPERATIONS[op](a, b)) if op in _OPERATIONS else None


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_FOLDERS: dict[type, Callable[[Any], int | None]] = {
    ast.IntLiteral: _literal, ast.CharLiteral: _literal, ast.Paren: _paren, ast.Name: _name, ast.Unary: _unary,
    ast.Binary: _binary, ast.Conditional: _conditional, ast.Cast: _cast, ast.SizeOf: _sizeof, ast.Generic: _generic,
}  # fmt: skip
