"""`collapse` of nests that gcc 12 does not know, or not well (OpenMP 5.0 §2.9.1).

With code between the loops: the code runs once for each iteration of the loop around it when only the loops above it
are collapsed, which the specification allows; the counters of the loops below stay private.

Where a loop's two bounds follow an outer counter alike (`j = i; j < i + 4`), gcc's code divides by zero to find its
place among the iterations.  The loops above it are collapsed.
"""

from __future__ import annotations

from ompls.analysis.dataenv.expressions import poly_of
from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import Item
from ompls.translate.canonical import nest_of
from ompls.translate.loops import Loop, Nest
from ompls.translate.lowering.round import Round
from ompls.translate.problem import Problem
from ompls.translate.target import Target
from ompls.translate.uses import declared_in


def lower(work: Round) -> None:
    for item in work.items("nests"):
        for stmt in item.content.directives:
            clause = stmt.directive.clause("collapse")
            if clause is not None and clause.args and stmt.body is not None:
                _collapse(work, item, stmt, clause)


def _collapse(work: Round, item: Item, stmt: DirectiveStmt, clause: Clause) -> None:
    try:
        nest = nest_of(stmt.directive, stmt.body)
    except Problem:
        return  # not a nest yet, or none at all: who makes the kernel says so
    good, inner = len(nest.loops), set(nest.inner)
    if work.target.openmp and not stmt.directive.clause("ordered"):
        good = _collapsible(nest, work.target)
        inner |= {x.symbol for x in nest.loops[good:]}
    if good == fold(clause.args[0]):
        return
    last = stmt.directive.clause("lastprivate")
    if work.target.version and last is not None:  # the last row may be empty
        why = f"the compiler there has OpenMP {work.target.version}: it takes no loops whose bounds depend on others"
        work.refuse(item, last.span, f"'lastprivate' with 'collapse({clause.text})'", why)
        return
    body = nest.loops[good].stmt if good < len(nest.loops) else nest.body
    listed = {i.symbol for c in stmt.directive.clauses for i in c.items} | declared_in(body)
    private = sorted(s.name for s in inner if s not in listed)
    more = f" private({', '.join(private)})" if private else ""
    work.replace(item, (clause.span, f"collapse({good}){more}"))


def _collapsible(nest: Nest, target: Target) -> int:
    """How many loops gcc can collapse: before version 9 the bounds of all have to be the same in each iteration."""
    refused = (loop.rows if target.version else _parallelogram(loop) for loop in nest.loops)
    return next((k for k, found in enumerate(refused) if found), len(nest.loops))


def _parallelogram(loop: Loop) -> bool:
    """Whether the loop's bounds depend on outer counters, and its number of iterations does not."""
    lower, bound = poly_of(loop.lower), poly_of(loop.bound)
    if not loop.rows or lower is None or bound is None:
        return False
    return not (bound - lower).symbols() & set(loop.rows)
