"""Sizes, alignments and member offsets under a data model, in bytes: the rules of gcc's System V ABIs."""

from __future__ import annotations

import re
from dataclasses import replace

from ompls.analysis.model.ctype import (
    Array,
    CType,
    Enum,
    FieldDecl,
    Floating,
    Function,
    Integer,
    Layout,
    Pointer,
    Record,
    RecordBody,
    Void,
    held,
    innermost,
    innermost_first,
)
from ompls.analysis.model.datamodel import DataModel


def sizeof(t: CType, model: DataModel) -> int | None:
    """The size of an object of type `t`; None when unknown, incomplete or variable.  GNU: void and functions are 1."""
    if isinstance(t, Integer):
        return t.size if t.exact else model.sizes[t.kind]
    if isinstance(t, Floating):
        return model.sizes[t.kind] * (2 if t.complex else 1)
    if isinstance(t, Pointer):
        return model.pointer
    if isinstance(t, Enum):
        return None if t.align == 0 else t.underlying.size
    if isinstance(t, Array):
        element = sizeof(t.of, model)
        return None if element is None or t.length is None else element * t.length
    if isinstance(t, Record):
        return record_layout(t, model)[0]
    return 1 if isinstance(t, (Void, Function)) else None


def alignof(t: CType, model: DataModel) -> int | None:
    """The alignment of type `t` in a structure; None when unknown."""
    if (said := typedef_align(t)) is not None:
        return said or None
    t = innermost(t)
    if isinstance(t, Record):
        return record_layout(t, model)[1]
    if isinstance(t, Floating):
        size = model.sizes[t.kind]
        return size if t.kind == "_Float128" else model.alignment(size)
    size_of = sizeof(t, model)
    return None if size_of is None else model.alignment(size_of)


def typedef_align(t: CType) -> int | None:
    """The alignment that a typedef gives to `t`, or to what it is an array of; 0: of a value that is not known."""
    while t.align is None and isinstance(t, Array):
        t = t.of
    return t.align


def preferred_alignof(t: CType, model: DataModel) -> int | None:
    """GNU's `__alignof__`: that of an object of its own, which i386 gives 8 bytes where it can."""
    of = innermost(t)
    if (said := typedef_align(t)) is not None:
        return said or None
    if isinstance(of, Enum):
        of = of.underlying
    number = isinstance(of, (Integer, Floating)) and model.sizes[of.kind] == 8
    return 8 if number else alignof(of, model)


def record_layout(t: Record, model: DataModel) -> tuple[int | None, int | None, tuple[tuple[FieldDecl, int], ...]]:
    """(size, alignment, ((member, offset in bits), …)) of a struct or union; (None, None, ()) when it cannot be known.

    What is found is kept with the members: each structure is laid out once, however often others hold it.
    """
    if model not in t.body.layouts:
        for record in innermost_first(t, lambda body: model in body.layouts):
            found = _lay_out(record, model)
            if found is not None:
                record.body.layouts[model] = found
    return t.body.layouts.get(model, _NO_LAYOUT)


_NO_LAYOUT = (None, None, ())


def _size_and_alignment(t: CType, model: DataModel) -> tuple[int | None, int | None]:
    """Of a member, when what it holds is laid out as far as it can be."""
    of = innermost(t)
    if isinstance(of, Record) and model not in of.body.layouts:
        return None, None
    return 0 if isinstance(t, Array) and t.length is None and not t.vla else sizeof(t, model), alignof(t, model)


def _lay_out(t: Record, model: DataModel) -> Layout | None:
    body = t.body
    if body.fields is None or body.align == 0:
        return None
    position, align, size_bits = 0, 1, 0  # position in bits
    rounded = model.structures > 0 and not is_packable(t, model)
    placed: list[tuple[FieldDecl, int]] = []
    for f in body.fields:
        size, natural = _size_and_alignment(f.type, model)
        if size is None or natural is None or f.align == 0:
            return None
        unit = natural  # of bit-fields; one of width 0 ends it, whatever is packed
        given = f.align
        if f.bits is not None and (said := typedef_align(f.type)) is not None:
            unit, given = size, max(said, given or 1)
        if f.bits is not None and given is not None and body.pack:
            return None
        natural = min(natural, body.pack or natural)
        if rounded and natural == 4 and isinstance(f.type, Array):
            natural = min(model.structures, body.pack or model.structures)
        packed = body.packed or f.packed
        f_align = 1 if packed else natural
        if given is not None:
            f_align = max(f_align, min(given, body.pack or given))
        start = 0 if t.kind == "union" else position
        if f.bits is None:
            start = _round(start, f_align * 8)
            end = start + size * 8
        elif f.bits == 0:
            start = end = _round(start, unit * 8)
            f_align = unit if model.unnamed else 1
        else:
            if given is not None:
                start = _round(start, given * 8)
            if not (packed or body.pack) and start // (unit * 8) != (start + f.bits - 1) // (unit * 8):
                start = _round(start, unit * 8)  # a bit-field does not cross its type's storage unit
            end = start + f.bits
            f_align = natural if body.pack else f_align  # gcc: the pragma hides the attribute
            f_align = f_align if f.name or model.unnamed else 1
        placed.append((f, start))
        position = end
        align = max(align, f_align)
        size_bits = max(size_bits, end)
    align = max(align, body.align or 1)
    if rounded and not body.packed and size_bits >= 32:
        align = max(align, min(model.structures if size_bits > 32 else 4, body.pack or model.structures))
    return Layout(_round((size_bits + 7) // 8, align), align, tuple(placed))


def is_packable(t: Record, model: DataModel) -> bool:
    """Whether `#pragma pack` can give a structure its own alignment in place of `structures`, and change nothing else.

    It would put bit-fields into other bits.
    """
    align = record_layout(t, replace(model, structures=0))[1]
    if align is None or align >= model.structures:
        return False
    return all(f.bits is None for r in held(t) if isinstance(r, Record) for f in r.body.fields or ())


def initialised(t: CType, model: DataModel) -> list[tuple[FieldDecl, int]]:
    """The members of a structure that initialisers count, as in `record_layout`: not unnamed bit-fields (C17 6.7.9)."""
    placed = record_layout(t, model)[2] if isinstance(t, Record) else ()
    return [(f, at) for f, at in placed if f.name or f.bits is None]


def offsetof(t: Record, name: str, model: DataModel) -> int | None:
    """The offset of member `name` (also of anonymous members), in bytes; None when there is none or it is unknown."""
    total = None
    for record, member in _way_to(t, name):
        at = next((bit for f, bit in record_layout(record, model)[2] if f is member), None)
        if at is None:
            return None
        total = (total or 0) + at // 8
    return total


def designated_offset(t: CType, path: str, model: DataModel) -> int | None:
    """The offset in bytes of `member.inner[2].x` in an object of type `t`; None when it is not constant."""
    total = 0
    for word in re.findall(r"\w+|[^\s\w]+|\[", path):
        if word in (".", "[", "]", "]."):
            continue
        if word.isdigit() and isinstance(t, Array):
            t = t.of
            step = sizeof(t, model)
            offset = None if step is None else step * int(word)
        elif isinstance(t, Record) and (found := find_member(t, word)) is not None:
            offset, t = offsetof(t, word, model), found.type
        else:
            return None
        if offset is None:
            return None
        total += offset
    return total


def find_member(t: Record, name: str) -> FieldDecl | None:
    """Member `name` of a complete record, looked for in its anonymous members too."""
    way = _way_to(t, name)
    return way[-1][1] if way else None


def _way_to(t: Record, name: str) -> list[tuple[Record, FieldDecl]]:
    """The member `name` with the structure that it stands in, behind the anonymous members that it lies in."""
    came: dict[RecordBody, tuple[Record, FieldDecl] | None] = {t.body: None}  # how one comes to each structure
    waiting = [t]
    while waiting:
        record = waiting.pop()
        for f in record.body.fields or ():
            if f.name == name:
                step: tuple[Record, FieldDecl] | None = (record, f)
                way = []
                while step is not None:
                    way.append(step)
                    step = came[step[0].body]
                return way[::-1]
            if not f.name and isinstance(f.type, Record) and f.type.body not in came:
                came[f.type.body] = (record, f)
                waiting.append(f.type)
    return []


def _round(value: int, to: int) -> int:
    return (value + to - 1) // to * to
