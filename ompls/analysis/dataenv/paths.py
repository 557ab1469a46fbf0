"""Paths of access: which variable an lvalue starts from, and through how many pointers it goes; walks over a tree."""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, CType, Pointer, Record, held, innermost
from ompls.analysis.model.peel import bare, indexed, strip


def named_in(expr: Node) -> set[Symbol]:
    """The variables, functions and constants that are named in it."""
    return {n.symbol for n in expr.walk() if isinstance(n, ast.Name) and n.symbol is not None}


def root(expr: Expr | None) -> Symbol | None:
    """The variable at the base of a list item or access path: `s` of `s.p[i]`, `p` of `*(p + 1)`; None: no variable."""
    while expr is not None:
        if isinstance(expr, ast.Name):
            return expr.symbol if expr.symbol is not None and expr.symbol.kind in ("var", "param") else None
        if isinstance(expr, ast.Index):
            expr = indexed(expr)
        elif isinstance(expr, (ast.Section, ast.Member)):
            expr = expr.base
        elif isinstance(expr, ast.Paren):
            expr = expr.inner
        elif isinstance(expr, (ast.Unary, ast.Shaping, ast.Cast)):
            expr = expr.operand
        elif isinstance(expr, ast.Binary):
            expr = _based_on(expr)
        else:
            return None
    return None


def may_exceed_its_type(s: Symbol | None) -> bool:
    """Whether it has a flexible array member, which is a part of the object when it is initialized (GNU C)."""
    if s is None or not isinstance(s.type, Record) or not (s.defined or s.storage == "static"):
        return False
    return any(_is_flexible(f.type) for f in s.type.body.fields or ())


def _is_flexible(t: CType) -> bool:
    return isinstance(t, Array) and t.length is None and not t.vla


def goes_beyond(expr: Expr) -> bool:
    """Whether a list item is a section of a flexible array member, or of what stands for one: `m[0]`, `m[1]`."""
    for section in expr.walk():
        base = bare(section.base) if isinstance(section, ast.Section) else None
        if isinstance(section, ast.Section) and isinstance(base, ast.Member) and isinstance(base.type, Array):
            length = base.type.length
            return _is_flexible(base.type) or length == 0 or (length == 1 and fold(section.length) != 1)
    return False


def rows_pointed_to(expr: Expr) -> Expr | None:
    """What holds the pointers to the rows in `a[0:n][0:m]`, where these lie anywhere; None: there are no such rows."""
    while isinstance(expr, (ast.Section, ast.Index, ast.Member, ast.Paren)):
        base = strip(expr.inner if isinstance(expr, ast.Paren) else expr.base)
        through = not isinstance(expr, ast.Paren) and not (isinstance(expr, ast.Member) and not expr.arrow)
        if through and isinstance(base, ast.Section) and isinstance(base.type, Array):
            several = base.length is None or fold(base.length) != 1
            if several and isinstance(base.type.of, Pointer):
                return base.base
        expr = base
    return None


def depth_of(expr: Expr) -> int:
    """How many pointers an lvalue goes through from its root: 0 for `a[i]` of an array, 1 for `p[i]`, `p->m`, `*p`."""
    depth = 0
    while True:
        if isinstance(expr, ast.Paren):
            expr = expr.inner
        elif isinstance(expr, (ast.Index, ast.Section)):
            expr = indexed(expr) if isinstance(expr, ast.Index) else expr.base
            depth += not isinstance(expr.type, Array)
        elif isinstance(expr, ast.Member):
            depth += expr.arrow and not isinstance(expr.base.type, Array)
            expr = expr.base
        elif isinstance(expr, ast.Unary) and expr.op in ("*", "&"):
            depth += -1 if expr.op == "&" else not isinstance(expr.operand.type, Array)
            expr = expr.operand
        elif isinstance(expr, (ast.Shaping, ast.Cast)):
            expr = expr.operand
        elif isinstance(expr, ast.Binary):
            expr = _based_on(expr)
        else:
            return depth


def _based_on(expr: ast.Binary) -> Expr:
    """The operand that is an address, else the left one."""
    return expr.right if is_address(expr.right.type) and not is_address(expr.left.type) else expr.left


def same(a: Expr, b: Expr) -> bool:
    """Whether two expressions are written alike."""
    waiting = [(a, b)]
    while waiting:
        x, y = map(bare, waiting.pop())
        if type(x) is not type(y) or (what := _written(x)) is None or what != _written(y):
            return False
        below, others = ([n for n in e.children() if isinstance(n, Expr)] for e in (x, y))
        if len(below) != len(others):
            return False
        waiting += zip(below, others, strict=True)
    return True


def _written(expr: Expr) -> object:
    """What makes an expression differ from another one of its kind besides its operands; None: it is not compared."""
    match expr:
        case ast.Name():
            return expr.symbol
        case ast.IntLiteral() | ast.CharLiteral():
            return expr.value
        case ast.FloatLiteral() | ast.StringLiteral():
            return expr.text
        case ast.Member():
            return expr.field
        case ast.Unary() | ast.Binary():
            return expr.op
        case ast.Cast():
            return expr.to
        case ast.Index() | ast.Call() | ast.Conditional():
            return ""
    return None


def holds_pointers(t: CType) -> bool:
    """Whether copying such data would copy addresses."""
    return any(of.body.fields is None if isinstance(of, Record) else isinstance(of, Pointer) for of in held(t))


def points_to_const(t: CType) -> bool:
    """Whether `t` points to, or is an array of, const objects without further pointers in them."""
    inner = t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else None
    inner = innermost(inner) if inner is not None else None
    return inner is not None and "const" in inner.quals and not isinstance(inner, (Pointer, Record))


def is_address(t: CType) -> bool:
    return isinstance(t, (Pointer, Array))
