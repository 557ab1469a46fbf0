"""What is wrong with an array section, or an element, whatever the program does: no length, no array, beyond its end."""

from __future__ import annotations

from ompls.analysis.model.ast import Expr, Index, Section, Shaping
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Integer, Pointer
from ompls.analysis.model.peel import peel


def impossible(e: Section) -> str:
    """What is wrong with the section whatever happens (5.2 §3.2.5); ""."""
    base = indexed_type(e.base)
    lower, length, stride = (fold(part) for part in (e.lower, e.length, e.stride))
    lower = 0 if e.lower is None else lower
    if e.length is not None and length is not None and length < 0:
        return f"the section's length is {length}"
    if e.stride is not None and stride is not None and stride <= 0:
        return f"the section's stride is {stride}; it must be positive"
    if is_shaped(e.base):
        return ""
    if isinstance(base, (Integer, Floating, Enum)):
        return "only arrays and pointers have sections"
    if isinstance(base, Pointer):
        needed = e.length is None and e.lower is not None
        return "a section of a pointer needs a length: how much it points to is not known" if needed else ""
    if not isinstance(base, Array) or base.vla:
        return ""
    if not base.length:  # 0: a flexible member of GNU C
        return "the array's size is not known here, so that its section needs a length" if e.length is None else ""
    return _within(base.length, lower, length, 1 if e.stride is None else stride)


def indexed_type(base: Expr) -> CType:
    """What is indexed; of a section, its elements."""
    return base.type.of if isinstance(base, Section) and isinstance(base.type, Array) else base.type


def _within(size: int, lower: int | None, length: int | None, stride: int | None) -> str:
    if lower is None:
        return f"the section has {length} elements, the array {size}" if length is not None and length > size else ""
    if lower < 0:
        return f"the section begins at {lower}, before the array"
    if lower > size:
        return f"the section begins at {lower}; the array has {size} elements"
    last = lower + (length - 1) * stride + 1 if length and stride else lower
    return f"the section ends at element {last}; the array has {size} elements" if last > size else ""


def beyond(e: Index) -> str:
    """What is wrong with an element of an array whose length is known; ""."""
    at = fold(e.index)
    base = indexed_type(e.base)
    if at is None or not isinstance(base, Array) or not base.length or is_shaped(e.base):
        return ""
    return "" if 0 <= at < base.length else f"there is no element {at}: the array has {base.length} elements"


def is_shaped(e: Expr) -> bool:
    """Whether a shape operator says the extents."""
    return isinstance(peel(e, Section, Index), Shaping)
