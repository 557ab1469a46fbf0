"""What a target task maps: objects with their sizes, for each instance."""

from __future__ import annotations

from collections.abc import Callable

from ompls.analysis.graphs.evaluated import Frame, Placed, Values
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Directive


def mapped_by(d: Directive, values: Values) -> list[tuple[Placed, Callable[[Frame], int | None]]]:
    """The objects that the construct maps, with their sizes in bytes where these are known."""
    return [(values.place(i.expr), _size(i.expr, values)) for c in d.all("map") for i in c.items]


def _size(e: Expr, values: Values) -> Callable[[Frame], int | None]:
    if not isinstance(e, ast.Section):
        size = sizeof(e.type, values.model)
        return lambda _: size
    t = e.base.type
    of = t.of if isinstance(t, Array) else t.to if isinstance(t, Pointer) else t
    element, length = sizeof(of, values.model), t.length if isinstance(t, Array) and e.lower is None else None
    said = None if e.length is None else values.value(e.length)

    def asked(f: Frame) -> int | None:
        number = length if said is None else said(f)
        return element * number if element is not None and isinstance(number, int) else None

    return asked
