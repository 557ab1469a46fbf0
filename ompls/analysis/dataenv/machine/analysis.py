"""From a translation unit to its events: `events_of(content, unit)`.

Roots are `main`, and every function that nothing in the unit calls.  What a root's walk found is kept with the root's
declaration as long as neither it nor anything that it calls has changed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from ompls.analysis.dataenv.faults import STALE, Does, Event, Risk, Seen
from ompls.analysis.dataenv.machine.attachment import attached_by
from ompls.analysis.dataenv.machine.calls import Machine
from ompls.analysis.dataenv.machine.events import Recorder
from ompls.analysis.dataenv.machine.mappers import mappers_of
from ompls.analysis.dataenv.machine.objects import GivenUp
from ompls.analysis.dataenv.machine.program import Program
from ompls.analysis.dataenv.machine.recall import Reach, reach_of
from ompls.analysis.dataenv.machine.values import Site
from ompls.analysis.dataenv.machine.watch import Point, Watch
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.items import Group
from ompls.analysis.model.omp import Directive, declared_mapper
from ompls.analysis.model.peel import strip
from ompls.analysis.model.tu import Content

Counts = Mapping[Site, "set[tuple[int, int]] | None"]  # as `Recorder.counts`
_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">="))
_OMP = re.compile(rb"\bomp(?:_target|\b)")  # of a directive or of a routine, not `component`
_MARK = f"{__name__} mark"  # in `Group.memo`: the version in which what is kept there held
_SILENT: tuple[tuple[Event, ...], Counts] = ((), {})


class Told(Protocol):
    @property
    def variants(self) -> frozenset[str]: ...


class Unit(Protocol):
    """What the analysis needs of a translation unit (`rules.support.framework.Unit`)."""

    @property
    def functions(self) -> Mapping[str, Content]: ...
    @property
    def symbols(self) -> Mapping[str, Symbol]: ...
    @property
    def model(self) -> DataModel: ...
    @property
    def groups(self) -> tuple[Group, ...]: ...
    @property
    def directives(self) -> tuple[Directive, ...]: ...
    @property
    def told(self) -> Told: ...
    @property
    def unfinished(self) -> set[str]: ...
    @property
    def mark(self) -> Any: ...
    def late(self) -> bool: ...
    def same_since(self, mark: Any, names: frozenset[str]) -> bool: ...


class _Kept(NamedTuple):
    """What the walks from a group's roots found: `events`, and apart from these the risks, of which there are many and
    which are told of what is wrong only.  It holds as long as `functions` and `variables` are these.

    names -- of these, and of the group's own functions
    """

    roots: tuple[Content, ...]
    around: tuple[object, ...]
    functions: Mapping[str, Content | None]
    variables: Mapping[str, Symbol | None]
    names: frozenset[str]
    events: tuple[Event, ...]
    risks: tuple[Event, ...]
    counts: tuple[Counts, ...]


def events_of_unit(unit: Unit) -> dict[str, tuple[Event, ...]]:
    """The events of every function of the unit, by its name; not of those without any."""
    called: set[str] = set()
    program = _program(unit)
    found: dict[str, dict[Event, None]] = {}
    risks: list[tuple[Event, ...]] = []
    for group in unit.groups:
        kept: _Kept | None
        if _untouched(group, program, unit):
            kept = group.memo[__name__]
        else:
            called = called or set().union(*[_called(g) for g in unit.groups])
            kept = _noticed(group, called, program)
        if kept is None:
            unit.unfinished.add("machine")
            continue
        group.memo[_MARK] = unit.mark
        for event in kept.events:
            found.setdefault(event.site.function, {})[event] = None
        if kept.risks:
            risks.append(kept.risks)
    if found:
        wrong = {event.site for events in found.values() for event in events if isinstance(event, STALE)}
        for event in itertools.chain.from_iterable(risks):
            if event.site in wrong:
                found[event.site.function][event] = None
    return {name: _strongest(events) for name, events in found.items()}


def visits_of(unit: Unit, point: Point) -> tuple[Watch, bool]:
    """What holds where the walks of the unit come by a place; False: there was no time for all of them."""
    program, watch, complete = _program(unit), Watch(point), True
    called = set().union(*[_called(g) for g in unit.groups])
    for root in [content for group in unit.groups for content in _roots(group, called, program)]:
        if root is point.content or point.function in reach_of(root, program.functions, program.symbols).called:
            complete = _walk(root, program, False, watch) is not None and complete
    return watch, complete


def _program(unit: Unit) -> Program:
    local = frozenset([i.text for d in unit.directives for c in d.all("local") for i in c.items])
    mapping = mappers_of(unit.directives)
    unknown = mapping is None or any(map(_holds_mappers, unit.groups))
    attached = attached_by(unit.directives, unit.groups, unit.functions)
    return Program(
        unit.functions,
        unit.symbols,
        unknown,
        mapping or (),
        unit.told.variants,
        local,
        attached,
        unit.late,
        model=unit.model,
    )


def counts_of(group: Group) -> tuple[Counts, ...]:
    """What the last walks from the group's roots said about reference counts."""
    kept: _Kept | None = group.memo.get(__name__)
    return kept.counts if kept is not None else ()


def _untouched(group: Group, program: Program, unit: Unit) -> bool:
    """Whether what is kept with the group certainly holds."""
    kept, mark = group.memo.get(__name__), group.memo.get(_MARK)
    return kept is not None and kept.around == program.around and unit.same_since(mark, kept.names)


def _called(group: Group) -> frozenset[str]:
    """The functions that others call in the group."""
    kept: frozenset[str] | None = group.memo.get("called")
    if kept is None:
        names = (s.name for content in group.contents for s in content.calls if not _is(content, s.name))
        kept = group.memo["called"] = frozenset(names)
    return kept


def _noticed(group: Group, called: set[str], program: Program) -> _Kept | None:
    """What the walks from the group's roots find, kept with the group; None when there is no time for them."""
    roots = _roots(group, called, program)
    kept: _Kept | None = group.memo.get(__name__)
    same = kept is not None and (kept.roots, kept.around) == (roots, program.around)
    same = same and kept is not None and _hold(kept.functions, program.functions)
    if kept is not None and same and _hold(kept.variables, program.symbols):
        return kept
    found: dict[Event, None] = {}
    counts: list[Counts] = []
    functions: dict[str, Content | None] = {}
    variables: dict[str, Symbol | None] = {}
    for content in roots:
        reach = reach_of(content, program.functions, program.symbols)
        silent = _is_silent(content, reach.called)
        walked = _SILENT if silent else _walked(content, reach, program)
        if walked is None:
            return None
        functions |= reach.called
        variables |= {} if silent else reach.variables
        found.update(dict.fromkeys(walked[0]))
        counts += [walked[1]] if walked[1] else []
    events = tuple([event for event in found if not isinstance(event, Risk)])
    risks = tuple([event for event in found if isinstance(event, Risk)])
    names = frozenset([*group.functions, *functions, *variables])
    kept = group.memo[__name__] = _Kept(
        roots, program.around, functions, variables, names, events, risks, tuple(counts)
    )
    return kept


def _roots(group: Group, called: set[str], program: Program) -> tuple[Content, ...]:
    """The functions that walks begin with."""
    by_others = called & group.functions.keys()
    defined = program.functions.get
    kept = group.memo.get("roots")
    if kept is None or kept[0] != by_others:
        roots = tuple([c for n, c in group.functions.items() if n == "main" or n not in by_others])
        names = tuple([c.node.symbol.name for c in roots])  # type: ignore[union-attr]
        kept = group.memo["roots"] = (by_others, roots, names)
    found: tuple[Content, ...] = kept[1]
    now = tuple(map(defined, kept[2]))
    return found if now == found else tuple([c for c, d in zip(found, now, strict=True) if c is d])


def _hold(answers: Mapping[str, object], now: Mapping[str, object]) -> bool:
    return all(now.get(name) is answer for name, answer in answers.items())


def _is(content: Content, name: str) -> bool:
    return isinstance(content.node, ast.FunctionDef) and content.node.symbol.name == name


def _strongest(events: dict[Event, None]) -> tuple[Event, ...]:
    """Each thing once: certain where some walk is certain of it."""
    best: dict[object, Event] = {}
    for event in events:
        key = (type(event), event.site, event.name)
        if key not in best or best[key].certainty == "possible":
            best[key] = event
    return tuple(best.values())


def _holds_mappers(group: Group) -> bool:
    """Whether a function declares a mapper that may be meant where none is named."""
    kept: bool | None = group.memo.get("mappers")
    if kept is None:
        inside = (s.directive for content in group.contents for s in content.directives)
        kept = group.memo["mappers"] = any(map(_is_default_mapper, inside))
    return kept


def _is_default_mapper(directive: Directive) -> bool:
    mapper = declared_mapper(directive)
    return directive.name == "declare mapper" and (mapper is None or mapper.name == "default")


def _walked(content: Content, reach: Reach, program: Program) -> tuple[tuple[Event, ...], Counts] | None:
    key = (reach, program.around)
    kept = content.memo.get(__name__)
    if kept is not None and kept[0] == key:
        walked: tuple[tuple[Event, ...], Counts] = kept[1]
        return walked
    if program.late():
        return None
    found = _walk(content, program, False)
    arguments = _asked_for_arguments(content)
    if found is not None and arguments is not None:
        bare = _walk(content, program, True)
        if bare is None:
            return None
        told = {(type(e), e.site, e.name) for e in found[0] if e.certainty == "certain"}
        new = [e for e in bare[0] if e.certainty == "certain" and (type(e), e.site, e.name) not in told]
        found = (*found[0], *[replace(e, related=(*e.related, arguments)) for e in new]), found[1]
    if found is not None:
        content.memo[__name__] = (key, found)
    return found


def _walk(
    content: Content, program: Program, bare: bool, watch: Watch | None = None
) -> tuple[tuple[Event, ...], Counts] | None:
    """The events of one walk; None when there is no time for it, or, with a watch, when it was given up."""
    recorder = Recorder(watch=watch)
    machine = Machine(program, recorder, content.node.symbol.name == "main")  # type: ignore[union-attr]
    try:
        machine.run(content, bare)
        events = tuple(recorder.events())
    except GivenUp:
        if program.late() or watch is not None:
            return None
        events = ()
    finally:  # it and its states know each other: the unit's tables would stay until cycles are looked for
        vars(machine).clear()
    return events, recorder.counts


def _asked_for_arguments(content: Content) -> Seen | None:
    """Where `main` counts its arguments, if it asks how many there are: a run without any is one of its paths."""
    node = content.node
    if not isinstance(node, ast.FunctionDef) or node.symbol.name != "main" or not node.params:
        return None
    count = node.params[0]
    compared = (n for n in node.body.walk() if isinstance(n, ast.Binary) and n.op in _COMPARISONS)
    asks = any(isinstance(e, ast.Name) and e.symbol is count for n in compared for e in (strip(n.left), strip(n.right)))
    return Seen(Site("main", count.span), Does.COUNTS_ARGUMENTS) if asks and count.span else None


def _is_silent(root: Content, below: Mapping[str, Content | None]) -> bool:
    """Whether no device is spoken of anywhere: nothing is mapped then, and there is nothing to notice.  What a
    function with a member that there is not would do, nobody knows."""
    if root.unknown_members:
        return True
    return not (_speaks(root) or any(c is not None and _speaks(c) for c in below.values()))


def _speaks(content: Content) -> bool:
    return b"target" in content.text and _OMP.search(content.text) is not None
