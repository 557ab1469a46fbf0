"""From a translation unit to its events: `events_of(content, unit)`.

Roots are `main`, and every function that nothing in the unit calls.  What a root's walk found is kept with the root's
declaration as long as neither it nor anything that it calls has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ompls.analysis.dataenv.machine.calls import Machine, Program
from ompls.analysis.dataenv.machine.events import Event, Recorder
from ompls.analysis.dataenv.machine.memory import GivenUp
from ompls.analysis.dataenv.paths import walk_all
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.tu import Content


class Unit(Protocol):
    """What the analysis needs of a translation unit (`rules.support.framework.Unit`)."""

    @property
    def functions(self) -> Mapping[str, Content]: ...
    @property
    def symbols(self) -> Mapping[str, Symbol]: ...
    @property
    def contents(self) -> tuple[Content, ...]: ...


def events_of_unit(unit: Unit) -> dict[str, tuple[Event, ...]]:
    """The events of every function of the unit, by its name."""
    called = {s.name for content in unit.contents for s in content.calls if not _is(content, s.name)}
    program = Program(unit.functions, unit.symbols, _declares_mappers(unit))
    found: dict[str, dict[Event, None]] = {}
    for name, content in unit.functions.items():
        if name == "main" or name not in called:
            for event in _walked(content, program):
                found.setdefault(event.site.function, {})[event] = None
    return {name: _strongest(events) for name, events in found.items()}


def _is(content: Content, name: str) -> bool:
    return isinstance(content.node, ast.FunctionDef) and content.node.symbol.name == name


def _strongest(events: dict[Event, None]) -> tuple[Event, ...]:
    """Each thing once: certain where some walk is certain of it."""
    best: dict[object, Event] = {}
    for event in events:
        key = (event.kind, event.site, event.name)
        if key not in best or best[key].certainty == "possible":
            best[key] = event
    return tuple(best.values())


def _declares_mappers(unit: Unit) -> bool:
    return any(d.directive.name == "declare mapper" for c in unit.contents for d in c.directives)


def _walked(content: Content, program: Program) -> tuple[Event, ...]:
    key = _reached(content, program)
    kept = content.memo.get(__name__)
    if kept is not None and kept[0] == key:
        events: tuple[Event, ...] = kept[1]
        return events
    recorder = Recorder()
    machine = Machine(program, recorder, content.node.symbol.name == "main")  # type: ignore[union-attr]
    try:
        machine.run(content)
        events = tuple(recorder.events())
    except GivenUp:
        events = ()
    content.memo[__name__] = (key, events)
    return events


def _reached(content: Content, program: Program) -> tuple[object, ...]:
    """What the walk from a root depends on: everything it calls, and variables at file scope."""
    seen: dict[str, Content | None] = {}
    waiting = [content]
    while waiting:
        for symbol in waiting.pop().calls:
            if symbol.name not in seen:
                called = program.functions.get(symbol.name)
                seen[symbol.name] = called
                if called is not None:
                    waiting.append(called)
    contents = (content, *(c for c in seen.values() if c is not None))
    names = {n for c in contents for n in _globals(c)}
    return (tuple(seen.items()), tuple([(n, program.symbols.get(n)) for n in sorted(names)]), program.mappers)


def _globals(content: Content) -> frozenset[str]:
    """Names of variables at file scope that the declaration mentions; kept with it."""
    names: frozenset[str] | None = content.memo.get("globals")
    if names is None:
        found = (n.symbol for n in walk_all(content.node) if isinstance(n, ast.Name) and n.symbol is not None)
        names = frozenset([s.name for s in found if s.kind == "var" and s.level == "file"])
        content.memo["globals"] = names
    return names
