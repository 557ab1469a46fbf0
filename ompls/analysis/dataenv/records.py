"""What a walk over a statement notes: accesses, the conditions they are under, and where threads wait.

Made by `walk.py`, asked for through `access.py`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.places import ELEMENT, LOADED, Place
from ompls.analysis.dataenv.symbolic import CHANGED, LoopRange, Opaque, Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Symbol
from ompls.analysis.model.ctype import Array, Pointer, Record
from ompls.analysis.model.tu import Content

Touched = dict[Symbol | tuple[Symbol, str], list[int]]
Held = tuple[Literal["atomic", "critical", "lock"], object]  # of a critical its name, of a lock its Place


@dataclass(slots=True, eq=False)
class Access:
    """One access.  Never changed (it is not frozen because thousands are made); compared by identity.

    place -- what is accessed
    node -- the expression; of an access in a called function the call
    read, write -- both for `x += 1`
    loops -- around it within the statement, outermost first
    guards -- conditions it is under, outermost first
    directives -- enclosing directives within the statement, outermost first
    held -- what protects it: atomic directives, critical sections, locks
    owner -- the innermost enclosing directive that gives each of its threads (tasks, lanes) a variable of its own
    order -- number in the order of the text's evaluation
    certain -- False: a function that is not known, or an alias, may do it
    calls -- the calls that lead to it, outermost first
    clause -- the name of the clause that makes the access, if one does (`firstprivate` reads the original)
    """

    place: Place
    node: Node
    read: bool
    write: bool
    loops: tuple[LoopRange, ...] = ()
    guards: tuple[Guard, ...] = ()
    directives: tuple[ast.DirectiveStmt, ...] = ()
    held: frozenset[Held] = frozenset()
    owner: ast.DirectiveStmt | None = None
    order: int = 0
    certain: bool = True
    calls: tuple[ast.Call, ...] = ()
    clause: str = ""
    by: Node | None = None  # the assignment, `++` or `--` that writes
    inner: Node | None = None  # of an access in a called function: itself
    home: Content | None = None  # and the declaration that its span counts in

    @property
    def symbol(self) -> Symbol:
        return self.place.symbol

    @property
    def depth(self) -> int:
        return self.place.depth

    @property
    def subscripts(self) -> tuple[Poly | None, ...]:
        return self.place.subscripts


@dataclass(frozen=True, slots=True)
class Sync:
    """A point where the threads of a team wait: a barrier, or the end of a construct that has one.

    kind -- 'barrier', 'taskwait', or 'end' of a construct; the other fields as those of `Access`
    """

    kind: Literal["barrier", "taskwait", "end"]
    stmt: ast.DirectiveStmt
    order: int
    loops: tuple[LoopRange, ...]
    guards: tuple[Guard, ...]
    directives: tuple[ast.DirectiveStmt, ...]


@dataclass(frozen=True, slots=True)
class LockStep:
    """A lock is taken or given back.

    order -- number in the order of evaluation
    place -- the lock; None: it is not known which, or it is only tried
    """

    order: int
    place: Place | None
    taken: bool


@dataclass(frozen=True, slots=True)
class Start:
    """Where the body of a directive starts and ends: numbers in the order; loops and conditions around it.

    alone -- 'parallel', 'teams': which of these constructs of the directive has one thread (team) only, as clauses say
    """

    order: int
    loops: int
    guards: int
    alone: frozenset[str] = frozenset()
    end: int = 0


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk over a statement found.

    declared -- variables declared in it (without static ones), each with the directive around its declaration
    starts -- where each directive's body starts
    waits -- numbers in the order of evaluation where a thread may wait for another: a spinning loop
    locks -- where it takes locks and gives them back
    touched -- the numbers of the writes through each variable, and of those to each member there (see `member_of`)
    meets -- those of calls of functions that are not known and may be a barrier, by their names
    kept -- locks that are held at its end
    given -- locks that it gives back without having taken them
    threads -- the smallest number that it gives to `omp_set_num_threads`; 0: it does not, or what is not known
    """

    accesses: list[Access]
    declared: Mapping[Symbol, ast.DirectiveStmt | None]
    syncs: list[Sync]
    starts: dict[ast.DirectiveStmt, Start]
    waits: list[int]
    locks: list[LockStep]
    meets: list[int]
    touched: Touched
    kept: frozenset[Held] = frozenset()
    given: frozenset[Held] = frozenset()
    threads: int = 0

    def may_be_written(self, symbol: Symbol, stmt: ast.DirectiveStmt) -> bool:
        """Whether something here may write through the variable before a directive's body ends for the last time."""
        start, writes = self.starts[stmt], self.touched.get(symbol)
        return writes is not None and (start.loops > 0 or writes[0] <= start.end)


def member_of(place: Place) -> str:
    """The member of the structure that a variable is, points to or has as elements, in which a place lies (or to which
    it leads on: `p` of `s->p[i]`); '' for none, and in a union."""
    kind = place.symbol.type
    while isinstance(kind, (Array, Pointer)):
        kind = kind.of if isinstance(kind, Array) else kind.to
    if not isinstance(kind, Record) or kind.kind == "union":
        return ""
    return next((step for step in place.path if step not in (ELEMENT, LOADED)), "")


def settled(access: Access, since: int, touched: Touched, until: float = inf) -> Access:
    """Without what depends on changes after number `since` in the order of evaluation, up to `until`: it has no single
    value there.

    touched -- the numbers of the writes through a variable
    """

    def unknown(p: Poly) -> bool:
        if p.plain:
            return False
        return any(
            o.args[0].offset > since if o.op == CHANGED else _changes(o, touched, since, until) for o in p.opaques()
        )

    made = _without(access, unknown)
    if made.place.since <= since:
        return made
    return replace(made, place=made.place.blurred()._replace(sure=False))


def _changes(load: Opaque, touched: Touched, since: int, until: float) -> bool:
    """Whether what is loaded is written in between."""
    if load.base is None:
        return False
    member = next(iter(load.op.partition(".")[2].replace("[", ".").split(".")))
    keys = ((load.base, member), (load.base, "")) if member else (load.base,)
    for writes in (touched.get(key, ()) for key in keys):
        after = bisect_right(writes, since)
        if after < len(writes) and writes[after] <= until:
            return True
    return False


def _without(access: Access, unknown: Callable[[Poly], bool]) -> Access:
    """The access without the polynomials that have no single value."""

    def kept(p: Poly | None) -> Poly | None:
        return None if p is None or unknown(p) else p

    place, loops, guards = access.place, access.loops, access.guards
    if any(s is not None and unknown(s) for s in place.subscripts):
        place = place._replace(subscripts=tuple([kept(s) for s in place.subscripts]))
    if any(p is not None and unknown(p) for r in loops for p in (r.lower, r.upper, r.stride)):
        loops = tuple([r._replace(lower=kept(r.lower), upper=kept(r.upper), stride=kept(r.stride)) for r in loops])
    if any(unknown(p) for g in guards for p, _ in g.facts):
        guards = tuple([replace(g, facts=tuple([f for f in g.facts if not unknown(f[0])])) for g in guards])
    if place is access.place and loops is access.loops and guards is access.guards:
        return access
    return replace(access, place=place, loops=loops, guards=guards)
