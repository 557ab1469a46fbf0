"""From clashes to findings: one for each pair of places, with the other place, and a directive to insert."""

from __future__ import annotations

from collections.abc import Callable

from ompls.analysis.dataenv.machine.naming import name_of
from ompls.analysis.dataenv.paths import root
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Scene
from ompls.analysis.rules.support.ordering.calls import clashes_of
from ompls.analysis.rules.support.ordering.model import Clash, Touch, Unit

# What runs later, by the directive that creates it; "": any other operation of a device.
WORDS = {
    "task": "the task", "target": "the target region", "target update": "the update", "": "the device operation",
    "target enter data": "the data transfer", "target exit data": "the data transfer", "target data": "the data region",
}  # fmt: skip
Related = tuple[tuple[Span, str], ...]


def chosen(scene: Scene, wanted: Callable[[Clash], bool]) -> list[Clash]:
    """The clashes of a kind, in the order of the text; one for each variable and later construct."""
    found: dict[object, Clash] = {}
    pairs: set[tuple[object, int, int]] = set()  # not the other way round as well
    for clash in sorted(clashes_of(scene), key=_order):
        if wanted(clash):
            here, there = _place(clash.two, clash, 1), _place(clash.one.touch, clash, 0)
            if (clash.two.symbol, there, here) not in pairs:
                pairs.add((clash.two.symbol, here, there))
                found.setdefault((clash.two.symbol, here), clash)
    return sorted(found.values(), key=lambda c: c.two.span)


def _order(clash: Clash) -> tuple[object, ...]:
    """What is certain first, what expressions do before what maps copy, and what is in the order of the text."""
    one, two = clash.one.touch, clash.two
    return not clash.certain, two.copy + one.copy, two.span < one.span, two.span, one.span


def _place(touch: Touch, clash: Clash, end: int) -> int:
    """The construct that an access is in, or the access itself."""
    unit = clash.other if end else clash.one.unit
    agent = clash.agent if end else clash.one.agent
    if unit is not None:
        return id(unit.stmt)
    return id(agent.stmt) if agent is not None and agent.stmt is not None else id(touch.node)


def named(unit: Unit) -> str:
    """What a unit is, for people."""
    directive = unit.stmt.directive
    word = "task" if not unit.device else "target" if "target" in directive.constructs else directive.name
    return WORDS.get(word, WORDS[""])


def severity(clash: Clash) -> Severity:
    return "warning" if clash.certain else "hint"


def called(touch: Touch) -> str:
    """What it touches, as it is written where that can be seen."""
    written = isinstance(touch.node, ast.Expr) and root(touch.node) is touch.symbol
    return name_of(touch.node) if written else touch.symbol.name


def verb(touch: Touch) -> str:
    """'written', 'freed' or 'read'."""
    if touch.freed:
        return "released"
    return "written" if touch.write else "read"


def does(touch: Touch) -> str:
    """'writes' or 'reads': with what an operation that is going on does to a variable."""
    return "writing" if touch.write else "reading"


def other_place(clash: Clash, scene: Scene) -> Related:
    """Where the access is that this one clashes with, and the construct that it belongs to."""
    touch, unit = clash.one.touch, clash.one.unit
    found = [(touch.span, f"`{called(touch)}` is {verb(touch)} here")]
    if unit is not None and not touch.copy and _is_own(unit.stmt, scene):
        found.append((unit.stmt.directive.name_span, f"by {named(unit)} that is created here"))
    return tuple(found)


def created_elsewhere(clash: Clash, scene: Scene) -> tuple[tuple[Content, Span, str], ...]:
    """The construct in a called function that began what still goes on."""
    unit = clash.one.unit
    if unit is None or _is_own(unit.stmt, scene):
        return ()
    for content in scene.unit.functions.values():
        if any(s is unit.stmt for s in content.directives):
            return ((content, unit.stmt.directive.name_span, f"{named(unit)} is created here"),)
    return ()


def _is_own(stmt: DirectiveStmt, scene: Scene) -> bool:
    return scene.content is not None and any(s is stmt for s in scene.content.directives)
