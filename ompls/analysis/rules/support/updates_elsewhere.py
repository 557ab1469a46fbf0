"""Quick fixes with `target update` that stand in another function than the access that needs them.

What a called function reads, or writes, may have a name only where it is called: there the fix is inserted.  A name is
taken over only where it means the same.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ompls.analysis.model import ast
from ompls.analysis.model.ast import FunctionDef, Node, Span, walk_all
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.callers import callers_above
from ompls.analysis.rules.support.edits import in_blocks, insert_before, line_before
from ompls.analysis.rules.support.framework import Change, Scene, Unit
from ompls.analysis.rules.support.noticed import Noticed, region_at
from ompls.analysis.rules.support.updates import data_at, update_of_written

_NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")  # of no member


def update_from_before_call(scene: Scene, found: Noticed) -> tuple[Change, ...]:
    """The fix that brings data back before the call of the function in which the host reads them: where the region is
    that has written them, by the name that they have there."""
    names = _reaching(scene)
    for home, written, _ in found.elsewhere:
        caller = _scene(scene.unit, home)
        calls = _calls(home.node, names)
        if caller.function is None or region_at(caller, written) is None or not calls:
            continue
        call = next((c for c in calls if c.span.start > written.start), calls[0])
        text, quotes = data_at(caller, written)
        around = in_blocks(caller.function.body, call.span)
        stmt = next((s for s in around if not _computes(s, home, names, scene.unit)), None)
        if text and stmt is not None and _is_known(text, caller.function, stmt):
            return _at(home, line_before(caller, stmt, f"target update from({text})", quotes))
    return ()


def update_of_written_elsewhere(scene: Scene, found: Noticed) -> tuple[Change, ...]:
    """The fix that sends what another function has written, in that function."""
    if found.here or not found.elsewhere:
        return ()
    home, written, _ = found.elsewhere[0]
    return _at(home, update_of_written(_scene(scene.unit, home), written))


def update_to_before_region(scene: Scene, read: Span) -> tuple[Change, ...]:
    """The fix that takes a variable of the file to the device before the one region that calls the function."""
    text, quotes = data_at(scene, read)
    if scene.content is None or scene.function is None or not text or quotes:
        return ()
    names = _reaching(scene)
    above = callers_above(scene.content, scene.unit)
    regions = [(home, r.stmt) for home in above for r in home.regions if _calls(r.stmt, names)]
    home, region = regions[0] if len(regions) == 1 else (None, None)
    if home is None or region is None or not isinstance(home.node, FunctionDef):
        return ()
    own = {name for name in _NAME.findall(text) if _declared(scene.function, name)}
    if own or not _is_known(text, home.node, region):
        return ()
    return _at(home, insert_before(_scene(scene.unit, home), region, f"target update to({text})"))


def _scene(unit: Unit, content: Content) -> Scene:
    return Scene(unit, content, tuple([s.directive for s in content.directives]))


def _at(home: Content, changes: tuple[Change, ...]) -> tuple[Change, ...]:
    return tuple([replace(change, home=home) for change in changes])


def _reaching(scene: Scene) -> frozenset[str]:
    """The function that a rule looks at, and those that are known to call it."""
    contents = (scene.content, *callers_above(scene.content, scene.unit)) if scene.content is not None else ()
    return frozenset([c.node.symbol.name for c in contents if isinstance(c.node, FunctionDef)])


def _calls(node: Node, names: frozenset[str]) -> list[ast.Call]:
    """The calls of these functions, in the order of the text."""
    found = [n for n in walk_all(node) if isinstance(n, ast.Call)]
    found = [n for n in found if isinstance(n.function, ast.Name) and n.function.name in names]
    return sorted(found, key=lambda n: n.span.start)


def _computes(stmt: ast.Stmt, home: Content, names: frozenset[str], unit: Unit) -> bool:
    """Whether a region may be in it, or in what it calls: an update before it would come too early.

    What else than `names` is called by a function that is none of these is not looked at: findings are kept without it.
    """
    followed = isinstance(home.node, FunctionDef) and home.node.symbol.name in names
    seen: set[str] = set()
    waiting = [stmt]
    while waiting:
        for node in walk_all(waiting.pop()):
            if isinstance(node, ast.DirectiveStmt) and node.directive.has("target"):
                return True
            name = node.function.name if isinstance(node, ast.Call) and isinstance(node.function, ast.Name) else ""
            called = unit.functions.get(name) if name not in seen else None
            seen.add(name)
            if called is not None and not followed and name not in names:
                return True
            if called is not None and isinstance(called.node, FunctionDef):
                waiting.append(called.node.body)
    return False


def _is_known(text: str, function: FunctionDef, stmt: ast.Stmt) -> bool:
    """Whether each name in a list item is declared once in the function, around a statement, or only in the file."""
    return all(_is_one(_declared(function, name), function, stmt) for name in _NAME.findall(text))


def _is_one(declared: list[ast.Symbol], function: FunctionDef, stmt: ast.Stmt) -> bool:
    if not declared or (len(declared) == 1 and declared[0] in function.params):
        return True
    span = declared[0].span
    if len(declared) > 1 or span is None or span.end > stmt.span.start:
        return False
    blocks = (n for n in function.body.walk() if isinstance(n, (ast.Compound, ast.For)))
    around = max((b.span for b in blocks if b.span.start <= span.start < b.span.end), key=lambda s: s.start)
    return around.start <= stmt.span.start < around.end


def _declared(function: FunctionDef, name: str) -> list[ast.Symbol]:
    own = [n.symbol for n in function.body.walk() if isinstance(n, ast.VarDecl)]
    return [symbol for symbol in (*function.params, *own) if symbol.name == name]
