"""Where a region is followed just now, and the reasons that are given there."""

from __future__ import annotations

from typing import NamedTuple

from ompls.analysis.graphs.evaluated import Address, Frame, UnknownValue, Value, Values
from ompls.analysis.model.ast import Expr, Span


class NotStatic(Exception):
    """Why there is no graph: what, in words, at a place of `function`."""

    def __init__(self, span: Span, why: str, function: str) -> None:
        super().__init__(why)
        self.span, self.why, self.function = span, why, function


class Here(NamedTuple):
    """A function that is followed."""

    values: Values
    function: str

    def fail(self, span: Span, why: str) -> NotStatic:
        return NotStatic(span, why, self.function)

    def known(self, e: Expr, f: Frame, what: str) -> Value:
        """The value of `e`; raises NotStatic: `what` depends on something."""
        try:
            return self.values.value(e)(f)
        except UnknownValue as why:
            raise self.fail(e.span, f"{what} depends on `{why.name}`, which {why.why}") from None

    def place(self, e: Expr, text: str, f: Frame) -> Address:
        """The storage of a list item; raises NotStatic."""
        try:
            return self.values.place(e)(f)
        except UnknownValue as why:
            known = f"`{text}` is not known when compiling"
            raise self.fail(e.span, known if why.name == text else f"{known}: `{why.name}` {why.why}") from None
