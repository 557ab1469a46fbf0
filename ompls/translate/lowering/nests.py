"""`collapse` of a nest with code between its loops (OpenMP 5.0 §2.9.1), which gcc 12 does not know.

The code runs once for each iteration of the loop around it when only the loops above it are collapsed, which the
specification allows; the counters of the loops below stay private.
"""

from __future__ import annotations

from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import Item
from ompls.translate.loops import constant, nest_of
from ompls.translate.lowering.round import Round
from ompls.translate.problem import Problem
from ompls.translate.uses import declared_in


def lower(work: Round) -> None:
    for item, stmt in work.statements():
        clause = stmt.directive.clause("collapse")
        if clause is not None and clause.args and stmt.body is not None:
            _collapse(work, item, stmt, clause)


def _collapse(work: Round, item: Item, stmt: DirectiveStmt, clause: Clause) -> None:
    try:
        nest = nest_of(stmt.directive, stmt.body)
    except Problem:
        return  # not a nest yet, or none at all: who makes the kernel says so
    if len(nest.loops) == constant(clause.args[0]):
        return
    listed = {i.symbol for c in stmt.directive.clauses for i in c.items} | declared_in(nest.body)
    private = [s.name for s in nest.inner if s not in listed]
    more = f" private({', '.join(private)})" if private else ""
    work.replace(item, (clause.span, f"collapse({len(nest.loops)}){more}"))
