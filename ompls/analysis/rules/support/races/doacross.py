"""Which iterations of a doacross loop wait for which (OpenMP 5.2 §15.9.7): whether `sink` vectors cover a dependence.

#pragma omp for ordered(2)                          a[i][j] needs what the iterations (i - 1, j) and (i, j - 1) have
    #pragma omp ordered doacross(sink: i - 1, j)    written.  The second one runs before it in the same thread, so
    a[i][j] = a[i - 1][j] + a[i][j - 1];            the one vector (1, 0) is enough; (1, -1) would be, too.
    #pragma omp ordered doacross(source:)
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.symbolic import Poly, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.rules.support.races.levels import Level
from ompls.analysis.rules.support.races.meet import distances

Vector = tuple[int, ...]  # from an iteration to a later one, in values of the loops' variables
_FAR = 16  # distances in the outermost loop that are looked into


def has_doacross(level: Level) -> bool:
    """Whether iterations of the level's loops wait for others."""
    return any(True for _ in _waiting(level))


def is_unordered(a: Access, b: Access, level: Level) -> bool:
    """Whether the two meet in iterations of which neither waits for the other, not even through others."""
    loops = [r for r in a.loops if any(r.stmt is f for f in level.loops)]
    names = [r.symbol for r in loops if r.symbol is not None]
    upwards = all((r.step or 0) > 0 for r in loops)
    if len(names) < len(level.loops) or not upwards or level.stmt.directive.clause("collapse"):
        return False
    forced = distances(a, b, loops)
    if forced is None or set(forced) != set(names):
        return False
    way = tuple(forced[s] for s in names)
    way = way if way > (0,) * len(way) else tuple(-d for d in way)
    sinks = [_vector(args, names) for args in _waiting(level)]
    known = [v for v in sinks if v is not None]
    if len(known) < len(sinks) or not 0 < way[0] <= _FAR:
        return False
    return not _is_covered(way, [v for v in known if v[0] > 0])


def _waiting(level: Level) -> Iterator[tuple[ast.Expr, ...]]:
    """The iteration that each `sink` names; nothing for `source`."""
    body = level.stmt.body
    for stmt in (n for n in body.walk() if isinstance(n, DirectiveStmt)) if body is not None else ():
        if stmt.directive.name == "ordered":
            yield from (c.args for c in stmt.directive.all("depend", "doacross"))


def _vector(args: tuple[ast.Expr, ...], names: list[Symbol]) -> Vector | None:
    if not args:
        return (0,) * len(names)  # `source` waits for nobody
    polys = [poly_of(e) for e in args]
    if len(polys) != len(names) or any(p is None for p in polys):
        return None
    apart = [(Poly.of(s) - p).constant for s, p in zip(names, polys, strict=True) if p is not None]
    known = tuple(d for d in apart if d is not None)
    return known if len(known) == len(names) else None


def _is_covered(way: Vector, sinks: list[Vector]) -> bool:
    """Whether steps along `sinks` lead there; within one iteration of the outermost loop the order is the text's."""
    waiting, seen = [way], {way}  # in whatever order steps are made, they lead to one place: it is looked at once
    while waiting:
        left = waiting.pop()
        if left[0] == 0 and left[1:] >= (0,) * (len(left) - 1):
            return True
        steps = {tuple(w - s for w, s in zip(left, sink, strict=True)) for sink in sinks if sink[0] <= left[0]}
        waiting += steps - seen
        seen |= steps
    return False
