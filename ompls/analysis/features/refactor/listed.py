"""What `map` clauses of regions list: the one item of a variable, its section, which of several holds the others."""

from __future__ import annotations

from ompls.analysis.dataenv.need import Bounds
from ompls.analysis.dataenv.symbolic import Poly, compare, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.tu import Variable


def finds_it(variable: Variable) -> bool:
    """An implicit zero-length section: it finds the data wherever they are mapped."""
    return variable.sharing == "mapped" and all(m.zero_length for m in variable.maps)


def plainly_mapped(variable: Variable) -> str | None:
    """The list item of the one mapping without modifiers."""
    if variable.sharing != "mapped" or len(variable.maps) != 1:
        return None
    only = variable.maps[0]
    if only.modifiers or only.map_type not in ("to", "from", "tofrom"):
        return None
    if only.item is None:
        return variable.symbol.name if isinstance(variable.symbol.type, Array) else None
    if only.clause is None or only.clause.name != "map":
        return None
    whole_pointer = isinstance(only.item.expr, ast.Name) and isinstance(variable.symbol.type, Pointer)
    return None if whole_pointer else only.item.text


def part(variable: Variable) -> Bounds | None:
    """First and last element of the one mapping; None: all of it, or not known."""
    item = variable.maps[0].item
    if item is None or not isinstance(item.expr, ast.Section) or not isinstance(item.expr.base, ast.Name):
        return None
    section = item.expr
    first = Poly.of(0) if section.lower is None else poly_of(section.lower)
    length = poly_of(section.length)
    if section.stride is not None or first is None or length is None:
        return None
    return first, first + length - 1


def widest(parts: list[tuple[str, Bounds | None]]) -> str | None:
    """The list item that holds all the others; None: not known."""
    if len(parts) == 1:
        return parts[0][0]
    for text, bounds in parts:
        whole = bounds is None and text.isidentifier()
        if whole or (bounds is not None and all(b is not None and _within(b, bounds) for _, b in parts)):
            return text
    return None


def _within(a: Bounds, b: Bounds) -> bool:
    return compare(a[0], b[0]) in (">", ">=", "==") and compare(a[1], b[1]) in ("<", "<=", "==")
