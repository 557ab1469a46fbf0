"""Inlay hints: what a target construct maps and copies although no clause says so, at the end of its pragma."""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.features.implied import Implied, written
from ompls.analysis.features.pragmas import pragmas_between
from ompls.analysis.model.tu import TU, Variable

_MOST = 8  # names in one hint; the rest is counted


@dataclass(frozen=True, slots=True)
class Inlay:
    """`label` at byte `offset` of the main file; `why` has a line of Markdown for each variable."""

    offset: int
    label: str
    why: str


def inlays(tu: TU, start: int = 0, end: int | None = None) -> list[Inlay]:
    """The hints for constructs whose pragma ends within bytes [start, end] of the main file."""
    stop = len(tu.source) if end is None else end
    found = []
    lines = {p.start: p.end for p in pragmas_between(tu, start, stop)}
    known = Implied(tu)
    first, last = tu.map.expanded(tu.path, start), tu.map.expanded(tu.path, stop)
    for item in tu.items.between(first, last):
        for region in item.content.regions:
            where = tu.locate(item, region.directive.span)
            at = lines.get(where.start) if where.path == tu.path else None
            # None: a macro made it, there is no line to write to.
            if at is not None and start <= at <= stop and (said := known.of(item, region)):
                found.append(Inlay(at, *_label(said)))  # not kept: all of a large file's are megabytes
    return found


def _label(said: list[Variable]) -> tuple[str, str]:
    """The clauses that would say what is implied, the longest lists cut; a line on each variable."""
    why = [f"`{v.symbol.name}`: {v.why} (OpenMP §{v.section})" for v in said]
    return " ".join(written(said, _MOST)), "\n\n".join(why)
