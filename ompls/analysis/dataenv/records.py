"""What a walk over a statement notes: accesses, the conditions they are under, and where threads wait.

Made by `walk.py`, asked for through `access.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ompls.analysis.dataenv.places import Place
from ompls.analysis.dataenv.relations import Fact
from ompls.analysis.dataenv.symbolic import LoopRange, Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol

Held = tuple[Literal["atomic", "critical", "lock"], object]  # of a critical its name, of a lock its Place


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that an access is under.

    expr -- the condition; holds -- whether it is true there; facts -- what that says of integers, as far as it is known
    stmt -- the statement that tests it
    """

    expr: Expr
    holds: bool
    facts: tuple[Fact, ...]
    stmt: Node


@dataclass(frozen=True, slots=True)
class Access:
    """One access.  Immutable.

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
    inner: Node | None = None  # the access itself where it is in a called function (its span counts there)

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
class Walk:
    """What a walk over a statement found.

    declared -- variables declared in it (without static ones)
    starts -- the number in the order of evaluation at which each directive's body starts
    """

    accesses: list[Access]
    declared: set[Symbol]
    syncs: list[Sync]
    starts: dict[ast.DirectiveStmt, int]


def stable(found: list[Access], touched: set[Symbol]) -> list[Access]:
    """Without subscripts that are loaded from memory that the statement writes: they have no single value.

    touched -- variables through which memory may be written
    """
    out: list[Access] = []
    for access in found:
        subscripts = tuple([None if s is not None and _loads(s, touched) else s for s in access.subscripts])
        same = all(s is old for s, old in zip(subscripts, access.subscripts, strict=True))
        out.append(access if same else replace(access, place=replace(access.place, subscripts=subscripts)))
    return out


def _loads(p: Poly, touched: set[Symbol]) -> bool:
    return any(o.base in touched for o in p.opaques() if o.base is not None) if touched else False
