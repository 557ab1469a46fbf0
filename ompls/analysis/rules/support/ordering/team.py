"""A team of threads (or a league of teams): what its members share, and which of its pieces run at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ompls.analysis.dataenv.private import COPYING
from ompls.analysis.dataenv.symbolic import LoopRange, Opaque, Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol, walk_all
from ompls.analysis.model.constants import fold
from ompls.analysis.rules.support.ordering.model import Agent, Touch


@dataclass(slots=True)
class Team:
    """The threads of a `parallel`, or the teams of a `teams` construct.

    private -- variables of which each has its own (declared inside, or by a clause); pointed -- those among them that
               begin with the original's value, so that what they point to is shared
    certain -- False: the function may be called outside of any parallel region, too
    """

    kind: Literal["threads", "teams"]
    private: set[Symbol] = field(default_factory=set)
    pointed: set[Symbol] = field(default_factory=set)
    certain: bool = True

    def shares(self, symbol: Symbol, depth: int = 0) -> bool:
        """Whether all members touch the same storage when they touch this variable, or what it points to."""
        if symbol.thread_local:
            return False
        return symbol not in self.private or (depth > 0 and symbol in self.pointed)


NO_TEAM = Team("threads")


def team_of(stmt: DirectiveStmt, kind: Literal["threads", "teams"]) -> Team:
    """The team that a construct begins, with what its own clauses and declarations make private."""
    team = Team(kind)
    for clause in stmt.directive.clauses:
        if clause.name in COPYING:
            symbols = {i.symbol for i in clause.items if i.symbol is not None}
            team.private |= symbols
            team.pointed |= symbols if clause.name == "firstprivate" else set()
    for node in walk_all(stmt):
        if isinstance(node, ast.VarDecl) and node.symbol.storage not in ("static", "extern"):
            team.private.add(node.symbol)
    return team


def is_one_thread(stmt: DirectiveStmt, construct: str) -> bool:
    """Whether a `parallel` (or `teams`) construct certainly has one thread (team) only."""
    names = ("num_threads",) if construct == "parallel" else ("num_teams",)
    for clause in stmt.directive.clauses:
        if clause.name in names and len(clause.args) == 1 and fold(clause.args[0]) == 1:
            return True
        if clause.name == "if" and clause.keyword in ("", construct) and clause.args and fold(clause.args[0]) == 0:
            return True
    return False


def concurrent(one: Agent, a: Touch, two: Agent, b: Touch, again: bool) -> bool | None:
    """Whether two pieces of a team's code may run at the same time in different threads; None: no, or not our matter.

    again -- the second is in a later iteration of a loop around both.  False: likely only.
    """
    kinds = {one.kind, two.kind}
    if kinds & {"some", "alone"} or kinds == {"all"}:
        return None
    if one.kind == two.kind == "masked" and one.which == two.which:
        return None
    if one.kind in ("for", "distribute") and two.kind == one.kind and (one.stmt is not two.stmt or again):
        return _shares(one, a, two, b)
    if one.stmt is two.stmt and one.kind == "section" and one.which != two.which and (a.copy or b.copy):
        return True  # copies that no expression makes
    if one.stmt is two.stmt and not (one.kind == "single" and again):
        return None  # what happens inside of one construct is another rule's matter
    return True


def _shares(one: Agent, a: Touch, two: Agent, b: Touch) -> bool | None:
    """Two shares of work: the same elements go to the same thread when both have the same static schedule."""
    same = _same_thread(one, a, two, b)
    if same is not True:
        moving = any(_in_loops(one, a)) and any(_in_loops(two, b))
        return True if same is False or not moving else None
    if any(g.schedule.startswith(("dynamic", "guided", "runtime")) for g in (one, two)):
        return True
    if one.stmt is two.stmt or "same" in (one.schedule, two.schedule):
        return None
    equal = _same_trips(one, two)
    if one.schedule != two.schedule or not equal:
        # Other numbers of iterations are cut at other places; blocks of a given size are not.
        return None if "," in one.schedule or equal is None else one.schedule == two.schedule and equal is False
    # Most implementations give both the same static schedule when none is said (5.2 §11.5.3 does not promise it).
    return None if one.schedule else False


def _in_loops(agent: Agent, touch: Touch) -> list[bool]:
    """For each subscript whether it may depend on the iteration of the shared loop."""
    own = {o.symbol for o in agent.loops}
    return [s is None or bool(own & s.symbols()) for s in touch.subs] if own else [True]


def _same_thread(one: Agent, a: Touch, two: Agent, b: Touch) -> bool | None:
    """Whether the elements that both loops touch are touched by the same thread, each.

    True needs the same elements in iterations of the same number (5.2 §11.5.3 adds the same static schedule).
    False: an element is touched in different iterations.
    """
    if len(a.subs) != len(b.subs) or not one.loops or len(one.loops) != len(two.loops):
        return None
    first, second = _numbered(one.loops), _numbered(two.loops)
    if first is None or second is None:
        return None
    moved, alike = False, False
    for x, y in zip(a.subs, b.subs, strict=False):
        if x is None or y is None:
            return None
        k, m = x.substitute(first), y.substitute(second)
        numbers = {n for n in k.opaques() | m.opaques() if n.op == "iteration"}
        if not numbers:
            continue
        if k == m:
            alike = alike or (_inner_free(k, a, one) and _inner_free(m, b, two))
        else:
            moved = True
    if alike:
        return True
    return False if moved else None


def _inner_free(p: Poly, touch: Touch, agent: Agent) -> bool:
    own = {o.symbol for o in agent.loops}
    return not any(o.symbol in p.symbols() for o in touch.loops if o.symbol not in own)


def _numbered(loops: Sequence[LoopRange]) -> dict[Symbol | Opaque, Poly] | None:
    """For each iteration variable its value in terms of the number of the iteration."""
    found: dict[Symbol | Opaque, Poly] = {}
    for level, loop in enumerate(loops):
        start = loop.lower if loop.step > 0 else loop.upper
        if loop.symbol is None or start is None or not loop.step:
            return None
        number = Poly.of(Opaque("iteration", None, (Poly.of(level),)))
        found[loop.symbol] = start.substitute(found) + number * loop.step
    return found


def _same_trips(one: Agent, two: Agent) -> bool | None:
    """Whether both loops have the same number of iterations."""
    apart = [
        (a.trips - b.trips).constant if a.trips is not None and b.trips is not None else None
        for a, b in zip(one.loops, two.loops, strict=False)
    ]
    return None if None in apart else not any(apart)
