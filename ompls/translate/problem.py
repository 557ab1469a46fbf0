"""What cannot be translated.  Raised inside `translate`, a diagnostic outside."""

from __future__ import annotations

from ompls.analysis.model.ast import Span, VarDecl
from ompls.analysis.model.tu import Item
from ompls.analysis.notes import UNTRANSLATABLE as RULE

__all__ = ["RULE", "Problem", "not_on_devices"]


class Problem(Exception):
    """`what` stands at `span` of the item (None: at the directive) and cannot be translated because of `why`.

    item -- where that is another one than the one with the directive
    """

    def __init__(self, span: Span | None, what: str, why: str, item: Item | None = None) -> None:
        super().__init__(f"{what}: {why}")
        self.span = span
        self.what = what
        self.why = why
        self.item = item


def not_on_devices(name: str, item: Item | None, decl: VarDecl | None) -> Problem:
    """For a variable that kernels have no copy of: at its declaration, so that it is told once for all that use it."""
    why = "a function that a region calls uses it: put it under declare target"
    span = decl.name_span if decl is not None and item is not None else None
    return Problem(span, f"the global variable '{name}'", why, item if span is not None else None)
