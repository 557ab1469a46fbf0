"""Trying out whether two accesses meet: their loops are run for several choices of the sizes in them.

They meet for certain when they do for every choice.  Large loops are run at their two ends only: a meeting that is found
there is one, others may be missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.relations import Fact
from ompls.analysis.dataenv.symbolic import Atom, LoopRange, Opaque, Poly
from ompls.analysis.model.ast import Symbol
from ompls.analysis.spec.runtime import THREADS

_POINTS = 256  # iterations that are tried out
_MOST = 8192  # of deep nests, where two of each loop are more than that
_DEEPEST, _OUTER = 6, 3  # of nests deeper than that, the inner loops are run at their two ends only
_STEP = 5  # what a loop adds that is no number: small enough for some iterations, more than the number of a thread
_DEEP = 2  # how far a loop goes beyond both ends of another one, at least
_COUNTS = ("omp_get_num_threads", "omp_get_num_teams")
Tables = Mapping[Symbol, tuple[int, ...]]  # arrays with known values


@dataclass(frozen=True, slots=True)
class Units:
    """The threads (teams) that run two accesses at the same time.

    count -- how many there are, when the program says so; 0: some
    number -- the routine that tells them apart
    """

    count: int = 0
    number: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """Runs the loops of two accesses.

    subscripts -- of both, in pairs; level -- the concurrent loops; outer -- the number of loops around them
    units -- who runs them; None: `b` is later than `a`, in a later iteration if there are concurrent loops
    """

    a: Access
    b: Access
    subscripts: list[tuple[Poly, Poly]]
    level: list[LoopRange]
    outer: int
    tables: Tables
    units: Units | None = Units()

    @property
    def later(self) -> bool:
        return self.units is None

    @property
    def count(self) -> int:
        return self.units.count if self.units is not None else 0

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Threads (teams) that may do one access each: with concurrent loops it does not matter which they are."""
        if self.level or self.later:
            return iter(((0, 0),))
        if self.count < 2:
            return permutations((0, 1, 2, 4), 2)
        near = {1 << k for k in range(self.count.bit_length())}
        others = sorted(n for n in {*near, self.count // 2, self.count - 1} if 0 < n < self.count)
        return iter([*permutations((0, *others[:3]), 2), *((0, n) for n in others[3:]), *((n, 0) for n in others[3:])])

    def run(self, values: dict[Atom, int], thread: int, other_thread: int) -> bool | None:
        """Whether the accesses meet; None when one of them does not run."""
        symbols = [r.symbol for r in self.level if r.symbol is not None]
        seen: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for point in islice(_points(self.a, self.outer, {**values, **self.thread(thread)}, self.tables), _MOST):
            at = tuple([_value(x, point, self.tables) for x, _ in self.subscripts])
            iteration = tuple([point[s] for s in symbols])
            known = seen.setdefault(at, [])
            if self.later:
                known[:] = [min((*known, iteration), key=self.when)]
            elif len(known) < 2 and iteration not in known:
                known.append(iteration)
        ran = False
        for point in islice(_points(self.b, self.outer, {**values, **self.thread(other_thread)}, self.tables), _MOST):
            ran = True
            iteration = tuple([point[s] for s in symbols])
            for other in seen.get(tuple([_value(y, point, self.tables) for _, y in self.subscripts]), ()):
                if not self.level or (self.when(other) < self.when(iteration) if self.later else other != iteration):
                    return True
        return False if ran and seen else None

    def when(self, iteration: tuple[int, ...]) -> tuple[int, ...]:
        """What grows from one iteration to the next."""
        loops = (r for r in self.level if r.symbol is not None)
        return tuple([-v if min(r.step, r.factor) < 0 else v for r, v in zip(loops, iteration, strict=True)])

    def thread(self, number: int) -> dict[Atom, int]:
        """What the routines give that ask for the number of the thread (team), and for how many there are."""
        own = self.units.number if self.units is not None else ""
        known: dict[Atom, int] = {Opaque(op, None, ()): number if op == own else 0 for op in THREADS}
        return known | {Opaque(op, None, ()): self.count for op in _COUNTS if self.count}


def varies(p: Poly, symbols: set[Symbol]) -> bool:
    """Whether the value of `p` depends on one of `symbols`, or on the thread."""
    return bool(p.symbols() & symbols) or any(o.op in THREADS for o in p.opaques())


def meet_always(trial: Trial) -> bool:
    """Whether the accesses meet for every choice of what is not known; False also when nothing can be tried."""
    a, b, outer, tables = trial.a, trial.b, trial.outer, trial.tables
    free = _free(a, b, outer, tables)
    if free is None:
        return False
    ran = False
    for chosen in _choices(trial, free):
        found = set()
        around = _with_outer(chosen, a.loops[:outer], free, tables)
        for values, (one, other) in ((v, p) for v in around for p in trial.pairs()):
            found.add(trial.run(values, one, other))
            if True in found:
                break
        if found == {None}:
            continue
        ran = True
        if True not in found:
            return False
    return ran


def where_they_meet(trial: Trial) -> Iterator[list[dict[Atom, int]]]:
    """The iterations of `trial.a`, as values of all variables, whose element another iteration of `trial.b` accesses;
    for several sizes, none of which is extreme (rows of no length are all the same)."""
    a, b, outer, tables = trial.a, trial.b, trial.outer, trial.tables
    symbols = [r.symbol for r in trial.level if r.symbol is not None]
    free = _free(a, b, outer, tables)
    for chosen in islice(_choices(trial, free), 3) if free is not None else ():
        values = next(_with_outer(chosen, a.loops[:outer], free or [], tables))
        seen: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
        for point in _points(b, outer, values, tables):
            at = tuple([_value(y, point, tables) for _, y in trial.subscripts])
            seen.setdefault(at, set()).add(tuple([point[s] for s in symbols]))
        met = []
        for point in _points(a, outer, values, tables):
            others = seen.get(tuple([_value(x, point, tables) for x, _ in trial.subscripts]), set())
            if others - {tuple([point[s] for s in symbols])}:
                met.append(point)
        yield met


def value_at(p: Poly, point: Mapping[Atom, int]) -> int:
    """The value of a polynomial in one iteration."""
    return _value(p, point, {})


def is_open(trial: Trial) -> bool:
    """Whether how often a loop runs depends on data: that it does run is what it is for."""
    return _free(trial.a, trial.b, trial.outer, trial.tables) is None


def _polys(x: Access, outer: int, tables: Tables) -> Iterator[Poly]:
    """What the subscripts, the bounds and the conditions of an access are made of."""
    yield from (s for s in x.subscripts if s is not None)
    for loop in x.loops[outer:]:
        yield from _bounds(loop)
    yield from (p for p, _ in told(x, outer, tables))


def told(x: Access, outer: int, tables: Tables) -> list[Fact]:
    """What the conditions around an access say, but for what is up to data that differ between iterations."""
    facts = [f for g in x.guards for f in g.facts]
    moving = {r.symbol for r in x.loops[outer:] if r.symbol is not None} if facts else set()
    return [f for f in facts if not any(o.base not in tables for o in loads(f[0], moving))]


def loads(p: Poly, moving: set[Symbol]) -> list[Opaque]:
    """The elements in a polynomial that are others in each iteration."""
    return [o for o in p.opaques() if o.base is not None and varies(Poly.of(o), moving)]


def _free(a: Access, b: Access, outer: int, tables: Tables) -> list[Atom] | None:
    """The atoms that get values of our choice; None when one is not for us to choose."""
    found: dict[Atom, None] = {}
    for x in (a, b):
        own = {r.symbol for r in x.loops[outer:]}
        around = {r.symbol: r for r in x.loops[:outer]}
        waiting = list(_polys(x, outer, tables))
        while waiting:
            for atom in sorted(waiting.pop().atoms(), key=_name):
                if isinstance(atom, Opaque) and (atom.op in ("/", "%", ">>", "&") or atom.base in tables):
                    waiting += atom.args
                elif isinstance(atom, Opaque):
                    if own & Poly.of(atom).symbols():
                        return None
                    if atom.op not in THREADS:
                        found[atom] = None
                elif atom not in own:
                    found[atom] = None
                    waiting += _bounds(around.pop(atom)) if atom in around else ()
    return list(found)


def _bounds(loop: LoopRange) -> list[Poly]:
    return [p for p in (loop.lower, loop.upper, loop.stride) if p is not None]


def _name(atom: Atom) -> str:
    return atom.name if isinstance(atom, Symbol) else repr(Poly.of(atom))


def _choices(trial: Trial, free: list[Atom]) -> Iterator[dict[Atom, int]]:
    """Values for the sizes: all alike, growing, falling; small ones beside others; extremes for what is no loop's bound."""
    a, b, outer = trial.a, trial.b, trial.outer
    bounds = {x for y in (a, b) for r in y.loops for p in _bounds(r) for x in p.atoms()}
    largest = max((c for y in (a, b) for p in _polys(y, outer, trial.tables) for c in _constants(p)), default=0)
    base = 7 + 2 * min(largest, 60)
    step = max(_STEP, trial.count)
    steps = {x: step for y in (a, b) for r in y.loops[outer:] if r.stride is not None for x in r.stride.atoms()}
    yield dict.fromkeys(free, base) | steps
    if not free:
        return
    yield {atom: base + 4 * i for i, atom in enumerate(free)} | steps
    yield {atom: base + 4 * (len(free) - i) for i, atom in enumerate(free)} | steps
    for beside in _beside(a, b, outer, free):  # `n + depth`: the depth of a halo may be small
        yield dict.fromkeys(free, base) | {beside: _DEEP} | steps
    short = _lengths(trial) & set(free) if trial.later else ()
    if short:  # a loop inside that runs once, or not at all
        yield from (dict.fromkeys(free, base) | dict.fromkeys(short, turns) | steps for turns in (1, 0))
    if any(atom not in bounds for atom in free):
        for extreme in (0, 1, -1009, 1013):
            yield {atom: base if atom in bounds else extreme for atom in free} | steps
        # Rows that are longer than every loop, of which none is empty: `for (i = first; i < n; …)`.
        for rising in (4, -4):
            yield {atom: base + rising * i if atom in bounds else 1013 for i, atom in enumerate(free)} | steps


def _lengths(trial: Trial) -> set[Atom]:
    """What says only how often a loop inside runs: `n` of `a[16 * i : n]`."""
    around = trial.outer + len(trial.level)
    inner = [r for x in (trial.a, trial.b) for r in x.loops[around:]]
    others = [p for pair in trial.subscripts for p in pair] + [r.lower for r in inner]
    others += [p for r in trial.a.loops[:around] for p in _bounds(r)]
    ends = {atom for r in inner if r.upper is not None for atom in r.upper.atoms()}
    return ends - {atom for p in others if p is not None for atom in p.atoms()}


def _constants(p: Poly) -> Iterator[int]:
    """The numbers in a polynomial, without signs, also those that it divides by: sizes below them are extreme."""
    yield from (abs(c) for m, c in p.terms.items() if not m)
    for opaque in p.opaques():
        for arg in opaque.args if opaque.op in ("/", "%") else ():
            yield from _constants(arg)


def _beside(a: Access, b: Access, outer: int, free: list[Atom]) -> list[Atom]:
    """What widens a loop whose bounds other sizes give: `depth` of `for (j = low - depth; j <= high + depth; j++)`."""
    found: dict[Atom, None] = {}
    for loop in (r for x in (a, b) for r in x.loops[outer:]):
        if loop.lower is None or loop.upper is None:
            continue
        for atom in loop.upper.atoms():
            before, after = (p.terms.get(frozenset(((atom, 1),)), 0) for p in (loop.lower, loop.upper))
            if atom in free and before < 0 < after and len(loop.upper.atoms()) > 1:
                found[atom] = None
    return list(found)


def _with_outer(
    values: dict[Atom, int], loops: tuple[LoopRange, ...], free: list[Atom], tables: Tables
) -> Iterator[dict[Atom, int]]:
    """With the variables of the loops around the construct early in their ranges: at the second value, at the first."""
    second, first = dict(values), dict(values)
    for loop in loops:
        if loop.symbol in free and loop.symbol is not None and loop.lower is not None and loop.upper is not None:
            for number, known in enumerate((first, second)):
                low, high = _value(loop.lower, known, tables), _value(loop.upper, known, tables)
                taken = list(islice(_taken(loop, low, high, known, tables), number + 1))
                known[loop.symbol] = taken[-1] if taken else low
    yield second
    if first != second:
        yield first


def _points(x: Access, outer: int, values: dict[Atom, int], tables: Tables) -> Iterator[dict[Atom, int]]:
    """The iterations in which `x` happens, as values of the loops' variables (the first and the last few of each loop)."""
    loops = x.loops[outer:]
    limit = max(2, int(_POINTS ** (1 / max(1, len(loops)))))
    moving = {r.symbol for r in loops if r.symbol is not None}
    far = _distances(x, values)
    facts = [f for f in told(x, outer, tables) if varies(f[0], moving)]  # others hold, or nothing happens at all

    def below(i: int, point: dict[Atom, int]) -> Iterator[dict[Atom, int]]:
        if i == len(loops):
            if all(_holds(_value(p, point, tables), op) for p, op in facts):
                yield point
            return
        loop = loops[i]
        if loop.symbol is None:
            yield from below(i + 1, point)
            return
        if loop.lower is None or loop.upper is None:
            return
        low, high = _value(loop.lower, point, tables), _value(loop.upper, point, tables)
        taken = _taken(loop, low, high, point, tables)
        if len(taken) > limit:
            ends = {*taken[: limit - limit // 2], *taken[-(limit // 2) :]}
            near = far if i < _OUTER or len(loops) <= _DEEPEST else ()
            taken = sorted(ends | {v for d in near for v in (low + d, high - d) if v in taken})
        for value in taken:
            yield from below(i + 1, {**point, loop.symbol: value})

    yield from below(0, values)


def _distances(x: Access, values: Mapping[Atom, int]) -> set[int]:
    """By how much iterations may be apart that meet: what divides subscripts, what is added to them."""
    found = {p.offset for s in x.subscripts if s is not None for p in (s, *(o.args[-1] for o in s.opaques() if o.args))}
    free = {atom for s in x.subscripts if s is not None for atom in s.atoms()}
    return {abs(v) for v in (*found, *(values[atom] for atom in free if atom in values))}


def _taken(loop: LoopRange, low: int, high: int, point: Mapping[Atom, int], tables: Tables) -> Sequence[int]:
    """The values that a loop's variable takes from `low` to `high`; none when it is not known what comes next."""
    if loop.factor:
        found = [high if loop.factor < 0 else low]
        while low <= found[-1] <= high and len(found) < _POINTS:
            found.append(found[-1] * loop.factor if loop.factor > 0 else found[-1] // -loop.factor)
        return found[:-1]
    step = abs(loop.step) if loop.stride is None else _value(loop.stride, point, tables)
    return range(low, high + 1, step) if step > 0 else ()


def _holds(value: int, op: str) -> bool:
    return {"==": value == 0, "!=": value != 0, "<": value < 0, "<=": value <= 0}[op]


def _value(p: Poly, point: Mapping[Atom, int], tables: Tables) -> int:
    total = 0
    for monomial, c in p.terms.items():
        product = c
        for atom, power in monomial:
            value = point.get(atom)
            product *= (value if value is not None else _opaque(atom, point, tables)) ** power
        total += product
    return total


def _opaque(atom: Atom, point: Mapping[Atom, int], tables: Tables) -> int:
    """C's division and remainder (by zero: something); an element of a constant array."""
    if not isinstance(atom, Opaque):
        return 0
    table = tables.get(atom.base) if atom.base is not None else None
    if table is not None and len(atom.args) == 1:
        index = _value(atom.args[0], point, tables)
        return table[index] if 0 <= index < len(table) else -1 - index
    if len(atom.args) != 2 or atom.base is not None:
        return 0
    a, b = (_value(p, point, tables) for p in atom.args)
    if atom.op in (">>", "&"):
        return a >> min(b, 63) if atom.op == ">>" else a & b
    if b == 0:
        return 0
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if atom.op == "/" else a - quotient * b
