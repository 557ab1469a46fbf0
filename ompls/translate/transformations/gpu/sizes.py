"""Numbers: where types have another size in CUDA C++ than in C, where a value may lose something (narrowing)."""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ctype import BOOL, CType, Enum, Floating, Integer
from ompls.analysis.model.peel import bare
from ompls.translate.definitions import defined
from ompls.translate.problem import Problem


def is_smaller(e: ast.Expr) -> bool:
    """Whether `e` may have a smaller type in C++: 'a' is a char there, a comparison a bool."""
    kinds = (ast.CharLiteral, ast.Binary, ast.Unary, ast.Conditional, ast.Assign)
    return isinstance(e, kinds) and isinstance(e.type, (Integer, Enum))


def size_of_definition(n: ast.SizeOf, text: str) -> int:
    """`sizeof(struct {…})` as a number: C++ takes no definition there.  Raises Problem for one with a name."""
    if n.size is None or any(x.tag or x.kind == "enum" for x in defined(text)):
        raise Problem(n.span, f"a type that is defined in '{n.op}'", "CUDA C++ takes none there; define it before")
    return n.size


def is_complex(t: CType) -> bool:
    return isinstance(t, Floating) and t.complex


def fits(e: ast.Expr, t: CType) -> bool:
    """Whether `e` is a constant that any number of type `t` can be: no narrowing."""
    literal = bare(e)
    limit = 2 if t == BOOL else 128
    return isinstance(literal, ast.IntLiteral) and isinstance(t, (Integer, Floating)) and literal.value < limit
