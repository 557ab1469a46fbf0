"""Sizes, alignments and member offsets of the x86-64 and AArch64 LP64 ABIs, in bytes."""

from __future__ import annotations

import re

from ompls.analysis.model.convert import INTEGERS
from ompls.analysis.model.ctype import (
    Array,
    CType,
    Enum,
    FieldDecl,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    Void,
)

_FLOATS = {"float": 4, "double": 8, "long double": 16, "_Float16": 2, "_Float128": 16}


def sizeof(t: CType) -> int | None:
    """The size of an object of type `t`; None when unknown, incomplete or variable.  GNU: void and functions are 1."""
    if isinstance(t, Integer):
        return INTEGERS[t.kind][0]
    if isinstance(t, Floating):
        return _FLOATS[t.kind] * (2 if t.complex else 1)
    if isinstance(t, Pointer):
        return 8
    if isinstance(t, Enum):
        return INTEGERS[t.underlying.kind][0]
    if isinstance(t, Array):
        element = sizeof(t.of)
        return None if element is None or t.length is None else element * t.length
    if isinstance(t, Record):
        return record_layout(t)[0]
    return 1 if isinstance(t, (Void, Function)) else None


def alignof(t: CType) -> int | None:
    """The alignment of type `t`; None when unknown."""
    if isinstance(t, Array):
        return alignof(t.of)
    if isinstance(t, Record):
        return record_layout(t)[1]
    if isinstance(t, Floating):
        return _FLOATS[t.kind]
    return sizeof(t)


def record_layout(t: Record) -> tuple[int | None, int | None, list[tuple[FieldDecl, int]]]:
    """(size, alignment, [(member, offset in bits)]) of a struct or union; (None, None, []) when it cannot be known."""
    body = t.body
    if body.fields is None:
        return None, None, []
    position, align, size_bits = 0, 1, 0  # position in bits
    placed: list[tuple[FieldDecl, int]] = []
    for f in body.fields:
        if isinstance(f.type, Array) and f.type.length is None and not f.type.vla:
            size: int | None = 0  # flexible array member
        else:
            size = sizeof(f.type)
        natural = alignof(f.type)
        if size is None or natural is None or f.align == 0:
            return None, None, []
        unit = natural  # of bit-fields; one of width 0 ends it, whatever is packed
        natural = min(natural, body.pack or natural)
        f_align = 1 if body.packed else natural
        if f.align is not None:
            f_align = max(f_align, min(f.align, body.pack or f.align))
        start = 0 if t.kind == "union" else position
        if f.bits is None:
            start = _round(start, f_align * 8)
            end = start + size * 8
        elif f.bits == 0:
            start = end = _round(start, unit * 8)
            f_align = 1
        else:
            if not (body.packed or body.pack) and start // (unit * 8) != (start + f.bits - 1) // (unit * 8):
                start = _round(start, unit * 8)  # a bit-field does not cross its type's storage unit
            end = start + f.bits
            f_align = (natural if body.pack else f_align) if f.name else 1  # gcc: the pragma hides the attribute
        placed.append((f, start))
        position = end
        align = max(align, f_align)
        size_bits = max(size_bits, end)
    align = max(align, body.align or 1)
    return _round((size_bits + 7) // 8, align), align, placed


def initialised(t: CType) -> list[tuple[FieldDecl, int]]:
    """The members of a structure that initialisers count, as in `record_layout`: not unnamed bit-fields (C17 6.7.9)."""
    return [(f, at) for f, at in record_layout(t)[2] if f.name or f.bits is None] if isinstance(t, Record) else []


def offsetof(t: Record, name: str) -> int | None:
    """The offset of member `name` (also of anonymous members), in bytes; None when there is none or it is unknown."""
    for f, bit in record_layout(t)[2]:
        if f.name == name:
            return bit // 8
        if not f.name and isinstance(f.type, Record):
            inner = offsetof(f.type, name)
            if inner is not None:
                return bit // 8 + inner
    return None


def designated_offset(t: CType, path: str) -> int | None:
    """The offset in bytes of `member.inner[2].x` in an object of type `t`; None when it is not constant."""
    total = 0
    for word in re.findall(r"\w+|[^\s\w]+|\[", path):
        if word in (".", "[", "]", "]."):
            continue
        if word.isdigit() and isinstance(t, Array):
            t = t.of
            step = sizeof(t)
            offset = None if step is None else step * int(word)
        elif isinstance(t, Record) and (found := find_member(t, word)) is not None:
            offset, t = offsetof(t, word), found.type
        else:
            return None
        if offset is None:
            return None
        total += offset
    return total


def find_member(t: Record, name: str) -> FieldDecl | None:
    """Member `name` of a complete record, looked for in its anonymous members too."""
    for f in t.body.fields or ():
        if f.name == name:
            return f
        if not f.name and isinstance(f.type, Record):
            inner = find_member(f.type, name)
            if inner is not None:
                return inner
    return None


def _round(value: int, to: int) -> int:
    return (value + to - 1) // to * to
