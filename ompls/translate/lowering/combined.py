"""Combined constructs that gcc 12 has no name for, as one construct in the other: those of OpenMP 5.1 to 6.0, and loops
with an `inscan` reduction that are combined with `target`."""

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
_SCANNED = {
    "target parallel for": ("target", "parallel for"),
    "target parallel for simd": ("target", "parallel for simd"),
    "target simd": ("target", "simd"),
}
_BACK = ("reduction", "lastprivate", "linear")  # what the combined construct maps tofrom for them (5.2 §17.2)
_OF_THE_OUTER = frozenset(("firstprivate", "nowait", "if"))  # where both parts take it


def lower(work: Round) -> None:
    if not work.target.openmp:
        return
    for item, stmt in work.statements():
        d = stmt.directive
        parts = _PARTS.get(d.name) or (_SCANNED.get(d.name) if _has_inscan(d) else None)
        if d.meta is None and parts is not None:
            outer, inner = parts
            mapped = _mapped(work, item, d) if d.name in _SCANNED else ""
            text = pragma(part(work, item, d, outer, inner) + mapped) + pragma(part(work, item, d, inner, outer))
            work.replace(item, (Span(d.span.start, d.span.end), text))


def _has_inscan(d: Directive) -> bool:
    return any("inscan" in c.modifiers for c in d.all("reduction"))


def _mapped(work: Round, item: Item, d: Directive) -> str:
    """The `map` clause for what the combined construct gives back, as far as no other clause says so."""
    there = {i.symbol for c in d.all("map") for i in c.items}
    names = [work.text(item, i.span) for c in d.all(*_BACK) for i in c.items if i.symbol not in there]
    return f" map(tofrom: {', '.join(names)})" if names else ""


def part(work: Round, item: Item, d: Directive, name: str, other: str) -> str:
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
