"""C expressions read as polynomials."""

from __future__ import annotations

from collections.abc import Mapping

from ompls.analysis.dataenv.paths import root
from ompls.analysis.dataenv.poly import Opaque, Poly, opaque
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import CType, Enum, Integer

Values = Mapping[Symbol, "Poly | None"]  # what variables hold; None: not known
_LARGEST = 24  # terms of a polynomial; larger ones are given up
_DEEPEST = 40  # nesting of an expression


def is_integer(t: CType) -> bool:
    """Whether values of type `t` are integers whose value does not change by itself."""
    return isinstance(t, (Integer, Enum)) and not t.quals & {"volatile", "_Atomic"}


def poly_of(expr: Expr | None, values: Values | None = None, loads: bool = True, _depth: int = 0) -> Poly | None:
    """`expr` as a polynomial; None when it is none.

    values -- what variables hold; one that it does not mention is an atom, one with None makes the result None
    loads -- whether `s.n`, `idx[i]` may be opaque atoms (they change when memory is written)
    """
    if expr is None or _depth > _DEEPEST:
        return None
    constant = fold(expr)
    if constant is not None:
        return Poly.of(constant)
    values = {} if values is None else values
    match expr:
        case ast.Paren():
            return poly_of(expr.inner, values, loads, _depth + 1)
        case ast.Name():
            return _name(expr, values)
        case ast.Unary(op="+" | "-"):
            inner = poly_of(expr.operand, values, loads, _depth + 1)
            return inner if inner is None or expr.op == "+" else -inner
        case ast.Binary(op="+" | "-" | "*" | "/" | "%" | "<<" | ">>" | "&"):
            return _binary(expr, values, loads, _depth)
        case ast.Cast():
            wide = isinstance(expr.to, Enum) or (isinstance(expr.to, Integer) and expr.to.size >= 4)
            return poly_of(expr.operand, values, loads, _depth + 1) if wide else None
        case ast.Index() | ast.Member() if loads and is_integer(expr.type):
            return _load(expr, values, _depth)
        case ast.Assign(op="="):
            return poly_of(expr.value, values, loads, _depth + 1)
        case ast.Call(
            function=ast.Name(
                name="omp_get_thread_num" | "omp_get_team_num" | "omp_get_num_threads" | "omp_get_num_teams" as name
            ),
            args=[],
        ):
            return Poly.of(Opaque(name, None, ()))
    return None


def _name(expr: ast.Name, values: Values) -> Poly | None:
    symbol = expr.symbol
    if symbol is None or symbol.kind not in ("var", "param") or not is_integer(symbol.type):
        return None
    if symbol in values:
        return values[symbol]
    if "const" in symbol.type.quals and symbol.init is not None and (known := fold(symbol.init)) is not None:
        return Poly.of(known)
    return Poly.of(symbol)


def _binary(expr: ast.Binary, values: Values, loads: bool, depth: int) -> Poly | None:
    a = poly_of(expr.left, values, loads, depth + 1)
    b = poly_of(expr.right, values, loads, depth + 1) if a is not None else None
    if a is None or b is None:
        return None
    if expr.op == "+":
        return a + b
    if expr.op == "-":
        return a - b
    if expr.op == "*":
        return a * b if len(a.terms) * len(b.terms) <= _LARGEST else None
    known = b.constant
    if expr.op == "<<":
        return a * (1 << known) if known is not None and 0 <= known < 63 else None
    if expr.op == "/" and known is not None and (exact := a.divided(known)) is not None:
        return exact
    if expr.op == "&" and known is not None and known < 0 and known & -known == -known:  # `i & ~7`: without low bits
        low = opaque("&", None, (a, Poly.of(-known - 1)))
        return a - low if low is not None else None
    if expr.op in (">>", "&") and (known is None or known < 0):
        return None
    return opaque(expr.op, None, (a, b)) if known != 0 or expr.op == "&" else None


def _load(expr: Expr, values: Values, depth: int) -> Poly | None:
    """An integer in memory, as an opaque atom: its base, the way to it, and its subscripts."""
    base = root(expr)
    if base is None or (base in values and values[base] is None):
        return None
    way = ""
    args: list[Poly] = []
    at: Expr = expr
    while not isinstance(at, ast.Name):
        if isinstance(at, ast.Paren):
            at = at.inner
        elif isinstance(at, ast.Member):
            way = f".{at.field}{way}"
            at = at.base
        elif isinstance(at, ast.Index):
            index = poly_of(at.index, values, True, depth + 1)
            if index is None:
                return None
            way, args = f"[]{way}", [index, *args]
            at = at.base
        else:
            return None
    return opaque(way, base, tuple(args))
