"""What cannot be translated.  Raised inside `translate`, a diagnostic outside."""

from __future__ import annotations

from ompls.analysis.model.ast import Span

RULE = "untranslatable-construct"


class Problem(Exception):
    """`what` stands at `span` of the item (None: at the directive) and cannot be translated because of `why`."""

    def __init__(self, span: Span | None, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.span = span
        self.what = what
        self.why = why
