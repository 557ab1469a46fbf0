"""Whether iterations that choose elements by their data must choose one twice.

There are more iterations than elements (an array of 100 in a loop of 1000), the index has few values (of an
`unsigned char`, behind `% 16`), or occurrences are counted: `count[key[i]]++` would be 1 everywhere if no two iterations
met.
"""

from __future__ import annotations

from math import prod

from ompls.analysis.dataenv.access import Access, Walk
from ompls.analysis.dataenv.paths import root, same
from ompls.analysis.dataenv.symbolic import LoopRange, Opaque, Poly, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, CType, Integer, Pointer
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.races.computed import Functions, Index, index_of, interval_of
from ompls.analysis.rules.support.races.levels import Level

_Interval = tuple[int, int]  # both inclusive


def is_crowded(access: Access, level: Level, walk: Walk) -> bool:
    """Whether two iterations of the level's loops certainly access one element, which their data choose."""
    loops = _loops(access, level)
    if not loops or access.inner is not None:
        return False
    loads = [o for s in access.subscripts if s is not None for o in s.opaques() if _is_load(o)]
    if _counts(access) and loads and not any(_is_permutation(o.base, walk) for o in loads):
        return True
    return is_full(access, loops)


def is_full(access: Access, loops: list[LoopRange]) -> bool:
    """Whether there are fewer elements than iterations of the loops, each of which accesses one."""
    iterations = _iterations(loops)
    moving = {r.symbol for r in access.loops if r.symbol is not None}
    places = _places(access.subscripts, moving)
    if places is not None and (iterations is None or places < iterations):
        return True
    capacity = _capacity(access)
    return capacity is not None and iterations is not None and capacity < iterations


def is_by_data(access: Access, level: Level, functions: Functions) -> bool:
    """Whether data choose the element by an index that is no polynomial: `hist[bin(x[i]) % 16]`."""
    index = _computed(access, level, functions)
    return index is not None and (_is_shared(index, access, level) or _has_few(index, access, level))


def is_crowded_by_data(access: Access, level: Level, walk: Walk, functions: Functions) -> bool:
    """The same as `is_crowded` of such an index."""
    index = _computed(access, level, functions)
    if index is None:
        return False
    counted = _counts(access) and not any(_is_permutation(root(n), walk) for n in index.loads())
    return (counted and _is_shared(index, access, level)) or _has_few(index, access, level)


def _computed(access: Access, level: Level, functions: Functions) -> Index | None:
    loops = _loops(access, level)
    known = bool(loops) and None in access.subscripts and not _is_dealt_out(access, loops)
    return index_of(access, level.stmt, functions) if known else None


def _is_shared(index: Index, access: Access, level: Level) -> bool:
    """Whether nothing but data chooses: no iteration and no thread has elements of its own, as in `16 * i + bin(x[i])`."""
    others = {r.symbol for r in _loops(access, level)}
    if level.bound >= 0:  # what a thread has worked out before its share of the iterations is its own
        others |= assigned_in(access.directives[level.bound]) - assigned_in(level.stmt)
    return others.isdisjoint(index.beside())


def _has_few(index: Index, access: Access, level: Level) -> bool:
    """Whether there are fewer values of the index, or elements of the array, than iterations."""
    iterations = _iterations(_loops(access, level))
    found = [interval_of(part, index.own) for part in index.parts]
    known = [high - low + 1 for low, high in filter(None, found)]
    values = prod(known) if len(known) == len(found) else None
    if iterations is None:
        return values is not None
    return any(n is not None and n < iterations for n in (values, _capacity(access)))


def _loops(access: Access, level: Level) -> list[LoopRange]:
    """The ranges of the level's loops that are around the access."""
    return [r for r in access.loops if any(r.stmt is f for f in level.loops)]


def _is_dealt_out(access: Access, loops: list[LoopRange]) -> bool:
    """Whether each iteration goes through data of its own, of which a loop inside names the range: sorted, perhaps."""
    names = {r.symbol for r in loops if r.symbol is not None}
    inner = access.loops[access.loops.index(loops[-1]) + 1 :]
    return any(p is None or p.symbols() & names for r in inner for p in (r.lower, r.upper))


def _iterations(loops: list[LoopRange]) -> int | None:
    """How many there are together; None: as many as you like."""
    total = 1
    for loop in loops:
        trips = loop.trips.constant if loop.trips is not None else None
        if trips is None:
            return None
        total *= trips
    return total


def is_apart(x: Poly, y: Poly, symbol: Symbol, moving: set[Symbol]) -> bool:
    """Whether each iteration has a part of its own: `16*i + (k[j] & 15)`."""
    in_x, in_y = x.coefficient(symbol), y.coefficient(symbol)
    factor = in_x[0].constant if in_x is not None else None
    if in_x is None or in_y is None or in_x != in_y or not factor:
        return False
    rest = _interval(in_x[1], moving)
    return rest is not None and rest[1] - rest[0] < abs(factor)


def is_shown_by_atomic(a: Access, b: Access, level: Level, walk: Walk) -> bool:
    """Whether an atomic update of the loop shows that iterations choose one element twice.

    Of the two one is atomic; or an element of another array is updated atomically under the same index, as in
    `size[k]++` with `atomic` next to `sum[k] += x` without.
    """
    if not all(x.read and x.write for x in (a, b)):
        return False
    if a is not b:
        atomic = [x for x in (a, b) if _is_atomic_update(x)]
        return len(atomic) == 1 and not any(
            kind == "atomic" for x in (a, b) if x is not atomic[0] for kind, _ in x.held
        )
    index = _index(a)
    own = {r.symbol for r in a.loops}
    if index is None or a.held or not any(isinstance(n, ast.Name) and n.symbol not in own for n in index.walk()):
        return False
    around = (x for x in walk.accesses if level.stmt in x.directives and _is_atomic_update(x))
    return any(other is not None and same(other, index) for other in map(_index, around))


def _is_atomic_update(access: Access) -> bool:
    """Whether an `atomic` directive updates: one that captures may draw a ticket, and choose by that who goes on."""
    stmt = next((s for s in reversed(access.directives) if s.directive.name == "atomic"), None)
    return access.read and access.write and stmt is not None and stmt.directive.clause("capture", "compare") is None


def _index(access: Access) -> ast.Expr | None:
    """The `k` of an update of `a[k]`, when that is not in a called function."""
    by = access.by
    target = by.target if isinstance(by, ast.Assign) else by.operand if isinstance(by, ast.Unary) else None
    target = bare(target) if target is not None else None
    return bare(target.index) if isinstance(target, ast.Index) and access.inner is None else None


def _counts(access: Access) -> bool:
    """Whether it is `x++`, `x += 1`: the same for all."""
    by = access.by
    if isinstance(by, ast.Unary):
        return by.op in ("++", "--")
    return isinstance(by, ast.Assign) and by.op in ("+=", "-=") and fold(bare(by.value)) is not None


def _is_permutation(index: Symbol | None, walk: Walk) -> bool:
    """Whether the function has filled the index array with numbers that are all different: `idx[i] = n - 1 - i`."""
    stored = (x.by.value for x in walk.accesses if x.symbol is index and x.write and isinstance(x.by, ast.Assign))
    values = [poly_of(value) for value in stored]
    return any(p is not None and p.plain and p.symbols() for p in values)


def _is_load(o: Opaque) -> bool:
    return o.base is not None and o.op.startswith("[]")


def _places(subscripts: tuple[Poly | None, ...], moving: set[Symbol]) -> int | None:
    """How many elements the subscripts can name at most; None: not known."""
    total = 1
    for s in subscripts:
        if s is None:
            return None
        found = _interval(s, moving)
        if found is None:
            return None
        total *= found[1] - found[0] + 1
    return total


def _interval(p: Poly, moving: set[Symbol]) -> _Interval | None:
    """Between what the values of `p` lie, but for what is the same in all iterations and no number."""
    low = high = p.offset
    for monomial, factor in p.terms.items():
        varying = [(atom, power) for atom, power in monomial if moving & Poly.of(atom).symbols()]
        if not varying:
            continue
        (atom, power), *rest = varying
        found = _range_of(atom, moving) if power == 1 and len(monomial) == 1 and isinstance(atom, Opaque) else None
        if found is None or rest:
            return None
        a, b = sorted((found[0] * factor, found[1] * factor))
        low, high = low + a, high + b
    return low, high


def _range_of(atom: Opaque, moving: set[Symbol]) -> _Interval | None:
    if _is_load(atom):
        return _of_type(_element(atom))
    if atom.op not in ("/", "%", ">>", "&") or len(atom.args) != 2:
        return None
    by = atom.args[1].constant
    all_known = all(moving & Poly.of(a).symbols() for a in atom.args[0].atoms())
    inner = _interval(atom.args[0], moving) if all_known else None
    if by is None or by <= 0:
        return None
    if atom.op == "%":
        return (0 if inner is not None and inner[0] >= 0 else 1 - by), by - 1
    if atom.op == "&":
        return 0, by
    if inner is None:
        return None
    by = 1 << by if atom.op == ">>" and by < 63 else by
    return inner[0] // by, inner[1] // by


def _element(atom: Opaque) -> CType | None:
    t: CType | None = atom.base.type if atom.base is not None else None
    for _ in range(atom.op.count("[]")):
        t = t.of if isinstance(t, Array) else t.to if isinstance(t, Pointer) else None
    return t if atom.op == "[]" * atom.op.count("[]") else None


def _of_type(t: CType | None) -> _Interval | None:
    if not isinstance(t, Integer) or t.size != 1:
        return None
    return (0, 255) if not t.signed else (-128, 127)


def _capacity(access: Access) -> int | None:
    """How many elements the array has."""
    total = 1
    for dim in access.place.dims:
        length = dim.constant if dim is not None else None
        if not length:
            return None
        total *= length
    return total if access.place.dims else None
