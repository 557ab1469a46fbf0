"""What the list item of a clause designates: whether its expression leads to storage, and by which steps.

A list item is a variable, a member, an element or a section of one, or what a pointer in one of these points to (OpenMP
5.2 §3.2.1, §3.2.5).  gcc and clang refuse the same expressions, but for a few that clang alone takes (`beyond_gcc`).
"""

from __future__ import annotations

from ompls.analysis.dataenv.abilities import is_bit_field
from ompls.analysis.dataenv.paths import is_address
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr
from ompls.analysis.model.ctype import Integer, Pointer, Record, Void
from ompls.analysis.model.peel import bare, indexed

# Whose value is in no place that has an address.
_VALUES = (
    ast.IntLiteral, ast.FloatLiteral, ast.CharLiteral, ast.StringLiteral, ast.Binary, ast.Assign, ast.Conditional,
    ast.Call, ast.Cast, ast.SizeOf, ast.CompoundLiteral, ast.StatementExpr,
)  # fmt: skip
_OBJECTS = (ast.StringLiteral, ast.CompoundLiteral)  # but these are, without a name


def is_part(e: Expr) -> bool:
    """Whether it is a variable, an element or a section of one."""
    e = bare(e)
    while isinstance(e, (ast.Index, ast.Section)):
        e = bare(indexed(e) if isinstance(e, ast.Index) else e.base)
    return isinstance(e, ast.Name) or _is_unknown(e)


def value_in(e: Expr) -> Expr | None:
    """The expression, `e` itself or one that it goes through, that is a value and no place; None: `e` is a place.

    What a cast that ends in `->` leads to is a place, and what a sum of pointers points to.
    """
    e = bare(e)
    if isinstance(e, _VALUES) or _is_operation(e):
        return e
    if isinstance(e, ast.Member):
        base = bare(e.base)
        return value_in(base.operand if e.arrow and isinstance(base, ast.Cast) else base)
    if isinstance(e, ast.Index):
        return _value_in_pointer(indexed(e))
    if isinstance(e, ast.Section):
        return _value_in_pointer(e.base)
    if isinstance(e, (ast.Unary, ast.Shaping)):
        return _value_in_pointer(e.operand)
    return None


def _value_in_pointer(e: Expr) -> Expr | None:
    e = bare(e)
    if isinstance(e, ast.Binary) and e.op in ("+", "-"):
        return _value_in_pointer(e.left if is_address(e.left.type) or not is_address(e.right.type) else e.right)
    return value_in(e)


def is_value(e: Expr) -> bool:
    """Whether it has no address at all: not only none that a list item of `map` may go through."""
    e = bare(e)
    if isinstance(e, ast.Unary) and e.op in ("__real__", "__imag__"):
        return is_value(e.operand)
    if isinstance(e, ast.Member) and not e.arrow:
        return is_value(e.base)
    return (isinstance(e, _VALUES) and not isinstance(e, _OBJECTS)) or _is_operation(e)


def misfit(e: Expr, sized: bool = True) -> str:
    """What no compiler takes of a list item that may have members, in words that follow its name; "" for none.

    sized -- its size matters; of `void` gcc takes an address only
    """
    e = bare(e)
    while not isinstance(e, ast.Name):
        if isinstance(e, ast.Member):
            if isinstance(bare(e.base), ast.Section):
                return "is a member of an array section; take a section of members, or whole structures"
            if is_bit_field(e):
                return "is a bit-field, which has no address; take the structure"
            if isinstance(e.base.type, Integer) or (isinstance(e.base.type, Pointer) and not e.arrow):
                return "is a member of what is no structure"
            e = bare(e.base)
        elif isinstance(e, ast.Section):
            if sized and isinstance(e.base.type, Pointer) and isinstance(e.base.type.to, Void):
                return "is a section of `void`, whose elements have no size; use a pointer to `char`"
            if isinstance(e.base.type, Record):
                return "is a section of a structure; only arrays and pointers have sections"
            e = bare(e.base)
        elif isinstance(e, ast.Index):
            e = bare(indexed(e))
        elif isinstance(e, (ast.Unary, ast.Shaping)):
            e = bare(e.operand)
        else:
            break
    return ""


def beyond_gcc(e: Expr) -> str:
    """What gcc does not take of a list item although it is a place, in words that follow its name; "" for none."""
    e = bare(e)
    while not isinstance(e, ast.Name):
        if isinstance(e, ast.Index) and isinstance(bare(e.base).type, Integer):
            return "has its subscript in front"
        if isinstance(e, ast.Section) and isinstance(bare(e.base), ast.Binary):
            return "is a section of a sum; put the offset into the section"
        if isinstance(e, (ast.Member, ast.Index, ast.Section)):
            e = bare(e.base)
        elif isinstance(e, (ast.Unary, ast.Shaping)) and not _is_operation(e):
            e = bare(e.operand)
        elif isinstance(e, ast.Binary):
            e = bare(e.left if is_address(e.left.type) else e.right)
        else:
            return "goes through an expression; give that a name, as a variable of its own"
    if e.symbol is not None and e.symbol.storage == "register" and not isinstance(e.type, Pointer):
        return "is in a register variable, which has no address"
    return ""


def _is_operation(e: Expr) -> bool:
    return isinstance(e, ast.Unary) and e.op not in ("*", "&&")


def _is_unknown(e: Expr) -> bool:
    return isinstance(e, (ast.OtherExpr, ast.Generic))
