"""Initialiser lists: which scalar of an object each expression is the value of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ompls.analysis.model.ast import Expr, InitList
from ompls.analysis.model.ctype import UNKNOWN, Array, CType, Record
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import initialised, sizeof

_NOTHING = range(0)


class Element(NamedTuple):
    """An expression in a list.

    gives -- the bytes of the member or element that it gives a value to, or a part of one; none when they are not
             known, or it is an index in a designator
    type, name -- of that; the name with those of the members that it lies in
    """

    expr: Expr
    gives: range
    type: CType
    name: str

    @property
    def is_scalar(self) -> bool:
        return bool(self.gives) and not isinstance(self.type, (Array, Record))


def elements(init: InitList, t: CType, model: DataModel, start: int = 0, name: str = "") -> Iterator[Element]:
    """The expressions of a list for an object of type `t`, which begins at byte `start`, in the order of the text."""
    for expr, place in zip(init.elements, init.places, strict=True):
        at, inner, member = _part(t, place, model)
        size = sizeof(inner, model)
        gives = _NOTHING if at is None or size is None else range(start + at, start + at + size)
        if isinstance(expr, InitList):
            yield from elements(expr, inner, model, gives.start, name + member)
        else:
            yield Element(expr, gives, inner, name + member)


def given(init: InitList, t: CType, model: DataModel) -> dict[int, Element]:
    """By their offsets, the scalars whose values a list says."""
    found: dict[int, Element] = {}
    for element in elements(init, t, model):
        for at in [at for at in found if at in element.gives]:
            del found[at]  # the later one counts, and of a part of something nobody knows which
        if element.is_scalar:
            found[element.gives.start] = element
    return found


def _part(t: CType, place: int, model: DataModel) -> tuple[int | None, CType, str]:
    """Where the element or member with this number lies in an object of type `t`, its type and how it is written."""
    if isinstance(t, Array) and place >= 0:
        size = sizeof(t.of, model)
        return None if size is None else place * size, t.of, f"[{place}]"
    members = initialised(t, model)
    if not 0 <= place < len(members):
        return None, UNKNOWN, ""
    member, bits = members[place]
    return None if member.bits else bits // 8, member.type, f".{member.name}"
