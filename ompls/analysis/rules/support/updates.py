"""Quick fixes with `target update`, each of which cannot overwrite newer values.

What the abstract machine says of a place (`noticed.risk_at`) decides how much may be moved there: the whole variable where
none of it is newer on the other side on any visit, else the section that is read.  What the host has just written is
newer by the order of the text, so that its section can be sent right behind the statement that writes it.
"""

from __future__ import annotations

from ompls.analysis.dataenv.access import Access, accesses
from ompls.analysis.dataenv.faults import OTHERS
from ompls.analysis.dataenv.paths import holds_pointers, same
from ompls.analysis.dataenv.places import ELEMENT
from ompls.analysis.dataenv.symbolic import LoopRange, Poly, range_over
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import Node, Span, walk_all
from ompls.analysis.model.ctype import Array, CType, Pointer
from ompls.analysis.model.omp import Directive, ListItem
from ompls.analysis.model.peel import peel
from ompls.analysis.rules.support.edits import in_blocks, insert_before, line_after, line_before
from ompls.analysis.rules.support.framework import Change, Quotes, Scene
from ompls.analysis.rules.support.lengths import in_c

_LOOPS = (ast.For, ast.While, ast.DoWhile)


def update_from(scene: Scene, read: Span, risk: str) -> tuple[Change, ...]:
    """The fix that brings data back before the host reads them, before the whole loop that does if it has no region."""
    if scene.function is None:
        return ()
    stmt = next((s for s in in_blocks(scene.function.body, read) if not _has_region(s)), None)
    if stmt is None or risk not in ("", OTHERS):
        return ()
    text, quotes = data_at(scene, read)
    if risk or not text:
        text, quotes = _section(scene, stmt, read, write=False), ()
    return line_before(scene, stmt, f"target update from({text})", quotes) if text else ()


def update_to(scene: Scene, region: ast.DirectiveStmt, read: Span) -> tuple[Change, ...]:
    """The fix that takes data to the device before a region that reads them."""
    text, quotes = data_at(scene, read, region.directive)
    return insert_before(scene, region, f"target update to({text})", quotes) if text else ()


def update_of_written(scene: Scene, written: Span) -> tuple[Change, ...]:
    """The fix that sends what the host writes at a place behind the statement, or the loop, that has written it all."""
    for stmt in in_blocks(scene.function.body, written) if scene.function is not None else ():
        if not _has_region(stmt):
            text = _section(scene, stmt, written, write=True)
            if text:
                return line_after(scene, stmt, f"target update to({text})")
            if isinstance(stmt, _LOOPS):
                return ()  # not once an iteration
    return ()


def _section(scene: Scene, stmt: ast.Stmt, at: Span, *, write: bool) -> str:
    """What `stmt` accesses at a place, as a list item; '' when that cannot be written before (behind, of a `write`) it.

    Of a write, every element of the section is certainly written.
    """
    if any(isinstance(n, ast.Call) and not _is_of_library(n) for n in stmt.walk()):
        return ""
    made = [a for a in accesses(stmt, scene.unit.functions) if a.node.span == at and (a.write if write else a.read)]
    if len(made) != 1 or not _is_plain(made[0], write):
        return ""
    found = made[0]
    if any(step != ELEMENT for step in found.place.path) or len(found.subscripts) != _dimensions(found.symbol.type):
        return ""
    bounds = [_bounds(s, found.loops) for s in found.subscripts]
    used = [loop.symbol for b in bounds if b is not None for loop in b[2]]
    if None in bounds or len(used) != len(set(used)):
        return ""  # a subscript is not known, or one loop goes along a diagonal
    named = {s for b in bounds if b is not None for s in b[0].symbols() | b[1].symbols()}
    named |= {found.symbol} if found.place.depth else set()
    changed = assigned_in(stmt) if write else {n.symbol for n in walk_all(stmt) if isinstance(n, ast.VarDecl)}
    if changed & named:
        return ""
    return found.symbol.name + "".join(f"[{in_c(b[0])}:{in_c(b[1] - b[0] + 1)}]" for b in bounds if b is not None)


def _is_plain(access: Access, write: bool) -> bool:
    """Whether it is made here, as it stands; a write on every path and in each iteration."""
    if access.calls or not access.certain or not access.place.sure:
        return False
    return not write or not (access.guards or access.held or any(not loop.exact for loop in access.loops))


def _bounds(subscript: Poly | None, loops: tuple[LoopRange, ...]) -> tuple[Poly, Poly, list[LoopRange]] | None:
    """The first and the last value, each between them being taken, and the loop (or none) that counts through them."""
    if subscript is None or subscript.opaques():
        return None
    varying = [loop for loop in loops if loop.symbol in subscript.symbols()]
    if not varying:
        return subscript, subscript, []
    ends = range_over(subscript, loops)
    factor = subscript.coefficient(varying[0].symbol) if varying[0].symbol is not None else None
    if len(varying) > 1 or ends is None or factor is None or abs(factor[0].constant or 0) != 1:
        return None
    low, high = ends
    counters = {loop.symbol for loop in loops}
    if abs(varying[0].step) != 1 or low.opaques() or high.opaques() or counters & (low.symbols() | high.symbols()):
        return None
    return low, high, varying


def _dimensions(t: CType) -> int:
    if isinstance(t, Pointer):
        return 1 + _dimensions(t.to)
    return 1 + _dimensions(t.of) if isinstance(t, Array) else 0


def _is_of_library(call: ast.Call) -> bool:
    """Whether it is a function of a system header: it runs no region of ours."""
    symbol = call.function.symbol if isinstance(call.function, ast.Name) else None
    return symbol is not None and symbol.from_system_header


def data_at(scene: Scene, span: Span, *regions: Directive) -> tuple[str, Quotes]:
    """The list item for all of what is accessed at a place: an array's name, or a section that is mapped around it, or by
    these regions."""
    nodes = scene.function.body.walk() if scene.function is not None else ()
    found = next((n for n in nodes if n.span == span and isinstance(n, ast.Expr)), None)
    if found is None:
        return "", ()
    object_ = _base(found)
    while isinstance(object_, ast.Member) and not _spelled(object_) and not holds_pointers(object_.base.type):
        object_ = _base(object_.base)  # all elements, with all their members
    text = _spelled(object_)
    if text and not isinstance(object_.type, Pointer):
        return text, ()
    around = (*(d for d in scene.directives if "data" in d.name), *regions)
    items = (item for d in around for item in _sections(d, object_))
    return next(((item.text, ((item.text, item.span),)) for item in items), ("", ()))


def _sections(directive: Directive, object_: ast.Expr) -> list[ListItem]:
    """The list items that map a section of the pointer `x`, or of the pointer or array `p->x`."""
    listed = [i for c in directive.all("map") for i in c.items]
    return [i for i in listed if isinstance(i.expr, ast.Section) and same(_base(i.expr), object_)]


def _base(expr: ast.Expr) -> ast.Expr:
    """The variable, or the member, of which elements are meant: `p->x` of `p->x[i]`."""
    return peel(expr, ast.Index, ast.Section, ops="*")


def _spelled(expr: ast.Expr) -> str:
    """A variable, or a member of one, as it is written in C; '' for what has a subscript in it."""
    if isinstance(expr, ast.Member):
        base = _spelled(expr.base)
        return f"{base}{'->' if expr.arrow else '.'}{expr.field}" if base else ""
    return expr.name if isinstance(expr, ast.Name) and expr.symbol is not None else ""


def _has_region(stmt: Node) -> bool:
    return any(isinstance(n, ast.DirectiveStmt) and n.directive.has("target") for n in stmt.walk())
