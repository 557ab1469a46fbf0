"""Objects, pointers to them, and byte ranges in them: the values that the abstract machine computes with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal, NamedTuple

from ompls.analysis.dataenv.symbolic import ZERO, Atom, LoopRange, Opaque, Order, Poly, compare, range_over
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.constants import wrap
from ompls.analysis.model.ctype import CType

Kind = Literal["variable", "heap", "outside", "device", "lent", "null", "copy", "function"]


class Site(NamedTuple):
    """A place in the text of a function (or of a declaration: its name), for messages."""

    function: str
    span: Span


class Obj:
    """One piece of storage; equal when its kind, key and device are.

    kind -- 'variable'; 'heap' (one allocation in one context); 'outside' (what an unknown pointer points to);
            'device' (`omp_target_alloc`); 'lent' (the device's address of `of`, from `use_device_ptr`); 'null';
            'copy' (the device's values of scalars in the object that is its key); 'function'
    key -- tells it from others of its kind, the same for the same text
    name -- for people: the variable, or the first pointer that it was reached through
    size -- bytes; None: not known
    device -- whose address it is, of 'device' and 'lent'; None: not known
    """

    __slots__ = ("device", "hash", "key", "kind", "name", "of", "size", "symbol")

    def __init__(
        self, kind: Kind, key: object, name: str = "", *,
        size: Poly | None = None, symbol: Symbol | None = None, of: Obj | None = None, device: Poly | None = None,
    ) -> None:  # fmt: skip
        self.kind: Kind = kind
        self.key, self.name, self.size, self.symbol, self.of, self.device = key, name, size, symbol, of, device
        self.hash = hash((kind, key))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        alike = isinstance(other, Obj) and self.kind == other.kind and self.key == other.key
        return alike and self.device == other.device  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return self.hash

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name or self.key}>"


NULL = Obj("null", 0, "NULL")


class Target(NamedTuple):
    """What a pointer may point to: `offset` bytes (None: not known) into `obj`.

    every -- variables of loops around: over their values it is each of the pieces that `obj` stands for, one after
             the other (`a[i]` in a loop over all of `a`)
    """

    obj: Obj
    offset: Poly | None
    every: frozenset[Symbol] = frozenset()


Pointers = frozenset[Target]
Value = Poly | Pointers | None  # an integer, a pointer, not known
Cell = tuple[Obj, object]  # a scalar in an object: its offset, or ('~', offset) for those of all elements of an array


class Range(NamedTuple):
    """Bytes `low` to `high` (exclusive; None: not known) of an object that something touches.

    sure -- the first and the last element are really touched; when the bytes are not known: some of the object are
    dense -- and all between them
    comb -- or (stride, width): so many bytes from `low` on, and again after each stride (a member of all elements)
    some -- at least one byte between the ends is touched: in a loop, under a condition on what varies in it
    """

    low: Poly | None
    high: Poly | None
    sure: bool = False
    dense: bool = False
    comb: tuple[int, int] | None = None
    some: bool = False


ANYWHERE = Range(None, None)


class Loc(NamedTuple):
    """Where an lvalue or a list item lies."""

    obj: Obj
    low: Poly | None
    size: Poly | None  # bytes
    type: CType
    every: frozenset[Symbol] = frozenset()  # as in `Target`

    @property
    def high(self) -> Poly | None:
        return None if self.low is None or self.size is None else self.low + self.size


Positive = Callable[[Atom], bool]


def order(a: Poly | None, b: Poly | None, positive: Positive) -> Order:
    """How two offsets compare; '' when that is not known."""
    if a is None or b is None:
        return ""
    if a is b:
        return "=="
    x, y = a.constant, b.constant
    difference = x - y if x is not None and y is not None else (a - b).constant
    if difference is not None:
        return "==" if not difference else ">" if difference > 0 else "<"
    return compare(a, b, positive)


def exceeds(a: Poly | None, b: Poly | None, positive: Positive) -> bool:
    """Whether `a` is certainly more than `b` when all sizes are at least 2: for one row of a matrix, or one element,
    a program may be right that nobody means for that."""
    if a is None or b is None:
        return False
    if (found := order(b, a, positive)) not in ("<=", ""):
        return found == "<"
    more: dict[Atom, Poly] = {}
    for atom in (a - b).atoms():
        inner = atom.args[0].atoms() if isinstance(atom, Opaque) and atom.op in ("/", "%") else (atom,)
        more.update({one: Poly.of(one) + 1 for one in inner if positive(one)})
    return compare(b.substitute(more), a.substitute(more), positive) == "<"


def inside(low: Poly | None, high: Poly | None, of_low: Poly | None, of_high: Poly | None, positive: Positive) -> bool:
    """Whether low..high certainly lies in of_low..of_high."""
    return order(of_low, low, positive) in ("<", "<=", "==") and order(high, of_high, positive) in ("<", "<=", "==")


def apart(a: Range, b: Range, positive: Positive) -> bool:
    """Whether the two certainly have no byte in common."""
    before, below = ("<", "<=", "=="), order
    if below(a.high, b.low, positive) in before or below(b.high, a.low, positive) in before:
        return True
    return a.comb is not None and b.comb is not None and a.comb[0] == b.comb[0] and _interleaved(a, b)


def _interleaved(a: Range, b: Range) -> bool:
    """Whether two combs of the same stride have no byte in common: they are different members."""
    if a.low is None or b.low is None or a.comb is None or b.comb is None:
        return False
    into = (b.low - a.low).constant
    return into is not None and into % a.comb[0] >= a.comb[1] and into % a.comb[0] + b.comb[1] <= a.comb[0]


def together(a: Range, b: Range) -> Range | None:
    """The comb of two whose teeth stand side by side (neighbouring members); None when they do not."""
    if a.low is None or b.low is None or a.high is None or b.high is None or a.comb is None or b.comb is None:
        return None
    apart_by = (b.low - a.low).constant
    if a.comb[0] != b.comb[0] or not a.sure or not b.sure or apart_by is None:
        return None
    first, second = (a, b) if apart_by > 0 else (b, a)
    width = first.comb[1] + second.comb[1]  # type: ignore[index]
    if abs(apart_by) != first.comb[1] or (b.high - a.high).constant != b.comb[1] * (1 if apart_by > 0 else -1):  # type: ignore[index]
        return None
    full = width == a.comb[0]
    return Range(first.low, second.high, True, full, None if full else (a.comb[0], width))


def meet(a: Range, b: Range, positive: Positive) -> bool:
    """Whether the two certainly have an element in common: an end of one that is touched lies in the other."""
    if not (a.sure and b.sure) or apart(a, b, positive):
        return False
    if a == b:
        return True
    return _holds_end(a, b, positive) or _holds_end(b, a, positive)


def _holds_end(holder: Range, other: Range, positive: Positive) -> bool:
    """Whether the first or the last element of `other` lies in the dense `holder`, or the first on a comb's tooth."""
    if holder.comb is not None and holder.low is not None and other.low is not None and holder.high is not None:
        stride, width = holder.comb
        into = (other.low - holder.low).constant
        below = order(other.low, holder.high, positive) == "<"
        return into is not None and into >= 0 and into % stride < width and below
    if not holder.dense:
        return False
    starts = order(holder.low, other.low, positive) in ("<", "<=", "==") and order(
        other.low, holder.high, positive
    ) in ("<",)
    ends = order(holder.low, other.high, positive) in ("<",) and order(other.high, holder.high, positive) in (
        "<", "<=", "==",
    )  # fmt: skip
    return starts or ends


def covers(a: Range, b: Range, positive: Positive) -> bool:
    """Whether `a`, every byte of it, certainly holds all of `b`."""
    if a.comb is not None and b.comb is not None and a.sure and a.comb[0] == b.comb[0]:
        return _teeth_hold(a, b)
    return a.dense and inside(b.low, b.high, a.low, a.high, positive)


def _teeth_hold(a: Range, b: Range) -> bool:
    """Whether two combs of one stride have as many teeth, and each of `a` holds that of `b`."""
    if a.comb is None or b.comb is None:
        return False
    if a.low is None or b.low is None or a.high is None or b.high is None:
        return (a.low, a.high, a.comb) == (b.low, b.high, b.comb)
    before, behind = (b.low - a.low).constant, (a.high - b.high).constant
    if before is None or behind is None:
        return False
    return before >= 0 and behind >= 0 and before + b.comb[1] + behind == a.comb[1]


def widened(r: Range, loops: Iterable[LoopRange]) -> Range:
    """What is touched over all iterations of loops that have ended."""
    loops = list(loops)
    low, high = r.low, r.high
    if low is None or high is None:
        return r
    names = {loop.symbol for loop in loops if loop.symbol is not None}
    if not names & (low.symbols() | high.symbols()):
        return r
    lows, highs = range_over(low, loops, steps=True), range_over(high, loops, steps=True)
    if lows is None or highs is None:
        return Range(None, None, r.sure or r.some)
    exact = r.sure and all(loop.exact for loop in loops)
    varying = [loop for loop in loops if loop.symbol in names]
    dense = exact and r.dense and len(varying) == 1 and _side_by_side(low, high, varying[0])
    return Range(lows[0], highs[1], exact, dense, some=r.sure or r.some)


def _side_by_side(low: Poly, high: Poly, loop: LoopRange) -> bool:
    """Whether what one iteration touches begins where that of the one before ends."""
    factor = _factor(low, loop.symbol) if loop.symbol is not None else None
    return factor is not None and (high - low).constant == abs(factor * loop.step)


def spread(low: Poly | None, size: Poly | None, loops: list[LoopRange], sure: bool, some: bool = False) -> Range:
    """What an access of `size` bytes at `low` touches over `loops` (outermost first), in all or in `some` iteration."""
    if low is None or size is None:
        return Range(None, None, sure or some)
    used = [loop for loop in loops if loop.symbol is not None]
    names = low.symbols()
    varying = [loop for loop in used if loop.symbol in names]
    if not varying:
        return Range(low, low + size, sure, sure, None, some)
    ends = _ends(low, used)
    found = range_over(low, used, steps=True) if ends is None else ends[:2]
    if found is None:
        return Range(None, None, sure or some)
    exact = sure and all(loop.exact for loop in varying)
    comb = None
    if ends is not None and len(varying) == 1:
        stride, width = abs(ends[2] * varying[0].step), size.constant
        dense = stride == width
        alone = not _bounds(varying[0]) & {loop.symbol for loop in used}  # else the stride is that of a loop around
        comb = (stride, width) if alone and (exact or some) and width is not None and width < stride else None
    else:
        dense = _dense(low, size, varying) if exact else False
        comb = _teeth(low, size, varying) if exact and not dense and len(varying) > 1 else None
    return Range(found[0], found[1] + size, exact, exact and dense, comb, some or sure)


def _bounds(loop: LoopRange) -> frozenset[Symbol]:
    """The variables that the loop's bounds depend on."""
    return frozenset().union(*[end.symbols() for end in (loop.lower, loop.upper) if end is not None])


def _teeth(low: Poly, size: Poly, loops: list[LoopRange]) -> tuple[int, int] | None:
    """The comb when the innermost loop fills a tooth of it: `p[i].at[k]` over `k`; None when it does not."""
    tooth = spread(low, size, loops[-1:], True)
    if not tooth.dense or tooth.low is None or tooth.high is None:
        return None
    return spread(tooth.low, tooth.high - tooth.low, loops[:-1], True).comb


def _ends(low: Poly, loops: list[LoopRange]) -> tuple[Poly, Poly, int] | None:
    """The smallest and the largest value over loops, and the last factor, when all factors are numbers; else None."""
    first = last = low
    factor = 0
    for loop in reversed(loops):
        if loop.symbol is None:
            continue
        a, b = _factor(first, loop.symbol), _factor(last, loop.symbol)
        if a is None or b is None or ((a or b) and (loop.lower is None or loop.upper is None)):
            return None
        if loop.lower is not None and loop.upper is not None and (a or b):
            at = Poly.of(loop.symbol)
            first = first + (loop.lower - at if a > 0 else loop.upper - at) * a
            last = last + (loop.upper - at if b > 0 else loop.lower - at) * b
            factor = a
    return first, last, factor


def _factor(p: Poly, symbol: Symbol) -> int | None:
    """The number that `symbol` is multiplied with in `p`; None when that is not all."""
    factor = 0
    for monomial, c in p.terms.items():
        for atom, power in monomial:
            if atom is symbol:
                if power != 1 or len(monomial) != 1:
                    return None
                factor = c
            elif isinstance(atom, Opaque):
                return None
    return factor


def _dense(low: Poly, size: Poly, loops: list[LoopRange]) -> bool:
    """Whether the strides fit together: an element, then what was covered so far, and so on."""
    names = {loop.symbol for loop in loops}
    wanted: list[tuple[Poly, Poly]] = []
    for loop in loops:
        assert loop.symbol is not None
        parts, trips = low.coefficient(loop.symbol), loop.trips
        if parts is None or trips is None or names & (parts[0].symbols() | trips.symbols()):
            return False
        step = parts[0] * abs(loop.step)
        wanted.append((-step if (step.constant or 0) < 0 else step, trips))
    covered = size
    while wanted:
        fits = next((w for w in wanted if w[0] == covered), None)
        if fits is None:
            return False
        wanted.remove(fits)
        covered = covered * fits[1]
    return True


@cache
def number(value: int) -> Poly:
    """The polynomial of a number."""
    return Poly.of(value)


def converted(value: Value, t: CType | None) -> Value:
    """`value` as an integer of type `t`: a number that does not fit becomes another one."""
    if not isinstance(value, Poly) or t is None or (known := value.constant) is None:
        return value
    fitting = wrap(known, t)
    return value if fitting == known else Poly.of(fitting)


def cell_of(obj: Obj, offset: Poly | None) -> Cell:
    """The cell at an offset: one of its own when that is constant, else the one that stands for all like it."""
    if offset is None:
        return obj, ("~", None)
    constant = offset.constant
    return (obj, constant) if constant is not None else (obj, ("~", offset.offset))


def at_start(obj: Obj) -> Pointers:
    return frozenset((Target(obj, ZERO),))


def function(name: str) -> Obj:
    """What a pointer to the function points to."""
    return Obj("function", name, name)
