"""The machine's state at one point: what cells hold, and for each object the cases of its host and device copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ompls.analysis.dataenv.machine.cases import (
    ALL_CLEAN,
    MOST_CASES,
    Cases,
    after_loops,
    by,
    joined_cases,
    mentions,
    without_way,
)
from ompls.analysis.dataenv.machine.copies import SEVERAL, Choice, Way
from ompls.analysis.dataenv.machine.values import Cell, Obj, Site, Target, Value
from ompls.analysis.dataenv.symbolic import ZERO, LoopRange, Opaque, Poly

EITHER = "either "


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
    """Where the paths of a decision meet: what is so on one of them only is so by that decision; what is so on one of
    `others` is not told to anybody."""
    alive = [(side, s) for side, s in enumerate([*states, *others]) if s is not None]
    if len(alive) < 2:
        return
    first = alive[0][1].cases
    for obj in {o for _, s in alive for o, cases in s.cases.items() if first.get(o) is not cases}:
        found = [(side, s, s.cases.get(obj)) for side, s in alive]
        if all(cases == found[0][2] for _, _, cases in found):
            continue
        known = [without_way(cases) for _, _, cases in found if cases is not None]
        if len(known) < len(found) or all(k == known[0] for k in known):
            continue
        # what is so on a side by this decision, when it was met before, need not be so on that side by itself
        apart = [without_way(c for c in cases or () if c.way is None or c.way.site != site) for _, _, cases in found]
        for k, (side, state, cases) in enumerate(found):
            everywhere = known[k].intersection(*[other for j, other in enumerate(apart) if j != k])
            way = Way(site, side, conditions if side < len(states) else SEVERAL.conditions)
            state.cases[obj] = frozenset([by(c, way, everywhere) for c in cases or ()])


def assumed(state: State, choice: Choice, side: int) -> bool:
    """A condition has come out as before: what is so by its other side only is not so here.

    Whether that tells anything.
    """
    told = False
    for obj, cases in state.cases.items():
        if cases is not None and len(cases) > 1:
            kept = [c for c in cases if c.way is None or c.way.site != choice or c.way.side == side]
            if 0 < len(kept) < len(cases):
                state.cases[obj], told = frozenset(kept), True
    return told


def forget_choices(state: State, changed: Callable[[Choice], bool]) -> None:
    """Conditions that are about to be asked of other values may come out otherwise."""
    for obj, cases in state.cases.items():
        if cases is not None and any(c.way is not None and isinstance(c.way.site, Choice) for c in cases):
            state.cases[obj] = frozenset([c._replace(way=SEVERAL) if _is_choice(c.way, changed) else c for c in cases])


def _is_choice(way: Way | None, changed: Callable[[Choice], bool]) -> bool:
    return way is not None and isinstance(way.site, Choice) and changed(way.site)


def join(a: State | None, b: State | None) -> State | None:
    """What may hold when one of two paths was taken; None: neither is."""
    if a is None or b is None:
        return a if b is None else b
    new = State(a.start)
    cells, cases = new.cells, new.cases
    for cell, value in a.cells.items():
        if cell in b.cells:
            other = b.cells[cell]
            cells[cell] = value if value is other else either(cell, value, other)
        else:
            cells[cell] = value if _is_new(cell) else None
    for cell, value in b.cells.items():
        if cell not in a.cells:
            cells[cell] = value if _is_new(cell) else None
    for obj, known in a.cases.items():
        if obj in b.cases:
            cases[obj] = joined_cases(known, b.cases[obj])
        else:
            cases[obj] = known if obj.kind in ("heap", "device") else joined_cases(known, a.start(obj))
    for obj, known in b.cases.items():
        if obj not in a.cases:
            cases[obj] = known if obj.kind in ("heap", "device") else joined_cases(known, a.start(obj))
    new.many = a.many | b.many
    new.each = a.each | b.each
    new.device = a.device if a.device == b.device else None
    return new


def _is_new(cell: Cell) -> bool:
    """Whether it was allocated, or came into scope, on the one path that knows it: it has no value on the other."""
    return cell[0].kind == "heap" or (cell[0].symbol is not None and cell[0].symbol.level == "block")


def forget_loops(state: State, loops: Iterable[LoopRange]) -> None:
    """After loops: what was said in terms of their variables is said over all iterations, or not any more."""
    loops = [loop for loop in loops if loop.symbol is not None]
    names = {loop.symbol for loop in loops if loop.symbol is not None}
    if not names:
        return
    for cell, value in list(state.cells.items()):
        if isinstance(value, Poly):
            if names & value.symbols():
                state.cells[cell] = None
        elif value and any(t.offset is not None and names & t.offset.symbols() for t in value):
            state.cells[cell] = frozenset(
                [t if t.offset is None or not names & t.offset.symbols() else Target(t.obj, None) for t in value]
            )
    for obj, cases in state.cases.items():
        if cases is not None and any(mentions(c, names) for c in cases):
            changed = [after_loops(c, loops, names) for c in cases]
            state.cases[obj] = None if None in changed else frozenset([c for c in changed if c is not None])
