"""The walk over a function's statements: what each touches, while what goes on beside it is kept in `live`.

Loops are walked twice, so that an iteration meets what the one before has left going.  What only one branch has waited
for is forgotten: it is not certain any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ompls.analysis.dataenv.paths import strip, walk_all
from ompls.analysis.dataenv.symbolic import ZERO, LoopRange, loop_range
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, FunctionDef, Stmt, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.rules.support.framework import Unit as Program
from ompls.analysis.rules.support.ordering.meet import meet
from ompls.analysis.rules.support.ordering.model import Agent, Clash, ClashKind, Entry, Side, Touch, Unit
from ompls.analysis.rules.support.ordering.team import NO_TEAM, Team, concurrent
from ompls.analysis.rules.support.ordering.touches import Place, touches, values_of

Live = dict[Symbol, tuple[Entry, ...]]
_ALONE = Agent("alone")
_MOST = 64  # entries of one variable
_NO_RETURN = frozenset(("exit", "_Exit", "_exit", "abort", "quick_exit", "__assert_fail", "__builtin_unreachable"))
_UNLOCKS = frozenset(("omp_unset_lock", "omp_unset_nest_lock"))
_LOCKS = frozenset(("omp_set_lock", "omp_set_nest_lock", "omp_test_lock", "omp_test_nest_lock"))


class Statements:
    """Walks statements; `Constructs` adds directives and `Calls` what functions do."""

    def __init__(self, function: FunctionDef, program: Program) -> None:
        self.function, self.program = function, program
        values = values_of(function)
        self.place = Place(values, dict(values.known))
        self.live: Live = {}
        self.agent = _ALONE
        self.team: Team = NO_TEAM
        self.side: Side = "host"
        self.touched: list[Touch] = []  # by the task that is looked at
        self.clashes: dict[tuple[object, ...], Clash] = {}
        self.dead = False
        self.exits: list[list[Live]] = []  # at the `break`s of each loop and switch around
        self.continues: list[list[Live]] = []
        self.returned: list[Live] = []
        self.exposed: int | None = None  # how much was touched before the function first waited for something
        self.frame = 0  # constructs around that begin a task or a team
        self.depth_of: dict[int, int] = {}  # by loop: how many branches it is under
        self.varying: dict[int, frozenset[Symbol]] = {}  # by loop
        self.again = False  # in a second iteration; loops inside are not repeated once more
        self.assigned = assigned_in_loops(function)
        self.budget = 20_000  # statements and accesses, so that no function takes long

    # --- hooks

    def directive(self, stmt: ast.DirectiveStmt) -> None:
        raise NotImplementedError

    def call(self, call: ast.Call) -> None:
        raise NotImplementedError

    def ends_in_barrier(self, stmt: Stmt) -> bool:
        """Whether a block is that of a construct at whose end all tasks are complete."""
        raise NotImplementedError

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

    def _if(self, stmt: ast.If) -> None:
        self.expr(stmt.condition)
        known = fold(stmt.condition)
        if known is not None:
            self.stmt(stmt.then if known else stmt.otherwise)
            return
        before, place, agent = dict(self.live), self.place, self.agent
        self.agent = self.selected(stmt.condition)
        ends: list[Live] = []
        for branch, number in ((stmt.then, 0), (stmt.otherwise, 1)):
            self.live, self.dead = dict(before), False
            self.place = replace(place, guards=(*place.guards, 2 * id(stmt) + number))
            self.stmt(branch)
            if not self.dead:
                ends.append(self.live)
        self.place, self.agent = place, agent
        self.dead = not ends
        self.live = joined(before, ends)

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
        self.place = replace(place, guards=(*place.guards, 2 * id(stmt)))
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

    # --- expressions and accesses

    def expr(self, expr: Expr | None) -> None:
        if expr is None:
            return
        for touch in touches(expr, self.place):
            self.touch(touch)
        for call in (n for n in walk_all(expr) if isinstance(n, ast.Call)):
            name = call.function.name if isinstance(call.function, ast.Name) else ""
            if name in _NO_RETURN:
                self.dead = True
            elif name in _LOCKS:
                self.forget()  # what was done before may have been handed over with the lock
                self.place = replace(self.place, held=self.place.held | {"lock"})
            elif name in _UNLOCKS:
                self.place = replace(self.place, held=self.place.held - {"lock"})
            else:
                self.call(call)

    def touch(self, touch: Touch) -> None:
        """The task that is looked at makes an access."""
        self.budget -= 1
        if self.budget < 0 or touch.symbol.name in self.program.threadprivate or _is_volatile(touch):
            return
        touch = replace(touch, side=self.side) if touch.side != self.side else touch
        self.touched.append(touch)
        for entry in self.live.get(touch.symbol, ()):
            if entry.unit is not None:
                self.compare("await", entry, touch)
            elif self.team.shares(touch.symbol, touch.depth):
                self.against_team(entry, touch, None)
        if self.team is not NO_TEAM and self.team.shares(touch.symbol, touch.depth):
            self.keep(Entry(touch, None, self.agent))

    def against_team(self, entry: Entry, touch: Touch, unit: Unit | None) -> None:
        """What another thread may still be doing, and an access by this one (or by a task that it creates)."""
        again = bool(entry.laps & entry.agent.around)
        verdict = concurrent(entry.agent, entry.touch, self.agent, touch, again)
        for one, two in ((entry.touch, touch), (touch, entry.touch)):
            if one.write and set(one.guards) - set(two.guards):
                verdict = verdict and False  # it writes on a condition that may never hold
        if verdict is not None:
            shared = {o.symbol for o, p in zip(entry.touch.loops, touch.loops, strict=False) if o.stmt is p.stmt}
            # Parameters of a function that all threads call have the same values, mostly.
            same = {*shared, *(p for p in self.function.params if self.place.known.get(p, ZERO) is not None)}
            own = frozenset(s for s in self.team.private if s not in same)
            self.compare(self.team.kind, entry, touch, unit, certain=verdict and self.team.certain, own=own)

    def keep(self, entry: Entry) -> None:
        """Something goes on from here."""
        if entry.unit is not None and entry.unit.alone:
            return
        if not entry.touch.certain or (entry.agent.kind in ("some",) and entry.unit is None):
            return
        kept = self.live.get(entry.touch.symbol, ())
        if len(kept) < _MOST and not any(_alike(e, entry) for e in kept):
            self.live[entry.touch.symbol] = (*kept, entry)

    def compare(
        self,
        kind: ClashKind,
        entry: Entry,
        touch: Touch,
        other: Unit | None = None,
        *,
        certain: bool = True,
        own: frozenset[Symbol] = frozenset(),
        common: int | None = None,
    ) -> None:
        """Note a clash if both touch the same storage, one writes, and nothing holds the other off.

        own -- variables of which the two have different copies; common -- the loops around both
        """
        one = entry.touch
        if not (one.write or touch.write) or not (one.certain and touch.certain) or one.held & touch.held:
            return
        base = min((self.depth_of.get(lap, 0) for lap in entry.laps), default=None)
        if base is not None and max(len(one.guards), len(touch.guards)) > base:
            return  # a condition may choose one iteration
        mine, theirs = set(touch.guards) - set(one.guards), set(one.guards) - set(touch.guards)
        if mine and theirs:
            return  # two conditions: perhaps they are never both true
        varying = own.union(*(self.varying.get(lap, frozenset()) for lap in entry.laps))
        if meet(one, touch, varying, entry.laps, common) is not True:
            return
        key = (kind, id(one.node), id(touch.node), touch.symbol)
        certain = certain and not entry.weak
        old = self.clashes.get(key)
        if old is None or (certain and not old.certain):
            self.clashes[key] = Clash(kind, entry, touch, other, self.agent, certain)

    # --- what goes on

    def drop(self, gone: Iterable[Entry]) -> None:
        """These are complete."""
        ids = {id(e) for e in gone}
        self.live = {s: tuple([e for e in es if id(e) not in ids]) for s, es in self.live.items()}

    def entries(self) -> list[Entry]:
        return [e for es in self.live.values() for e in es]

    def forget(self) -> None:
        """Anything may have been waited for."""
        self.live = {}
        self.waited()

    def weaken(self, units: set[Unit] | None = None) -> None:
        """It is not known whether something has waited for what goes on (or for these units)."""

        def weak(entry: Entry) -> Entry:
            return replace(entry, weak=True) if units is None or entry.unit in units else entry

        self.live = {s: tuple([weak(e) for e in es]) for s, es in self.live.items()}

    def waited(self) -> None:
        if self.exposed is None and not self.frame:
            self.exposed = len(self.touched)

    def leave_scope(self, symbols: list[Symbol], stmt: Stmt) -> None:
        """Variables of a block end; what still uses them is a clash."""
        for symbol in symbols:
            if symbol.storage in ("static", "extern"):
                continue
            for entry in self.live.pop(symbol, ()):
                if may_outlive(entry) and not self.dead:
                    end = replace(entry.touch, node=stmt, freed=True)
                    self.clashes.setdefault(("scope", id(entry.unit), symbol), Clash("scope", entry, end))


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


def _is_volatile(touch: Touch) -> bool:
    """Whether the program says that others change the variable while it is looked at."""
    t = touch.symbol.type
    while True:
        if t.quals & {"volatile", "_Atomic"}:
            return True
        if isinstance(t, Pointer):
            t = t.to
        elif isinstance(t, Array):
            t = t.of
        else:
            return False


def _waits(stmt: Stmt) -> bool:
    """Whether a loop without a count looks at shared memory: it may wait for somebody."""
    names = ("atomic", "flush", "critical")
    return any(isinstance(n, ast.DirectiveStmt) and n.directive.name in names for n in walk_all(stmt))


def may_outlive(entry: Entry) -> bool:
    """Whether a unit uses the variable itself, not what it points to or a copy on a device."""
    return entry.unit is not None and entry.touch.depth == 0 and entry.touch.side == "host"


def _alike(a: Entry, b: Entry) -> bool:
    x, y = a.touch, b.touch
    return (
        a.unit is b.unit and a.agent == b.agent and a.child == b.child and a.weak == b.weak and a.laps == b.laps
        and x.way == y.way and x.subs == y.subs and x.write == y.write and x.read == y.read and x.depth == y.depth
        and x.loops == y.loops and x.held == y.held and x.guards == y.guards and x.side == y.side
    )  # fmt: skip


def assigned_in_loops(function: FunctionDef) -> dict[int, set[Symbol]]:
    """For each loop, and for each loop's body, the variables that get a value there or are declared there."""
    found: dict[int, set[Symbol]] = {}
    waiting: list[tuple[ast.Node, tuple[set[Symbol], ...]]] = [(function.body, ())]
    while waiting:
        node, around = waiting.pop()
        target: Expr | None = None
        symbol: Symbol | None = None
        if isinstance(node, ast.VarDecl):
            symbol = node.symbol
        elif isinstance(node, ast.Assign):
            target = strip(node.target)
        elif isinstance(node, ast.Unary) and node.op in ("++", "--", "&"):
            target = strip(node.operand)
        symbol = target.symbol if isinstance(target, ast.Name) else symbol
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
