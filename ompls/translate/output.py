"""Generated files as lines that know their source line."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ompls.analysis.encoding import decoded
from ompls.analysis.model import literals
from ompls.analysis.model.ast import Span
from ompls.analysis.model.tu import TU, FileDirective, Item
from ompls.analysis.syntax.quoted import line_directive
from ompls.analysis.text import LineIndex
from ompls.translate.rewrite import Chunk, Line, lines_of, reindent


@dataclass(frozen=True)
class OutLine:
    """A line of output; `line` is 1-based in `path`, 0 when it stands for nothing in the user's text.

    entry -- it runs before the user's variables have their values: no place where a debugger shall stop
    """

    text: str
    path: str = ""
    line: int = 0
    entry: bool = False


_LINE = re.compile(r'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+("(?:[^"\\\n]|\\.)*"))?', re.M)


class Places:
    """Lines of the user's files (memo of their line starts)."""

    def __init__(self, tu: TU) -> None:
        self.tu = tu
        self.texts: dict[str, bytes] = dict(tu.headers.values())
        self.texts[tu.path] = tu.source
        self._index: dict[str, LineIndex] = {}
        self._lines: dict[int, tuple[str, int]] = {}  # by expanded offset: generated lines stand for few places
        self._presumed: dict[str, list[tuple[int, int, str]]] = {}  # (line of the directive, its number, its file)

    def line(self, item: Item | FileDirective, offset: int) -> tuple[str, int]:
        """(path, 1-based line) of an offset in an item."""
        found = self._lines.get(item.start + offset)
        if found is None:
            where = self.tu.locate(item, Span(offset, offset + 1))
            found = self._lines[item.start + offset] = where.path, self.line_of(where.path, where.start)
        return found

    def presumed(self, path: str, line: int) -> tuple[str, int]:
        """What __FILE__ and __LINE__ are there: the user's own `#line` counts."""
        if path not in self._presumed:
            text = decoded(self.texts.get(path, b""))
            found = ((text.count("\n", 0, m.start()) + 1, m) for m in _LINE.finditer(text))
            self._presumed[path] = [(line, int(m[1]), literals.text(m[2] or "")) for line, m in found]
        before = [x for x in self._presumed[path] if x[0] < line]
        if not before:
            return path, line
        names = [name for _, _, name in before if name]
        at, number, _ = before[-1]
        return names[-1] if names else path, number + line - at - 1

    def line_of(self, path: str, offset: int) -> int:
        if path not in self._index:
            self._index[path] = LineIndex(self.texts.get(path, b""))
        return self._index[path].line_of(offset) + 1

    def split(self, path: str, offset: int) -> tuple[str, str]:
        """The line of an offset, before it and from it on."""
        text = self.texts.get(path, b"")
        first, last = text.rfind(b"\n", 0, offset) + 1, text.find(b"\n", offset)
        return decoded(text[first:offset]), decoded(text[offset : last if last >= 0 else len(text)])

    def located(self, item: Item, chunks: list[Chunk]) -> list[OutLine]:
        """Rendered chunks of an item as lines."""
        out = []
        for line in lines_of(chunks):
            path, number = self.line(item, line.source) if line.source is not None else ("", 0)
            out.append(OutLine(line.text, path, number))
        return out


def generated(text: str) -> list[OutLine]:
    return [OutLine(x) for x in text.removesuffix("\n").split("\n")] if text else []


def reindented(lines: list[OutLine]) -> list[OutLine]:
    """The same lines, indented by their braces."""
    moved = reindent([Line(x.text, None) for x in lines])
    return [replace(x, text=m.text) for m, x in zip(moved, lines, strict=True)]


_OPENS = re.compile(r"\{(\s*//.*)?$")  # a block begins at the end of the line


def tidied(lines: list[OutLine]) -> list[OutLine]:
    """The same lines without blank ones at the beginning or end of a block, and with one where there were several."""
    out: list[OutLine] = []
    for x in lines:
        closes = x.text.strip().startswith("}") or (not x.text.strip() and out and not out[-1].text.strip())
        if closes:
            while out and not out[-1].text.strip():
                out.pop()
        if x.text.strip() or not (out and _OPENS.search(out[-1].text)):
            out.append(x)
    return out


def with_line_directives(lines: list[OutLine]) -> list[OutLine]:
    """`lines` with `#line` wherever a compiler's count would not be the user's.

    Lines that stand for nothing count on from the line before them: an error in them is reported close by.
    """
    out: list[OutLine] = []
    path, following = "", -1
    for x in lines:
        place = (x.path, x.line) if not x.entry else ("<ompls>", following if path == "<ompls>" else 1)
        if place[1] and place != (path, following):
            out.append(OutLine(line_directive(place[1], place[0]).rstrip()))
            path, following = place
        out.append(x)
        following += 1
    return out


def text_of(lines: list[OutLine]) -> str:
    return "".join(f"{x.text}\n" for x in lines)


def line_map(lines: list[OutLine], path: str) -> list[tuple[int, int]]:
    """(line of the output, line of `path`), both 1-based, for every line that has one."""
    return [(k, x.line) for k, x in enumerate(lines, 1) if x.line and x.path == path and x.text.strip()]
