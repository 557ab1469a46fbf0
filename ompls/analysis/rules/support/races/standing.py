"""Where accesses stand: which are alike, and what the directives between a level and an access do with it."""

from __future__ import annotations

from ompls.analysis.dataenv.access import Access, Walk
from ompls.analysis.dataenv.places import ELEMENT, LOADED, Place
from ompls.analysis.dataenv.private import private_copies
from ompls.analysis.model.ast import Assign, Call, DirectiveStmt, Symbol, VarDecl
from ompls.analysis.model.ctype import Array, CType, FieldDecl, Pointer, Record
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
    """Whether one is the other, or a part of it, as far as the way there tells; or both are bit-fields side by side."""
    x, y = a.place.path, b.place.path
    return x[: len(y)] == y[: len(x)] or (x[:-1] == y[:-1] and _bits(a.place) == _bits(b.place) != "")


def _bits(place: Place) -> str:
    """The first of the bit-fields that share a memory location (C17 3.14) with the one that a place is; '' for others."""
    at = place.symbol.type
    field: FieldDecl | None = None
    first = ""
    for step in place.path if not place.depth or isinstance(at, Pointer) else ():
        field, first = None, ""
        if step == ELEMENT and isinstance(at, (Array, Pointer)):
            at = at.of if isinstance(at, Array) else at.to
        elif isinstance(at, Record) and at.kind == "struct":
            for field in at.body.fields or ():
                first = (first or field.name) if field.bits else ""
                if field.name == step:
                    break
            if field is None or field.name != step:
                return ""
            at = field.type
        else:
            return ""
    return first


def is_atomic(t: CType) -> bool:
    return "_Atomic" in t.quals


def lock(place: object) -> object:
    """The variable of a lock: which element of an array of locks it is goes with the element that it protects."""
    return getattr(place, "symbol", place)


def is_ordered(access: Access, level: Level) -> bool:
    inside = access.directives[access.directives.index(level.stmt) + 1 :]
    return any(s.directive.name == "ordered" and s.body is not None for s in inside)


def is_own_storage(access: Access, common: tuple[DirectiveStmt, ...], level: Level, walk: Walk) -> bool:
    """Whether a pointer of each unit's own leads there, to which each one gave its value: `double *p = malloc(n);`.

    common -- the directives around the accesses in question
    """
    symbol = access.symbol
    if access.depth and not access.place.since and LOADED in access.place.path:
        return _is_own_member(access, common, level, walk)
    if not access.depth or not access.place.since:
        return False
    if level.bound < 0:  # each thread calls the function
        return symbol.level == "block" and symbol.storage not in ("static", "extern")
    inside = common[level.bound :]
    if access.place.since <= walk.starts[inside[0]].order:
        return False
    given = (i.symbol for s in walk.starts for c in s.directive.all("copyprivate") for i in c.items)
    return _is_each_units(symbol, inside, walk) and symbol not in given


def _is_each_units(symbol: Symbol, inside: tuple[DirectiveStmt, ...], walk: Walk) -> bool:
    return walk.declared.get(symbol) in inside or any(symbol in private_copies(s.directive, s.body) for s in inside)


def _is_own_member(access: Access, common: tuple[DirectiveStmt, ...], level: Level, walk: Walk) -> bool:
    """Whether a pointer in a structure of each unit's own leads there that a function gave it: `init(&s); s.p[0] = 1;`."""
    symbol, path = access.symbol, access.place.path
    if level.bound < 0 or not _is_each_units(symbol, inside := common[level.bound :], walk):
        return False
    start, holder = walk.starts[inside[0]].order, path[: path.index(LOADED)]
    given = [
        w for w in walk.accesses
        if w.write and w.symbol is symbol and not w.depth and start < w.order < access.order
        and all(x == y for x, y in zip(w.place.path, holder, strict=False))
    ]  # fmt: skip
    last = max(given, key=lambda w: w.order, default=None)
    return last is not None and _by_function(last)


def _by_function(write: Access) -> bool:
    """Whether what is stored comes from a function, or is stored by one."""
    made = write.by or write.node
    value = made.value if isinstance(made, Assign) else made.init if isinstance(made, VarDecl) else None
    return (
        not write.certain
        or write.inner is not None
        or any(isinstance(n, Call) for n in (value.walk() if value else ()))
    )


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


def waits_before(access: Access, within: DirectiveStmt | None, walk: Walk) -> bool:
    """Whether an access may wait for what another section does, in the section that it is in."""
    start = walk.starts[within].order if within is not None and within in walk.starts else 0
    return any(start <= w <= access.order for w in walk.waits)


def may_meet(a: Access, b: Access, walk: Walk) -> bool:
    """Whether what may be a barrier of the program's own lies between."""
    low, high = sorted((a.order, b.order))
    return any(low < m < high for m in walk.meets)


def any_wait(level: Level, walk: Walk) -> bool:
    """Whether units of the level may wait for each other by means of the program's own."""
    start = walk.starts[level.stmt].order
    return any(w >= start for w in walk.waits) or not _only_exclude(start, walk)


def _only_exclude(start: int, walk: Walk) -> bool:
    """Whether the locks from `start` on are given back where they are taken, so that nobody waits for what another one
    does before."""
    steps = [s for s in walk.locks if s.order >= start]
    for taken, given in zip(steps[::2], steps[1::2], strict=False):
        if taken.place is None or taken.place != given.place or not taken.taken or given.taken:
            return False
        if any(taken.order < s.order < given.order for s in walk.syncs):
            return False
    return len(steps) % 2 == 0
