"""The machine's state at one point: what cells hold, and for each object the cases of its host and device copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Protocol

from ompls.analysis.dataenv.machine.cases import (
    ALL_CLEAN,
    MOST_CASES,
    Cases,
    after_loop,
    by_their_ways,
    joined_cases,
    mentioned,
)
from ompls.analysis.dataenv.machine.copies import SEVERAL, Choice, Way
from ompls.analysis.dataenv.machine.values import Cell, Obj, Site, Target, Value
from ompls.analysis.dataenv.symbolic import ZERO, LoopRange, Opaque, Poly
from ompls.analysis.model.ast import Symbol

EITHER = "either "


class Part(Protocol):
    """What is known of some objects."""

    @property
    def cells(self) -> Mapping[Cell, Value]: ...
    @property
    def cases(self) -> Mapping[Obj, Cases | None]: ...
    @property
    def many(self) -> frozenset[Obj]: ...
    @property
    def each(self) -> frozenset[Obj]: ...
    @property
    def device(self) -> Poly | None: ...


class State:
    """Changed in place; copied where paths part.

    cells -- what scalars hold; a cell that is not in it holds what it held at the start
    cases -- of objects; None: nothing is known.  An object that is not in it was never mapped and holds values
    many -- objects that stand for several: allocated again while an older one may be alive
    each -- those of them that were mapped in loops, or more than once: perhaps all that they stand for
    device -- the default device
    start -- the cases that a variable which is not in `cases` still has, as nothing has come by it
    """

    __slots__ = ("cases", "cells", "device", "each", "many", "start")

    def __init__(self, start: Callable[[Obj], Cases | None] = lambda _: ALL_CLEAN) -> None:
        self.start = start
        self.cells: dict[Cell, Value] = {}
        self.cases: dict[Obj, Cases | None] = {}
        self.many: frozenset[Obj] = frozenset()
        self.each: frozenset[Obj] = frozenset()
        self.device: Poly | None = ZERO

    def copy(self) -> State:
        new = State.__new__(State)
        new.cells, new.cases, new.many, new.device = dict(self.cells), dict(self.cases), self.many, self.device
        new.each, new.start = self.each, self.start
        return new

    def part(self, objs: Set[Obj]) -> State:
        """What is known of some objects."""
        new = State(self.start)
        new.cells = {cell: value for cell, value in self.cells.items() if cell[0] in objs}
        new.cases = {obj: cases for obj, cases in self.cases.items() if obj in objs}
        new.many, new.each, new.device = self.many & objs, self.each & objs, self.device
        return new

    def replace(self, part: State, by: Part) -> None:
        """What was known of some objects gives way to what has become of them, and of others that are new."""
        for cell in part.cells.keys() - by.cells.keys():
            self.cells.pop(cell, None)
        for obj in part.cases.keys() - by.cases.keys():
            self.cases.pop(obj, None)
        self.cells.update(by.cells)
        self.cases.update(by.cases)
        self.many |= by.many
        self.each |= by.each
        self.device = by.device

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.cases == other.cases
            and self.cells == other.cells
            and self.many == other.many
            and self.each == other.each
            and self.device == other.device
        )

    __hash__ = None  # type: ignore[assignment]


def joined_value(a: Value, b: Value) -> Value:
    """What a cell may hold when it holds one or the other."""
    if a == b:
        return a
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        merged: dict[Obj, Poly | None] = {}
        for target in (*a, *b):
            known = target.obj in merged
            same = not known or merged[target.obj] == target.offset
            merged[target.obj] = target.offset if same else None
        return frozenset([Target(o, at) for o, at in merged.items()]) if len(merged) <= MOST_CASES else None
    return None


def either(cell: Cell, a: Value, b: Value) -> Value:
    """What `cell` holds where two paths meet: one of two numbers is a value of its own, the same in all its uses."""
    found = joined_value(a, b)
    if found is not None or not isinstance(a, Poly) or not isinstance(b, Poly):
        return found
    if any(atom.op.startswith(EITHER) for atom in (*a.opaques(), *b.opaques())):
        return None  # it changes again and again
    return Poly.of(Opaque(f"{EITHER}{cell[0].key}+{cell[1]}", None, (a, b)))


def decided(states: list[State | None], site: Site | Choice, conditions: int, others: Sequence[State] = ()) -> None:
    """Where the paths of a decision meet: what is so on one of them only is so by that decision; what is so on
    `others` only is not told to anybody."""
    alive = [(Way(site, side, conditions), s) for side, s in enumerate(states) if s is not None]
    alive += [(Way(site, len(states), SEVERAL.conditions), s) for s in others]
    if len(alive) < 2:
        return
    first, ways = alive[0][1].cases, [way for way, _ in alive]
    for obj in {o for _, s in alive for o, cases in s.cases.items() if first.get(o) is not cases}:
        found = [s.cases.get(obj) for _, s in alive]
        known = [cases for cases in found if cases is not None]
        if len(known) == len(found):
            for (_, state), cases in zip(alive, by_their_ways(known, ways), strict=True):
                state.cases[obj] = cases


def assumed(state: State, choice: Choice, side: int) -> bool:
    """A condition has come out like this: what is so only where it cannot is not so here.

    Whether that tells anything.
    """
    told = False
    for obj, cases in state.cases.items():
        if cases is not None and len(cases) > 1:
            kept = [c for c in cases if not _excluded(c.way, choice, side)]
            if 0 < len(kept) < len(cases):
                state.cases[obj], told = frozenset(kept), True
    return told


def _excluded(way: Way | None, choice: Choice, side: int) -> bool:
    if way is None or not isinstance(way.site, Choice):
        return False
    return way.side != side if way.site == choice else way.side < 2 and way.site.excludes(way.side, choice, side)


def forget_choices(state: State, changed: Callable[[Choice], bool]) -> None:
    """Conditions that are about to be asked of other values may come out otherwise."""
    for obj, cases in state.cases.items():
        sites = [c.way.site for c in cases or () if c.way is not None]
        gone = {site for site in sites if isinstance(site, Choice) and changed(site)}
        if gone and cases:
            by_choice = [c for c in cases if c.way is not None and c.way.site in gone]
            state.cases[obj] = cases.difference(by_choice).union([c._replace(way=SEVERAL) for c in by_choice])


def join(a: State | None, b: State | None) -> State | None:
    """What may hold when one of two paths was taken; None: neither is."""
    if a is None or b is None:
        return a if b is None else b
    new = a.copy()
    for cell, value in b.cells.items():
        if cell not in a.cells:
            new.cells[cell] = value if _is_new(cell) else None
        elif (known := a.cells[cell]) is not value:
            new.cells[cell] = either(cell, known, value)
    if len(new.cells) > len(b.cells):
        for cell in a.cells.keys() - b.cells.keys():
            new.cells[cell] = a.cells[cell] if _is_new(cell) else None
    for obj, cases in b.cases.items():
        if obj not in a.cases:
            new.cases[obj] = _on_one_path(obj, cases, a)
        elif (others := a.cases[obj]) is not cases:
            new.cases[obj] = joined_cases(others, cases)
    if len(new.cases) > len(b.cases):
        for obj in a.cases.keys() - b.cases.keys():
            new.cases[obj] = _on_one_path(obj, a.cases[obj], a)
    new.many = a.many | b.many
    new.each = a.each | b.each
    new.device = a.device if a.device == b.device else None
    return new


def _is_new(cell: Cell) -> bool:
    """Whether it was allocated, or came into scope, on the one path that knows it: it has no value on the other."""
    return cell[0].kind == "heap" or (cell[0].symbol is not None and cell[0].symbol.level == "block")


def _on_one_path(obj: Obj, cases: Cases | None, state: State) -> Cases | None:
    """The cases of an object that the other path does not know."""
    return cases if obj.kind in ("heap", "device") else joined_cases(cases, state.start(obj))


def forget_loop(state: State, loop: LoopRange, known: dict[Cases, frozenset[Symbol]]) -> None:
    """After a loop: what was said in terms of its variable is said over all iterations, or not any more.

    known -- what is mentioned in cases that were asked before: most objects keep theirs from loop to loop
    """
    variable = loop.symbol
    if variable is None:
        return
    for cell, value in state.cells.items():
        if isinstance(value, Poly):
            if variable in value.symbols():
                state.cells[cell] = None
        elif value:
            moving = [t for t in value if t.offset is not None and variable in t.offset.symbols()]
            every = [t for t in value if variable in t.every and t not in moving]
            if moving or every:
                stay = [Target(t.obj, t.offset) for t in every]
                state.cells[cell] = value.difference(moving, every).union([Target(t.obj, None) for t in moving], stay)
    for obj, cases in state.cases.items():
        if cases is not None:
            names = known.get(cases)
            if names is None:
                names = known[cases] = mentioned(cases)
            if variable in names:
                state.cases[obj] = after_loop(cases, loop)
