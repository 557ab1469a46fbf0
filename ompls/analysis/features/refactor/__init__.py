"""Refactorings of data environments, as edits: offered where they are certain to keep what the program does."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.features.pragmas import LONGEST, pragmas
from ompls.analysis.features.refactor.action import Action, applied
from ompls.analysis.features.refactor.hoist import hoist
from ompls.analysis.features.refactor.maps import IMPLIED, say_implied, write_maps
from ompls.analysis.model.tu import TU, Item, Region

__all__ = ["IMPLIED", "Action", "applied", "refactorings"]


def refactorings(tu: TU, start: int, end: int) -> list[Action]:
    """What is offered for the selection [start, end] of the main file."""
    found = []
    for item, region in _selected(tu, start, end):
        written = (write_maps(tu, item, region), say_implied(tu, item, region))
        found += [action for action in written if action is not None]
        found += hoist(tu, item, region)
    return found


def _selected(tu: TU, start: int, end: int) -> Iterator[tuple[Item, Region]]:
    """The regions whose pragma touches the selection."""
    touched = (p for p in pragmas(tu.source) if p.start <= end and start <= p.line_end)
    lines = {p.start: p.line_end for p in touched if p.line_end - p.start <= LONGEST}
    for item in tu.items if lines else ():
        for region in item.content.regions:
            where = tu.locate(item, region.directive.span)
            if where.path == tu.path and where.start in lines:
                yield item, region
