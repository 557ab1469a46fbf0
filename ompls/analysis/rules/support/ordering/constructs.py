"""What each construct does to what goes on: teams and their barriers, shares of work, critical regions."""

from __future__ import annotations

from dataclasses import replace

from ompls.analysis.dataenv.private import private_copies
from ompls.analysis.dataenv.symbolic import LoopRange, loop_range
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.grouped import groups_tasks
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.rules.support.loopnest import nest_of
from ompls.analysis.rules.support.ordering.accesses import Live
from ompls.analysis.rules.support.ordering.devices import Devices
from ompls.analysis.rules.support.ordering.model import Agent, Touch
from ompls.analysis.rules.support.ordering.tasks import declared_in
from ompls.analysis.rules.support.ordering.team import NO_TEAM, Team, is_one_thread, team_of
from ompls.analysis.rules.support.ordering.touches import Place

_TARGET_DATA = frozenset(("target update", "target enter data", "target exit data"))


class Constructs(Devices):
    """Directives, leaf construct by leaf construct."""

    def directive(self, stmt: DirectiveStmt) -> None:
        directive = stmt.directive
        name = directive.name
        if not directive.known or "metadirective" in name:
            self.forget()
            self.stmt(stmt.body)
            return
        self._clause_expressions(directive)
        if name == "barrier":
            self.barrier()
        elif name == "taskwait":
            self.taskwait(stmt)
        elif name in ("interop", "depobj"):
            self.forget()
        elif name in _TARGET_DATA:
            self.motion(stmt)
        elif stmt.body is not None:
            self.enclosing.append(stmt)
            self.leaf(stmt, 0)
            self.enclosing.pop()

    def ends_in_barrier(self, stmt: ast.Stmt) -> bool:
        if not self.enclosing or self.enclosing[-1].body is not stmt:
            return False
        directive = self.enclosing[-1].directive
        waits = {"parallel", "single", "sections", "scope"} & set(directive.constructs)
        return bool(waits or groups_tasks(directive)) and not _nowait(directive)

    def leaf(self, stmt: DirectiveStmt, level: int) -> None:
        """The construct number `level` of a combined directive, with those inside of it."""
        constructs = stmt.directive.constructs
        if level == len(constructs):
            self._body(stmt)
            return
        name = constructs[level]
        match name:
            case "parallel" | "teams":
                self._team(stmt, level)
            case "target":
                self.target(stmt, level)
            case "target data":
                self.target_data(stmt, level)
            case "task" | "taskloop":
                self.task(stmt, level)
            case "taskgroup" | "taskgraph":
                before = {id(e) for e in self.entries()}
                self.leaf(stmt, level + 1)
                waits = groups_tasks(stmt.directive)
                if waits:
                    self.drop(e for e in self.entries() if e.unit is not None and id(e) not in before)
                elif waits is None:
                    self.forget()
            case "single" | "masked" | "master" | "sections" | "for" | "distribute" | "loop" | "scope":
                self._piece(stmt, level)
            case "critical" | "atomic" | "ordered":
                self._held(stmt, level)
            case _:
                self.leaf(stmt, level + 1)

    def _body(self, stmt: DirectiveStmt) -> None:
        if "sections" in stmt.directive.constructs and isinstance(stmt.body, ast.Compound):
            self._sections(stmt, stmt.body)
        else:
            self.stmt(stmt.body)

    # --- teams

    def _team(self, stmt: DirectiveStmt, level: int) -> None:
        kind = stmt.directive.constructs[level]
        outer, team, agent = self.live, self.team, self.agent
        touched, self.touched = self.touched, []
        self.live, self.frame = {}, self.frame + 1
        place, self.place = self.place, replace(self.place, held=frozenset())  # the other threads hold no lock
        if is_one_thread(stmt, kind):
            self.team, self.agent = NO_TEAM, Agent("alone")
        else:
            self.team, self.agent = team_of(stmt, "threads" if kind == "parallel" else "teams"), Agent("all")
        self.dead = False
        self.leaf(stmt, level + 1)
        # The end of a parallel region is a barrier; that of a league waits for nobody's tasks, but ends its teams.
        self.dead = False
        inside, self.touched = self.touched, touched
        self.live, self.team, self.agent, self.frame = outer, team, agent, self.frame - 1
        self.place = place
        private = private_copies(stmt.directive, None) | declared_in(stmt)
        for touch in inside:
            if touch.symbol not in private:
                self.absorb(touch)

    def _piece(self, stmt: DirectiveStmt, level: int) -> None:
        """A part of a team's work: one thread's, or a share for each."""
        directive = stmt.directive
        name = directive.constructs[level]
        orphaned = self.team is NO_TEAM and self.agent.kind == "alone" and not self._one_thread(name)
        outer = self.agent
        combined = level > 0 and directive.constructs[level - 1] in ("parallel", "teams")
        if orphaned:
            self.team, self.agent = self._unknown_team(name), Agent("all")
        alone = combined and name != "sections" and level > 0
        previous = self.team
        if alone:
            self.team, self.agent = NO_TEAM, Agent("alone")  # nothing else is in the team's region
        elif self.agent.kind not in ("some", "alone"):
            self.agent = _agent(stmt, name, self.place)
        start = len(self.touched)
        inner_private = private_copies(directive, stmt.body)
        before = dict(self.live)
        self.team = _narrowed(self.team, directive, inner_private)
        self.leaf(stmt, level + 1)
        self.team = previous
        self._leave_private(start, before, inner_private)
        if not combined:
            self._back(directive, name)
        self.agent = outer
        waits = name in ("single", "sections", "for", "scope", "loop") and not _nowait(directive)
        if name == "loop" and not self._in_parallel():
            waits = False
        if waits and not combined:
            self.barrier()
        if orphaned:
            self.team, self.agent = (NO_TEAM, Agent("alone")) if waits else (self.team, Agent("all"))

    def _one_thread(self, name: str) -> bool:
        """A piece of work of a team that has one thread only."""
        return bool(self.enclosing[:-1]) and any(
            set(s.directive.constructs) & {"parallel", "teams"} for s in self.enclosing[:-1]
        )

    def _in_parallel(self) -> bool:
        return any("parallel" in s.directive.constructs for s in self.enclosing)

    def _unknown_team(self, name: str) -> Team:
        """The team of a function that begins none itself, if there is one: its own variables are private."""
        declared = declared_in(self.function) | set(self.function.params)
        pointed = {s for s in self.function.params if isinstance(s.type, Pointer)}
        return Team("teams" if name == "distribute" else "threads", declared, pointed, certain=False)

    def _back(self, directive: Directive, name: str) -> None:
        """Values that go back to the originals when a share of work ends."""
        if name not in ("for", "sections", "distribute", "scope", "loop"):
            return
        for clause in directive.all("reduction", "lastprivate", "linear"):
            for item in clause.items:
                if item.symbol is not None:
                    held = frozenset(("reduction",))
                    self.touch(
                        Touch(item.symbol, item.expr, 0, False, True, held=held, guards=self.place.guards,
                              loops=self.place.loops, whole=True)
                    )  # fmt: skip

    def _leave_private(self, start: int, before: Live, private: set[Symbol]) -> None:
        """What was touched of private copies is nothing to those outside."""
        if private:
            self.touched[start:] = [t for t in self.touched[start:] if t.symbol not in private]
            for symbol in private:
                if symbol in self.live:
                    self.live[symbol] = tuple([e for e in self.live[symbol] if e in before.get(symbol, ())])

    def _sections(self, stmt: DirectiveStmt, body: ast.Compound) -> None:
        outer = self.agent
        for number, part in enumerate(_parts(body)):
            if self.agent.kind not in ("some", "alone"):
                self.agent = replace(outer, which=str(number))
            for item in part:
                inner = item.body if isinstance(item, DirectiveStmt) and item.directive.name == "section" else item
                self.dead = False
                self.stmt(inner)
            self.agent = outer

    def barrier(self) -> None:
        """All threads of the team have come here, and all of its tasks are complete."""
        self.live = {}
        self.waited()

    # --- mutual exclusion

    def _held(self, stmt: DirectiveStmt, level: int) -> None:
        outer = self.place
        self.place = replace(outer, held=outer.held | {_lock_name(stmt)})
        self.leaf(stmt, level + 1)
        self.place = outer

    def _clause_expressions(self, directive: Directive) -> None:
        for clause in directive.clauses:
            for arg in clause.args:
                self.expr(arg)


def _agent(stmt: DirectiveStmt, name: str, place: Place) -> Agent:
    directive = stmt.directive
    around = frozenset(id(o.stmt) for o in place.loops)
    if name in ("for", "distribute", "loop"):
        if name == "loop":
            return Agent("for", stmt, _loops(stmt, place), "same", around=around)  # order(concurrent), always
        clause = directive.clause("schedule" if name == "for" else "dist_schedule")
        return Agent(
            "distribute" if name == "distribute" else "for",
            stmt,
            _loops(stmt, place),
            _schedule(clause, directive.clause("order")),
            around=around,
        )
    if name in ("masked", "master"):
        chosen = directive.clause("filter")
        return Agent("masked", stmt, which=chosen.text if chosen is not None else "0")
    if name == "scope":
        return Agent("all", None)
    return Agent("section" if name == "sections" else "single", stmt, around=around)


def _loops(stmt: DirectiveStmt, place: Place) -> tuple[LoopRange, ...]:
    nest = nest_of(stmt)
    found = [loop_range(loop, place.known) for loop in nest.loops]
    return tuple([r for r in found if r is not None]) if nest.wanted == len(found) and None not in found else ()


def _schedule(clause: Clause | None, order: Clause | None) -> str:
    """The schedule as written; 'same' when the order of iterations is said to be reproducible."""
    said = (order.keyword, *order.modifiers) if order is not None else ()
    if "reproducible" in said:
        return "same"
    if "unconstrained" in said:
        return "dynamic"
    return "" if clause is None else ",".join((clause.keyword, *(str(fold(a)) for a in clause.args)))


def _nowait(directive: Directive) -> bool:
    return directive.clause("nowait") is not None and "target" not in directive.constructs


def _lock_name(stmt: DirectiveStmt) -> str:
    directive = stmt.directive
    if directive.name == "critical":
        return f"critical {directive.args[0].text if directive.args else ''}"
    return directive.constructs[-1]


def _parts(body: ast.Compound) -> list[list[ast.Stmt]]:
    """The statements of each section; the first needs no `section` directive."""
    parts: list[list[ast.Stmt]] = []
    for item in body.items:
        begins = isinstance(item, DirectiveStmt) and item.directive.name == "section"
        if begins or not parts:
            parts.append([])
        parts[-1].append(item)
    return parts


def _narrowed(team: Team, directive: Directive, private: set[Symbol]) -> Team:
    """The team where a piece of its work has private copies of its own."""
    if team is NO_TEAM or not private:
        return team
    first = {i.symbol for c in directive.all("firstprivate") for i in c.items if i.symbol is not None}
    return replace(team, private=team.private | private, pointed=(team.pointed - private) | first)
