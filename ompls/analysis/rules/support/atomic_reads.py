"""What an `atomic` statement reads beside its operation: compilers take such statements, and those reads are not atomic."""

from __future__ import annotations

from typing import NamedTuple

from ompls.analysis.dataenv.paths import same
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Assign, Expr, Stmt
from ompls.analysis.model.peel import bare

UPDATES = frozenset(("+", "*", "-", "/", "&", "^", "|", "<<", ">>"))
_SAME_PRECEDENCE = (frozenset("+-"), frozenset("*/"), frozenset(("<<", ">>")))


class Beside(NamedTuple):
    """A read that is no part of the operation, and the name of what it needs instead; '': no atomic form has it.

    copied -- it reads what `capture` copies to, not the variable itself
    """

    read: Expr
    variable: Expr
    fitting: str
    copied: bool = False


def read_beside(body: Stmt | None, kinds: set[str]) -> Beside | None:
    """kinds -- the clauses of the directive that say what it does"""
    operation, copy = _captured(body) if "capture" in kinds else (_assigned(body), None)
    if operation is None or "read" in kinds:
        return None
    x, value = operation.target, operation.value
    reads = _reads(value, x)
    if copy is not None and not reads and (old := _reads(value, copy)):
        return Beside(old[0], x, "", copied=True)
    operand = _operand(value, x) if operation.op == "=" else None
    if operand is None and operation.op == "=" and not kinds & {"write", "capture"}:
        return None  # compilers refuse it
    beside = [r for r in reads if "write" in kinds or r is not operand]
    if not beside:
        return None
    fitting = "update" if operand is not None and len(reads) == 1 else ""
    return Beside(beside[0], x, "compare" if isinstance(bare(value), ast.Conditional) else fitting)


def _assigned(s: Stmt | None) -> Assign | None:
    e = bare(s.expr) if isinstance(s, ast.ExprStmt) else None
    return e if isinstance(e, Assign) else None


def _captured(body: Stmt | None) -> tuple[Assign | None, Expr | None]:
    """The operation, and what has the old value when it comes after the copy."""
    if not isinstance(body, ast.Compound):
        outer = _assigned(body)
        inner = bare(outer.value) if outer is not None else None
        return (inner if isinstance(inner, Assign) else None), None
    first, second = map(_assigned, body.items) if len(body.items) == 2 else (None, None)
    if first is None or second is None:
        return None, None
    copies_first = first.op == "=" and same(first.value, second.target)
    copies_second = second.op == "=" and same(second.value, first.target)
    if copies_first == copies_second:
        return None, None
    return (second, first.target) if copies_first else (first, None)


def _operand(value: Expr, x: Expr) -> Expr | None:
    """The `x` of `x op e` and of `e op x`."""
    value = bare(value)
    if not isinstance(value, ast.Binary) or value.op not in UPDATES:
        return None
    operators = next((ops for ops in _SAME_PRECEDENCE if value.op in ops), frozenset((value.op,)))
    ends = (ast.chain(value, operators)[0].left, value.right)
    return next((found for e in ends if same(found := bare(e), x)), None)


def _reads(value: Expr, x: Expr) -> list[Expr]:
    """Where the value of `x` is used, in order."""
    found, waiting = [], [bare(value)]
    while waiting:
        e = waiting.pop()
        if same(e, x):
            found.append(e)
        elif not isinstance(e, ast.SizeOf) and not (isinstance(e, ast.Unary) and e.op == "&"):
            waiting += [bare(n) for n in reversed(list(e.children())) if isinstance(n, Expr)]
    return found
