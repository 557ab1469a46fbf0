"""Whether two accesses that meet are a race, and how certain that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ompls.analysis.dataenv.access import Access, Walk
from ompls.analysis.model import ast
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.races.computed import Functions
from ompls.analysis.rules.support.races.conditions import Conditions
from ompls.analysis.rules.support.races.crowded import is_crowded, is_crowded_by_data, is_shown_by_atomic
from ompls.analysis.rules.support.races.levels import Level
from ompls.analysis.rules.support.races.meet import Meeting, is_fixed
from ompls.analysis.rules.support.races.relaxed import Relaxations


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses that race.

    first -- a write; second -- the other access
    level -- what runs them at the same time
    meeting -- the distance between the iterations
    fixed -- the place is the same in all iterations (threads)
    certain -- False: likely
    """

    first: Access
    second: Access
    level: Level
    meeting: Meeting
    fixed: bool
    certain: bool


class Judge:
    """Of the accesses of one walk."""

    def __init__(self, walk: Walk, conditions: Conditions, regions: Iterable[Region], functions: Functions) -> None:
        self.walk = walk
        self.functions = functions
        self.conditions = conditions
        self.relaxations = Relaxations(walk, functions)
        self.regions = {id(r.stmt): r for r in regions}

    def race(self, a: Access, b: Access, level: Level, found: Meeting, outer: int) -> Race | None:
        if found.verdict not in ("yes", "indirect"):
            return None
        fixed = is_fixed(a, level.loops, outer) and is_fixed(b, level.loops, outer)
        if self.conditions.same_value(a, b, level):
            return None
        shown = found.verdict == "indirect" and is_shown_by_atomic(a, b, level, self.walk)
        meeting = found.verdict == "yes" or shown or (a is b and self.is_crowded(a, level))
        certain = meeting and level.certain and self.conditions.happen(a, b, level, fixed)
        if certain and (
            self.is_doubtful(a, b, level, found)
            or self.is_copied(a, level)
            or self.conditions.is_redundant(a, b, level)
            or self.conditions.is_own_again(a, b, level)
            or self.conditions.is_flag(a, b, level)
            or self.conditions.is_ticket(a, level)
            or (a is not b and self.is_kept(a, b, level, outer))
        ):
            certain = False
        if a.write and (a.read or not b.write or not b.read):
            return Race(a, b, level, found, fixed, certain)
        back = None if found.distance is None else -found.distance
        return Race(b, a, level, Meeting(found.verdict, back), fixed, certain)

    def is_crowded(self, a: Access, level: Level) -> bool:
        """Whether two iterations choose one element, by whatever kind of index."""
        return is_crowded(a, level, self.walk) or is_crowded_by_data(a, level, self.walk, self.functions)

    def is_kept(self, a: Access, b: Access, level: Level, outer: int) -> bool:
        """Whether no write changes anything where the two meet."""
        pairs = [(x, y) for x, y in ((a, b), (b, a)) if x.write]
        return all(self.relaxations.keep(x, y, level, outer) for x, y in pairs)

    def is_doubtful(self, a: Access, b: Access, level: Level, found: Meeting) -> bool:
        """Whether something may keep them apart after all."""
        start, last = self.walk.starts[level.stmt].order, max(a.order, b.order)
        if any(start < m < last for m in self.walk.meets):
            return True  # a lock or barrier of the program's own
        write, read = (a, b) if a.write else (b, a)
        stored = write.by.value.walk() if level.kind == "copies" and isinstance(write.by, ast.Assign) else ()
        if read.calls and any(node is read.calls[0] for node in stored):
            return True  # `x = f()` where f gives back x: all threads get and store the same
        schedule = level.stmt.directive.clause("schedule")
        by_thread = schedule is not None and schedule.keyword == "static" and found.distance is None
        return by_thread and any(
            o.op == "%" for x in (a, b) for s in x.subscripts if s is not None for o in s.opaques()
        )

    def is_copied(self, access: Access, level: Level) -> bool:
        """Whether `target` gives the region its own copy of a scalar, which implementations hand to each team."""
        if level.unit != "team" or access.depth:
            return False
        stmt = next((s for s in reversed(access.directives) if id(s) in self.regions), None)
        variable = self.regions[id(stmt)].variable(access.symbol) if stmt is not None else None
        return variable is not None and variable.sharing == "firstprivate"
