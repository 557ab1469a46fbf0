"""What a target region needs of a variable's data: which elements, and in which direction they go.

Built on the symbolic extents of the region's accesses.  A section has to hold everything the region touches and must
not reach beyond what it touches (there may be nothing there), so an extent that is not known is no extent.
Refactorings and quick fixes ask here, so that they give one answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ompls.analysis.dataenv.access import Access, Walk, extent, walk
from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.paths import holds_pointers
from ompls.analysis.dataenv.symbolic import Atom, LoopRange, Opaque, Poly, compare, range_over, sign
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol, walk_all
from ompls.analysis.model.ctype import Array, CType, Pointer
from ompls.analysis.model.tu import Content, MapType, Region

ELEMENT = "[]"
# In these every iteration and every statement is executed by somebody.
_ONE_BY_ONE = frozenset(("target", "simd"))
_COMPLETE = frozenset(("target", "teams", "distribute", "parallel", "for", "simd", "loop", "atomic", "critical"))
Bounds = tuple[Poly, Poly]  # inclusive
_NOT_SEEN = "its data are only used where this cannot be followed"


@dataclass(frozen=True, slots=True)
class Need:
    """`section` is (first, last) element; None: the whole variable.  `kind` is the smallest map type."""

    symbol: Symbol
    section: Bounds | None
    kind: MapType


class Needs:
    """The needs of one region."""

    def __init__(self, region: Region, functions: Mapping[str, Content]) -> None:
        self.region = region
        found: Walk = walk(region.stmt, functions)
        self._accesses = [a for a in found.accesses if a.owner is None and a.symbol not in found.declared]
        # Private copies of arrays begin or end as the array itself: all of it is needed.
        self._copied = {a.symbol for a in found.accesses if a.owner is not None and a.depth == 0}
        self._complete = not any(_leaves(node) for node in walk_all(region.stmt))

    def of(self, symbol: Symbol) -> Need | str:
        """What the region needs of `symbol`; else why that cannot be said."""
        used = [a for a in self._accesses if a.symbol is symbol]
        if isinstance(symbol.type, Pointer):
            return self._pointer(symbol, used)
        if symbol in self._copied and isinstance(symbol.type, Array) and not holds_pointers(symbol.type):
            return Need(symbol, None, "tofrom")
        if not used:
            return _NOT_SEEN
        if any(a.depth > 0 for a in used):
            return "what its pointers lead to is used, and has to be mapped by itself"
        if holds_pointers(symbol.type):
            return Need(symbol, None, "tofrom")  # as implied: a pointer in it may be changed by its address
        if isinstance(symbol.type, Array):
            return self._array(symbol, symbol.type, used)
        return Need(symbol, None, self._scalar(used))

    def _pointer(self, symbol: Symbol, used: list[Access]) -> Need | str:
        through = [a for a in used if a.depth > 0]
        target = symbol.type.to if isinstance(symbol.type, Pointer) else symbol.type
        if any(a.write and a.depth == 0 for a in used):
            return "the region changes the pointer itself"
        if not through:
            return _NOT_SEEN
        if any(a.depth > 1 for a in through) or holds_pointers(target):
            return "it leads to pointers, whose data have to be mapped by themselves"
        reached = hull(through)
        if isinstance(reached, str):
            return reached
        bounds = _from_start(reached)
        if bounds is None:
            return "its section may begin below element 0, or be empty"
        return Need(symbol, bounds, self._direction(through, bounds))

    def _array(self, symbol: Symbol, kind: Array, used: list[Access]) -> Need:
        """A part of it where that is known to be one, else the whole."""
        whole = _elements(kind)
        if whole is not None and isinstance(kind.of, Array):
            return Need(symbol, None, self._direction(used, whole))
        reached = hull(used) if not isinstance(kind.of, Array) else ""
        bounds = None if isinstance(reached, str) else _from_start(reached)
        if bounds is None or whole is None or compare(bounds[1], whole[1]) not in ("<", "<=", "=="):
            bounds = None
        elif bounds != whole:
            return Need(symbol, bounds, self._direction(used, bounds))
        return Need(symbol, None, self._direction(used, bounds))

    # --- directions

    def _scalar(self, used: list[Access]) -> MapType:
        if not any(a.write for a in used):
            return "to"
        first = min(used, key=lambda a: a.order)
        always = first.write and not first.read and first.certain and not first.loops and not first.guards
        parallel = any(set(s.directive.constructs) - _ONE_BY_ONE for a in used for s in a.directives)
        return "from" if always and self._complete and not parallel and isinstance(first.node, ast.Name) else "tofrom"

    def _direction(self, used: list[Access], bounds: Bounds | None) -> MapType:
        """`to` when nothing is written; `from` when all of it is certainly written before any of it is read."""
        if not any(a.write for a in used):
            return "to"
        if bounds is None or not self._complete or not all(a.certain for a in used):
            return "tofrom"
        for first in used:
            plain = first.write and not first.read and _covers(first, bounds)
            if plain and all(not a.read or _follows(a, first) for a in used):
                return "from"
        return "tofrom"


def result_kind(need: Need | str) -> MapType:
    """The map type of a scalar whose value is wanted after the region."""
    return "from" if isinstance(need, Need) and need.kind == "from" else "tofrom"


def functions_of(contents: Sequence[Content]) -> dict[str, Content]:
    """The definitions among external declarations, by name."""
    return {c.node.symbol.name: c for c in contents if isinstance(c.node, ast.FunctionDef)}


# --- extents


def hull(used: list[Access]) -> Bounds | str:
    """The smallest section of all elements of the first dimension that are accessed; else why it is not known."""
    reached: Bounds | None = None
    doubtful: list[Bounds] = []
    for access in used:
        bounds, sure = _bounds(access)
        if bounds is None:
            known = access.place.sure and access.certain
            return "which of its elements are used depends on data" if known else _NOT_SEEN
        if not sure:
            doubtful.append(bounds)
        else:
            reached = bounds if reached is None else _joined(reached, bounds)
            if reached is None:
                return "which of its sections reaches further is not known"
    if reached is None or any(_joined(reached, other) != reached for other in doubtful):
        return "a condition decides which of its elements are used"
    return reached


def _from_start(bounds: Bounds | None) -> Bounds | None:
    """`bounds` with a lower end and a length that cannot be negative, from element 0 where that is needed for it.

    `x[1:n - 2]` has a negative length for n == 1; `x[0:n - 1]` has none for any size there is.
    """
    if bounds is None or not _not_negative(bounds[0]):
        return None
    if _not_negative(bounds[1] - bounds[0] + 1):
        return bounds
    return (Poly.of(0), bounds[1]) if _not_negative(bounds[1] + 1) else None


def _not_negative(p: Poly) -> bool:
    """With sizes of at least 1, whose quotients and remainders may be 0."""
    small: dict[Atom, Poly] = {a: Poly.of(a) - 1 for a in p.atoms() if isinstance(a, Opaque) and a.op in ("/", "%")}
    return sign(p.substitute(small)) in (">", ">=", "==")


def _elements(kind: CType) -> Bounds | None:
    """First and last element of an array of arrays, in row-major order."""
    count = 1
    while isinstance(kind, Array):
        if kind.length is None:
            return None
        count, kind = count * kind.length, kind.of
    return Poly.of(0), Poly.of(count - 1)


def _bounds(access: Access) -> tuple[Bounds | None, bool]:
    """(the elements that an access may reach, whether it reaches both ends)."""
    place = access.place
    if not place.sure or not access.certain or not place.path or place.path[0] != ELEMENT:
        return None, False
    loops, sure = _tightened(access)
    first = access.subscripts[0]
    if first is None:
        return None, False
    reached = all(loop.symbol is not None and (loop.exact or loop.symbol not in first.symbols()) for loop in loops)
    return range_over(first, loops), sure and reached


def _tightened(access: Access) -> tuple[tuple[LoopRange, ...], bool]:
    """The loops' ranges as the guards of the access narrow them; False when a guard leaves its ends in doubt.

    A condition on data alone (`if (mask[i])`) is no doubt: any element may be meant by it.
    """
    loops, sure = list(access.loops), True
    for guard in access.guards:
        used = False
        for number, loop in enumerate(loops):
            narrowed = _narrowed(loop, guard)
            if narrowed is not None:
                loops[number], used = narrowed, True
        sure = sure and (used or not _on_index(guard, access))
    return tuple(loops), sure


def _narrowed(loop: LoopRange, guard: Guard) -> LoopRange | None:
    """`loop` within what the facts of the guard allow; None when they say nothing about it that helps."""
    if loop.symbol is None or loop.lower is None or loop.upper is None:
        return None
    lower, upper, told = loop.lower, loop.upper, False
    for poly, op in guard.facts:
        parts = poly.coefficient(loop.symbol)
        factor = parts[0].constant if parts is not None else None
        if parts is None or factor not in (1, -1) or op == "!=":
            continue
        limit = parts[1] + (1 if op == "<" else 0)  # factor * i + limit <= 0
        if factor == 1 or op == "==":
            most = -limit if factor == 1 else limit
            if compare(most, upper) not in ("<", "<=", "==", ">", ">="):
                return None
            upper, told = (most, True) if compare(most, upper) in ("<", "<=", "==") else (upper, True)
        if factor == -1 or op == "==":
            least = limit if factor == -1 else -limit
            if compare(least, lower) not in ("<", "<=", "==", ">", ">="):
                return None
            lower, told = (least, True) if compare(least, lower) in (">", ">=", "==") else (lower, True)
    return loop._replace(lower=lower, upper=upper) if told else None


def _on_index(guard: Guard, access: Access) -> bool:
    """Whether the condition looks at a loop's variable itself, not only at elements that it selects."""
    counters = {loop.symbol for loop in access.loops}
    waiting: list[ast.Node] = [guard.expr]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and node.symbol in counters:
            return True
        if not isinstance(node, ast.Index):
            waiting.extend(node.children())
    return False


def _joined(a: Bounds, b: Bounds) -> Bounds | None:
    low, high = compare(a[0], b[0]), compare(a[1], b[1])
    if not low or not high:
        return None
    return (a[0] if low in ("<", "<=", "==") else b[0], a[1] if high in (">", ">=", "==") else b[1])


# --- written first


def _covers(access: Access, bounds: Bounds) -> bool:
    """Whether a write surely writes every element of `bounds`."""
    found = extent(access)
    if not found.dense or found.linear != bounds or access.place.path[-1] != ELEMENT:
        return False
    at = access.place.linear
    for loop in access.loops:
        trips = loop.trips
        if at is None or (loop.symbol not in at.symbols() and (trips is None or (trips.constant or 0) < 1)):
            return False
    return all(c in _COMPLETE for stmt in access.directives for c in stmt.directive.constructs)


def _follows(read: Access, write: Access) -> bool:
    """Whether a read is of the element that `write` wrote before it in the same iteration."""
    same_loops = read.loops[: len(write.loops)] == write.loops
    return read.order > write.order and read.place == write.place and same_loops


def _leaves(node: ast.Node) -> bool:
    """What makes a part of a region run sometimes only: jumps, cancellation, directives that are not understood."""
    if isinstance(node, ast.DirectiveStmt):
        words = node.directive.name.split()
        return not node.directive.known or bool({"cancel", "cancellation", "metadirective", "masked"} & set(words))
    return isinstance(node, (ast.Jump, ast.OtherStmt, ast.OtherExpr, ast.Switch))
