"""Integer constant expressions (C11 §6.6), folded on the typed tree."""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.convert import INTEGERS
from ompls.analysis.model.ctype import CType, Enum, Integer
from ompls.analysis.model.layout import alignof, sizeof


def fold(e: ast.Expr | None) -> int | None:
    """The value of an integer constant expression; None when it is none (or is not known)."""
    if e is None:
        return None
    value = _fold(e)
    return None if value is None else wrap(value, e.type)


def wrap(value: int, t: CType) -> int:
    """`value` converted to integer type `t` (two's complement)."""
    if isinstance(t, Enum):
        t = t.underlying
    if not isinstance(t, Integer):
        return value
    if t.kind == "_Bool":
        return int(value != 0)
    size, signed = INTEGERS[t.kind]
    value &= (1 << size * 8) - 1
    return value - (1 << size * 8) if signed and value >> (size * 8 - 1) else value


def _fold(e: ast.Expr) -> int | None:
    if isinstance(e, (ast.IntLiteral, ast.CharLiteral)):
        return e.value
    if isinstance(e, ast.Paren):
        return fold(e.inner)
    if isinstance(e, ast.Name):
        return e.symbol.value if e.symbol is not None and e.symbol.kind == "enumconst" else None
    if isinstance(e, ast.Unary):
        return _unary(e)
    if isinstance(e, ast.Binary):
        return _binary(e)
    if isinstance(e, ast.Conditional):
        condition = fold(e.condition)
        if condition is None:
            return None
        if condition:
            return condition if e.then is None else fold(e.then)
        return fold(e.otherwise)
    if isinstance(e, ast.Cast):
        if isinstance(e.to, (Integer, Enum)):
            if isinstance(e.operand, ast.FloatLiteral):
                return _float(e.operand.text)
            return fold(e.operand)
        return None
    if isinstance(e, ast.SizeOf):
        return sizeof(e.of) if e.op == "sizeof" else alignof(e.of)
    if isinstance(e, ast.Generic) and e.chosen is not None:
        return fold(e.chosen)
    return None


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
    a, b = fold(e.left), fold(e.right)
    if e.op in ("&&", "||") and a is not None:
        if bool(a) == (e.op == "||"):
            return int(e.op == "||")
        return None if b is None else int(bool(b))
    if a is None or b is None:
        return None
    op = e.op
    if op in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if op == "/" else a - quotient * b
    if op in ("<<", ">>"):
        if not 0 <= b < 128:
            return None
        return a << b if op == "<<" else a >> b
    table = {
        "+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b, "<": int(a < b), ">": int(a > b),
        "<=": int(a <= b), ">=": int(a >= b), "==": int(a == b), "!=": int(a != b),
    }  # fmt: skip
    return table.get(op)
