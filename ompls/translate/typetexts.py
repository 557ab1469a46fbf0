"""Declarations of types as text, and which structures each defines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ompls.analysis.dataenv.gnulayouts import records_in
from ompls.analysis.encoding import encoded
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Record
from ompls.analysis.model.tu import Item
from ompls.translate.definitions import defined
from ompls.translate.output import OutLine, Places


@dataclass(frozen=True)
class TypeText:
    """The text of a declaration of types.

    item, at -- where it stands; None: in no text of the user's
    named    -- the structures and unions that it defines, by the names that C has for them
    most     -- bytes that no member is aligned to more than, for a compiler that has to be told; 0: it has not
    """

    text: str
    item: Item | None = field(default=None, compare=False)
    at: int = field(default=0, compare=False)
    named: tuple[tuple[str, Record], ...] = field(default=(), compare=False)
    most: int = field(default=0, compare=False)

    @property
    def pack(self) -> int:
        """What `#pragma pack` says of it; 0: nothing."""
        return max((t.body.pack for _, t in self.named), default=0) or self.most

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
    return {(t.body.span[0], t.tag): t for t, _ in records_in(node).values() if t.body.span is not None}


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
