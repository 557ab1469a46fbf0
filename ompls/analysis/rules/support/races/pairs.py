"""The races of a function: pairs of accesses that may run at the same time, meet, and are kept apart by nothing.

What is certain: both accesses happen whenever the construct runs with more than one unit (sizes are taken to be large
enough), or one happens always and the other under a condition.  Accesses whose place, order or protection is not known
are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ompls.analysis.dataenv.access import Access, Walk, settled
from ompls.analysis.dataenv.places import Place
from ompls.analysis.dataenv.symbolic import Opaque, Poly
from ompls.analysis.dataenv.walk import walk_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Unit
from ompls.analysis.rules.support.races.barriers import together
from ompls.analysis.rules.support.races.chosen import is_chosen, is_exchange
from ompls.analysis.rules.support.races.conditions import Conditions
from ompls.analysis.rules.support.races.crowded import is_by_data, is_shown_by_atomic
from ompls.analysis.rules.support.races.doacross import has_doacross, is_unordered
from ompls.analysis.rules.support.races.glance import without_races
from ompls.analysis.rules.support.races.judge import Judge, Race
from ompls.analysis.rules.support.races.levels import Level, levels_in
from ompls.analysis.rules.support.races.meet import INDIRECT, Budget, Meeting, is_fixed, meet
from ompls.analysis.rules.support.races.standing import (
    any_wait,
    distinct,
    is_atomic,
    is_ordered,
    is_own_storage,
    lock,
    may_meet,
    same_way,
    section,
    shared_out,
    waits_before,
)

_KEY = "races"
_CONCURRENT = frozenset(("parallel", "teams", "for", "distribute", "simd", "loop", "sections", "taskloop"))
_MANY = 60  # accesses of one variable that are compared with each other
_DEFERRED = frozenset(("task", "taskloop", "target", "target data"))  # ordered by other means: not looked into here


def races_of(content: Content, unit: Unit) -> list[Race]:
    """The races inside of constructs of one function; kept with it as long as what it calls does not change."""
    node = content.node
    directives = [s.directive for s in content.directives]
    if not isinstance(node, ast.FunctionDef) or not any(_CONCURRENT & set(d.constructs) for d in directives):
        return []
    if any("metadirective" in d.name for d in directives):
        return []
    key = (tuple(_below(content, unit)), unit.told.threadprivate, unit.told.variants)
    kept = content.memo.get(_KEY)
    if kept is not None and kept[0] == key:
        known: list[Race] = kept[1]
        return known
    found = [] if without_races(content, unit) else _Search(content, unit, node).races()
    content.memo[_KEY] = (key, found)
    return found


def _below(content: Content, unit: Unit) -> Iterator[Content | None]:
    """The definitions of everything that the function calls, directly or not."""
    seen: set[str] = set()
    waiting = list(content.calls)
    while waiting:
        name = waiting.pop().name
        if name not in seen:
            seen.add(name)
            called = unit.functions.get(name)
            yield called
            waiting += called.calls if called is not None else []


def _of_each_team(a: Access, b: Access) -> bool:
    """Whether both access the element of their team: `x[omp_get_team_num()]`."""
    team = Poly.of(Opaque("omp_get_team_num", None, ()))
    return any(x is not None and x == y == team for x, y in zip(a.subscripts, b.subscripts, strict=False))


def _is_constant(walk: Walk, in_main: bool, array: Symbol, stmt: DirectiveStmt) -> bool:
    """Whether an array holds what its initialiser gives whenever the construct runs."""
    if isinstance(array.type, Array) and "const" in array.type.of.quals | array.type.quals:
        return True
    # What `main` has not written (nor what it calls) nobody has.
    own = array.level == "block" and array.storage != "static"
    return (own or in_main) and not walk.may_be_written(array, stmt)


class _Search:
    def __init__(self, content: Content, unit: Unit, function: ast.FunctionDef) -> None:
        variants = unit.told.variants
        known = {n: c for n, c in unit.functions.items() if n not in variants} if variants else unit.functions
        self.functions = known
        self.walk: Walk = walk_of(function.body, known)
        self.own = {id(s) for s in content.directives}
        self.in_main = function.symbol.name == "main"
        self.threadprivate = unit.told.threadprivate
        self.levels: dict[tuple[int, ...], list[tuple[int, Level]]] = {}
        self.budget = Budget(partial(_is_constant, self.walk, self.in_main), threads=self.walk.threads)
        self.kept: dict[tuple[int, int], Access] = {}
        self.conditions = Conditions(self.walk)
        self.judge = Judge(self.walk, self.conditions, content.regions, known)

    def races(self) -> list[Race]:
        by_symbol: dict[Symbol, list[Access]] = {}
        for access in self.walk.accesses:
            if access.directives and self.counts(access):
                by_symbol.setdefault(access.symbol, []).append(access)
        found: list[Race] = []
        for group in by_symbol.values():
            if any(a.write for a in group):
                found += self.among(distinct(group)[:_MANY])
        return sorted(found, key=lambda r: (r.first.order, r.second.order))

    def counts(self, access: Access) -> bool:
        symbol = access.symbol
        return (
            access.certain
            and access.place.sure
            and not access.clause
            and symbol.name not in self.threadprivate
            and not symbol.thread_local
            and not is_atomic(symbol.type)
        )

    def among(self, group: list[Access]) -> Iterator[Race]:
        for i, a in enumerate(group):
            for b in group[i:]:
                if a.write or b.write:
                    race = self.race(a, b)
                    if race is not None:
                        yield race

    def race(self, a: Access, b: Access) -> Race | None:
        """The race of two accesses at the outermost level where they have one."""
        if a.owner is not b.owner or a.place.since != b.place.since or a.depth != b.depth or not same_way(a, b):
            return None
        common = self.common(a, b)
        owner = next((i for i, s in enumerate(common) if s is a.owner), -1)
        if a.owner is not None and owner < 0:
            return None
        best: Race | None = None
        for index, level in self.levels_of(common):
            if (
                (owner >= 0 and owner >= level.bound)
                or (level.bound < 0 and self.is_local(a))
                or a.place.since > self.walk.starts[level.stmt].order
                or is_own_storage(a, common, level, self.walk)
            ):
                continue
            found = self.at(self.settled(a, level.stmt), self.settled(b, level.stmt), index, level)
            if found is not None and (best is None or (found.certain and not best.certain)):
                best = found
                if found.certain:
                    break
        return best

    def is_local(self, access: Access) -> bool:
        """Whether each call of the function has a variable of its own."""
        symbol = access.symbol
        return access.depth == 0 and symbol.level != "file" and symbol.storage not in ("static", "extern")

    def common(self, a: Access, b: Access) -> tuple[DirectiveStmt, ...]:
        """The directives of this function around both."""
        n = 0
        for x, y in zip(a.directives, b.directives, strict=False):
            if x is not y or id(x) not in self.own:
                break
            n += 1
        return a.directives[:n]

    def levels_of(self, path: tuple[DirectiveStmt, ...]) -> list[tuple[int, Level]]:
        key = tuple([id(s) for s in path])
        found = self.levels.get(key)
        if found is None:
            found = self.levels[key] = levels_in(path, self.in_main, {s: self.walk.starts[s].alone for s in path})
        return found

    def settled(self, access: Access, stmt: DirectiveStmt) -> Access:
        """The access without what changes inside of a construct."""
        start = self.walk.starts[stmt]
        key = (access.order, start.order)
        found = self.kept.get(key)
        if found is None:
            found = self.kept[key] = settled(access, start.order, self.walk.touched, start.end)
        return found

    # --- at one level

    def at(self, a: Access, b: Access, index: int, level: Level) -> Race | None:
        below_a, below_b = a.directives[index + 1 :], b.directives[index + 1 :]
        if any(_DEFERRED & set(s.directive.constructs) for s in (*below_a, *below_b)):
            return None
        if self.protected(a, b, level) or self.conditions.exclude(a, b, level) or may_meet(a, b, self.walk):
            return None
        if level.kind == "iterations":
            return self.iterations(a, b, level)
        if level.kind == "sections":
            return self.sections(a, b, level, below_a, below_b)
        return self.copies(a, b, level, below_a, below_b)

    def protected(self, a: Access, b: Access, level: Level) -> bool:
        """Whether something lets only one of them happen at a time."""
        if any(kind == "atomic" for kind, _ in a.held & b.held):
            return True
        if level.teams and not _of_each_team(a, b):
            return False
        if any(kind == "critical" for kind, _ in a.held & b.held):
            return True
        theirs = {lock(n) for k, n in b.held if k == "lock"}
        return any(lock(n) in theirs for k, n in a.held if k == "lock") and not self.by_element(a, b, level)

    def by_element(self, a: Access, b: Access, level: Level) -> bool:
        """Whether what is always the same place is under a lock that is another one for each element."""
        outer = self.walk.starts[level.stmt].loops
        places = [n for x in (a, b) for k, n in x.held if k == "lock" and isinstance(n, Place)]
        known = [replace(x, place=n) for x in (a, b) for n in places if all(s is not None for s in n.subscripts)]
        same = is_fixed(a, level.loops, outer) and is_fixed(b, level.loops, outer)
        return same and len(known) == 2 * len(places) and not any(is_fixed(x, level.loops, outer) for x in known)

    def iterations(self, a: Access, b: Access, level: Level) -> Race | None:
        may = level.ordered or level.unit == "lane"  # `ordered simd` needs no clause on a simd construct
        if may and (is_ordered(a, level) or is_ordered(b, level)):
            return None  # with one of them outside of the ordered region, its place in the text may still order them
        if may and has_doacross(level) and not is_unordered(a, b, level):
            return None
        outer = self.walk.starts[level.stmt].loops
        if level.unit == "lane":
            return self.lanes(a, b, level, outer)
        if self.conditions.one_unit(a, b, level):
            return None
        found = meet(a, b, level, outer, self.budget)
        if found.verdict == "unknown" and a is b:
            if is_shown_by_atomic(a, a, level, self.walk) or is_by_data(a, level, self.functions):
                found = INDIRECT
            elif is_chosen(a, level, self.functions):
                found = Meeting("yes")
        if found.verdict == "indirect" and is_exchange(a, b, level, self.in_main, self.walk):
            found = Meeting("yes")
        return self.judge.race(a, b, level, found, outer)

    def lanes(self, a: Access, b: Access, level: Level, outer: int) -> Race | None:
        """Iterations of a simd loop keep the order of the text: only a value that is needed earlier in it is lost."""
        found = meet(a, b, level, outer, self.budget)
        fixed = is_fixed(a, level.loops, outer) and is_fixed(b, level.loops, outer)
        if found.verdict != "yes":
            return None
        if fixed:
            # Compilers mostly see such a sum and keep its order.
            race = self.judge.race(a, b, level, found, outer) if a.write and a.read and a.by is not None else None
            return replace(race, certain=False) if race is not None else None
        distance = found.distance
        if distance is None or distance == 0:
            return None
        source, sink = (a, b) if distance > 0 else (b, a)
        if source.order < sink.order or (level.safelen and abs(distance) >= level.safelen):
            return None
        return self.judge.race(a, b, level, found, outer)

    def sections(
        self, a: Access, b: Access, level: Level, below_a: tuple[DirectiveStmt, ...], below_b: tuple[DirectiveStmt, ...]
    ) -> Race | None:
        in_a, in_b = section(below_a), section(below_b)
        if in_a is in_b:
            return None
        apart = bool(a.held) and bool(b.held)  # by different means: that one waits for the other does not help
        plain = [x for x in (a, b) if not any(kind == "atomic" for kind, _ in x.held)]
        mixed = len(plain) == 1 and plain[0].write
        if not apart and not mixed and (waits_before(a, in_a, self.walk) or waits_before(b, in_b, self.walk)):
            return None
        found = meet(a, b, level, self.walk.starts[level.stmt].loops, self.budget)
        return self.judge.race(a, b, level, found, self.walk.starts[level.stmt].loops)

    def copies(
        self, a: Access, b: Access, level: Level, below_a: tuple[DirectiveStmt, ...], below_b: tuple[DirectiveStmt, ...]
    ) -> Race | None:
        shared_a, shared_b = shared_out(below_a, level), shared_out(below_b, level)
        if shared_a is not None or shared_b is not None:
            return None  # iterations and sections have a level of their own; what lies between them is about barriers
        if self.conditions.one_unit(a, b, level):
            return None
        outer = self.walk.starts[level.stmt].loops
        if level.unit == "thread":
            left = together(a, b, level, self.walk)
            if left is None:
                return None
            a, b, outer = left
        apart = bool(a.held) and bool(b.held)  # by different means: that one waits for the other does not help
        if not apart and self.conditions.by_thread(a, b) and any_wait(level, self.walk):
            return None
        start = self.walk.starts[level.stmt].order
        if any(start < w < min(a.order, b.order) for w in self.walk.waits):
            return None  # the threads may have waited for each other
        return self.judge.race(a, b, level, meet(a, b, level, outer, self.budget), outer)
