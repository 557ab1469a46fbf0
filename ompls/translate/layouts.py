"""How structures lie in memory: asserted wherever they are compiled, so that no two compilers differ in silence.

Layouts are those of `analysis/model/layout.py`.  What a file asserts stands behind its code, and is said of the line of
the structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ompls.analysis.encoding import encoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.analysis.model.ctype import Array, CType, Function, Pointer, Record, RecordBody, innermost
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import alignof, record_layout, sizeof
from ompls.analysis.model.tu import Item
from ompls.translate.ctext import words
from ompls.translate.definitions import defined, definitions, quieted
from ompls.translate.output import OutLine, Places
from ompls.translate.problem import Problem

if TYPE_CHECKING:
    from ompls.translate.needs import Index

_WIDTH = 110


@dataclass(frozen=True)
class TypeText:
    """The text of a declaration of types.

    item, at -- where it stands; None: in no text of the user's
    named    -- the structures and unions that it defines, by the names that C has for them
    """

    text: str
    item: Item | None = field(default=None, compare=False)
    at: int = field(default=0, compare=False)
    named: tuple[tuple[str, Record], ...] = field(default=(), compare=False)

    @property
    def pack(self) -> int:
        """What `#pragma pack` says of it; 0: nothing."""
        return max((t.body.pack for _, t in self.named), default=0)

    def lines(self, places: Places, text: str) -> list[OutLine]:
        """`text`, which stands for it, as lines of a file."""
        path, first = places.line(self.item, self.at) if self.item else ("", 0)
        lines = text.split("\n")
        counted = len(lines) == self.text.count("\n") + 1
        out = [OutLine(x, path, first + k * counted if first else 0) for k, x in enumerate(lines)]
        if not self.pack:
            return out
        return [OutLine(f"#pragma pack(push, {self.pack})"), *out, OutLine("#pragma pack(pop)")]


def records_of(node: ast.Node) -> dict[tuple[int, str], Record]:
    """The structures that mean something in a function, by their tags and where they begin in the item of each."""
    found: dict[tuple[int, str], Record] = {}
    seen: set[RecordBody] = set()
    waiting: list[CType] = []
    for n in node.walk():
        waiting += [d.symbol.type for d in n.decls] if isinstance(n, ast.DeclStmt) else []
        waiting += [n.type] if isinstance(n, ast.Expr) else []
        waiting += [n.of] if isinstance(n, ast.SizeOf) else []
    while waiting:
        t = innermost(waiting.pop())
        if isinstance(t, Pointer):
            waiting.append(t.to)
        elif isinstance(t, Function):
            waiting += [t.returns, *t.params]
        elif isinstance(t, Record) and t.body not in seen:
            seen.add(t.body)
            if t.body.span is not None:
                found[t.body.span[0], t.tag] = t
            waiting += [f.type for f in t.body.fields or ()]
    return found


def named_by(
    text: str, decls: Iterable[ast.VarDecl], tagged: Callable[[int, str], Record | None]
) -> tuple[tuple[str, Record], ...]:
    """The structures that a declaration defines.  `tagged`: that of a definition, by its place in the text, its tag."""
    out: list[tuple[str, Record]] = []
    for x in defined(text):
        t = tagged(len(encoded(text[: x.start])), x.tag) if x.tag and x.kind != "enum" else None
        if t is not None and t.body.fields is not None:
            out.append((f"{t.kind} {t.tag}", t))
    for s in (d.symbol for d in decls):
        if s.kind == "typedef" and isinstance(s.type, Record) and (not s.type.tag or s.type.align is not None):
            out.append((s.name, s.type))
    return tuple(out)


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
