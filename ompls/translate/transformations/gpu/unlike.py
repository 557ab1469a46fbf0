"""Structures that NVIDIA's compilers lay out otherwise than gcc, whatever is written: refused where they stand.

Found by comparing nvrtc 10.2 to 13.0 with gcc: what they make of a structure, and where their code looks for its
members (that is not always the same).  All other structures are asserted to be alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ompls.analysis.encoding import encoded
from ompls.analysis.model.ast import Span
from ompls.analysis.model.ctype import FieldDecl, Record, innermost
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import alignof, record_layout, sizeof, typedef_align
from ompls.analysis.model.tu import Item
from ompls.translate.layouts import Language, asserted, inside
from ompls.translate.needs import Index
from ompls.translate.output import OutLine, Places
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.spelling import respelled
from ompls.translate.typetexts import TypeText

_ELSEWHERE = "compilers for GPUs put it elsewhere than gcc"
_LESS = "gcc ignores an alignment of less than {} bytes, and compilers for GPUs do not; leave it out"


def checked(index: Index, places: Places, types: Sequence[TypeText], user: tuple[str, int]) -> list[OutLine]:
    """The assertions of a kernel file."""
    language = Language("static_assert", "alignof", "OMPLS_OFFSET", lambda name: respelled(name, index.own))
    return asserted(types, language, index, places, user)


def refuse_unlike(types: Iterable[TypeText], model: DataModel) -> None:
    """Raises Problem for a member of these types."""
    for text in types:
        for name, t in text.named if text.item else ():
            for f, why in _unlike(t, model, "lignas" in text.text):
                m = re.compile(rb"\b%s\b" % encoded(f.name)).search(encoded(text.text)) if f.name else None
                at = text.at + (m.start() if m else 0)
                raise Problem(Span(at, at + max(1, len(f.name))), _what(f, name), why, text.item)


def refuse_inside(parts: Iterable[tuple[Item, Span]], model: DataModel) -> None:
    """The same for structures that are defined in a kernel's own text."""
    for item, span in parts:
        for t in inside(item, span):
            for f, why in _unlike(t, model):
                raise Problem(Span(*t.body.span) if t.body.span else None, _what(f, declare(t)), why, item)


def _what(f: FieldDecl, of: str) -> str:
    kind = "bit-field" if f.bits is not None else "member"
    return f"the {kind} '{f.name}' of '{of}'" if f.name else f"a {kind} without a name of '{of}'"


def _unlike(t: Record, model: DataModel, alignas: bool = False) -> Iterator[tuple[FieldDecl, str]]:
    """The members, also those of structures without a tag in it, with what is wrong and what to do.

    alignas -- its text has an `_Alignas`
    """
    size, align, placed = record_layout(t, model)
    for f, at in placed or [(f, 0) for f in t.body.fields or ()]:
        inner = innermost(f.type)
        if isinstance(inner, Record) and not inner.tag:
            yield from _unlike(inner, model, alignas)
        why = _of_bits(t, f, model) if f.bits is not None else _of_member(t, f, model, at // 8 | (size or 0))
        if t.body.align and (align or 0) > t.body.align and _aligned(t, f, model) > t.body.align:
            why = f"gcc aligns the structure as this member, compilers for GPUs to {t.body.align} bytes; say {align}"
        if alignas and t.body.pack and (f.align or 0) > t.body.pack:
            why = "compilers for GPUs follow _Alignas here, and gcc '#pragma pack'; use __attribute__((aligned))"
        if why:
            yield f, why


def _aligned(t: Record, f: FieldDecl, model: DataModel) -> int:
    """The alignment of a member, as far as nothing but `packed` makes it smaller."""
    natural = 1 if t.body.packed or f.packed else alignof(f.type, model) or 1
    return max(natural, f.align or 1)


def _of_bits(t: Record, f: FieldDecl, model: DataModel) -> str:
    packed = t.body.packed or f.packed
    natural = alignof(f.type, model) or 1
    if t.body.pack:
        return f"{_ELSEWHERE} under '#pragma pack'; use __attribute__((packed)) on the type"
    if packed and f.bits == 0:
        return "compilers for GPUs ignore it in a packed structure; put members of whole bytes there"
    if f.type.align is not None or (packed and f.align is not None):
        return f"{_ELSEWHERE} because of its alignment; put members of whole bytes in front of it"
    if f.align is not None and f.align < natural:
        return _LESS.format(natural)
    return ""


def _of_member(t: Record, f: FieldDecl, model: DataModel, ends: int) -> str:
    """`ends`: where it begins and the structure ends, as one number of which only the lowest bits matter."""
    natural, said = alignof(replace(innermost(f.type), align=None), model) or 1, typedef_align(f.type)
    if 0 in (f.align, said, t.body.align):
        return "nobody knows its alignment; write it as one number"
    if isinstance(innermost(f.type), Record) and sizeof(innermost(f.type), model) == 0:
        return "it has no size in C and one byte in C++; leave it out, or give it a member"
    if not f.name and f.align is not None:
        return "compilers for GPUs take no _Alignas here; give the member a name"
    if t.body.packed or f.packed:
        return ""
    if f.align is not None and f.align < natural:
        return _LESS.format(natural)
    if said is not None and said < natural and ends % natural and not t.body.pack:
        return f"{_ELSEWHERE} because its type has less than its alignment of {natural} bytes; pack the structure"
    return ""
