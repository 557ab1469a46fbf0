"""The quick fix of storage that ends while a device still has its copy: a `target exit data` before the end."""

from __future__ import annotations

from ompls.analysis.dataenv.faults import Does, Event
from ompls.analysis.dataenv.machine.naming import name_of
from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import ListItem
from ompls.analysis.rules.support.edits import in_blocks, line_after, line_before
from ompls.analysis.rules.support.framework import Change, Scene
from ompls.analysis.rules.support.noticed import list_item_at


def before_freed(scene: Scene, event: Event) -> tuple[Change, ...]:
    """The storage leaves before the statement that frees it, by the name that it came with."""
    mapped = event.places(Does.MAPPED)
    function = scene.function
    if function is None or len(mapped) != 1 or mapped[0].function != event.site.function:
        return ()
    found = list_item_at(scene, mapped[0].span)
    around = in_blocks(function.body, event.site.span)
    same = found is not None and name_of(_base(found[2])) == event.name  # it may have been another pointer's then
    if found is None or not same or not around or not _lasts(scene, found[2], event.site.span):
        return ()
    return line_before(scene, around[-1], *_leaves(found[2]), safe=True, split=True)


def before_return(scene: Scene, event: Event) -> tuple[Change, ...]:
    """A local variable leaves where its function does, if that is one place and computes nothing more."""
    found = list_item_at(scene, event.site.span)
    body = scene.function.body if scene.function is not None else None
    last = body.items[-1] if body is not None and body.items else None
    if body is None or last is None or found is None or not _lasts(scene, found[2], last.span):
        return ()
    returns = [n for n in body.walk() if isinstance(n, ast.Jump) and n.kind == "return"]
    if not returns:
        return line_after(scene, last, *_leaves(found[2]), safe=True)
    computes = any(isinstance(n, ast.Call) for n in last.walk())
    return line_before(scene, last, *_leaves(found[2]), safe=True) if returns == [last] and not computes else ()


def _leaves(item: ListItem) -> tuple[str, tuple[tuple[str, Span], ...]]:
    return f"target exit data map(delete: {item.text})", ((item.text, item.span),)


def _lasts(scene: Scene, item: ListItem, at: Span) -> bool:
    """Whether the list item means at a place what it does where it stands."""
    function = scene.function
    named = {n.symbol for n in item.expr.walk() if isinstance(n, ast.Name)}
    if function is None or any(isinstance(n, ast.Call) for n in item.expr.walk()):
        return False
    blocks = [n for n in function.body.walk() if isinstance(n, ast.Compound) and n.span.start < at.start < n.span.end]
    decls = (d for block in blocks for s in block.items if isinstance(s, ast.DeclStmt) for d in s.decls)
    own = {*function.params, *(d.symbol for d in decls)}
    changed = assigned_in(function.body) - {item.symbol or root(item.expr)}
    return all(s is not None and (s.level == "file" or s in own) and s not in changed for s in named)


def _base(item: ListItem) -> ast.Expr:
    return item.expr.base if isinstance(item.expr, ast.Section) else item.expr
