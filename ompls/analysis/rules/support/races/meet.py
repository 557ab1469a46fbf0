"""Whether two accesses in different iterations (or threads) meet in one element.

First by the distance: subscripts that differ from iteration to iteration by the same constant.  What that does not
decide is tried out: the loops are run for several choices of the sizes in them; the accesses meet for certain when they do for
every choice.  So `a[i*ld + j]` with j < n, which meets only when n > ld, is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.symbolic import Atom, LoopRange, Opaque, Poly
from ompls.analysis.model.ast import For, InitList, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array

Verdict = Literal["no", "yes", "unknown", "indirect"]
_POINTS = 256  # iterations that are tried out
_THREADS = frozenset(("omp_get_thread_num", "omp_get_team_num"))


@dataclass(slots=True)
class Budget:
    """How many pairs of one function may still be tried out."""

    left: int = 200

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


NO, UNKNOWN, INDIRECT = Meeting("no"), Meeting("unknown"), Meeting("indirect")


def varies(p: Poly, symbols: set[Symbol]) -> bool:
    """Whether the value of `p` depends on one of `symbols`, or on the thread."""
    return bool(p.symbols() & symbols) or any(o.op in _THREADS for o in p.opaques())


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


def meet(a: Access, b: Access, loops: tuple[For, ...], outer: int, budget: Budget) -> Meeting:
    """Whether `a` in one iteration of `loops` and `b` in another one access the same element.

    loops -- those whose iterations run concurrently (around both); () means that each of two threads runs both
    outer -- the number of loops around the construct, whose iterations are the same for both
    """
    level_a, level_b = _level(a, loops), _level(b, loops)
    if len(level_a) < len(loops) or len(level_b) < len(loops):
        return UNKNOWN
    if loops and any(o.op in _THREADS for x in (a, b) for s in x.subscripts if s is not None for o in s.opaques()):
        return UNKNOWN  # an element of the thread that does the iteration
    pairs = list(zip(a.subscripts, b.subscripts, strict=False))
    if any(x is None or y is None for x, y in pairs):
        known = [(x, y) for x, y in pairs if x is not None and y is not None]
        apart = bool(known) and _by_distance(a, b, known, level_a, outer).verdict == "no"
        return NO if apart else UNKNOWN
    subscripts = [(x, y) for x, y in pairs if x is not None and y is not None]
    if not any(g.facts for g in (*a.guards, *b.guards)) and not _is_skewed(level_a, (a, b), outer):
        quick = _by_distance(a, b, subscripts, level_a, outer)
        if quick.verdict != "unknown":
            return quick
    moving = {r.symbol for r in (*a.loops[outer:], *b.loops[outer:]) if r.symbol is not None}
    loads = [o for x, y in subscripts for o in x.opaques() | y.opaques() if o.base is not None]
    if any(varies(Poly.of(o), moving) and _table(o.base) is None for o in loads):
        return INDIRECT
    return _tried(a, b, subscripts, level_a, outer) if budget.spend() else UNKNOWN


def _level(a: Access, loops: tuple[For, ...]) -> list[LoopRange]:
    return [r for r in a.loops if any(r.stmt is loop for loop in loops) and r.symbol is not None]


def _is_skewed(level: list[LoopRange], accesses: tuple[Access, Access], outer: int) -> bool:
    """Whether the bounds of a loop depend on the iteration of a concurrent one."""
    names = {r.symbol for r in level if r.symbol is not None}
    loops = (r for x in accesses for r in x.loops[outer:])
    return any(p is not None and p.symbols() & names for r in loops for p in (r.lower, r.upper))


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


# --- by trying out


def _tried(a: Access, b: Access, subscripts: list[tuple[Poly, Poly]], level: list[LoopRange], outer: int) -> Meeting:
    free = _free(a, b, outer)
    if free is None:
        return UNKNOWN
    ran = False
    trial = _Trial(a, b, subscripts, level, outer)
    for chosen in _choices(a, b, free, outer):
        values = _with_outer(chosen, a.loops[:outer], free)
        met = trial.run(values, 0, 0) if level else (trial.run(values, 0, 1) or trial.run(values, 1, 0))
        if met is None:
            continue
        ran = True
        if not met:
            return UNKNOWN
    if not ran:
        return UNKNOWN
    return Meeting("yes")


def _polys(x: Access, outer: int) -> Iterator[Poly]:
    """What the subscripts, the bounds and the conditions of an access are made of."""
    yield from (s for s in x.subscripts if s is not None)
    for loop in x.loops[outer:]:
        yield from (p for p in (loop.lower, loop.upper) if p is not None)
    for guard in x.guards:
        yield from (p for p, _ in guard.facts)


def _free(a: Access, b: Access, outer: int) -> list[Atom] | None:
    """The atoms that get values of our choice; None when one is not for us to choose."""
    found: dict[Atom, None] = {}
    for x in (a, b):
        own = {r.symbol for r in x.loops[outer:]}
        waiting = list(_polys(x, outer))
        while waiting:
            for atom in sorted(waiting.pop().atoms(), key=_name):
                if isinstance(atom, Opaque) and (atom.op in ("/", "%") or _table(atom.base) is not None):
                    waiting += atom.args
                elif isinstance(atom, Opaque):
                    if own & Poly.of(atom).symbols():
                        return None
                    if atom.op not in _THREADS:
                        found[atom] = None
                elif atom not in own:
                    found[atom] = None
    return list(found)


def _name(atom: Atom) -> str:
    return atom.name if isinstance(atom, Symbol) else repr(Poly.of(atom))


def _choices(a: Access, b: Access, free: list[Atom], outer: int) -> Iterator[dict[Atom, int]]:
    """Values for the sizes: all alike, growing, falling; and extremes for what is no loop's bound."""
    bounds = {
        x for y in (a, b) for r in y.loops[outer:] for p in (r.lower, r.upper) if p is not None for x in p.atoms()
    }
    largest = max((abs(c) for y in (a, b) for p in _polys(y, outer) for m, c in p.terms.items() if not m), default=0)
    base = 7 + 2 * min(largest, 60)
    yield dict.fromkeys(free, base)
    if not free:
        return
    yield {atom: base + 4 * i for i, atom in enumerate(free)}
    yield {atom: base + 4 * (len(free) - i) for i, atom in enumerate(free)}
    if any(atom not in bounds for atom in free):
        for extreme in (0, 1, -1009, 1013):
            yield {atom: base if atom in bounds else extreme for atom in free}


def _with_outer(values: dict[Atom, int], loops: tuple[LoopRange, ...], free: list[Atom]) -> dict[Atom, int]:
    """With the variables of the loops around the construct early in their ranges."""
    values = dict(values)
    for loop in loops:
        if loop.symbol in free and loop.symbol is not None and loop.lower is not None and loop.upper is not None:
            low, high = _value(loop.lower, values), _value(loop.upper, values)
            values[loop.symbol] = min(low + abs(loop.step or 1), high) if low <= high else low
    return values


@dataclass(frozen=True, slots=True)
class _Trial:
    """Runs the loops of two accesses."""

    a: Access
    b: Access
    subscripts: list[tuple[Poly, Poly]]
    level: list[LoopRange]
    outer: int

    def run(self, values: dict[Atom, int], thread: int, other_thread: int) -> bool | None:
        """Whether the accesses meet; None when one of them does not run."""
        symbols = [r.symbol for r in self.level if r.symbol is not None]
        seen: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for point in _points(self.a, self.outer, {**values, **_thread(thread)}):
            at = tuple([_value(x, point) for x, _ in self.subscripts])
            iteration = tuple([point[s] for s in symbols])
            known = seen.setdefault(at, [])
            if len(known) < 2 and iteration not in known:
                known.append(iteration)
        ran = False
        for point in _points(self.b, self.outer, {**values, **_thread(other_thread)}):
            ran = True
            iteration = tuple([point[s] for s in symbols])
            for other in seen.get(tuple([_value(y, point) for _, y in self.subscripts]), ()):
                if not self.level or other != iteration:
                    return True
        return False if ran and seen else None


def _thread(number: int) -> dict[Atom, int]:
    return {Opaque(op, None, ()): number for op in _THREADS}


def _points(x: Access, outer: int, values: dict[Atom, int]) -> Iterator[dict[Atom, int]]:
    """The iterations in which `x` happens, as values of the loops' variables (the first and the last few of each loop)."""
    loops = x.loops[outer:]
    limit = max(2, int(_POINTS ** (1 / max(1, len(loops)))))
    moving = {r.symbol for r in loops if r.symbol is not None}
    facts = [f for g in x.guards for f in g.facts if varies(f[0], moving)]  # others hold, or nothing happens at all

    def below(i: int, point: dict[Atom, int]) -> Iterator[dict[Atom, int]]:
        if i == len(loops):
            if all(_holds(_value(p, point), op) for p, op in facts):
                yield point
            return
        loop = loops[i]
        if loop.symbol is None:
            yield from below(i + 1, point)
            return
        if loop.lower is None or loop.upper is None:
            return
        low, high = _value(loop.lower, point), _value(loop.upper, point)
        step = abs(loop.step or 1)
        taken: Sequence[int] = range(low, high + 1, step)
        if len(taken) > limit:
            taken = (*taken[: limit - limit // 2], *taken[-(limit // 2) :])
        for value in taken:
            yield from below(i + 1, {**point, loop.symbol: value})

    yield from below(0, values)


def _holds(value: int, op: str) -> bool:
    return {"==": value == 0, "!=": value != 0, "<": value < 0, "<=": value <= 0}[op]


def _value(p: Poly, point: dict[Atom, int]) -> int:
    total = 0
    for monomial, c in p.terms.items():
        product = c
        for atom, power in monomial:
            value = point.get(atom)
            product *= (value if value is not None else _opaque(atom, point)) ** power
        total += product
    return total


def _opaque(atom: Atom, point: dict[Atom, int]) -> int:
    """C's division and remainder (by zero: something); an element of a constant array."""
    if not isinstance(atom, Opaque):
        return 0
    table = _table(atom.base)
    if table is not None and len(atom.args) == 1:
        index = _value(atom.args[0], point)
        return table[index] if 0 <= index < len(table) else -1 - index
    if len(atom.args) != 2 or atom.base is not None:
        return 0
    a, b = (_value(p, point) for p in atom.args)
    if b == 0:
        return 0
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if atom.op == "/" else a - quotient * b


def _table(base: Symbol | None) -> tuple[int, ...] | None:
    """The values of a constant array of integers, all of which its initialiser gives."""
    if base is None or not isinstance(base.type, Array) or "const" not in base.type.of.quals | base.type.quals:
        return None
    if not isinstance(base.init, InitList) or len(base.init.elements) != base.type.length:
        return None
    values = [fold(e) for e in base.init.elements]
    known = tuple([v for v in values if v is not None])
    return known if len(known) == len(values) else None
