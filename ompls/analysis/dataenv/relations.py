"""What a condition says of integers: polynomials that compare with 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from ompls.analysis.dataenv.symbolic import Poly, Values, is_integer, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare

_Kind = Literal["==", "!=", "<", "<="]
Fact = tuple[Poly, _Kind]
_KINDS: Mapping[str, _Kind] = {"==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": "<", ">=": "<="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def parts_of(expr: Expr, holds: bool) -> Iterator[tuple[Expr, bool]]:
    """The conditions that are all known when `expr` is true (or false): those of `a && b` (of `a || b`)."""
    waiting = [(expr, holds)]
    while waiting:
        expr, holds = waiting.pop()
        expr = bare(expr)
        if isinstance(expr, ast.Unary) and expr.op == "!":
            waiting.append((expr.operand, not holds))
        elif isinstance(expr, ast.Binary) and expr.op == ("&&" if holds else "||"):
            waiting += [(expr.right, holds), (expr.left, holds)]
        else:
            yield expr, holds


def facts_of(expr: Expr, holds: bool, values: Values | None = None, loads: bool = False) -> tuple[Fact, ...]:
    """What holds when `expr` is true (or false): `i < n && j == 0` gives i - n < 0 and j == 0.

    loads -- also of what is in memory, as `poly_of`
    """
    return tuple([fact for part, so in parts_of(expr, holds) for fact in _fact_of(part, so, values, loads)])


def _fact_of(expr: Expr, holds: bool, values: Values | None, loads: bool) -> tuple[Fact, ...]:
    if isinstance(expr, ast.Binary) and expr.op in _NEGATED:
        a, b = poly_of(expr.left, values, loads), poly_of(expr.right, values, loads)
        if a is None or b is None:
            return ()
        op = expr.op if holds else _NEGATED[expr.op]
        return ((b - a if op in (">", ">=") else a - b, _KINDS[op]),)
    if is_integer(expr.type) and (value := poly_of(expr, values, loads)) is not None:
        return ((value, "!=" if holds else "=="),)
    return ()


def contradict(a: Fact, b: Fact) -> bool:
    """Whether no integers fulfil both: mode == 0 and mode - 1 == 0, 3 - n < 0 and n - 2 < 0."""
    (p, one), (q, other) = a, b
    if "!=" in (one, other):
        return one != other and "==" in (one, other) and p in (q, -q)
    # Both are `<= 0`, of an equation both ways: their sum is, too, and less by 1 for each `<`.
    sums = [(x + y).constant for x in _not_above(a) for y in _not_above(b)]
    return any(total is not None and total + (one == "<") + (other == "<") > 0 for total in sums)


def _not_above(fact: Fact) -> tuple[Poly, ...]:
    return (fact[0], -fact[0]) if fact[1] == "==" else (fact[0],)


def negated(fact: Fact) -> Fact:
    """What holds where a fact does not."""
    p, op = fact
    if op in ("==", "!="):
        return p, "!=" if op == "==" else "=="
    return -p, "<=" if op == "<" else "<"


def alone(directive: Directive, values: Values) -> frozenset[str]:
    """Which of `parallel` and `teams` has one thread (team) only, by the values that its clauses have here."""
    return frozenset(c for c in ("parallel", "teams") if directive.has(c) and _is_alone(directive, c, values))


def _is_alone(directive: Directive, construct: str, values: Values) -> bool:
    limits = ("num_threads", "thread_limit") if construct == "parallel" else ("num_teams",)
    for clause in directive.clauses:
        if clause.name in limits and clause.args:
            number = poly_of(clause.args[-1], values, loads=False)
            if number is not None and number.constant == 1:
                return True
        if clause.name == "if" and construct == "parallel" and clause.keyword in ("", construct) and clause.args:
            facts = facts_of(clause.args[0], True, values)
            if any(fails(p.constant, op) for p, op in facts):
                return True
    return False


def fails(value: int | None, op: str) -> bool:
    """Whether a fact about a number that is known is wrong."""
    return value is not None and not {"==": value == 0, "!=": value != 0, "<": value < 0, "<=": value <= 0}[op]
