"""Expressions that have the same value in all threads, and variables that get nothing else."""

from __future__ import annotations

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by, assigned_in, variable_changed_by
from ompls.analysis.model.ast import DirectiveStmt, Expr, Symbol
from ompls.analysis.model.peel import bare
from ompls.analysis.spec.runtime import SAME_FOR_ALL, THREADS


def is_alike(
    expr: Expr,
    changing: set[Symbol],
    calls: bool = False,
    numbers: frozenset[str] = THREADS,
    written: set[Symbol] | None = None,
) -> bool:
    """Whether an expression has one value for all, if only the variables in `changing` differ, and what `numbers` give.

    written -- the arrays and pointers whose elements change; None: any may
    """
    for node in expr.walk():
        if isinstance(node, ast.Name) and node.symbol is not None and node.symbol in changing:
            return False
        if isinstance(node, ast.Call):
            name = node.function.name if isinstance(node.function, ast.Name) else ""
            known = name in SAME_FOR_ALL or ((calls or name in THREADS) and not node.args and name not in numbers)
            if not known:
                return False
        if isinstance(node, ast.Index) or (isinstance(node, ast.Unary) and node.op == "*"):
            base = root(node) if written is not None else None
            if base is None or written is None or base in written:
                return False
        if assigned_by(node) is not None:
            return False
    return True


def stored_alike(stmt: DirectiveStmt) -> set[Symbol]:
    """Variables that get nothing but what is the same for all: `n = omp_get_num_threads(), size = (m + n - 1) / n`."""
    values: dict[Symbol, list[Expr]] = {}
    for n in stmt.walk():
        target = bare(n.target) if isinstance(n, ast.Assign) and n.op == "=" else None
        if isinstance(n, ast.Assign) and isinstance(target, ast.Name) and target.symbol is not None:
            values.setdefault(target.symbol, []).append(n.value)
    simple = {s for s in values if s not in _changed_otherwise(stmt)}
    unlike = assigned_in(stmt)
    while found := {s for s in simple & unlike if all(is_alike(v, unlike, calls=True) for v in values[s])}:
        unlike -= found
    return simple - unlike


def _changed_otherwise(stmt: DirectiveStmt) -> set[Symbol]:
    """Variables with `n += 1`, `n++`, `&n` or a declaration."""
    others = (n for n in stmt.walk() if not (isinstance(n, ast.Assign) and n.op == "="))
    return {symbol for n in others if (symbol := variable_changed_by(n)) is not None}
