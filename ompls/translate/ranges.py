"""Which values an integer expression can have: those of its type, fewer where constants are involved.

Signed overflow has no meaning in C, so a sum keeps to its type: `k + 1` of an `int` is more than INT_MIN.
"""

from __future__ import annotations

from collections.abc import Mapping

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import CType, Enum, Integer
from ompls.analysis.model.peel import bare

Range = tuple[int, int]  # the smallest and the largest


def values_in(t: CType) -> Range | None:
    """The values of an integer type."""
    t = t.underlying if isinstance(t, Enum) else t
    if not isinstance(t, Integer):
        return None
    bits = 1 if t.kind == "_Bool" else 8 * t.size
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if t.signed else (0, (1 << bits) - 1)


def values_of(e: ast.Expr, known: Mapping[Symbol, Range] | None = None) -> Range | None:
    """The values that `e` can have; None when it is no integer.

    known -- the values of some variables
    """
    e = bare(e)
    all_of_type, value = values_in(e.type), fold(e)
    if all_of_type is None or value is not None:
        return None if value is None else (value, value)
    found: Range | None = None
    if isinstance(e, ast.Name) and known and e.symbol is not None and e.symbol in known:
        found = known[e.symbol]
    elif isinstance(e, ast.Cast):
        found = values_of(e.operand, known)
    elif isinstance(e, ast.Binary) and e.op in ("+", "-") and all_of_type[0] < 0:
        left, right = values_of(e.left, known), values_of(e.right, known)
        if left is not None and right is not None:
            low, high = right if e.op == "+" else (-right[1], -right[0])
            found = max(left[0] + low, all_of_type[0]), min(left[1] + high, all_of_type[1])
    return found if found is not None and holds(all_of_type, found) else all_of_type


def converted(values: Range | None, t: CType) -> Range | None:
    """The values after a conversion to `t`."""
    all_of_type = values_in(t)
    return values if values is not None and all_of_type is not None and holds(all_of_type, values) else all_of_type


def holds(outer: Range, inner: Range) -> bool:
    """Whether each value of `inner` is one of `outer`."""
    return outer[0] <= inner[0] <= inner[1] <= outer[1]
