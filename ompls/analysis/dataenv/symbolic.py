"""Symbolic integers: polynomials (`poly.py`), expressions read as such (`expressions.py`), loops (`ranges.py`).

`poly_of` reads an expression as a polynomial, `compare` orders two of them, `loop_range` reads a canonical loop,
`range_over` says what a polynomial reaches over loops.
"""

from ompls.analysis.dataenv.expressions import Values, is_integer, poly_of
from ompls.analysis.dataenv.poly import CHANGED, ONE, ZERO, Atom, Monomial, Opaque, Order, Poly, compare, opaque, sign
from ompls.analysis.dataenv.ranges import LoopRange, loop_range, range_over, sign_over, uneven_range

__all__ = [
    "CHANGED", "ONE", "ZERO", "Atom", "LoopRange", "Monomial", "Opaque", "Order", "Poly", "Values", "compare",
    "is_integer", "loop_range", "opaque", "poly_of", "range_over", "sign", "sign_over", "uneven_range",
]  # fmt: skip
