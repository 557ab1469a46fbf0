"""What a function touches, held against what goes on beside it (`live`), and when something of that is complete."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace

from ompls.analysis.dataenv.called import known_of
from ompls.analysis.dataenv.guards import beyond
from ompls.analysis.dataenv.paths import named_in
from ompls.analysis.dataenv.symbolic import ZERO
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, FunctionDef, Stmt, Symbol, walk_all
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.rules.support.framework import Unit as Program
from ompls.analysis.rules.support.ordering.model import BY_ADDRESS, Agent, Clash, ClashKind, Entry, Side, Touch, Unit
from ompls.analysis.rules.support.ordering.overlap import overlap
from ompls.analysis.rules.support.ordering.team import NO_TEAM, Team, concurrent
from ompls.analysis.rules.support.ordering.touches import Place, touches, values_of
from ompls.analysis.rules.support.races.meet import Budget

Live = dict[Symbol, tuple[Entry, ...]]
_ALONE = Agent("alone")
_MOST = 64  # entries of one variable


class Accesses(ABC):
    """Looks at expressions; `Statements` walks to them."""

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
        self.exposed: int | None = None  # how much was touched before the function first waited for something
        self.frame = 0  # constructs around that begin a task or a team
        self.depth_of: dict[int, int] = {}  # by loop: how many branches it is under
        self.varying: dict[int, frozenset[Symbol]] = {}  # by loop
        self.trials = Budget(lambda *_: False, 40)
        self.budget = 20_000  # statements and accesses, so that no function takes long

    @abstractmethod
    def call(self, call: ast.Call) -> None: ...

    # --- expressions and accesses

    def expr(self, expr: Expr | None) -> None:
        if expr is None:
            return
        for touch in touches(expr, self.place):
            self.touch(touch)
        for call in (n for n in walk_all(expr) if isinstance(n, ast.Call)):
            row = known_of(call)
            if row is not None and row.ends:
                self.dead = True
            elif row is not None and row.lock is not None and row.lock.taken:
                self.forget()  # what was done before may have been handed over with the lock
                self.place = replace(self.place, held=self.place.held | {"lock"})
            elif row is not None and row.lock is not None:
                self.place = replace(self.place, held=self.place.held - {"lock"})
            else:
                self.call(call)

    def touch(self, touch: Touch) -> None:
        """The task that is looked at makes an access."""
        self.budget -= 1
        if self.budget < 0 or touch.symbol.name in self.program.told.threadprivate or _is_volatile(touch):
            return
        touch = replace(touch, side=self.side) if touch.side not in (self.side, BY_ADDRESS) else touch
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
            if one.write and beyond(one.guards, two.guards, self.place.values):
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
        values = self.place.values
        if beyond(touch.guards, one.guards, values) and beyond(one.guards, touch.guards, values):
            return  # two conditions: perhaps they are never both true
        varying = own.union(*(self.varying.get(lap, frozenset()) for lap in entry.laps))
        if not self.met(entry, touch, varying, common):
            return
        key = (kind, id(one.node), id(touch.node), touch.symbol)
        certain = certain and not entry.weak
        old = self.clashes.get(key)
        if old is None or (certain and not old.certain):
            self.clashes[key] = Clash(kind, entry, touch, other, self.agent, certain)

    def met(self, entry: Entry, touch: Touch, varying: frozenset[Symbol], common: int | None) -> bool:
        """Whether what goes on and an access certainly touch the same storage."""
        if (
            entry.touch.side not in ("host", BY_ADDRESS)
            and entry.unit is not None
            and _has_moved(entry.unit.stmt, varying)
        ):
            return False
        return overlap(entry, touch, varying, common, self.trials)

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


def _has_moved(stmt: ast.DirectiveStmt, varying: frozenset[Symbol]) -> bool:
    """Whether a directive is for another device by now: `device(d)` in a loop over the devices."""
    clause = stmt.directive.clause("device")
    return clause is not None and any(named_in(arg) & varying for arg in clause.args)


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
