"""What cannot be translated.  Raised inside `translate`, a diagnostic outside."""

from __future__ import annotations

from ompls.analysis.model.ast import Span
from ompls.analysis.model.tu import Item
from ompls.analysis.notes import UNTRANSLATABLE as RULE

__all__ = ["RULE", "Problem"]


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
