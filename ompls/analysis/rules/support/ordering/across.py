"""Whether accesses in different iterations of a loop meet, where their distance does not tell: the test is the races'."""

from __future__ import annotations

from collections.abc import Iterable

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.places import ELEMENT, Place
from ompls.analysis.dataenv.symbolic import Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array
from ompls.analysis.rules.support.ordering.model import Entry, Touch
from ompls.analysis.rules.support.races.crowded import is_full
from ompls.analysis.rules.support.races.levels import Level
from ompls.analysis.rules.support.races.meet import Budget, meet


def meet_later(entry: Entry, b: Touch, varying: frozenset[Symbol], budget: Budget) -> bool:
    """Whether what a unit does in some iteration of a loop, and `b` in a later one, certainly touch one element.

    varying -- what has other values then
    """
    a, (loop,) = entry.touch, entry.laps
    outer = _common(a, b, loop)
    statement = a.loops[outer].stmt if outer >= 0 else None
    if entry.unit is None or not isinstance(statement, ast.For) or not _is_known(a, b, outer, varying):
        return False
    one, two = _access(a), _access(b)
    if any(o.base is not None for s in (*a.subs, *b.subs) if s is not None for o in s.opaques()):
        return a.node is b.node and is_full(one, [a.loops[outer]])  # memory, which may change on the way
    level = Level("iterations", "task", entry.unit.stmt, 0, (statement,))
    return meet(one, two, level, outer, budget, later=True).verdict == "yes"


def _common(a: Touch, b: Touch, loop: int) -> int:
    """The number of loops around a loop that is around both; -1: it is not."""
    outer = next((i for i, o in enumerate(a.loops) if id(o.stmt) == loop), -1)
    around, others = a.loops[: outer + 1], b.loops[: outer + 1]
    return outer if [id(o.stmt) for o in around] == [id(o.stmt) for o in others] else -1


def _is_known(a: Touch, b: Touch, outer: int, varying: frozenset[Symbol]) -> bool:
    """Whether only the loops decide which elements are touched."""
    around, inner = a.loops[: outer + 1], (*a.loops[outer + 1 :], *b.loops[outer + 1 :])
    bounds = [p for o in inner for p in (o.lower, o.upper)]
    used, own = (*a.subs, *b.subs, *bounds), {o.symbol for o in (*around, *inner)}
    if None in used or not (varying - own).isdisjoint(_symbols(used)):
        return False  # not known, or another value in another iteration for a reason of its own
    sizes = _symbols((*a.subs, *b.subs, *bounds[::2], *(p for o in around for p in (o.lower, o.upper))))
    return _symbols(bounds) <= sizes | own  # `a[16 * i : n]`: they overlap if n is large


def _symbols(values: Iterable[Poly | None]) -> set[Symbol]:
    return {symbol for p in values if p is not None for symbol in p.symbols()}


def _access(touch: Touch) -> Access:
    dims: list[Poly | None] = []
    kind = touch.symbol.type
    for _ in touch.subs:
        known = kind.length if isinstance(kind, Array) else None
        dims.append(Poly.of(known) if known is not None else None)
        kind = kind.of if isinstance(kind, Array) else kind
    place = Place(touch.symbol, touch.depth, (ELEMENT,) * len(dims), touch.subs, tuple(dims))
    return Access(place, touch.node, touch.read, touch.write, touch.loops)
