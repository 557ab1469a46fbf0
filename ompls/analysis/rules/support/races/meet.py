"""Whether two accesses in different iterations (or threads) meet in one element.

First by the distance: subscripts that differ from iteration to iteration by the same constant.  What that does not
decide is tried out (`trial.py`) for several choices of the sizes; the accesses meet for certain when they do for every
choice.  So `a[i*ld + j]` with j < n, which meets only when n > ld, is not reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.symbolic import ZERO, Atom, LoopRange, Opaque, Poly, compare, range_over
from ompls.analysis.model.ast import DirectiveStmt, For, InitList, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array
from ompls.analysis.rules.support.races.barriers import replaced
from ompls.analysis.rules.support.races.crowded import is_apart
from ompls.analysis.rules.support.races.levels import Level
from ompls.analysis.rules.support.races.trial import Trial, Units, is_open, meet_always, told, varies
from ompls.analysis.spec.runtime import THREADS

Verdict = Literal["no", "yes", "unknown", "indirect"]


@dataclass(slots=True)
class Budget:
    """How many pairs of one function may still be tried out; which arrays keep what their initialisers give; how many
    threads the function asks for with `omp_set_num_threads` (0: it does not say)."""

    is_constant: Callable[[Symbol, DirectiveStmt], bool]
    left: int = 200
    threads: int = 0

    def spend(self) -> bool:
        self.left -= 1
        return self.left >= 0


@dataclass(frozen=True, slots=True)
class Meeting:
    """The answer.

    distance -- in iterations of the outermost associated loop, from the first access to the second; None: any
    """

    verdict: Verdict
    distance: int | None = None


_FIRST: dict[Atom, Poly] = {Opaque(op, None, ()): ZERO for op in THREADS}
NO, UNKNOWN, INDIRECT = Meeting("no"), Meeting("unknown"), Meeting("indirect")


def is_fixed(access: Access, loops: tuple[For, ...], outer: int) -> bool:
    """Whether the elements that the access reaches are the same in all iterations of `loops` (for all threads).

    outer -- the number of loops around the construct
    """
    inner = access.loops[outer:]
    moving = {r.symbol for r in inner if r.symbol is not None and (not loops or any(r.stmt is f for f in loops))}
    for loop in inner:
        bounds = [p for p in (loop.lower, loop.upper) if p is not None]
        if loop.symbol is not None and any(p.symbols() & moving for p in bounds):
            moving.add(loop.symbol)
    return all(s is not None and not varies(s, moving) for s in access.subscripts)


def meet(a: Access, b: Access, level: Level, outer: int, budget: Budget) -> Meeting:
    """Whether `a` in one unit of the level and `b` in another one access the same element.

    Its loops are around both; when it has none each of two threads runs both.
    outer -- the number of loops around the construct, whose iterations are the same for both
    """
    loops = level.loops
    asked = {o.op for x in (a, b) for s in x.subscripts if s is not None for o in s.opaques()} & THREADS
    if loops and level.tells_apart(asked):
        return UNKNOWN  # an element of the thread that does the iteration
    if loops and asked:  # two of different teams that have the same number, or two of one team
        a, b = replaced(a, _FIRST), replaced(b, _FIRST)
    units = 0 if loops else level.units or (budget.threads if level.unit == "thread" else 0)
    return _meet(a, b, loops, outer, budget, units=Units(units, f"omp_get_{level.unit}_num"), stmt=level.stmt)


def meet_later(a: Access, b: Access, loops: tuple[For, ...], outer: int, budget: Budget) -> Meeting:
    """Whether `a`, and `b` in a later iteration of `loops` (if there are any), access the same element.

    That a loop inside runs more than once is not taken for certain.
    """
    return _meet(a, b, loops, outer, budget)


def _meet(
    a: Access,
    b: Access,
    loops: tuple[For, ...],
    outer: int,
    budget: Budget,
    *,
    units: Units | None = None,
    stmt: DirectiveStmt | None = None,
) -> Meeting:
    """units -- who runs them at the same time; None: `b` is later than `a`
    stmt -- where arrays may have known values
    """
    level_a, level_b = level_loops(a, loops), level_loops(b, loops)
    if len(level_a) < len(loops) or len(level_b) < len(loops):
        return UNKNOWN
    pairs = list(zip(a.subscripts, b.subscripts, strict=False))
    subscripts = [(x, y) for x, y in pairs if x is not None and y is not None]
    if len(subscripts) < len(pairs):
        apart = bool(subscripts) and _by_distance(a, b, subscripts, level_a, outer).verdict == "no"
        return NO if apart else UNKNOWN
    outside = _leaves_row(a, outer) or _leaves_row(b, outer)
    if outside:
        x, y = a.place.linear, b.place.linear
        if x is None or y is None:
            return UNKNOWN
        subscripts = [(x, y)]
    if not outside:
        # Conditions and bounds may keep apart what would meet, never bring together what does not.
        quick = _by_distance(a, b, subscripts, level_a, outer)
        if quick.verdict == "unknown" and units is None:  # else the bounds may be others in each thread
            quick = _by_ends(a, b, subscripts, level_a, outer)
        limited = any(told(x, outer, {}) for x in (a, b)) or _is_skewed(level_a, (a, b), outer)
        if quick.verdict == "no" or (quick.verdict == "yes" and not limited and not (units is None and quick.distance)):
            return quick
    moving = {r.symbol for r in (*a.loops[outer:], *b.loops[outer:]) if r.symbol is not None}
    loaded = [o for x, y in subscripts for o in x.opaques() | y.opaques() if o.base is not None]
    bases = {o.base for o in loaded if o.base is not None} if stmt is not None else ()
    tables = {base: known for base in bases if stmt is not None and (known := table_of(base, stmt, budget))}
    if any(varies(Poly.of(o), moving) and o.base not in tables for o in loaded):
        one = level_a[0].symbol if len(level_a) == 1 and len(subscripts) == 1 else None
        return NO if one is not None and is_apart(*subscripts[0], one, moving) else INDIRECT
    trial = Trial(a, b, subscripts, level_a, outer, tables, units)
    if not any(told(x, outer, tables) for x in (a, b)) and is_open(trial):
        same = all(x == y for x, y in subscripts) and is_fixed(a, loops, outer) and is_fixed(b, loops, outer)
        return Meeting("yes") if same else UNKNOWN
    return Meeting("yes") if budget.spend() and meet_always(trial) else UNKNOWN


def _leaves_row(x: Access, outer: int) -> bool:
    """Whether a subscript after the first goes below 0, into the row before: `b[i][j - 1]` with j = 0."""
    for subscript in x.subscripts[1:]:
        reach = range_over(subscript, x.loops[outer:]) if subscript is not None else None
        if reach is not None and (reach[0].constant or 0) < 0:
            return True
    return False


def level_loops(a: Access, loops: tuple[For, ...]) -> list[LoopRange]:
    """The ranges of the loops around an access that are among `loops`."""
    return [r for r in a.loops if any(r.stmt is loop for loop in loops) and r.symbol is not None]


def _is_skewed(level: list[LoopRange], accesses: tuple[Access, Access], outer: int) -> bool:
    """Whether the bounds of a loop depend on the iteration of a concurrent one."""
    names = {r.symbol for r in level if r.symbol is not None}
    loops = (r for x in accesses for r in x.loops[outer:])
    return any(p is not None and p.symbols() & names for r in loops for p in (r.lower, r.upper))


def table_of(base: Symbol, stmt: DirectiveStmt, budget: Budget) -> tuple[int, ...] | None:
    """The values of an array of integers, all of which its initialiser gives, that is constant where a construct runs."""
    if not isinstance(base.type, Array) or not isinstance(base.init, InitList):
        return None
    if len(base.init.elements) != base.type.length or not budget.is_constant(base, stmt):
        return None
    values = [fold(e) for e in base.init.elements]
    known = tuple([v for v in values if v is not None])
    return known if len(known) == len(values) else None


# --- by distance


def _by_distance(
    a: Access, b: Access, subscripts: list[tuple[Poly, Poly]], level: list[LoopRange], outer: int
) -> Meeting:
    """Decides subscripts in which only the concurrent loops' variables move, each with the same coefficient."""
    names = {r.symbol: r for r in level if r.symbol is not None}
    inner = {r.symbol for x in (a, b) for r in x.loops[outer:] if r.symbol is not None} - names.keys()
    forced: dict[Symbol, int] = {}
    undecided = False
    for x, y in subscripts:
        found = _one_distance(x, y, set(names), inner)
        if found == "apart":
            return NO
        if found is None:
            undecided = True
        elif found != "any":
            symbol, distance = found
            if distance and not names[symbol].step:
                undecided = True  # a step that is no number may lead over it
                continue
            if forced.setdefault(symbol, distance) != distance or distance % abs(names[symbol].step or 1):
                return NO
    if names and all(forced.get(s) == 0 for s in names):
        return NO
    if undecided:
        return UNKNOWN
    for symbol, distance in forced.items():
        trips = names[symbol].trips
        count = trips.constant if trips is not None else None
        if count is not None and abs(distance) // abs(names[symbol].step or 1) >= count:
            return NO
    for symbol, loop in names.items():
        count = loop.trips.constant if loop.trips is not None else None
        if symbol not in forced and count is not None and count < 2 and len(names) == 1:
            return NO
    first = level[0].symbol if level else None
    return Meeting("yes", forced.get(first) if first is not None else None)


def _by_ends(a: Access, b: Access, subscripts: list[tuple[Poly, Poly]], level: list[LoopRange], outer: int) -> Meeting:
    """Decides subscripts by their smallest and largest values: one begins behind the other's end; both have one of them."""
    met = not level
    for x, y in subscripts:
        one, two = range_over(x, a.loops[outer:]), range_over(y, b.loops[outer:])
        if one is None or two is None:
            met = False
            continue
        if "<" in (compare(one[1], two[0]), compare(two[1], one[0])):
            return NO
        met = met and (one[0] in two or one[1] in two)
    exact = all(r.exact for z in (a, b) for r in z.loops[outer:])
    return Meeting("yes") if met and exact else UNKNOWN


def _one_distance(
    x: Poly, y: Poly, level: set[Symbol], inner: set[Symbol]
) -> tuple[Symbol, int] | Literal["apart", "any"] | None:
    """What one dimension demands: a distance of one variable, nothing, or what cannot be ('apart'); None: not known."""
    if varies(x, inner) or varies(y, inner) or (x.opaques() & y.opaques() and (varies(x, level) or varies(y, level))):
        return None
    moving = level & (x.symbols() | y.symbols())
    if not moving:
        difference = (x - y).constant
        return None if difference is None else "any" if difference == 0 else "apart"
    if len(moving) > 1:
        return None
    symbol = next(iter(moving))
    in_x, in_y = x.coefficient(symbol), y.coefficient(symbol)
    if in_x is None or in_y is None or in_x[0] != in_y[0]:
        return None
    rest = in_x[1] - in_y[1]  # c * (i - i') + rest == 0
    if rest.constant == 0:
        return symbol, 0
    c, r = in_x[0].constant, rest.constant
    if c is None or r is None:
        return None
    return (symbol, r // c) if r % c == 0 else "apart"


def distances(a: Access, b: Access, level: list[LoopRange]) -> dict[Symbol, int] | None:
    """By how much the variables of the concurrent loops differ from `a` to `b` where the two meet; None: not known, or
    they do not."""
    forced: dict[Symbol, int] = {}
    names = {r.symbol for r in level if r.symbol is not None}
    for x, y in zip(a.subscripts, b.subscripts, strict=False):
        found = _one_distance(x, y, names, set()) if x is not None and y is not None else None
        if found is None or found == "apart":
            return None
        if found != "any" and forced.setdefault(found[0], found[1]) != found[1]:
            return None
    return forced
