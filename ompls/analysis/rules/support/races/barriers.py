"""What barriers leave of two accesses by all threads of a team: in which iterations of the loops around both they may run
at the same time.

    for (t …) {         `use` and the next iteration's `make` are in different threads at the same time; `make` and `use`
        make;           of one iteration are not, nor are iterations that are further apart.  Another barrier, after
        barrier         `use`, leaves nothing.
        use;
    }
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ompls.analysis.dataenv.access import Access, Walk
from ompls.analysis.dataenv.symbolic import Atom, LoopRange, Opaque, Poly
from ompls.analysis.rules.support.races.levels import Level
from ompls.analysis.rules.support.races.standing import of_team


def together(a: Access, b: Access, level: Level, walk: Walk) -> tuple[Access, Access, int] | None:
    """The two as different threads of a team may do them at the same time; None: barriers keep them apart.

    With the number of loops whose iteration is the same for both.  One that is an iteration later than the other is
    written in terms of the other's iteration.
    """
    depth = walk.starts[level.stmt].loops
    common = _common(a.loops[depth:], b.loops[depth:])
    first, second = (a, b) if a.order <= b.order else (b, a)
    syncs = [
        s for s in walk.syncs if s.kind != "taskwait" and level.stmt in s.directives and of_team(s.directives, level)
    ]
    between = [s for s in syncs if first.order < s.order < second.order]
    if not common:
        return None if between else (a, b, depth)
    around = [s for s in syncs if s not in between]
    if between:
        if any(common[-1].stmt in (r.stmt for r in s.loops) for s in around):
            return None
        later = replaced(first, _next(common[-1]))
        return (later, b, depth + len(common)) if first is a else (a, later, depth + len(common))
    kept = [k for k, loop in enumerate(common, 1) for s in around if loop.stmt in (r.stmt for r in s.loops)]
    return a, b, depth + max(kept, default=0)


def _common(a: tuple[LoopRange, ...], b: tuple[LoopRange, ...]) -> list[LoopRange]:
    found = []
    for x, y in zip(a, b, strict=False):
        if x.stmt is not y.stmt:
            break
        found.append(x)
    return found


def _next(loop: LoopRange) -> dict[Atom, Poly]:
    """What the loop's variable is in the next iteration."""
    if loop.symbol is None:
        return {}
    now = Poly.of(loop.symbol)
    if loop.factor:
        after = now * loop.factor if loop.factor > 0 else Poly.of(Opaque("/", None, (now, Poly.of(-loop.factor))))
    else:
        after = now + (loop.step if loop.stride is None else loop.stride)
    return {loop.symbol: after}


def replaced(access: Access, values: Mapping[Atom, Poly]) -> Access:
    """The access with other values for atoms of its subscripts, of the bounds of its loops, and of its conditions."""

    def put(p: Poly | None) -> Poly | None:
        return p if p is None else p.substitute(values)

    place = access.place._replace(subscripts=tuple([put(s) for s in access.subscripts]))
    loops = tuple([r._replace(lower=put(r.lower), upper=put(r.upper), stride=put(r.stride)) for r in access.loops])
    guards = tuple([replace(g, facts=tuple([(p.substitute(values), op) for p, op in g.facts])) for g in access.guards])
    return replace(access, place=place, loops=loops, guards=guards)
