"""Whether two accesses meet: the same storage, decided on symbolic subscripts; and whether one thread makes both.

Three-valued everywhere: True and False are certain, None is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from ompls.analysis.dataenv.symbolic import LoopRange, Opaque, Poly, compare, range_over
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array, Record
from ompls.analysis.rules.support.ordering.model import Agent, Touch
from ompls.analysis.spec.runtime import THREADS

Bounds = tuple[Poly, Poly]
_NOT_LESS = (">", ">=", "==")


def meet(
    a: Touch,
    b: Touch,
    varying: frozenset[Symbol] = frozenset(),
    anew: frozenset[int] = frozenset(),
    common: int | None = None,
) -> bool | None:
    """Whether the two touch the same storage.

    varying -- variables that have another value at `b` than at `a`; anew -- the loops of which `b` is in a later
    iteration (of the outermost of them), by `id` of the statement; common -- how many loops around both can be the same at most
    """
    if a.symbol is not b.symbol or a.side != b.side or a.depth != b.depth:
        return False
    if a.way != b.way:
        short, long = sorted((a.way, b.way), key=len)
        return None if long.startswith(f"{short}.") or not short else False
    if a.depth >= 1 and a.symbol in varying:
        return None  # the pointer points elsewhere
    if a.whole or b.whole:
        # `memcpy(p, …)` writes all that it is about, which may end before what another pointer `q = p + n` names.
        return None if a.depth >= 1 and a.via is not b.via else True
    if len(a.subs) != len(b.subs):
        return None if a.subs and b.subs else _scalar_or_record(a)
    shared: set[int] = set()
    for loop, other in zip(a.loops[:common], b.loops[:common], strict=False):
        if loop.stmt is not other.stmt or id(loop.stmt) in anew:
            break
        shared.add(id(loop.stmt))
    below = {o.symbol for t in (a, b) for o in t.loops if id(o.stmt) not in shared and id(o.stmt) not in anew}
    moving = frozenset(varying - below)
    kept = frozenset(shared | anew)
    verdicts = [_in_dimension((a, x), (b, y), kept, moving, anew) for x, y in zip(a.subs, b.subs, strict=False)]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _scalar_or_record(a: Touch) -> bool | None:
    """One names the variable as a whole, the other an element."""
    return True if isinstance(a.symbol.type, (Array, Record)) else None


def _in_dimension(
    one: tuple[Touch, Poly | None],
    two: tuple[Touch, Poly | None],
    shared: frozenset[int],
    varying: frozenset[Symbol],
    anew: frozenset[int],
) -> bool | None:
    """Whether two subscripts, each of its access, are equal for some iterations of the loops that are not `shared`."""
    (a, x), (b, y) = one, two
    if any(p is not None and any(o.op in THREADS for o in p.opaques()) for p in (x, y)):
        return None  # perhaps another thread's number
    if x is None or y is None:
        return None
    if x == y and not (x.symbols() & varying) and not _depends(x, (*a.loops, *b.loops), shared):
        return True
    first, second = bounds(x, a.loops, shared), bounds(y, b.loops, shared)
    if first is None or second is None:
        return None
    both_dense = dense(x, a.loops, shared), dense(y, b.loops, shared)
    moving = {s for p in (*first, *second) for s in p.symbols()} & varying
    if moving:
        loop = next((o for o in a.loops if o.symbol in moving), None)
        known = loop is not None and any(o.stmt is loop.stmt for o in b.loops) and len(moving) == 1
        if loop is None or not known:
            return None
        return _across(loop, first, second, all(both_dense), later=anew == {id(loop.stmt)})
    return _intersect(first, second, *both_dense)


def _across(loop: LoopRange, a: Bounds, b: Bounds, is_dense: bool, later: bool) -> bool | None:
    """Subscripts in different iterations of one loop: `x[i]` and `x[i - 1]` meet, `x[i]` and `x[i]` do not.

    later -- `b` is in a later one, so that `x[i]` and `x[i + 1]` do not meet either
    """
    parts = [p.coefficient(loop.symbol) for p in (*a, *b)] if loop.symbol is not None else []
    if not parts or any(p is None or p[0] != (parts[0] or p)[0] for p in parts):
        return None
    factor = parts[0][0].constant if parts[0] is not None else None
    rest = [p[1] for p in parts if p is not None]
    # From the first to the other: by how much it has to move, at least and at most.
    low, high = (rest[0] - rest[3]).constant, (rest[1] - rest[2]).constant
    if not factor or low is None or high is None:
        return None
    step, exact = abs(factor * (loop.step or 1)), is_dense or low == high
    if later and loop.step:
        low, high = (max(low, step), high) if factor * loop.step > 0 else (low, min(high, -step))
    met = any(low <= d <= high for d in _multiples(step, low, high))
    if not met:
        return False
    trips = loop.trips.constant if loop.trips is not None else None
    near = min(abs(d) for d in _multiples(step, low, high) if low <= d <= high) // step
    return (exact or None) if trips is None or near < trips else False


def _multiples(step: int, low: int, high: int) -> list[int]:
    """The multiples of `step` (0 left out) that are nearest to 0 in low..high, on both sides."""
    found = []
    for sign in (1, -1):
        edge = max(low, 1) if sign > 0 else max(-high, 1)
        found.append(sign * -(-edge // step) * step)
    return found


def _depends(p: Poly, loops: Sequence[LoopRange], shared: frozenset[int]) -> bool:
    symbols = p.symbols()
    return any(loop.symbol in symbols for loop in loops if id(loop.stmt) not in shared)


def bounds(p: Poly, loops: Sequence[LoopRange], shared: frozenset[int]) -> Bounds | None:
    """The smallest and the largest value of `p` over the loops that are not `shared`; both are taken."""
    own = [o for o in loops if id(o.stmt) not in shared]
    symbols = p.symbols()
    if any(o.symbol in symbols and not o.exact for o in own):
        return None
    return range_over(p, own)


def dense(p: Poly, loops: Sequence[LoopRange], shared: frozenset[int]) -> bool:
    """Whether `p` takes every value between its bounds: a coefficient of 1 and step 1, or a nest of rows."""
    own = [o for o in loops if id(o.stmt) not in shared and o.symbol is not None and o.symbol in p.symbols()]
    width = Poly.of(1)
    for loop in reversed(own):
        split = p.coefficient(loop.symbol) if loop.symbol is not None else None
        if split is None or loop.trips is None or abs(loop.step) != 1 or split[0] not in (width, -width):
            return False
        width = width * loop.trips
    return True


def _intersect(a: Bounds, b: Bounds, a_dense: bool, b_dense: bool) -> bool | None:
    below, above = compare(a[1], b[0]), compare(b[1], a[0])
    if below == "<" or above == "<":
        return False
    if a[0] in b or a[1] in b:
        return True
    for inner, outer, is_dense in ((a, b, b_dense), (b, a, a_dense)):
        for end in inner:
            inside = compare(end, outer[0]) in _NOT_LESS and compare(outer[1], end) in _NOT_LESS
            if is_dense and inside:
                return True
    return None


# --- shares of loops


def same_thread(one: Agent, a: Touch, two: Agent, b: Touch) -> bool | None:
    """Whether the elements that both loops touch are touched by the same thread, each.

    True needs the same elements in iterations of the same number (5.2 §11.5.3 adds the same static schedule).
    False: an element is touched in different iterations.
    """
    if len(a.subs) != len(b.subs) or not one.loops or len(one.loops) != len(two.loops):
        return None
    first, second = _numbered(one.loops), _numbered(two.loops)
    if first is None or second is None:
        return None
    moved, alike = False, False
    for x, y in zip(a.subs, b.subs, strict=False):
        if x is None or y is None:
            return None
        k, m = x.substitute(first), y.substitute(second)
        numbers = {n for n in k.opaques() | m.opaques() if n.op == "iteration"}
        if not numbers:
            continue
        if k == m:
            alike = alike or (_inner_free(k, a, one) and _inner_free(m, b, two))
        else:
            moved = True
    if alike:
        return True
    return False if moved else None


def _inner_free(p: Poly, touch: Touch, agent: Agent) -> bool:
    own = {o.symbol for o in agent.loops}
    return not any(o.symbol in p.symbols() for o in touch.loops if o.symbol not in own)


def _numbered(loops: Sequence[LoopRange]) -> dict[Symbol | Opaque, Poly] | None:
    """For each iteration variable its value in terms of the number of the iteration."""
    found: dict[Symbol | Opaque, Poly] = {}
    for level, loop in enumerate(loops):
        start = loop.lower if loop.step > 0 else loop.upper
        if loop.symbol is None or start is None or not loop.step:
            return None
        number = Poly.of(Opaque("iteration", None, (Poly.of(level),)))
        found[loop.symbol] = start.substitute(found) + number * loop.step
    return found


def same_trips(one: Agent, two: Agent) -> bool | None:
    """Whether both loops have the same number of iterations."""
    apart = [
        (a.trips - b.trips).constant if a.trips is not None and b.trips is not None else None
        for a, b in zip(one.loops, two.loops, strict=False)
    ]
    return None if None in apart else not any(apart)
