"""The cases of one object: what may be known of its copies where paths meet, and after conditions and loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ompls.analysis.dataenv.machine.copies import CLEAN, SEVERAL, Copies, Way
from ompls.analysis.dataenv.machine.values import Range, widened
from ompls.analysis.dataenv.machine.written import Sent, Written
from ompls.analysis.dataenv.symbolic import LoopRange, Poly
from ompls.analysis.model.ast import Symbol

Cases = frozenset[Copies]
ALL_CLEAN: Cases = frozenset((CLEAN,))
UNFILLED: Cases = frozenset((Copies(host="no"),))
MOST_CASES = 6


def joined_cases(a: Cases | None, b: Cases | None) -> Cases | None:
    """What is so when one of two paths was taken; one of the two itself where that is all, so that it stays shared."""
    if a is b:
        return a
    if a is None or b is None:
        return None
    if b <= a:
        return a
    if a <= b:
        return b
    both = by_one_way(a | b)
    if len(both) > MOST_CASES:
        both = coarse(both)
    return both if len(both) <= MOST_CASES else None


def coarse(cases: Cases) -> Cases:
    """The cases by what is mapped, without who has written what."""
    return frozenset([c if c.freed or not c.copies else _unsaid(c) for c in cases])


def _unsaid(case: Copies) -> Copies:
    copies = [
        c._replace(old=(), ahead=(), sent=(), filled="some", first=None, wrote=True, part=None) for c in case.copies
    ]
    return Copies("some", tuple(copies))


def by_one_way(cases: Cases) -> Cases:
    """Each case once: what is so by two decisions is so by none of them."""
    if all(c.way is None for c in cases):
        return cases
    ways: dict[Copies, set[Way | None]] = {}
    for c in cases:
        ways.setdefault(c._replace(way=None), set()).add(c.way)
    if len(ways) == len(cases):
        return cases
    return frozenset([c._replace(way=_one_way(found)) for c, found in ways.items()])


def _one_way(ways: set[Way | None]) -> Way | None:
    if len(ways) == 1:
        return next(iter(ways))
    # either way at one decision is no decision
    return None if None in ways or len({w.site for w in ways if w is not None}) == 1 else SEVERAL


def by_their_ways(known: Sequence[Cases], ways: Sequence[Way]) -> list[Cases]:
    """The cases on the paths of one decision, where they meet: what is so on one path only is so by its way.

    Those of many paths are the same; what becomes of them is worked out once.
    """
    paths = Counter(known)
    plain = {cases: _without_way(cases) for cases in paths}
    if len(set(plain.values())) == 1:
        return list(known)
    # what is so on a path by this decision, when it was met before, need not be so on that path by itself
    site = ways[0].site
    apart = {cases: _without_way(c for c in cases if c.way is None or c.way.site != site) for cases in paths}
    found: dict[tuple[int, Cases], Cases] = {}
    for way, cases in zip(ways, known, strict=True):
        if (way.side, cases) not in found:
            others = [apart[other] for other, number in paths.items() if number > 1 or other != cases]
            everywhere = plain[cases].intersection(*others)
            new = frozenset([_by(c, way, everywhere) for c in cases])
            found[way.side, cases] = cases if new == cases else new
    return [found[way.side, cases] for way, cases in zip(ways, known, strict=True)]


def _without_way(cases: Iterable[Copies]) -> Cases:
    return frozenset([c._replace(way=None) for c in cases])


def _by(case: Copies, way: Way, everywhere: Cases) -> Copies:
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
    # what the host writes there, the device alone has no more
    return case._replace(copies=tuple([c._replace(old=(), ahead=()) for c in case.copies]), way=None)


def _unwritten(case: Copies) -> Copies:
    copies = [c._replace(ahead=(), old=(), filled="some", first=None, wrote=False, part=None) for c in case.copies]
    return case._replace(copies=tuple(copies))


def mentioned(cases: Cases) -> frozenset[Symbol]:
    """The variables that ranges and device numbers in the cases depend on."""
    ends: list[Poly | None] = []
    for case in cases:
        ranges = [lost.range for lost in case.lost]
        for copy in case.copies:
            ends += (copy.device, copy.low, copy.high)
            ranges += [w.range for w in (*copy.old, *copy.ahead)]
            ranges += [s.range for s in copy.sent]
            ends += [device for s in copy.sent for device in s.devices]
            ranges += [copy.part] if copy.part is not None else []
        ends += [end for r in ranges for end in (r.low, r.high)]
    return frozenset().union(*[end.symbols() for end in ends if end is not None])


def after_loop(cases: Cases, loop: LoopRange) -> Cases | None:
    """What was said in terms of the loop's variable is said over all iterations; None: that cannot be."""
    found = [_after_loop(c, loop) for c in cases]
    return None if None in found else frozenset([c for c in found if c is not None])


def _after_loop(case: Copies, loop: LoopRange) -> Copies | None:
    copies = []
    for c in case.copies:
        if loop.symbol in c.device.symbols():
            return None
        if _names(Range(c.low, c.high), loop):
            if not c.lasting or not c.refs or c.extra:
                return None
            # each iteration leaves a section of its own behind: they are one copy, nobody knows from where to where
            several = c._replace(low=None, high=None, refs=1, least=True, filled="some", part=None)
            copies.append(several._replace(old=_spread(c.old, loop), ahead=_spread(c.ahead, loop)))
            continue
        part = None if _names(c.part, loop) else c.part
        # what each iteration sends to a device of its own, all may have
        sent = tuple([s for s in c.sent if not _names(s.range, loop) and not _to_each(s, loop)])
        copies.append(c._replace(old=_spread(c.old, loop), ahead=_spread(c.ahead, loop), part=part, sent=sent))
    lost = tuple([w._replace(range=widened(w.range, [loop])) for w in case.lost])
    return case._replace(copies=tuple(copies), lost=lost)


def _names(r: Range | None, loop: LoopRange) -> bool:
    return r is not None and any(end is not None and loop.symbol in end.symbols() for end in (r.low, r.high))


def _to_each(sent: Sent, loop: LoopRange) -> bool:
    return any(loop.symbol in device.symbols() for device in sent.devices)


def _spread(written: tuple[Written, ...], loop: LoopRange) -> tuple[Written, ...]:
    return tuple(dict.fromkeys([w._replace(range=widened(w.range, [loop])) for w in written]))
