"""Combined constructs of OpenMP 5.1 to 6.0 that gcc 12 has no name for, as one construct in the other."""

from __future__ import annotations

from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import Item
from ompls.analysis.spec import clauses_of
from ompls.translate.lowering.round import Round, pragma

_PARTS = {
    "parallel single": ("parallel", "single"),
    "target parallel single": ("target parallel", "single"),
    "target parallel masked": ("target parallel", "masked"),
    "target parallel sections": ("target parallel", "sections"),
    "target taskloop": ("target", "taskloop"),
    "target taskloop simd": ("target", "taskloop simd"),
}
_OF_THE_OUTER = frozenset(("firstprivate", "nowait", "if"))  # where both parts take it


def lower(work: Round) -> None:
    if work.target == "gpu":
        return
    for item, stmt in work.statements():
        d = stmt.directive
        if d.meta is None and d.name in _PARTS:
            outer, inner = _PARTS[d.name]
            text = pragma(_part(work, item, d, outer, inner)) + pragma(_part(work, item, d, inner, outer))
            work.replace(item, (Span(d.span.start, d.span.end), text))


def _part(work: Round, item: Item, d: Directive, name: str, other: str) -> str:
    """One of the two directives with the clauses that belong to it."""
    first = d.name.startswith(name + " ")
    clauses = [work.text(item, c.span) for c in d.clauses if _belongs(c, name, other, first=first)]
    return " ".join([f"omp {name}", *clauses])


def _belongs(c: Clause, name: str, other: str, *, first: bool) -> bool:
    if c.name == "if" and c.keyword:
        return c.keyword in name.split()
    if c.name not in clauses_of(name):
        return c.name not in clauses_of(other) and first
    return c.name not in clauses_of(other) or (c.name in _OF_THE_OUTER) == first
