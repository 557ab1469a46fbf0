"""The machine's state at one point: what cells hold, and for each object the cases of its host and device copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ompls.analysis.dataenv.machine.copies import CLEAN, SEVERAL, Choice, Copies, Way
from ompls.analysis.dataenv.machine.values import Cell, Obj, Range, Site, Target, Value, widened
from ompls.analysis.dataenv.machine.written import Written
from ompls.analysis.dataenv.symbolic import ZERO, LoopRange, Opaque, Poly
from ompls.analysis.model.ast import Symbol

Cases = frozenset[Copies]
ALL_CLEAN: Cases = frozenset((CLEAN,))
UNFILLED: Cases = frozenset((Copies(host="no"),))
_MOST_CASES = 6
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
        return frozenset([Target(o, at) for o, at in merged.items()]) if len(merged) <= _MOST_CASES else None
    return None


def either(cell: Cell, a: Value, b: Value) -> Value:
    """What `cell` holds where two paths meet: one of two numbers is a value of its own, the same in all its uses."""
    found = joined_value(a, b)
    if found is not None or not isinstance(a, Poly) or not isinstance(b, Poly):
        return found
    if any(atom.op.startswith(EITHER) for atom in (*a.opaques(), *b.opaques())):
        return None  # it changes again and again
    return Poly.of(Opaque(f"{EITHER}{cell[0].key}+{cell[1]}", None, (a, b)))


def joined_cases(a: Cases | None, b: Cases | None) -> Cases | None:
    if a is b:
        return a
    if a is None or b is None:
        return None
    if a == b:
        return a
    both = by_one_way(a | b)
    if len(both) > _MOST_CASES:
        both = coarse(both)
    return both if len(both) <= _MOST_CASES else None


def coarse(cases: Cases) -> Cases:
    """The cases by what is mapped, without who has written what."""
    return frozenset([c if c.freed or not c.copies else _unsaid(c) for c in cases])


def _unsaid(case: Copies) -> Copies:
    copies = [c._replace(old=(), ahead=(), filled="some", first=None, wrote=True, part=None) for c in case.copies]
    return Copies("some", tuple(copies))


def by_one_way(cases: Cases) -> Cases:
    """Each case once: what is so by two decisions is so by none of them."""
    if all(c.way is None for c in cases):
        return cases
    ways: dict[Copies, set[Way | None]] = {}
    for c in cases:
        ways.setdefault(c._replace(way=None), set()).add(c.way)
    return frozenset([c._replace(way=_one_way(found)) for c, found in ways.items()])


def _one_way(ways: set[Way | None]) -> Way | None:
    if len(ways) == 1:
        return next(iter(ways))
    # either way at one decision is no decision
    return None if None in ways or len({w.site for w in ways if w is not None}) == 1 else SEVERAL


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
        known = [_without_way(cases) for _, _, cases in found if cases is not None]
        if len(known) < len(found) or all(k == known[0] for k in known):
            continue
        # what is so on a side by this decision, when it was met before, need not be so on that side by itself
        apart = [_without_way(c for c in cases or () if c.way is None or c.way.site != site) for _, _, cases in found]
        for k, (side, state, cases) in enumerate(found):
            everywhere = known[k].intersection(*[other for j, other in enumerate(apart) if j != k])
            way = Way(site, side, conditions if side < len(states) else SEVERAL.conditions)
            state.cases[obj] = frozenset([_by(c, way, everywhere) for c in cases or ()])


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


def _without_way(cases: Iterable[Copies]) -> Cases:
    return frozenset([c._replace(way=None) for c in cases])


def _by(case: Copies, way: Way, everywhere: Cases) -> Copies:
    """The case, when a decision more has led to it."""
    if case._replace(way=None) in everywhere or (case.way is not None and case.way.site == way.site):
        return case
    return case._replace(way=way if case.way is None else SEVERAL)


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


def as_written(cases: Cases) -> Cases:
    """After a branch in a region: what one side has written counts as written, since somebody may wait for it."""
    written = [_unwritten(c) for c in cases if any(k.ahead for k in c.copies)]
    kept = [c for c in cases if any(k.ahead for k in c.copies) or _unwritten(c) not in written]
    return frozenset(kept)


def as_host_written(cases: Cases) -> Cases:
    """The same for the host, after a condition on what varies in a loop: in some iteration it will hold."""
    written = {_before_host(c) for c in cases if any(k.old for k in c.copies)}
    kept = [c for c in cases if any(k.old for k in c.copies) or _before_host(c) not in written]
    return frozenset(kept)


def _before_host(case: Copies) -> Copies:
    return case._replace(copies=tuple([c._replace(old=()) for c in case.copies]), way=None)


def _unwritten(case: Copies) -> Copies:
    copies = [c._replace(ahead=(), old=(), filled="some", first=None, wrote=False, part=None) for c in case.copies]
    return case._replace(copies=tuple(copies))


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
        if cases is not None and any(_mentions(c, names) for c in cases):
            changed = [_over(c, loops, names) for c in cases]
            state.cases[obj] = None if None in changed else frozenset([c for c in changed if c is not None])


def _names_in(r: Range | None, names: set[Symbol]) -> bool:
    if r is None:
        return False
    low, high = r.low, r.high
    return (low is not None and not names.isdisjoint(low.symbols())) or (
        high is not None and not names.isdisjoint(high.symbols())
    )


def _mentions(case: Copies, names: set[Symbol]) -> bool:
    for lost in case.lost:
        if _names_in(lost.range, names):
            return True
    for c in case.copies:
        if not names.isdisjoint(c.device.symbols()) or _names_in(Range(c.low, c.high), names):
            return True
        if _names_in(c.part, names):
            return True
        for w in (*c.old, *c.ahead):
            if _names_in(w.range, names):
                return True
    return False


def _over(case: Copies, loops: list[LoopRange], names: set[Symbol]) -> Copies | None:
    copies = []
    for c in case.copies:
        if names & c.device.symbols() or _names_in(Range(c.low, c.high), names):
            return None
        part = None if _names_in(c.part, names) else c.part
        copies.append(c._replace(old=_spread(c.old, loops), ahead=_spread(c.ahead, loops), part=part))
    lost = tuple([w._replace(range=widened(w.range, loops)) for w in case.lost])
    return case._replace(copies=tuple(copies), lost=lost)


def _spread(written: tuple[Written, ...], loops: list[LoopRange]) -> tuple[Written, ...]:
    return tuple(dict.fromkeys([w._replace(range=widened(w.range, loops)) for w in written]))
