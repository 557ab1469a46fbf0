"""Lines and columns: the only place that knows them.  Everything else in the project counts bytes.

A line ends at ``\\n``, ``\\r\\n`` or a lone ``\\r`` (LSP 3.17, *Text Documents*) and nowhere else: form feeds, U+2028
and the like stay inside a line.  Columns count code units of the chosen encoding: bytes ('utf-8'), 16-bit units
('utf-16', two for a character beyond U+FFFF) or characters ('utf-32').

Bytes that are not UTF-8 are tolerated: each counts as one unit in every encoding, which is what an editor shows after
replacing it with U+FFFD.  A byte order mark at the start of the file is no character: editors strip it, so offset 3 is
column 0 of the first line (and offsets 0 to 2 are too).
"""

from __future__ import annotations

import bisect
import re
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]

BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r")


class LineIndex:
    """Converts between byte offsets and positions of one text.  Never raises: what lies outside is clamped."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._bom = len(BOM) if data.startswith(BOM) else 0
        self._starts = [self._bom]
        self._ends: list[int] = []
        if b"\r" in data:
            for match in _LINE_END.finditer(data):
                self._ends.append(match.start())
                self._starts.append(match.end())
        else:
            at = data.find(b"\n")
            while at >= 0:
                self._ends.append(at)
                self._starts.append(at + 1)
                at = data.find(b"\n", at + 1)
        self._ends.append(len(data))

    def __len__(self) -> int:
        """The number of lines (one more than line ends)."""
        return len(self._starts)

    def line_span(self, line: int) -> tuple[int, int]:
        """The byte offsets [start, end) of line `line` (0-based), without its line end."""
        line = min(max(line, 0), len(self._starts) - 1)
        return self._starts[line], self._ends[line]

    def line_of(self, offset: int) -> int:
        """The 0-based line that holds byte `offset`; the bytes of a line end belong to the line they end."""
        return max(0, bisect.bisect_right(self._starts, offset) - 1)

    def position(self, offset: int, encoding: Encoding = "utf-8") -> tuple[int, int]:
        """(line, column), both 0-based, of byte `offset`.

        Inside a character: the character's start.  Inside a line end: the end of the line.
        """
        line = self.line_of(offset)
        start, end = self.line_span(line)
        offset = min(max(offset, start), end)
        part = self.data[start:offset]
        if part.isascii():
            return line, len(part)
        return line, _units(self.data[start:end], offset - start, encoding)

    def offset(self, line: int, column: int, encoding: Encoding = "utf-8") -> int:
        """The byte offset of (line, column), both 0-based.

        Past the end of a line: its end.  Inside a character: its start.
        """
        if line >= len(self._starts):
            return len(self.data)
        if line < 0 or column < 0:
            return self.line_span(max(line, 0))[0]
        start, end = self.line_span(line)
        part = self.data[start:end]
        if part.isascii():
            return min(start + column, end)
        return start + _bytes(part, column, encoding)


def _characters(data: bytes) -> list[tuple[int, int]]:
    """(bytes, UTF-16 units) of each character of one line; an invalid byte is a character of its own."""
    sizes = []
    for char in data.decode("utf-8", "surrogateescape"):
        code = ord(char)
        if code < 0x80 or 0xDC80 <= code <= 0xDCFF:
            sizes.append((1, 1))
        else:
            sizes.append((2 if code < 0x800 else 3 if code < 0x10000 else 4, 2 if code >= 0x10000 else 1))
    return sizes


def _unit_size(size: tuple[int, int], encoding: Encoding) -> int:
    return size[0] if encoding == "utf-8" else size[1] if encoding == "utf-16" else 1


def _units(line: bytes, offset: int, encoding: Encoding) -> int:
    """The column of byte `offset` of `line`."""
    at = column = 0
    for size in _characters(line):
        if at + size[0] > offset:
            break
        at += size[0]
        column += _unit_size(size, encoding)
    return column


def _bytes(line: bytes, column: int, encoding: Encoding) -> int:
    """The byte offset of `column` of `line`."""
    at = units = 0
    for size in _characters(line):
        units += _unit_size(size, encoding)
        if units > column:
            break
        at += size[0]
    return at
