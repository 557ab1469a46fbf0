"""Updates that only lower (raise) an element, and never by way of the element itself: Floyd and Warshall's algorithms.

    for (k…)  parallel over i, j:  if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];

Iteration i == k would write the `d[k][j]` that others read; there the condition says `d[k][k] + d[k][j] < d[k][j]`, so the
element keeps its value if nothing is negative.  That the condition asks for less than the element itself is tried out
wherever a write meets the other access.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ompls.analysis.dataenv.access import Access, Walk
from ompls.analysis.dataenv.paths import same
from ompls.analysis.dataenv.places import Place
from ompls.analysis.dataenv.relations import parts_of
from ompls.analysis.dataenv.symbolic import Atom, Opaque
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import variable_changed_by
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.races.computed import Functions
from ompls.analysis.rules.support.races.extremes import Direction, extreme_of
from ompls.analysis.rules.support.races.levels import Level
from ompls.analysis.rules.support.races.meet import level_loops
from ompls.analysis.rules.support.races.trial import Trial, value_at, where_they_meet

_DEEP = 4  # variables that are declared with one another
_DOWN: Direction = "min"
_UP: Direction = "max"


@dataclass(frozen=True, slots=True)
class Relaxations:
    """Of one walk.

    functions -- the definitions of the unit by name
    """

    walk: Walk
    functions: Functions

    def keep(self, write: Access, other: Access, level: Level, outer: int) -> bool:
        """Whether in the iterations where `write` meets `other` it stores what is there already, or does not happen.

        outer -- the number of loops around the construct
        """
        pairs = zip(write.subscripts, other.subscripts, strict=False)
        subscripts = [(x, y) for x, y in pairs if x is not None and y is not None]
        if level.kind != "iterations" or not subscripts or len(subscripts) < len(write.subscripts):
            return False
        claims = list(_Update(write, level, self.walk, self.functions).claims())
        if not claims:
            return False
        trial = Trial(write, other, subscripts, level_loops(write, level.loops), outer, {})
        # Rows that are shorter than what is said of their length meet each other, too: one choice of sizes is enough.
        choices = [points for points in where_they_meet(trial) if points]
        return any(all(claim.holds(point) for point in points) for claim in claims for points in choices)


@dataclass(frozen=True, slots=True)
class _Claim:
    """Nothing is changed where `kept` is one of `offered`."""

    kept: Place
    offered: tuple[Place, ...]

    def holds(self, point: Mapping[Atom, int]) -> bool:
        if any(o.base is not None and o not in point for p in (self.kept, *self.offered) for o in _loads(p)):
            return False
        at = [value_at(s, point) for s in self.kept.subscripts if s is not None]
        return any([value_at(s, point) for s in o.subscripts if s is not None] == at for o in self.offered)


class _Update:
    """What a write does with the element that is there, as its value and the conditions around it say."""

    def __init__(self, write: Access, level: Level, walk: Walk, functions: Functions) -> None:
        self.write, self.walk, self.functions = write, walk, functions
        home = write.home.node if write.home is not None else None
        self.scope: Node = home if write.inner is not None and home is not None else level.stmt
        self.passed: dict[Symbol, Expr] = {}
        if write.calls and isinstance(self.scope, ast.FunctionDef):
            self.passed = dict(zip(self.scope.params, write.calls[-1].args, strict=False))
        self.guards = write.guards[walk.starts[level.stmt].guards :]

    def claims(self) -> Iterator[_Claim]:
        by = self.write.by
        facts = [f for g in self.guards for f in parts_of(g.expr, g.holds)]
        for fact, holds in facts:
            if isinstance(fact, ast.Binary) and fact.op in ("<", "<=", ">", ">="):
                lower, higher = (
                    (fact.left, fact.right) if (fact.op in ("<", "<=")) == holds else (fact.right, fact.left)
                )
                strict = (fact.op in ("<", ">")) == holds
                yield from self.compared(lower, higher, _DOWN, strict)
                yield from self.compared(higher, lower, _UP, strict)
        if not isinstance(by, ast.Assign):
            return
        value = self.resolved(by.value)
        if by.op == "=" and fold(value):  # `if (r[i][k] && r[k][j]) r[i][j] = 1`
            true = [self.place(f) for f, holds in facts if holds]
            yield from self.claim(self.write.place, [p for p in true if p is not None])
        for direction, offer in self.offers(by, value):
            yield from self.claim(self.write.place, self.operands(offer, direction))

    def compared(self, offer: Expr, old: Expr, direction: Direction, strict: bool) -> Iterator[_Claim]:
        """Of a write that happens only if `offer` is better than `old`."""
        by = self.write.by
        kept = self.place(old)
        if kept is None:
            return
        if not strict:  # then it stores the value that is there
            value = by.value if isinstance(by, ast.Assign) and by.op == "=" else None
            if value is None or not self.is_target(old) or not same(self.resolved(value), self.resolved(offer)):
                return
        yield from self.claim(kept, self.operands(offer, direction))

    def offers(self, by: ast.Assign, value: Expr) -> Iterator[tuple[Direction | str, Expr]]:
        """What is put together with the old value: `t |= e`, `t = t || e`, `t = min(t, e)`."""
        if by.op in ("|=", "&="):
            yield by.op[0], by.value
        if by.op != "=":
            return
        sides: list[Expr] = []
        kind: Direction | str | None = None
        if isinstance(value, ast.Binary) and value.op in ("||", "|", "&&", "&"):
            kind, sides = value.op[0], [value.left, value.right]
        elif (found := extreme_of(value, self.functions)) is not None:
            kind, sides = found[0], list(found[1])
        if kind is None or len(sides) != 2:
            return
        for old, offer in (sides, sides[::-1]):
            if self.is_target(old):
                yield kind, offer

    def claim(self, kept: Place, offered: list[Place]) -> Iterator[_Claim]:
        like = [p for p in offered if p.symbol is kept.symbol and p.path == kept.path and p.depth == kept.depth]
        if like and all(s is not None for p in (kept, *like) for s in p.subscripts):
            yield _Claim(kept, tuple(like))

    def operands(self, offer: Expr, direction: Direction | str, deep: int = 8) -> list[Place]:
        """Elements that `offer` is no better than, if no number is negative: d and e for `d + e` and 'min'."""
        offer = self.resolved(offer)
        place = self.place(offer)
        if place is not None or deep == 0:
            return [place] if place is not None else []
        sides: list[Expr] = []
        if direction in ("|", "&"):
            ops = ("&&", "&") if direction == "|" else ("||", "|")
            sides = [offer.left, offer.right] if isinstance(offer, ast.Binary) and offer.op in ops else []
        elif isinstance(offer, ast.Binary) and offer.op in ("+", "*", "-"):
            sides = [offer.left, offer.right] if offer.op != "-" else [offer.left]
            added = [fold(x) for x in (offer.left, offer.right)]
            if any(n is not None and (n > 0) != ((direction == _DOWN) == (offer.op != "-")) for n in added if n):
                return []
            if offer.op == "-" and added[1] is None:
                return []
        elif (found := extreme_of(offer, self.functions)) is not None and found[0] != direction:
            sides = list(found[1])
        return [p for side in sides for p in self.operands(side, direction, deep - 1)]

    def is_target(self, expr: Expr) -> bool:
        place, own = self.place(expr), self.write.place
        return place is not None and (place.symbol, place.path, place.subscripts) == (
            own.symbol, own.path, own.subscripts,
        )  # fmt: skip

    def place(self, expr: Expr) -> Place | None:
        """The element that an expression, or the variable that it was kept in, is read from."""
        expr = self.resolved(expr)
        if not isinstance(expr, (ast.Index, ast.Member, ast.Unary)):
            return None
        calls = self.write.calls
        for x in self.walk.accesses:
            node, lead = (x.inner, x.calls) if x.inner is not None else (x.node, ())
            if x.read and node is expr and lead == calls[: len(lead)]:
                return x.place
        return None

    def resolved(self, expr: Expr, deep: int = _DEEP) -> Expr:
        """What a variable of the iteration's own was given, if nothing else: `int via = d[i][k] + d[k][j]`."""
        expr = bare(expr)
        while isinstance(expr, (ast.Cast, ast.StatementExpr)):
            last = expr.body.items[-1] if isinstance(expr, ast.StatementExpr) and expr.body.items else None
            inner = (
                expr.operand if isinstance(expr, ast.Cast) else last.expr if isinstance(last, ast.ExprStmt) else None
            )
            if inner is None:
                return expr
            expr = bare(inner)
        symbol = expr.symbol if isinstance(expr, ast.Name) else None
        if symbol is None or deep == 0 or symbol.level == "file" or symbol.storage == "static":
            return expr
        init = self.passed.get(symbol) if symbol.level == "param" else symbol.init
        given: list[Expr | None] = [init] if init is not None else []
        for n in self.scope.walk():
            if not isinstance(n, ast.VarDecl) and variable_changed_by(n) is symbol:
                given.append(n.value if isinstance(n, ast.Assign) and n.op == "=" else None)
        value = given[0] if len(given) == 1 else None
        return self.resolved(value, deep - 1) if value is not None else expr


def _loads(place: Place) -> Iterator[Opaque]:
    for subscript in place.subscripts:
        yield from subscript.opaques() if subscript is not None else ()
