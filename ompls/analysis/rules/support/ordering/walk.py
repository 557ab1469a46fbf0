"""The walk over a function's statements: what each touches, while what goes on beside it is kept in `live`.

Loops are walked twice, so that an iteration meets what the one before has left going.  What only one branch has waited
for is forgotten: it is not certain any more.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.relations import facts_of
from ompls.analysis.dataenv.symbolic import LoopRange, loop_range, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import variable_changed_by
from ompls.analysis.model.ast import Expr, FunctionDef, Stmt, Symbol, walk_all
from ompls.analysis.model.constants import fold
from ompls.analysis.rules.support.framework import Unit as Program
from ompls.analysis.rules.support.ordering.accesses import Accesses, Live
from ompls.analysis.rules.support.ordering.model import Agent, Entry
from ompls.analysis.rules.support.ordering.team import NO_TEAM
from ompls.analysis.rules.support.ordering.touches import Place
from ompls.analysis.spec.runtime import THREADS


class Statements(Accesses):
    """Walks statements; `Constructs` adds directives and `Calls` what functions do."""

    def __init__(self, function: FunctionDef, program: Program) -> None:
        super().__init__(function, program)
        self.exits: list[list[Live]] = []  # at the `break`s of each loop and switch around
        self.continues: list[list[Live]] = []
        self.returned: list[Live] = []
        self.tested: dict[tuple[Stmt, bool], Guard] = {}
        self.again = False  # in a second iteration; loops inside are not repeated once more
        self.assigned = assigned_in_loops(function)

    # --- hooks

    @abstractmethod
    def directive(self, stmt: ast.DirectiveStmt) -> None: ...

    @abstractmethod
    def ends_in_barrier(self, stmt: Stmt) -> bool:
        """Whether a block is that of a construct at whose end all tasks are complete."""

    # --- statements

    def stmt(self, stmt: Stmt | None) -> None:
        self.budget -= 1
        if stmt is None or self.budget < 0:
            return
        if isinstance(stmt, (ast.Labeled, ast.Case)):
            # A label is reached from elsewhere, too: nothing is certain to be going on there.
            if isinstance(stmt, ast.Labeled):
                self.live = {}
            self.dead = False
            self.stmt(stmt.body)
            return
        if self.dead:
            return
        match stmt:
            case ast.Compound():
                self._compound(stmt)
            case ast.ExprStmt():
                self.expr(stmt.expr)
                if isinstance(stmt.expr, ast.Assign) and stmt.expr.op == "=":
                    self._holds(stmt.expr.target, stmt.expr.value)
            case ast.DeclStmt():
                for decl in stmt.decls:
                    self._declare(decl)
            case ast.If():
                self._if(stmt)
            case ast.While() | ast.DoWhile() | ast.For():
                self._loop(stmt)
            case ast.Switch():
                self._switch(stmt)
            case ast.Jump():
                self._jump(stmt)
            case ast.DirectiveStmt():
                self.directive(stmt)
            case _:
                self.forget()

    def _compound(self, stmt: ast.Compound) -> None:
        for item in stmt.items:
            self.stmt(item)
        own = [d.symbol for item in stmt.items if isinstance(item, ast.DeclStmt) for d in item.decls]
        if own and stmt is not self.function.body:
            self.leave_scope([] if self.ends_in_barrier(stmt) else own, stmt)

    def _declare(self, decl: ast.VarDecl) -> None:
        for dim in decl.dims:
            self.expr(dim)
        self.live.pop(decl.symbol, None)  # another iteration's
        if decl.symbol.storage != "static":
            self.expr(decl.init)
            self._holds(ast.Name(decl.name_span, decl.symbol.name, decl.symbol), decl.init)

    def _holds(self, target: Expr, value: Expr | None) -> None:
        """From here on to the end of the block: what a variable that is assigned once holds in terms of others."""
        symbol, once = target.symbol if isinstance(target, ast.Name) else None, self.place.values.once
        known = poly_of(value, self.place.known, loads=False) if symbol is not None and symbol in once else None
        if symbol is None or known is None or any(o.op in THREADS for o in known.opaques()):
            return
        if known.symbols() <= once | {loop.symbol for loop in self.place.loops}:
            self.place = replace(self.place, known={**self.place.known, symbol: known})

    def _if(self, stmt: ast.If) -> None:
        """A ladder of `else if` is walked without recursion over its length."""
        place, agent = self.place, self.agent
        ladder: list[tuple[Live, Live | None]] = []  # before the branches, and after the first one
        at: Stmt | None = stmt
        while isinstance(at, ast.If) and not self.dead:
            self.expr(at.condition)
            known = fold(at.condition)
            if known is not None:
                at = at.then if known else at.otherwise
                if known:
                    break
                continue
            before, outer = dict(self.live), self.place.guards
            self.agent = self.selected(at.condition)
            self.live = dict(before)
            self.place = replace(place, guards=(*outer, self.guard(at, True)))
            self.stmt(at.then)
            ladder.append((before, None if self.dead else self.live))
            self.live, self.dead = dict(before), False
            self.place = replace(place, guards=(*outer, self.guard(at, False)))
            at = at.otherwise
        self.stmt(at)
        for before, then in reversed(ladder):
            ends = [live for live in (then, None if self.dead else self.live) if live is not None]
            self.dead = not ends
            self.live = joined(before, ends)
        self.place, self.agent = place, agent

    def guard(self, stmt: ast.If | ast.Switch, holds: bool) -> Guard:
        """The condition of a branch: the same one whenever the walk comes here."""
        found = self.tested.get((stmt, holds))
        if found is None:
            vague = isinstance(stmt, ast.Switch)
            facts = () if vague else facts_of(stmt.condition, holds, self.place.known)
            found = self.tested[stmt, holds] = Guard(stmt.condition, holds, facts, stmt, vague=vague)
        return found

    def selected(self, condition: Expr) -> Agent:
        """Who goes where a condition leads: only some threads when it differs between them."""
        if self.team is NO_TEAM or self.agent.kind == "alone":
            return self.agent
        names = {n.symbol for n in condition.walk() if isinstance(n, ast.Name)}
        private = any(s is not None and s.kind in ("var", "param") and not self.team.shares(s) for s in names)
        calls = any(isinstance(n, ast.Call) for n in condition.walk())
        return Agent("some") if (private or calls) and self.agent.kind == "all" else self.agent

    def _switch(self, stmt: ast.Switch) -> None:
        self.expr(stmt.condition)
        before, place, agent = dict(self.live), self.place, self.agent
        self.agent = self.selected(stmt.condition)
        self.place = replace(place, guards=(*place.guards, self.guard(stmt, True)))
        self.exits.append([])
        self.stmt(stmt.body)
        ends = [*self.exits.pop(), before]
        if not self.dead:
            ends.append(self.live)
        self.place, self.agent, self.dead = place, agent, False
        self.live = joined(before, ends)

    def _loop(self, stmt: ast.While | ast.DoWhile | ast.For) -> None:
        outer, known = self.place, None
        if isinstance(stmt, ast.For):
            self.stmt(stmt.init)
            known = loop_range(stmt, self.place.known)
        spins = (not isinstance(stmt, ast.For) or stmt.condition is None) and _waits(stmt)
        if spins:
            self.forget()
        if not isinstance(stmt, ast.DoWhile):
            self.expr(stmt.condition)
        inner, loop = self._inside(stmt, known)
        before = dict(self.live)
        self.exits.append([])
        for lap in range(2):
            self.place, self.dead = inner, False
            self.continues.append([])
            self.stmt(stmt.body)
            again = [*self.continues.pop(), *([] if self.dead else [self.live])]
            if not again:  # the body always leaves the loop
                self.live = before
                break
            self.live, self.dead = joined(before, again), False
            if isinstance(stmt, ast.For):
                self.expr(stmt.step)
            if not isinstance(stmt, ast.For) or known is None:
                self.expr(stmt.condition)
            if lap or self.again or not self._leaves(before):
                break
            self.again = True
            self.live = {
                s: tuple([self._lapped(e, before.get(s, ()), loop) for e in es]) for s, es in self.live.items()
            }
        self.place, self.again = outer, self.again and not lap
        exits = self.exits.pop()
        endless = stmt.condition is None or bool(fold(stmt.condition))
        ends = exits if endless else [self.live, *exits]
        self.dead = not ends
        self.live = {s: tuple([e for e in es if loop not in e.laps]) for s, es in joined(before, ends).items()}
        if spins:
            self.forget()

    def _leaves(self, before: Live) -> bool:
        """Whether an iteration leaves something going that the next one may meet: not what the same thread does."""
        piece = self.agent if self.agent.kind not in ("all", "some", "alone") else None
        return any(
            (e.unit is not None or e.agent != piece) and e not in before.get(s, ())
            for s, es in self.live.items()
            for e in es
        )

    def _inside(self, stmt: ast.While | ast.DoWhile | ast.For, known: LoopRange | None) -> tuple[Place, int]:
        """The place in the body, and the loop's key."""
        key = id(stmt)
        self.varying[key] = frozenset(self.assigned.get(key, ()))
        self.depth_of[key] = len(self.place.guards)
        symbol = known.symbol if known is not None else None
        unmoved = symbol is not None and symbol not in self.assigned.get(id(stmt.body), ())
        if known is None or not unmoved:
            known = LoopRange(None, None, None, 0, stmt)
        values = dict(self.place.known)
        if symbol is not None and unmoved:
            values.pop(symbol, None)
        return replace(self.place, known=values, loops=(*self.place.loops, known)), key

    def _lapped(self, entry: Entry, before: tuple[Entry, ...], loop: int) -> Entry:
        return entry if entry in before else replace(entry, laps=entry.laps | {loop})

    def _jump(self, stmt: ast.Jump) -> None:
        self.expr(stmt.value)
        if stmt.kind == "return":
            self.returned.append(self.live)
        elif stmt.kind == "break" and self.exits:
            self.exits[-1].append(self.live)
        elif stmt.kind == "continue" and self.continues:
            self.continues[-1].append(self.live)
        self.dead = True


def joined(before: Live, ends: list[Live]) -> Live:
    """After branches: what was going on before and is on all ways; what one of them has begun."""
    if len(ends) == 1:
        return dict(ends[0])
    found: Live = {}
    for symbol in {s: None for end in ends for s in end}:
        ways = [end.get(symbol, ()) for end in ends]
        if all(way is ways[0] for way in ways):
            found[symbol] = ways[0]
            continue
        old = before.get(symbol, ())
        ids = {id(e) for e in old}
        lasting = [e for e in old if all(any(e is o for o in way) for way in ways)]
        fresh = {id(e): e for way in ways for e in way if id(e) not in ids}
        found[symbol] = (*lasting, *fresh.values())
    return found


def _waits(stmt: Stmt) -> bool:
    """Whether a loop without a count looks at shared memory: it may wait for somebody."""
    names = ("atomic", "flush", "critical")
    return any(isinstance(n, ast.DirectiveStmt) and n.directive.name in names for n in walk_all(stmt))


def assigned_in_loops(function: FunctionDef) -> dict[int, set[Symbol]]:
    """For each loop, and for each loop's body, the variables that get a value there or are declared there."""
    found: dict[int, set[Symbol]] = {}
    waiting: list[tuple[ast.Node, tuple[set[Symbol], ...]]] = [(function.body, ())]
    while waiting:
        node, around = waiting.pop()
        symbol = variable_changed_by(node)
        if symbol is not None:
            for names in around:
                names.add(symbol)
        body: ast.Node | None = None
        if isinstance(node, (ast.For, ast.While, ast.DoWhile)):
            around = (*around, found.setdefault(id(node), set()))
            body = node.body
        for child in node.children():
            inner = (*around, found.setdefault(id(child), set())) if child is body else around
            waiting.append((child, inner))
    return found
