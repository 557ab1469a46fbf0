"""The cases of one object: what may be known of its copies where paths meet, and after conditions and loops."""

from __future__ import annotations

from collections.abc import Iterable

from ompls.analysis.dataenv.machine.copies import CLEAN, SEVERAL, Copies, Way
from ompls.analysis.dataenv.machine.values import Range, widened
from ompls.analysis.dataenv.machine.written import Written
from ompls.analysis.dataenv.symbolic import LoopRange
from ompls.analysis.model.ast import Symbol

Cases = frozenset[Copies]
ALL_CLEAN: Cases = frozenset((CLEAN,))
UNFILLED: Cases = frozenset((Copies(host="no"),))
MOST_CASES = 6


def joined_cases(a: Cases | None, b: Cases | None) -> Cases | None:
    if a is b:
        return a
    if a is None or b is None:
        return None
    if a == b:
        return a
    both = by_one_way(a | b)
    if len(both) > MOST_CASES:
        both = coarse(both)
    return both if len(both) <= MOST_CASES else None


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


def without_way(cases: Iterable[Copies]) -> Cases:
    return frozenset([c._replace(way=None) for c in cases])


def by(case: Copies, way: Way, everywhere: Cases) -> Copies:
    """The case, when a decision more has led to it."""
    if case._replace(way=None) in everywhere or (case.way is not None and case.way.site == way.site):
        return case
    return case._replace(way=way if case.way is None else SEVERAL)


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


def _names_in(r: Range | None, names: set[Symbol]) -> bool:
    if r is None:
        return False
    low, high = r.low, r.high
    return (low is not None and not names.isdisjoint(low.symbols())) or (
        high is not None and not names.isdisjoint(high.symbols())
    )


def mentions(case: Copies, names: set[Symbol]) -> bool:
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


def after_loops(case: Copies, loops: list[LoopRange], names: set[Symbol]) -> Copies | None:
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
