"""What a reduction is over: a variable, or flat elements of an array or of a section of one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Array, CType, Pointer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import ListItem
from ompls.analysis.model.peel import bare
from ompls.translate.ctext import is_vla
from ompls.translate.loops import constant
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.arrays import product
from ompls.translate.transformations.gpu.emitter import Emitter

LARGEST_PART = 4096  # bytes of an array's part that lies on a thread's stack


@dataclass(frozen=True)
class Flat:
    """What is reduced: `count` flat elements from the `offset`th on; count "" for a variable that is no array."""

    element: CType
    size: int  # bytes of an element
    count: str = ""
    offset: str = "0"
    whole: bool = True  # the variable itself, not a section

    @property
    def known(self) -> int | None:
        return int(self.count) if self.count.isdigit() else None

    @property
    def most(self) -> int:
        """How many elements a part on a thread's stack may have."""
        return LARGEST_PART // self.size

    @property
    def is_large(self) -> bool:
        return self.known is not None and self.known > self.most

    @property
    def taken(self) -> int | None:
        """How many elements a part has at most: with what may be in front of the section."""
        return None if self.known is None else self.known + self.most * (self.offset != "0")


def flat_of(e: Emitter, item: ListItem) -> Flat:
    """What the list item of a reduction is.  Raises Problem."""
    s = item.symbol
    assert s is not None
    subscripts: list[ast.Section | ast.Index] = []
    base = bare(item.expr)
    while isinstance(base, (ast.Section, ast.Index)):
        subscripts.insert(0, base)
        base = bare(base.base)
    if is_vla(s.type) and isinstance(base, ast.Name):
        if isinstance(s.type, Array) and s in e.outer:
            return _variable(e, item, s.type, [e.outer[s], *e.dims[s]], subscripts)
        if isinstance(s.type, Pointer) and s in e.dims and subscripts:
            return _variable(e, item, s.type.to, ["", *e.dims[s]], subscripts)
    if not isinstance(base, ast.Name) or is_vla(s.type):
        raise Problem(
            item.span, f"a reduction of '{item.text}'", "reduce variables, or sections of arrays of known shape"
        )
    if not subscripts:
        flat, size = _flat(s.type)
        return _made(e, flat, str(size)) if isinstance(s.type, Array) else _made(e, s.type)
    t, offset, count, size = s.type, [], [], 1
    for sub in subscripts:
        length = t.length if isinstance(t, Array) else None
        t = t.of if isinstance(t, Array) else t.to if isinstance(t, Pointer) else t
        _, size = _flat(t)
        lower = sub.index if isinstance(sub, ast.Index) else sub.lower
        if lower is not None and constant(bare(lower)) != 0:
            offset.append(_product([_text(e, lower), str(size)]))
        if isinstance(sub, ast.Section):
            count.append(_length(e, item, sub, length))
    flat, _ = _flat(t)
    return _made(e, flat, _product([*count, str(size)]), " + ".join(offset) or "0", whole=False)


def _variable(
    e: Emitter, item: ListItem, t: CType, lengths: list[str], subscripts: list[ast.Section | ast.Index]
) -> Flat:
    """Of an array of variable length, or a pointer to such, which is a pointer to elements in the kernel.

    lengths -- of each dimension, outermost first: "" where a pointer does not say it
    """
    flat, _ = _flat(t)
    offset, count = [], []
    for k, sub in enumerate(subscripts):
        lower = sub.index if isinstance(sub, ast.Index) else sub.lower
        if lower is not None and constant(bare(lower)) != 0:
            offset.append(_product([_text(e, lower), *lengths[k + 1 :]]))
        if isinstance(sub, ast.Section):
            if sub.length is None and not lengths[k]:
                raise Problem(item.span, f"a reduction of '{item.text}'", "write the section's length")
            from_ = f" - {_text(e, lower)}" if lower is not None else ""
            count.append(_text(e, sub.length) if sub.length is not None else f"({lengths[k]}{from_})")
    return _made(e, flat, _product([*count, *lengths[len(subscripts) :]]), " + ".join(offset) or "0", whole=False)


def _made(e: Emitter, element: CType, count: str = "", offset: str = "0", *, whole: bool = True) -> Flat:
    return Flat(element, sizeof(element, e.tu.model) or 1, count, offset, whole)


def _flat(t: CType) -> tuple[CType, int]:
    """(the innermost element type, how many of them there are in a `t`)."""
    size = 1
    while isinstance(t, Array):
        size *= t.length or 1
        t = t.of
    return unqualified(t), size


def _length(e: Emitter, item: ListItem, sub: ast.Section, whole: int | None) -> str:
    if sub.length is not None:
        return _text(e, sub.length)
    lower = 0 if sub.lower is None else constant(bare(sub.lower))
    if whole is None or lower is None:
        raise Problem(item.span, f"a reduction of '{item.text}'", "write the section's length")
    return str(whole - lower)


def _text(e: Emitter, x: ast.Expr) -> str:
    value = constant(bare(x))
    return str(value) if value is not None else f"({e.text(x)})"


def _product(factors: list[str]) -> str:
    """The factors' product as text; a number when all are."""
    numbers = [int(f) for f in factors if f.isdigit()]
    texts = [f for f in factors if not f.isdigit()]
    known = math.prod(numbers)
    return product([*texts, *([str(known)] if known != 1 else [])]) if texts else str(known)
