"""What runs at the same time: the levels of concurrency that a directive makes (OpenMP 5.2 §10, §11)."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from ompls.analysis.model.ast import DirectiveStmt, For
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive
from ompls.analysis.rules.support.loopnest import nest_of

Kind = Literal["iterations", "copies", "sections"]
Unit = Literal["team", "thread", "lane", "task"]
_SHARED_OUT = frozenset(("for", "loop", "sections", "distribute", "taskloop"))
_ONE_THREAD = frozenset(("single", "master", "masked"))  # `parallel masked`: only that one runs the body


@dataclass(frozen=True, slots=True)
class Level:
    """One way in which parts of a construct run concurrently.

    kind -- 'iterations' of its loops, 'copies' of its body by all threads (or teams), or its 'sections'
    unit -- what runs them
    stmt -- the directive
    loops -- the associated loops, of 'iterations'
    teams -- whether different teams are among the units: no critical section or lock keeps them apart
    safelen -- of simd: how far apart iterations must be to be kept in order; 0: no limit
    bound -- index of the directive whose teams or threads they are: what is private in it or within is each unit's own;
             -1: it is not in this function
    certain -- False: it binds to a region outside of the function, which may be none
    ordered -- whether the construct has an `ordered` clause
    """

    kind: Kind
    unit: Unit
    stmt: DirectiveStmt
    bound: int
    loops: tuple[For, ...] = ()
    teams: bool = False
    safelen: int = 0
    certain: bool = True
    ordered: bool = False

    @property
    def units(self) -> int:
        """How many threads (teams) there are by a clause, which gives a number; 0: not known."""
        clause = self.stmt.directive.clause("num_teams" if self.unit == "team" else "num_threads")
        return (fold(clause.args[-1]) or 0) if clause is not None and clause.args else 0

    def tells_apart(self, asked: AbstractSet[str]) -> bool:
        """Whether the numbers that these routines give are different in any two of the units."""
        if self.unit == "team":
            return "omp_get_team_num" in asked
        return "omp_get_thread_num" in asked and (not self.teams or "omp_get_team_num" in asked)


def levels_in(
    path: tuple[DirectiveStmt, ...], in_main: bool, alone: Mapping[DirectiveStmt, frozenset[str]]
) -> list[tuple[int, Level]]:
    """The levels that the directives of `path` (outermost first) make, each with its index in `path`.

    in_main -- whether the function is `main`: nothing runs it in parallel
    alone -- which constructs of each directive have one thread (team) only
    """
    found: list[tuple[int, Level]] = []
    teams = threads = "no" if in_main else "maybe"  # whether there are several of them: 'yes', 'maybe', 'no'
    league = team = -1  # the directives that make them
    for i, stmt in enumerate(path):
        directive = stmt.directive
        if directive.has("target"):
            teams = threads = "no"  # one initial thread
            league = team = -1
        if directive.has("teams"):
            league, team = i, -1
            teams, threads = ("no" if "teams" in alone[stmt] else "yes"), "no"
            if teams == "yes" and not directive.has("distribute") and not directive.has("loop"):
                found.append((i, Level("copies", "team", stmt, i, teams=True)))
        if directive.has("parallel"):
            team = i
            threads = "no" if "parallel" in alone[stmt] else "yes"
            if threads == "yes" and not (_SHARED_OUT | _ONE_THREAD) & set(directive.constructs):
                found.append((i, Level("copies", "thread", stmt, i)))
        level = _shared_out(stmt, teams, threads, _binding(directive, i, league, team))
        if level is not None:
            found.append((i, level))
    return found


def _shared_out(stmt: DirectiveStmt, teams: str, threads: str, bound: int) -> Level | None:
    """The level of a construct whose parts go to different units."""
    directive = stmt.directive
    ordered = directive.clause("ordered") is not None
    if directive.has("sections"):
        return Level("sections", "thread", stmt, bound, certain=threads == "yes") if threads != "no" else None
    several_teams = directive.has("distribute") and teams != "no"
    several_threads = directive.has("for") and threads != "no"
    certain = (not several_teams or teams == "yes") and (not several_threads or threads == "yes")
    if directive.has("loop"):
        several_threads = True
        several_teams = teams == "yes" and threads == "no"  # it binds to the league
        certain = (several_teams or threads == "yes") and not _bound_to_thread(directive)
    loops = nest_of(stmt).loops
    if not loops:
        return None
    if directive.has("taskloop"):
        return Level("iterations", "task", stmt, bound, loops, certain=threads == "yes") if threads != "no" else None
    if several_teams or several_threads:
        unit: Unit = "thread" if several_threads else "team"
        return Level("iterations", unit, stmt, bound, loops, several_teams, certain=certain, ordered=ordered)
    if directive.has("simd"):
        return Level("iterations", "lane", stmt, bound, loops, safelen=_length(directive), ordered=ordered)
    return None


def _bound_to_thread(directive: Directive) -> bool:
    """`bind(thread)`: the iterations may run at the same time, but in one thread."""
    clause = directive.clause("bind")
    return clause is not None and clause.keyword == "thread"


def _binding(directive: Directive, index: int, league: int, team: int) -> int:
    """The index of the directive whose units share the work of `directive`, which has `index` itself."""
    if directive.has("parallel") or directive.has("teams") or directive.has("taskloop"):
        return index
    if directive.has("distribute"):
        return league
    if directive.has("for") or directive.has("sections"):
        return team
    if directive.has("loop"):
        return max(team, league)
    return index


def _length(directive: Directive) -> int:
    clause = directive.clause("safelen")
    known = fold(clause.args[0]) if clause is not None and clause.args else None
    return known if known is not None and known > 0 else 0
