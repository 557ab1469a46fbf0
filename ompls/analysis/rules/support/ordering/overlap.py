"""Whether two accesses of a walk touch the same storage: the same variable and members, then the races' test on elements."""

from __future__ import annotations

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.places import ELEMENT, Place
from ompls.analysis.dataenv.symbolic import Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array, Record
from ompls.analysis.rules.support.ordering.model import Entry, Touch
from ompls.analysis.rules.support.races.crowded import is_full
from ompls.analysis.rules.support.races.meet import Budget, meet_later
from ompls.analysis.spec.runtime import THREADS


def overlap(entry: Entry, b: Touch, varying: frozenset[Symbol], common: int | None, budget: Budget) -> bool:
    """Whether what goes on and `b` certainly touch the same storage.

    varying -- variables that have other values at `b`
    common -- how many loops around both can be the same at most; None: all
    """
    a, laps = entry.touch, entry.laps
    if a.symbol is not b.symbol or (a.side, a.depth, a.way) != (b.side, b.depth, b.way):
        return False
    if a.depth and a.symbol in varying:
        return False  # the pointer points elsewhere
    if a.whole or b.whole:
        # `memcpy(p, …)` writes all that it is about, which may end before what another pointer `q = p + n` names.
        return not a.depth or a.via is b.via
    if len(a.subs) != len(b.subs):  # one names the variable as a whole, the other an element
        return not (a.subs and b.subs) and isinstance(a.symbol.type, (Array, Record))
    outer = _shared(a, b, laps, common)
    lap = a.loops[outer] if outer < len(a.loops) and id(a.loops[outer].stmt) in laps else None
    used, own = _used(a, b, outer + (lap is not None))
    if used is None or not (varying - own - ({lap.symbol} if lap is not None else set())).isdisjoint(used):
        return False  # not known, or another value for a reason of its own
    if lap is None or lap.symbol not in used:
        return meet_later(_access(a), _access(b), (), outer + (lap is not None), budget).verdict == "yes"
    if any(o.base is not None for s in (*a.subs, *b.subs) if s is not None for o in s.opaques()):
        return a.node is b.node and is_full(_access(a), [lap])  # memory, which may change on the way
    if not isinstance(lap.stmt, ast.For):
        return False
    return meet_later(_access(a), _access(b), (lap.stmt,), outer, budget).verdict == "yes"


def _shared(a: Touch, b: Touch, laps: frozenset[int], common: int | None) -> int:
    """The number of loops around both that are in the same iteration: those before the first that goes on."""
    found = 0
    for one, two in zip(a.loops[:common], b.loops[:common], strict=False):
        if one.stmt is not two.stmt or id(one.stmt) in laps:
            break
        found += 1
    return found


def _used(a: Touch, b: Touch, around: int) -> tuple[set[Symbol] | None, set[Symbol]]:
    """What decides which elements are touched (None: that is not known), and the variables of the loops inside."""
    inner = (*a.loops[around:], *b.loops[around:])
    used: set[Symbol] = set()
    waiting = [*a.subs, *b.subs]
    while waiting:
        p = waiting.pop()
        if p is None or any(o.op in THREADS for o in p.opaques()):
            return None, set()  # perhaps another thread's number
        fresh = p.symbols() - used
        used |= fresh
        waiting += [p for o in inner if o.symbol in fresh for p in (o.lower, o.upper)]
    return used, {o.symbol for o in inner if o.symbol is not None}


def _access(touch: Touch) -> Access:
    dims: list[Poly | None] = []
    kind = touch.symbol.type
    for _ in touch.subs:
        known = kind.length if isinstance(kind, Array) else None
        dims.append(Poly.of(known) if known is not None else None)
        kind = kind.of if isinstance(kind, Array) else kind
    place = Place(touch.symbol, touch.depth, (ELEMENT,) * len(dims), touch.subs, tuple(dims))
    return Access(place, touch.node, touch.read, touch.write, touch.loops, guards=touch.guards)
