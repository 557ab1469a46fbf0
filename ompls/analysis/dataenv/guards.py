"""Conditions that accesses are under, held against each other by what they say: nothing else compares two conditions.

`if (mode == 0) …` and `if (mode == 1) …` exclude each other as well as the branches of one `if` do, where `mode` does
not change in between.  What does not change is for those to say who ask (`Constancy`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, Protocol

from ompls.analysis.dataenv.paths import same
from ompls.analysis.dataenv.relations import Fact, contradict, facts_of, fails, negated, parts_of
from ompls.analysis.dataenv.symbolic import Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node
from ompls.analysis.model.constants import fold
from ompls.analysis.model.peel import bare, strip

# How two values may compare, for each comparison; "?": not at all (one is no number).
_ORDERS = {op: frozenset(orders) for op, orders in
           (("<", "<"), ("<=", "<="), (">", ">"), (">=", ">="), ("==", "="), ("!=", "<>?"))}  # fmt: skip
_ALL = frozenset("<=>?")
_MOST = 16  # parts of a condition that are looked at
_MIRRORED = str.maketrans("<>", "><")


class _Said(NamedTuple):
    """A comparison as it is written; no `right`: with 0.  facts -- what it says of integers, also those in memory."""

    left: Expr
    right: Expr | None
    orders: frozenset[str]
    facts: tuple[Fact, ...]


@dataclass(slots=True, eq=False)
class Guard:
    """A condition that an access is under.  Never changed.

    expr -- the condition; holds -- whether it is true there; facts -- what that says of integers, as far as it is known
    vague -- what is known is only that `expr` decides: one of several labels, a jump that was perhaps not taken
    stmt -- the statement that tests it
    part -- of a `switch`: the label before which the last `break` stands; None before all labels, and for others
    passed -- it stands in a called function: only the facts are in terms of the caller, and `given`
    given -- there, the condition with the caller's arguments in place of the parameters; None: not known
    """

    expr: Expr
    holds: bool
    facts: tuple[Fact, ...]
    stmt: Node
    part: Node | None = None
    vague: bool = False
    passed: bool = False
    given: Expr | None = None
    said: tuple[_Said, ...] | None = field(default=None, init=False)

    @property
    def asked(self) -> Expr:
        """The condition, as far as it is known in terms of who looks at it."""
        return self.given or self.expr

    @property
    def understood(self) -> bool:
        """Whether the facts say all that the condition says."""
        return len(self.facts) == sum(1 for _ in parts_of(self.expr, self.holds))


class Constancy(Protocol):
    """What has one value wherever the two conditions are tested."""

    def value(self, p: Poly) -> bool: ...

    def expr(self, expr: Expr) -> bool: ...


class _AsWritten:
    """What looks the same is the same."""

    def value(self, _p: Poly) -> bool:
        return True

    def expr(self, _expr: Expr) -> bool:
        return True


AS_WRITTEN: Constancy = _AsWritten()


def exclude(a: Sequence[Guard], b: Sequence[Guard], constant: Constancy) -> bool:
    """Whether what is under the conditions `a` and what is under `b` never both happen."""
    return any(_contrary(x, y, constant) for x in a for y in b)


def beyond(a: Sequence[Guard], b: Sequence[Guard], constant: Constancy) -> list[Guard]:
    """Those of the conditions `a` that may fail where all of `b` hold."""
    return [x for x in a if not any(_implies(y, x, constant) for y in b)]


def _contrary(a: Guard, b: Guard, constant: Constancy) -> bool:
    if any(constant.value(f[0]) and constant.value(g[0]) and contradict(f, g) for f in a.facts for g in b.facts):
        return True
    if not _is_readable(a, constant) or not _is_readable(b, constant):
        return False
    if a.stmt is b.stmt and a.part is not None and b.part is not None:
        return a.part is not b.part
    return any(_disjoint(x, y) for x in _said(a) for y in _said(b)) or _opposite(a, b)


def _opposite(a: Guard, b: Guard) -> bool:
    """Whether one is the other one's opposite as a whole: `x || y` and `!(x || y)`."""
    (x, one), (y, other) = (_plain(g.asked, g.holds) for g in (a, b))
    return one != other and not a.vague and not b.vague and _same(x, y)


def _implies(a: Guard, b: Guard, constant: Constancy) -> bool:
    """Whether `b` holds where `a` does.  What one `if` tests counts as the same, also in two calls of a function."""
    if a is b or (a.stmt is b.stmt and (a.holds, a.part, a.vague) == (b.holds, b.part, b.vague)):
        return True
    if b.understood and all(_is_true(g) or _is_known(g, a, constant) for g in b.facts):
        return True
    if not _is_readable(a, constant) or not _is_readable(b, constant):
        return False
    said, wanted = _said(a), _said(b)
    return 0 < len(wanted) < _MOST and all(any(_covers(x, y) for x in said) for y in wanted)


def _is_true(fact: Fact) -> bool:
    number = fact[0].constant
    return number is not None and not fails(number, fact[1])


def _is_known(fact: Fact, guard: Guard, constant: Constancy) -> bool:
    """Whether a condition says so."""
    no = negated(fact)
    return constant.value(no[0]) and any(constant.value(f[0]) and contradict(f, no) for f in guard.facts)


def _is_readable(guard: Guard, constant: Constancy) -> bool:
    """Whether the condition means the same as it is written."""
    known = guard.given is not None or not (guard.passed and guard.understood)
    return known and constant.expr(guard.asked)


def _said(guard: Guard) -> tuple[_Said, ...]:
    """What a condition says, part by part; asked for each pair of accesses, and worked out once."""
    if guard.said is None:
        parts = () if guard.vague else islice(parts_of(guard.asked, guard.holds), _MOST)
        guard.said = tuple([_comparison(expr, holds) for expr, holds in parts])
    return guard.said


def _plain(expr: Expr, holds: bool) -> tuple[Expr, bool]:
    """A condition without `!`."""
    while isinstance(expr := bare(expr), ast.Unary) and expr.op == "!":
        expr, holds = expr.operand, not holds
    return expr, holds


def _comparison(expr: Expr, holds: bool) -> _Said:
    facts = facts_of(expr, holds, loads=True)
    if not isinstance(expr, ast.Binary) or expr.op not in _ORDERS:
        return _Said(expr, None, _ORDERS["!=" if holds else "=="], facts)
    left, right, orders = bare(expr.left), bare(expr.right), _ORDERS[expr.op]
    if fold(strip(left)) == 0:
        left, right, orders = right, left, _mirrored(orders)
    zero = fold(strip(right)) == 0
    return _Said(left, None if zero else right, orders if holds else _ALL - orders, facts)


def _disjoint(a: _Said, b: _Said) -> bool:
    orders = _between(a, b)
    return (orders is not None and not orders & a.orders) or any(contradict(f, g) for f in a.facts for g in b.facts)


def _covers(a: _Said, b: _Said) -> bool:
    """Whether `b` holds where `a` does."""
    orders = _between(a, b)
    return (orders is not None and a.orders <= orders) or (
        len(b.facts) == 1 and any(contradict(f, negated(b.facts[0])) for f in a.facts)
    )


def _between(a: _Said, b: _Said) -> frozenset[str] | None:
    """The orders of `b`, of the operands as `a` has them; None: it compares something else."""
    if _same(a.left, b.left) and _same(a.right, b.right):
        return b.orders
    if _same(a.left, b.right) and _same(a.right, b.left):
        return _mirrored(b.orders)
    return None


def _mirrored(orders: frozenset[str]) -> frozenset[str]:
    """Of the operands the other way round."""
    return frozenset(o.translate(_MIRRORED) for o in orders)


def _same(a: Expr | None, b: Expr | None) -> bool:
    return a is b or (a is not None and b is not None and same(a, b))
