"""The texts that the client has open: one buffer per document, kept up to date by incremental edits.

A buffer is a list of lines, as bytes and with their ends, so that an edit costs what it touches and not the size of
the document.  Lines end at `\\n`, `\\r\\n` and `\\r` only, as the protocol says (not at form feeds or U+2028).
Nothing in here raises on what a client sends: positions out of range are clamped, reversed ranges are turned round.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ompls.analysis.text import Encoding, LineIndex

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)")


def _split(data: bytes) -> list[bytes]:
    """Lines with their ends; the last one has none and may be empty."""
    lines = _LINE.findall(data)
    lines.append(data[sum(map(len, lines)) :])
    return lines


@dataclass(frozen=True, slots=True)
class Change:
    """One content change of `textDocument/didChange`; no range: `text` is the whole document."""

    text: str
    start: tuple[int, int] | None = None  # line, column in the negotiated encoding
    end: tuple[int, int] | None = None


class Document:
    """One open document.  `version` is the client's."""

    def __init__(self, uri: str, path: str, version: int, text: str, encoding: Encoding) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.encoding = encoding
        self._set(_encode(text))

    def _set(self, text: bytes) -> None:
        self._lines = _split(text)
        self.size = len(text)  # in bytes
        self._source: bytes | None = None

    @property
    def source(self) -> bytes:
        """The whole text in UTF-8."""
        if self._source is None:
            self._source = b"".join(self._lines)
        return self._source

    def near_pragma(self, line: int) -> bool:
        """Whether line `line` (from 0) may belong to a directive: it or a line that it continues says so."""
        lines = self._lines
        at = min(max(line, 0), len(lines) - 1)
        if b"_Pragma" in lines[at] or any(b"omp::" in above for above in lines[max(0, at - 5) : at + 1]):
            return True
        while b"pragma" not in lines[at] and b"*/" not in lines[at]:
            at -= 1
            if at < 0 or not lines[at].rstrip().endswith(b"\\"):
                return False
        return True

    def apply(self, version: int, changes: list[Change]) -> None:
        """The changes in order, each meant for the text that the one before it left."""
        for change in changes:
            if change.start is None or change.end is None:
                self._set(_encode(change.text))
            else:
                self._splice(change.start, change.end, _encode(change.text))
        self.version = version
        self._source = None

    def _splice(self, start: tuple[int, int], end: tuple[int, int], text: bytes) -> None:
        first, last = sorted((self._place(start), self._place(end)))
        lines = self._lines
        new = lines[first[0]][: first[1]] + text + lines[last[0]][last[1] :]
        begin = first[0]
        if begin and new.startswith(b"\n") and lines[begin - 1].endswith(b"\r"):
            begin -= 1  # the two become one line end
            new = lines[begin] + new
        pieces = _split(new)
        if last[0] + 1 < len(lines) and not pieces[-1]:
            pieces.pop()  # an empty remainder is a line of its own only at the end of the document
        self.size += sum(map(len, pieces)) - sum(map(len, lines[begin : last[0] + 1]))
        lines[begin : last[0] + 1] = pieces

    def _place(self, position: tuple[int, int]) -> tuple[int, int]:
        """(index of the line, byte in it) of a position, clamped to what exists."""
        line, column = position
        if line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        if line < 0 or column <= 0:
            return max(line, 0), 0
        content = self._lines[line].rstrip(b"\r\n")
        if content.isascii():
            return line, min(column, len(content))
        # As a second line: a byte order mark that the client sends is a character that it counts.
        return line, LineIndex(b"\n" + content).offset(1, column, self.encoding) - 1


def _encode(text: str) -> bytes:
    """UTF-8; a lone surrogate, which JSON can carry, becomes `?`: one column in every encoding, as it was."""
    return text.encode("utf-8", "replace")
