"""How structures lie in memory: asserted wherever they are compiled, so that no two compilers differ in silence.

Layouts are those of `analysis/model/layout.py`.  What a file asserts stands behind its code, and is said of the line of
the structure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from ompls.analysis.dataenv.gnulayouts import named, otherwise
from ompls.analysis.encoding import encoded
from ompls.analysis.model.ast import Span
from ompls.analysis.model.ctype import Array, CType, Record, innermost
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import alignof, is_packable, record_layout, sizeof
from ompls.analysis.model.tu import Item
from ompls.translate.ctext import words
from ompls.translate.definitions import definitions, quieted
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places
from ompls.translate.problem import Problem
from ompls.translate.typetexts import TypeText, records_of

_WIDTH = 110


@dataclass(frozen=True)
class Language:
    """How a language asserts a layout.

    spelled -- a C name in it
    """

    assertion: str
    alignment: str
    offset: str
    spelled: Callable[[str], str] = str


C = Language("_Static_assert", "_Alignof", "__builtin_offsetof")


def asserted(
    types: Iterable[TypeText], language: Language, index: Index, places: Places, user: tuple[str, int]
) -> list[OutLine]:
    """The assertions of a file.  `user`: where types are used that stand in no text of the user's."""
    out: list[OutLine] = []
    for text in types:
        path, line = places.line(text.item, text.at) if text.item else user
        for name, t in text.named:
            out += [OutLine(x, path, 0 if k else line) for k, x in enumerate(assertion(name, t, language, index))]
    return [OutLine(""), OutLine("/* Laid out as on the host */"), *out] if out else []


def assertion(name: str, t: Record, language: Language, index: Index) -> list[str]:
    """The lines of one, without names that macros have, too; none where the layout is not known."""
    model = index.tu.model
    size, align = sizeof(t, model), alignof(t, model)
    if size is None or align is None or any(map(index.macros.has, words(name))):
        return []
    name = language.spelled(name)
    tests = [f"sizeof({name}) == {size}", f"{language.alignment}({name}) == {align}"]
    for member, at in members(t, model):
        if not any(map(index.macros.has, words(member))):
            tests.append(f"{language.offset}({name}, {language.spelled(member)}) == {at}")
    lines = [f"{language.assertion}({tests[0]}"]
    for test in (*(f"&& {test}" for test in tests[1:]), f'"the layout of {name} differs between host and kernels");'):
        if test.startswith('"'):
            lines[-1] += ","
        if len(lines[-1]) + len(test) < _WIDTH:
            lines[-1] += f" {test}"
        else:
            lines.append(f"    {test}")
    return lines


def laid_out(index: Index, needs: Needs) -> Needs:
    """With `#pragma pack` around structures, where a device's compiler aligns all of them to more than they need."""
    models = [device.data_model(index.tu.model) for device in needs.devices]
    rounding = next((model for model in models if model.structures), None)
    if rounding is None:
        return needs

    def said(t: TypeText) -> TypeText:
        packable = bool(t.named) and all(is_packable(record, rounding) for _, record in t.named)
        return replace(t, most=max(alignof(record, rounding) or 1 for _, record in t.named)) if packable else t

    return replace(needs, types=[said(t) for t in needs.types])


def inside(item: Item, span: Span) -> list[Record]:
    """The structures that are defined in a part of a function."""
    text = item.content.text
    if item.content.node is None or not any(word in text for word in (b"struct", b"union")):
        return []
    there = {(x.start, x.tag) for x in definitions(quieted(text), span.start) if x.start < span.end}
    return [t for place, t in records_of(item.content.node).items() if place in there] if there else []


def refuse_packed(item: Item, span: Span) -> None:
    """Raises Problem for a structure in a kernel's own text that `#pragma pack` is about."""
    for t in inside(item, span):
        if t.body.pack and t.body.span is not None:
            why = "in a kernel the pragma is about types in front of the construct or the function; declare it there"
            raise Problem(Span(*t.body.span), f"'{declare(t)}' under '#pragma pack'", why, item)


def refuse_otherwise(
    types: Iterable[TypeText], parts: Iterable[tuple[Item, Span]], model: DataModel, lacks: str
) -> None:
    """Raises Problem for a member that only gcc puts there: of types, and of structures in a kernel's own text.

    lacks -- what the device says of them
    """
    for text in types:
        for name, t in text.named if text.item else ():
            for f, why in otherwise(t, model):
                m = re.compile(rb"\b%s\b" % encoded(f.name)).search(encoded(text.text)) if f.name else None
                at = text.at + (m.start() if m else 0)
                where = Span(at, at + max(1, len(f.name)))
                raise Problem(where, named(f, name).replace("`", "'"), f"{lacks}: {why}", text.item)
    for item, span in parts:
        for t in inside(item, span):
            for f, why in otherwise(t, model):
                body = Span(*t.body.span) if t.body.span else None
                raise Problem(body, named(f, declare(t)).replace("`", "'"), f"{lacks}: {why}", item)


def members(t: Record, model: DataModel, path: str = "", base: int = 0) -> Iterator[tuple[str, int]]:
    """The members that have an address, and where they begin, in bytes; of structures without a tag, theirs."""
    for f, bits in record_layout(t, model)[2]:
        inner, at = innermost(f.type), base + bits // 8
        if f.bits is None and f.name and not _is_flexible(f.type):
            yield f"{path}{f.name}", at
        if isinstance(inner, Record) and not inner.tag and not isinstance(f.type, Array):
            yield from members(inner, model, f"{path}{f.name}." if f.name else path, at)


def _is_flexible(t: CType) -> bool:
    """Whether it is an array of no length, which kernels of class `gpu` do without."""
    return isinstance(t, Array) and not t.length
