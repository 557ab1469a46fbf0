"""Which of the arrays that a target construct maps nothing in it writes to, so that reading them needs no barrier.

Two list items of a construct's map clauses share no storage (OpenMP 5.2 section 5.8.3), and what is stored as one type
is not read as another.  Both are asked for: every store names a list item, or a variable of the region's own, and none
is of the array's type; where one goes through any other pointer, nothing is known.
"""

from __future__ import annotations

from ompls.analysis.dataenv.private import WRITTEN_BACK
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import changed_by
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.ctype import Array, CType, Floating, Integer, Pointer
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare
from ompls.translate.uses import listed, modified_in


def unwritten(target: Directive, body: ast.Stmt, own: set[Symbol], harmless: frozenset[str]) -> frozenset[Symbol]:
    """own -- variables of the region itself; harmless -- functions that store nothing"""
    mapped = {s for c in target.all("map") for i in c.items if (s := _item(i.expr)) is not None}
    written = set(modified_in(body))  # pointers and whole variables
    kinds: set[object] = set()  # of the elements that are stored
    for n in ast.nodes(body):
        stored = changed_by(n)
        if isinstance(n, DirectiveStmt):
            changed = listed([n.directive], *WRITTEN_BACK)
            written |= changed
            kinds |= {_kind(s.type) for s in changed - own}
        elif isinstance(n, (ast.OtherExpr, ast.OtherStmt, ast.AsmStmt)) or (
            isinstance(n, ast.Call) and not _is(n, harmless)
        ):
            return frozenset()
        if stored is not None:
            s = storage(stored)
            is_own = s in own and (isinstance(bare(stored), ast.Name) or not isinstance(s.type, Pointer))
            if s is None or not (is_own or s in mapped):
                return frozenset()
            written.add(s)
            if not is_own:
                kinds.add(_kind(stored.type))
    return frozenset(s for s in mapped - written if kinds.isdisjoint({_kind(s.type), None}))


def _kind(t: CType) -> object:
    """What two numbers have in common when a store to one may change the other; None for what is no number."""
    while isinstance(t, (Array, Pointer)):
        t = t.of if isinstance(t, Array) else t.to
    if isinstance(t, Integer):
        return t.size if t.size > 1 else None  # a char may be part of anything
    return t.kind if isinstance(t, Floating) else None


def storage(e: ast.Expr) -> Symbol | None:
    """The variable in which `e` lies, or that points to where it lies; None where one pointer leads to another."""
    through = 0
    e = bare(e)
    while not isinstance(e, ast.Name):
        through += _is_through(e)
        if isinstance(e, (ast.Member, ast.Index)):
            e = bare(e.base)
        elif isinstance(e, ast.Unary) and e.op == "*":
            e = bare(e.operand)
        else:
            return None
    s = e.symbol
    return s if s is not None and through <= isinstance(s.type, Pointer) else None


def _is_through(e: ast.Expr) -> bool:
    """Whether it takes a pointer to get from what `e` is an element or a member of to `e`."""
    if isinstance(e, ast.Member):
        return e.arrow
    inside = e.base if isinstance(e, ast.Index) else e.operand if isinstance(e, ast.Unary) else None
    return inside is not None and not isinstance(inside.type, Array)


def _item(e: ast.Expr) -> Symbol | None:
    """The variable of a list item that is an array, or a section of what a pointer points to."""
    e = bare(e)
    base = bare(e.base) if isinstance(e, ast.Section) else e
    s = base.symbol if isinstance(base, ast.Name) else None
    kind = Pointer if isinstance(e, ast.Section) else Array
    return s if s is not None and isinstance(s.type, (Array, kind)) else None


def _is(call: ast.Call, names: frozenset[str]) -> bool:
    s = call.function.symbol if isinstance(call.function, ast.Name) else None
    return s is not None and s.name in names and s.from_system_header
