"""The device data environments at a place: every device's present table, as the abstract machine knows it.

A place is before the statement that the cursor is on, as a debugger stops there, or after the last statement of a
block.  In the body of a construct what the construct maps is there; on its pragma it is not yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ompls.analysis.dataenv.machine.analysis import visits_of
from ompls.analysis.dataenv.machine.values import Site
from ompls.analysis.dataenv.machine.watch import Point
from ompls.analysis.features.deferred import pending, with_deferred
from ompls.analysis.features.present import Row, describe, rows
from ompls.analysis.features.scopes import expanded_offset, item_at
from ompls.analysis.features.unlisted import unlisted
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Compound, DirectiveStmt, FunctionDef, Jump, Stmt
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.rules.support.framework import Unit, unit_of
from ompls.analysis.rules.support.written import text_of
from ompls.analysis.source import Budget, Location

_MOST_PASSED = 50
_BLANK = re.compile(rb"[ \t]*(?://[^\n]*|/\*(?:(?!\*/)[^\n])*\*/[ \t]*)?\r?(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Known:
    """A row, what there is to say of it in one line, and where its facts are (the list item first).

    listed -- the list items that make it, on some path each: where the directive is, and how the item is written
    """

    row: Row
    text: str
    mapped: Location | None
    facts: tuple[tuple[str, Location | None], ...]
    listed: tuple[tuple[Location, str], ...]


class Passed(NamedTuple):
    """A directive that the program has come by at the place, or is in the body of (`inside`)."""

    where: Location
    inside: bool


@dataclass(frozen=True, slots=True)
class Environment:
    """What is known at a place.

    where -- the statement; end -- after it (a block: after its last statement)
    function, device -- whose body it is; the device that runs there, "" where the host does
    passed -- the directives of the function up to there, the last first
    message -- what there is to say besides the rows: why there are none, that there was no time
    """

    where: Location | None
    end: bool
    function: str
    device: str
    rows: tuple[Known, ...]
    message: str
    complete: bool = True
    passed: tuple[Passed, ...] = ()


def environment(tu: TU, offset: int, budget: Budget | None = None) -> Environment:
    """The data environments of all devices at byte `offset` of the main file."""
    x = expanded_offset(tu, _on_text(tu.source, offset))
    item = item_at(tu, x)
    point = _point(item, x - item.start) if item is not None else None
    if item is None or point is None:
        return Environment(None, False, "", "", (), "The cursor is in no function.")
    unit = unit_of(tu, budget)
    where, name = tu.locate(item, point.stmt.span), point.function
    if unit.functions.get(name) is not item.content:
        return Environment(where, point.end, name, "", (), f"Which `{name}` is meant is not known.")
    watch, complete = visits_of(unit, point)
    visits = watch.visits
    places = _Places(tu, unit)
    passed_by = list(_passed(item, x - item.start))
    deferred = pending(passed_by) if visits else []
    here = rows(visits, unit, name, unlisted(item, x - item.start))
    found = with_deferred(here, item.content, deferred, lambda at: rows(visits_of(unit, at)[0].visits, unit, name))
    known = tuple([_known(row, places) for row in found])
    devices = {repr(v.device) for v in visits if v.device is not None}
    message = "" if complete and not watch.more else "There was no time to follow all paths: there may be more."
    if any(v.beyond for v in visits):
        message = message or "Something was mapped through a pointer that is not known: it is not among these."
    if not known:
        message = message or ("Nothing is mapped here." if visits else "No path comes here.")
    device = devices.pop() if len(devices) == 1 else ""
    last = passed_by[: -_MOST_PASSED - 1 : -1]
    passed = tuple([Passed(tu.locate(item, stmt.span), inside) for stmt, inside in last])
    return Environment(where, point.end, name, device, known, message, complete and not watch.more, passed)


def _passed(item: Item, at: int) -> Iterator[tuple[DirectiveStmt, bool]]:
    """The directives before the place in the order of their ends, those that it is in when they begin."""
    node = item.content.node
    stmt: Stmt | None = node.body if isinstance(node, FunctionDef) else None
    while stmt is not None:
        inner = _inner(stmt, at)
        if isinstance(stmt, DirectiveStmt) and inner is not None:
            yield stmt, True
        elif isinstance(stmt, Compound):
            for done in stmt.items:
                if done is inner:
                    break
                yield from ((directive, False) for directive in _directives(done))
            if inner is not None and not inner.span.start <= at < inner.span.end and not _labelled(inner):
                return
        stmt = inner


def _directives(stmt: ast.Node) -> Iterator[DirectiveStmt]:
    """Those in a statement, in the order of their ends."""
    for child in stmt.children():
        yield from _directives(child)
    if isinstance(stmt, DirectiveStmt):
        yield stmt


def _on_text(source: bytes, offset: int) -> int:
    """On the last byte before the cursor, where only a comment follows on the line."""
    start = source.rfind(b"\n", 0, offset) + 1
    if _BLANK.match(source, offset) and (before := source[start:offset].rstrip()):
        return start + len(before) - 1
    return offset


def _point(item: Item, at: int) -> Point | None:
    """The place of an offset in a function's body."""
    node = item.content.node
    if not isinstance(node, FunctionDef) or at > node.span.end:
        return None
    stmt: Stmt = node.body
    while True:
        inner = _inner(stmt, at)
        if inner is None:
            return Point(item.content, stmt, end=_at_end(stmt, at))
        if isinstance(stmt, Compound) and not inner.span.start <= at < inner.span.end and not _labelled(inner):
            return Point(item.content, inner)
        stmt = inner


def _labelled(stmt: Stmt) -> bool:
    return isinstance(stmt, (ast.Labeled, ast.Case))


def _at_end(stmt: Stmt, at: int) -> bool:
    return isinstance(stmt, Compound) and bool(stmt.items)


def _inner(stmt: Stmt, at: int) -> Stmt | None:
    """The statement in `stmt` that the place is before; None: before or, in a block, at the end of `stmt` itself."""
    if isinstance(stmt, Compound):
        following = next((s for s in stmt.items if s.span.end > at), None)
        last = stmt.items[-1] if stmt.items else None
        return following or (last if isinstance(last, Jump) else None)  # nothing comes by the end behind a jump
    if _labelled(stmt):
        return stmt.body  # type: ignore[attr-defined, no-any-return]
    below = [n for n in stmt.children() if isinstance(n, Stmt)]
    if isinstance(stmt, DirectiveStmt):
        below = [stmt.body] if stmt.body is not None else []
    return next((s for s in below if s.span.start <= at < s.span.end), None)


class _Places:
    """Where sites are for the user."""

    def __init__(self, tu: TU, unit: Unit) -> None:
        self._tu, self._unit = tu, unit
        self._items: dict[int, Item] | None = None

    def of(self, site: Site | None) -> Location | None:
        item = self._item(site)
        return self._tu.locate(item, site.span) if item is not None and site is not None else None

    def listed(self, sites: tuple[Site, ...]) -> Iterator[tuple[Location, str]]:
        """The list items there: where their directives are, and how they are written."""
        for site in sites:
            item = self._item(site)
            for stmt in item.content.directives if item is not None else ():
                span = stmt.directive.span
                if item is not None and span.start <= site.span.start < span.end:
                    yield self._tu.locate(item, span), text_of(self._tu, item, site.span)

    def _item(self, site: Site | None) -> Item | None:
        content = self._unit.functions.get(site.function) if site is not None else None
        if content is None:
            return None
        if self._items is None:
            self._items = {id(item.content): item for item in self._tu.items}
        return self._items.get(id(content))


def _known(row: Row, places: _Places) -> Known:
    facts = tuple([(fact.text, places.of(fact.site)) for fact in row.facts])
    listed = tuple(places.listed(row.origins))
    section = listed[0][1] if listed else row.section
    return Known(replace(row, section=section), describe(row), places.of(row.mapped), facts, listed)
