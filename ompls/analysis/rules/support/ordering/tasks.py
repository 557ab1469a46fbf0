"""Tasks and device operations: what is created to run later, what waits for it, and what it meets."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from ompls.analysis.dataenv.private import WITHOUT_VALUE, private_copies
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol, walk_all
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive
from ompls.analysis.rules.support.ordering.contexts import sequential
from ompls.analysis.rules.support.ordering.depend import dependences, excludes, waits
from ompls.analysis.rules.support.ordering.model import Agent, Entry, Touch, Unit
from ompls.analysis.rules.support.ordering.team import NO_TEAM, is_one_thread
from ompls.analysis.rules.support.ordering.walk import Statements


class Tasks(Statements):
    """Units: creation, dependences, waiting."""

    enclosing: list[DirectiveStmt]
    inside: dict[int, set[Symbol]]  # what a statement declares, by its `id`
    copied: dict[int, set[Symbol]]  # what a construct makes private
    followed = True  # False: events, or dependences across tasks, may order what happens

    # --- to be given by `Constructs`

    @abstractmethod
    def leaf(self, stmt: DirectiveStmt, level: int) -> None: ...

    # --- tasks

    def task(self, stmt: DirectiveStmt, level: int) -> None:
        directive = stmt.directive
        unit = Unit(
            stmt,
            dependences(directive, self.place.values.other_names, _iterations(stmt)),
            alone=self.is_alone(),
        )
        private, first = self._data_sharing(stmt)
        for symbol, node in first.items():
            self.touch(Touch(symbol, node, 0, True, False, loops=self.place.loops, held=self.place.held,
                             guards=self.place.guards))  # fmt: skip
        inside, below = self._apart(stmt, level)
        listed = {i.symbol for c in directive.clauses if c.name in WITHOUT_VALUE for i in c.items}
        own = [t for t in inside if t.symbol not in private or (t.depth > 0 and t.symbol in first)]
        own = [t for t in own if t.via is None or t.via not in listed]
        left = [e for e in below if e.touch.symbol not in private]
        maybe = any(
            c.keyword in ("", "task", "taskloop") and not fold(c.args[0]) for c in directive.all("if") if c.args
        )
        if directive.clause("detach", "transparent") is not None:
            self.followed = False
            return
        if _is_included(directive):
            self.wait_for(unit)
            for touch in own:
                self.absorb(touch)
            self.add(left, unit)
        else:
            keeps = "taskloop" not in directive.constructs or has(directive, "nogroup")
            self.create(unit, own, left, keeps, weak=maybe)

    def is_alone(self) -> bool:
        """Whether no other thread can run the task: the program's first thread creates it, outside of any team."""
        teams = [s for s in self.enclosing if {"parallel", "teams"} & set(s.directive.constructs)]
        if teams:
            return is_one_thread(teams[-1], "parallel")
        return self.function.symbol.name in (*sequential(self.program), "main")

    def _apart(self, stmt: DirectiveStmt, level: int) -> tuple[list[Touch], list[Entry]]:
        """Walk the body as a task of its own: its accesses, and what it leaves going."""
        live, touched, agent, team, dead = self.live, self.touched, self.agent, self.team, self.dead
        returned = self.returned
        self.live, self.touched, self.agent, self.team = {}, [], Agent("alone"), NO_TEAM
        place, self.place = self.place, replace(self.place, held=frozenset())  # the creator's locks are not the task's
        self.returned = []
        self.frame += 1
        self.leaf(stmt, level + 1)
        self.frame -= 1
        self.place = place
        inside, below = self.touched, [e for e in self.entries() if e.unit is not None]
        self.live, self.touched, self.agent, self.team, self.dead = live, touched, agent, team, dead
        self.returned = returned
        return inside, below

    def _data_sharing(self, stmt: DirectiveStmt) -> tuple[set[Symbol], dict[Symbol, ast.Node]]:
        """The task's own variables; those of them that begin with the original's value, with where it is read."""
        directive = stmt.directive
        private = private_copies(directive, stmt.body)
        first: dict[Symbol, ast.Node] = {
            i.symbol: i.expr for c in directive.all("firstprivate") for i in c.items if i.symbol is not None
        }
        shared = {i.symbol for c in directive.all("shared", "reduction", "in_reduction") for i in c.items}
        default = directive.clause("default")
        kind = default.keyword if default is not None else ""
        kind = "firstprivate" if kind == "none" else kind  # not listed: an iteration variable, or a loop's bound
        declared = self.declared(stmt)
        for node in walk_all(stmt.body) if stmt.body is not None else ():
            symbol = node.symbol if isinstance(node, ast.Name) else None
            if symbol is None or symbol.kind not in ("var", "param") or symbol in private | shared | declared:
                continue
            by_default = kind == "" and self._is_private_here(symbol)
            if _is_automatic(symbol) and (kind in ("private", "firstprivate") or by_default):
                private.add(symbol)
                if kind != "private":
                    first.setdefault(symbol, node)
        return private | declared, first

    def _is_private_here(self, symbol: Symbol) -> bool:
        """Whether a variable is not shared by the whole team at this place (5.2 §5.1.1): firstprivate in a task."""
        for stmt in reversed(self.enclosing[:-1]):
            directive = stmt.directive
            if symbol in self.declared(stmt) or symbol in self._copies_of(stmt):
                return True
            shared = {i.symbol for c in directive.all("shared") for i in c.items}
            if {"parallel", "teams"} & set(directive.constructs):
                return False
            if {"task", "taskloop"} & set(directive.constructs) and symbol not in shared:
                default = directive.clause("default")
                if default is not None and default.keyword == "shared":
                    return False
        return True

    def declared(self, stmt: ast.Node) -> set[Symbol]:
        """Automatic variables that are declared in a statement."""
        found = self.inside.get(id(stmt))
        if found is None:
            found = self.inside[id(stmt)] = declared_in(stmt)
        return found

    def _copies_of(self, stmt: DirectiveStmt) -> set[Symbol]:
        found = self.copied.get(id(stmt))
        if found is None:
            found = self.copied[id(stmt)] = private_copies(stmt.directive, stmt.body)
        return found

    # --- units

    def create(self, unit: Unit, own: list[Touch], left: list[Entry], keeps: bool = True, weak: bool = False) -> None:
        """A unit that may run from here on: what it meets, and what it adds to what goes on.

        left -- what its own tasks may still be doing when it is complete
        weak -- it may run at once, as part of its creator
        """
        self._after(unit)
        if weak and unit.after:  # if it runs at once, its creator has waited for these
            self.weaken(unit.after)
        every = [*own, *(e.touch for e in left)]
        for touch in every:
            self.touched.append(touch)
            for entry in self.live.get(touch.symbol, ()):
                if entry.unit is None:
                    if self.team.shares(touch.symbol, touch.depth):
                        self.against_team(entry, touch, unit)
                elif not (entry.child and entry.unit in unit.after) and not excludes(entry.unit, unit):
                    self.compare("units", entry, touch, unit)
            if self.team is not NO_TEAM and self.team.shares(touch.symbol, touch.depth):
                self._in_team(unit, touch, keeps)
        if keeps:
            for touch in own:
                self.keep(Entry(touch, unit, self.agent, weak=weak))
            self.add(left, unit)

    def _in_team(self, unit: Unit, touch: Touch, keeps: bool) -> None:
        """Other threads of the team may create the same unit, or meet one that is complete here."""
        if self.agent.kind == "all" and not touch.copy:
            # Often all threads write the same value, which is a race by the letter only.
            one, own, around = Entry(touch, unit, self.agent), frozenset(self.team.private), len(self.place.loops)
            self.compare("self", one, touch, unit, certain=touch.read, own=own, common=around)
        if not keeps:
            self.keep(Entry(touch, None, self.agent))

    def add(self, left: list[Entry], unit: Unit) -> None:
        """Tasks of a task go on although it is complete; nobody but a barrier or a taskgroup waits for them."""
        for entry in left:
            self.keep(replace(entry, unit=unit, agent=self.agent, child=False))

    def absorb(self, touch: Touch) -> None:
        """What was done inside of something that is complete was done here."""
        self.touch(touch)

    def _after(self, unit: Unit) -> None:
        for entry in self.entries():
            if entry.unit is not None and entry.child and waits(unit.depends, entry.unit, _moved(entry)):
                unit.after |= {entry.unit, *entry.unit.after}

    def wait_for(self, unit: Unit) -> None:
        """The creating task goes on when what `unit` depends on is complete."""
        if unit.depends:
            self._after(unit)
            self.drop(e for e in self.entries() if e.child and e.unit in unit.after)

    def taskwait(self, stmt: DirectiveStmt) -> None:
        directive = stmt.directive
        depends = dependences(directive, self.place.values.other_names)
        if has(directive, "nowait"):
            self.forget()
        elif depends:
            self.wait_for(Unit(stmt, depends))
        else:
            self.drop(e for e in self.entries() if e.unit is not None and e.child)
        self.waited()


def _moved(entry: Entry) -> Symbol | None:
    """The variable of the outermost loop of which something that goes on belongs to an earlier iteration."""
    return next((o.symbol for o in entry.touch.loops if id(o.stmt) in entry.laps), None)


def _is_included(directive: Directive) -> bool:
    return any(c.args and c.keyword in ("", "task") and fold(c.args[0]) == 0 for c in directive.all("if"))


def _iterations(stmt: DirectiveStmt) -> bool:
    """Whether the iterations of a taskloop have dependences of their own (6.0)."""
    return stmt.body is not None and any(
        isinstance(n, DirectiveStmt) and n.directive.name.startswith("task iteration") for n in walk_all(stmt.body)
    )


def has(directive: Directive, name: str) -> bool:
    clause = directive.clause(name)
    return clause is not None and not (clause.args and fold(clause.args[0]) == 0)


def declared_in(node: ast.Node) -> set[Symbol]:
    declared = (n.symbol for n in walk_all(node) if isinstance(n, ast.VarDecl))
    return {s for s in declared if s.storage not in ("static", "extern")}


def _is_automatic(symbol: Symbol) -> bool:
    return symbol.level != "file" and symbol.storage not in ("static", "extern")
