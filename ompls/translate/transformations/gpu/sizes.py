"""Where types have another size in CUDA C++ than in C, and where a value may lose something (narrowing)."""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Integer, Pointer, Record
from ompls.translate.ctext import strip


def spelled_differently(t: CType) -> bool:
    """Whether `t` is a number that CUDA C++ lacks, or takes for a smaller one (long double)."""
    while isinstance(t, (Array, Pointer)):
        t = t.of if isinstance(t, Array) else t.to
    if isinstance(t, Record):
        return any(spelled_differently(f.type) for f in t.body.fields or () if not isinstance(f.type, Pointer))
    return isinstance(t, (Integer, Floating)) and t.kind in _TOO_LARGE


_TOO_LARGE = frozenset({"long double", "_Float128", "_Float16", "__int128", "unsigned __int128"})


def is_smaller(e: ast.Expr) -> bool:
    """Whether `e` may have a smaller type in C++: 'a' is a char there, a comparison a bool."""
    kinds = (ast.CharLiteral, ast.Binary, ast.Unary, ast.Conditional, ast.Assign)
    return isinstance(e, kinds) and isinstance(e.type, (Integer, Enum))


def fits(e: ast.Expr, t: CType) -> bool:
    """Whether `e` is a constant that any number of type `t` can be: no narrowing."""
    literal = strip(e)
    limit = 2 if t == Integer("_Bool") else 128
    return isinstance(literal, ast.IntLiteral) and isinstance(t, (Integer, Floating)) and literal.value < limit
