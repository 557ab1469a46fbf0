"""Every access of memory in a statement, with its symbolic subscripts and what is around it; the extent of an access.

    for (int i = 0; i < n; i++)    accesses(stmt) has, among others, the write of `a[i + 1]`:
        if (x[i] > 0)              Access(place=Place(a, path=('[]',), subscripts=(i + 1,)), write=True,
            a[i + 1] = 0;                 loops=(i: 0..n-1,), guards=(x[i] > 0,)), whose extent() is 1..n, not exact

`uses.py` answers which variables are touched at all, and is cheaper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ompls.analysis.dataenv.places import ELEMENT, Env, Place
from ompls.analysis.dataenv.records import Access, Held, Sync, Walk, settled
from ompls.analysis.dataenv.symbolic import LoopRange, Poly, range_over
from ompls.analysis.dataenv.walk import walk_of
from ompls.analysis.model.ast import Node
from ompls.analysis.model.tu import Content

__all__ = [
    "Access", "Env", "Extent", "Held", "Place", "Sync", "Walk", "accesses", "extent", "is_element", "settled",
    "walk",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Extent:
    """Which elements an access reaches over its loops; bounds are inclusive and symbolic.

    ranges -- per subscript (smallest, largest); None: not known
    linear -- the same in element numbers of the whole array or allocation (row-major); None: not known
    exact -- both ends of `linear` are reached whenever the statement runs (the loops being assumed to run)
    dense -- every element between is reached, too
    """

    ranges: tuple[tuple[Poly, Poly] | None, ...]
    linear: tuple[Poly, Poly] | None
    exact: bool
    dense: bool


def extent(access: Access, loops: tuple[LoopRange, ...] | None = None) -> Extent:
    """The elements that `access` reaches over its loops (or over `loops` only).

    `b[j + i*C]` with i = 0..R-1, j = 0..C-1 is linear 0..R*C-1, exact and dense.
    """
    loops = access.loops if loops is None else loops
    ranges = tuple([None if s is None else range_over(s, loops) for s in access.subscripts])
    at = access.place.linear
    linear = range_over(at, loops) if at is not None else None
    exact = (
        linear is not None
        and access.certain
        and access.place.sure
        and not access.guards
        and all(_is_reached(loop, at) for loop in loops)
    )
    return Extent(ranges, linear, exact, exact and at is not None and _is_dense(at, loops))


def _is_reached(loop: LoopRange, at: Poly | None) -> bool:
    if loop.symbol is None:
        return False
    return loop.exact or at is None or loop.symbol not in at.symbols()


def _is_dense(at: Poly, loops: tuple[LoopRange, ...]) -> bool:
    """Whether the loops' strides fit together: 1, then the number of elements covered so far, and so on."""
    wanted: list[tuple[Poly, Poly]] = []  # coefficient, trips
    names = {loop.symbol for loop in loops}
    for loop in loops:
        if loop.symbol is None or loop.symbol not in at.symbols():
            continue
        parts, trips = at.coefficient(loop.symbol), loop.trips
        if parts is None or trips is None or names & (parts[0].symbols() | trips.symbols()):
            return False
        step = parts[0] * abs(loop.step)
        wanted.append((-step if (step.constant or 0) < 0 else step, trips))
    covered = Poly.of(1)
    while wanted:
        fits = next((w for w in wanted if w[0] == covered), None)
        if fits is None:
            return False
        wanted.remove(fits)
        covered = covered * fits[1]
    return True


def accesses(stmt: Node, functions: Mapping[str, Content] | None = None, env: Env | None = None) -> list[Access]:
    """Every access in `stmt` of what exists outside of it, in the order of evaluation.

    functions -- the definitions of the unit by name: what they access counts where they are called
    env -- what variables hold before `stmt`; their atoms otherwise stand for the values they have there

    Private copies of constructs in `stmt`, and variables that are declared in it, are left out.
    """
    found = walk(stmt, functions, env)
    return [a for a in found.accesses if a.owner is None and a.symbol not in found.declared]


def walk(stmt: Node, functions: Mapping[str, Content] | None = None, env: Env | None = None) -> Walk:
    """As `accesses`, with private copies, and barriers."""
    found = walk_of(stmt, functions or {}, env)
    return replace(found, accesses=[settled(a, 0, found.touched) for a in found.accesses])


def is_element(place: Place) -> bool:
    """Whether the place is an element (or a part of one)."""
    return ELEMENT in place.path
