"""How many bytes a list item is, as far as the text tells."""

from __future__ import annotations

from ompls.analysis.amount import amount
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, CType, Pointer
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import ListItem


def bytes_of(symbol: Symbol, item: ListItem | None, model: DataModel) -> str:
    """`, 4,096 bytes (4 KiB)` of a list item (None: of the whole variable); empty when nothing is known."""
    expr = item.expr if item is not None else None
    if expr is None or isinstance(expr, ast.Name):
        size = sizeof(symbol.type, model)
        return f", {amount(size)}" if size is not None else _variable_length(symbol.type, model)
    if isinstance(expr, ast.Section):
        base = expr.base.type
        element = base.of if isinstance(base, Array) else base.to if isinstance(base, Pointer) else None
        size = sizeof(element, model) if element is not None else None
        count = fold(expr.length) if expr.length is not None else None
        if size is not None and count is not None:
            return f", {amount(size * count)}"
        length = _length(item.text) if item is not None else ""
        if size is not None:
            return f", {_times(size, length)}" if length else f", {size} bytes an element"
        return ""
    size = sizeof(expr.type, model)
    return f", {amount(size)}" if size is not None else ""


def _times(size: int, count: str) -> str:
    return f"{size} * {count if count.isidentifier() else f'({count})'} bytes"


def _length(text: str) -> str:
    """What stands for the length in the only section of a list item's text."""
    if text.count("[") != 1 or text.count(":") != 1 or not text.endswith("]"):
        return ""
    return text[text.index(":") + 1 : -1].strip()


def _variable_length(kind: CType, model: DataModel) -> str:
    """Of an array whose length is not a constant."""
    size = sizeof(kind.of, model) if isinstance(kind, Array) and kind.vla else None
    return f", {_times(size, kind.vla_text)}" if size is not None and isinstance(kind, Array) else ""
