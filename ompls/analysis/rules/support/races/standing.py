"""Where accesses stand: which are alike, and what the directives between a level and an access do with it."""

from __future__ import annotations

from ompls.analysis.dataenv.access import Access
from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.ctype import CType
from ompls.analysis.rules.support.races.levels import Level

_ONE_THREAD = frozenset(("single", "master", "masked"))


def distinct(group: list[Access]) -> list[Access]:
    """Without accesses that differ from an earlier one in nothing that matters here."""
    seen: dict[object, Access] = {}
    for a in group:
        place = (a.place.path, a.place.subscripts, a.depth, a.place.since)
        around = (a.directives, a.owner, a.held, tuple([r.stmt for r in a.loops]), tuple([g.stmt for g in a.guards]))
        seen.setdefault((place, a.read, a.write, around), a)
    return list(seen.values())


def same_way(a: Access, b: Access) -> bool:
    """Whether one is the other, or a part of it, as far as the way there tells."""
    x, y = a.place.path, b.place.path
    return x[: len(y)] == y[: len(x)]


def is_atomic(t: CType) -> bool:
    return "_Atomic" in t.quals


def lock(place: object) -> object:
    """The variable of a lock: which element of an array of locks it is goes with the element that it protects."""
    return getattr(place, "symbol", place)


def is_ordered(access: Access, level: Level) -> bool:
    inside = access.directives[access.directives.index(level.stmt) + 1 :]
    return any(s.directive.name == "ordered" and s.body is not None for s in inside)


def section(below: tuple[DirectiveStmt, ...]) -> DirectiveStmt | None:
    """The section that an access is in; None: the first one, without a directive."""
    return below[0] if below and below[0].directive.name == "section" else None


def shared_out(below: tuple[DirectiveStmt, ...], level: Level) -> DirectiveStmt | None:
    """The construct between that hands the work to single units of the level, or to one of them."""
    for stmt in below:
        directive = stmt.directive
        if level.unit == "team":
            if directive.has("distribute") or directive.has("loop"):
                return stmt
            continue
        if directive.has("parallel") or directive.has("teams"):
            return None
        if _ONE_THREAD & set(directive.constructs) or {"for", "sections", "loop"} & set(directive.constructs):
            return stmt
    return None


def of_team(directives: tuple[DirectiveStmt, ...], level: Level) -> bool:
    """Whether a barrier under `directives` is one of the level's team."""
    below = directives[directives.index(level.stmt) + 1 :]
    return not any(s.directive.has("parallel") or s.directive.has("teams") for s in below)
