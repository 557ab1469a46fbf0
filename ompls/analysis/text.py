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
from collections.abc import Iterator, Sequence
from typing import Literal

from ompls.analysis.encoding import decoded

Encoding = Literal["utf-8", "utf-16", "utf-32"]

BOM = b"\xef\xbb\xbf"
_RETURN = ord("\r")
_STRIDE = 2048  # bytes at least, and less than twice that: what is scanned to find one line
_LONE = re.compile(rb"\r(?!\n)")


class LineIndex:
    """Converts between byte offsets and positions of one text.  Never raises: what lies outside is clamped.

    Making one costs next to nothing, because an editor makes one for each keystroke and asks for few places: it
    counts the lines of each stride of the text; where a line begins within a stride is looked for when it is asked.
    """

    def __init__(self, data: bytes) -> None:
        self._take(data)
        self._starts = list(_strides(0, len(data)))
        self._before = [0, *self._counts(0, self._starts, len(data))]  # line ends before each stride, and in all

    def _take(self, data: bytes) -> None:
        self.data = data
        self._bom = len(BOM) if data.startswith(BOM) else 0
        self._text = _LONE.sub(b"\n", data) if b"\r" in data else data  # a carriage return left stands before \n

    def _counts(self, before: int, starts: Sequence[int], end: int) -> Iterator[int]:
        """The line ends up to the end of each of these strides, of which the last ends at `end`."""
        for start, stop in zip(starts, (*starts[1:], end), strict=True):
            before += self._text.count(b"\n", start, stop)
            yield before

    def edited(self, data: bytes, start: int, end: int, size: int) -> LineIndex:
        """That of `data`, which is this text with `size` bytes in the place of [start, end): only the strides that
        were edited are counted."""
        if b"\r" in self.data or b"\r" in data[start : start + size]:
            return LineIndex(data)  # what a carriage return means depends on what follows it
        starts, before = self._starts, self._before
        first, last = bisect.bisect_right(starts, start) - 1, bisect.bisect_right(starts, end) - 1
        shift = size - (end - start)
        begin, stop = starts[first], (starts[last + 1] if last + 1 < len(starts) else len(self.data)) + shift
        index = LineIndex.__new__(LineIndex)
        index._take(data)
        strides = _strides(begin, stop)
        counted = list(index._counts(before[first], strides, stop))
        more = counted[-1] - before[last + 1]
        index._starts = [*starts[:first], *strides, *[at + shift for at in starts[last + 1 :]]]
        index._before = [*before[: first + 1], *counted, *[lines + more for lines in before[last + 2 :]]]
        return index

    def __len__(self) -> int:
        """The number of lines (one more than line ends)."""
        return self._before[-1] + 1

    def line_span(self, line: int) -> tuple[int, int]:
        """The byte offsets [start, end) of line `line` (0-based), without its line end."""
        start = self._start(min(max(line, 0), self._before[-1]))
        end = self._text.find(b"\n", start)
        if end < 0:
            return start, len(self._text)
        return start, end - 1 if end > start and self._text[end - 1] == _RETURN else end

    def line_of(self, offset: int) -> int:
        """The 0-based line that holds byte `offset`; the bytes of a line end belong to the line they end."""
        offset = min(max(offset, 0), len(self._text))
        stride = bisect.bisect_right(self._starts, offset) - 1
        return self._before[stride] + self._text.count(b"\n", self._starts[stride], offset)

    def position(self, offset: int, encoding: Encoding = "utf-8") -> tuple[int, int]:
        """(line, column), both 0-based, of byte `offset`.

        Inside a character: the character's start.  Inside a line end: the end of the line.
        """
        line = self.line_of(offset)
        start = max(self._text.rfind(b"\n", 0, max(offset, 0)) + 1, self._bom)
        part = self._text[start : max(offset, start)]
        if part.isascii() and b"\r" not in part:
            return line, len(part)
        start, end = self.line_span(line)
        return line, _units(self.data[start:end], min(offset, end) - start, encoding)

    def offset(self, line: int, column: int, encoding: Encoding = "utf-8") -> int:
        """The byte offset of (line, column), both 0-based.

        Past the end of a line: its end.  Inside a character: its start.
        """
        if line >= len(self):
            return len(self.data)
        if line < 0 or column < 0:
            return self.line_span(max(line, 0))[0]
        start, end = self.line_span(line)
        part = self.data[start:end]
        if part.isascii():
            return min(start + column, end)
        return start + _bytes(part, column, encoding)

    def _start(self, line: int) -> int:
        """Where line `line`, which exists, begins."""
        if not line:
            return self._bom
        stride = bisect.bisect_left(self._before, line) - 1  # the line's predecessor ends in it
        at = self._starts[stride] - 1
        for _ in range(line - self._before[stride]):
            at = self._text.find(b"\n", at + 1)
        return at + 1


def _strides(start: int, end: int) -> range:
    """Where the strides begin into which [start, end) is cut: the last one has the rest, less than twice as much."""
    return range(start, max(start, end - _STRIDE) + 1, _STRIDE)


def _characters(data: bytes) -> list[tuple[int, int]]:
    """(bytes, UTF-16 units) of each character of one line; an invalid byte is a character of its own."""
    sizes = []
    for char in decoded(data):
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
