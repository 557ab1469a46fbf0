"""The texts that the client has open: one buffer per document, kept up to date by incremental edits.

A buffer is the text as bytes, and nothing else: at 20,000 lines a list of them is twice as large, and joining it at
each key takes longer than a copy.  Changes that come in the order of an editor's, the last place first, are one copy.
Lines end at `\\n`, `\\r\\n` and `\\r` only, as the protocol says (not at form feeds or U+2028).
Nothing in here raises on what a client sends: positions out of range are clamped, reversed ranges are turned round.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ompls.analysis.text import Encoding, LineIndex

_LINE_END = re.compile(r"\r\n?|\n")
_CALL = re.compile(rb"[ \t]*[A-Za-z_]\w*[ \t]*\(")


class Change(NamedTuple):
    """One content change of `textDocument/didChange`; no range: `text` is the whole document."""

    text: str
    start: tuple[int, int] | None = None  # line, column in the negotiated encoding
    end: tuple[int, int] | None = None

    @property
    def last_line(self) -> int | None:
        """The line that its text ends in, afterwards; None for a whole document."""
        return self.start[0] + len(_LINE_END.findall(self.text)) if self.start is not None else None


class Document:
    """One open document.  `version` is the client's, `source` the whole text in UTF-8 (`text`, when that is bytes)."""

    def __init__(self, uri: str, path: str, version: int, text: str | bytes, encoding: Encoding) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.encoding = encoding
        self.source = text if isinstance(text, bytes) else _encode(text)
        self._index: LineIndex | None = None

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.source)

    @property
    def lines(self) -> LineIndex:
        """The lines of the text as it is now."""
        if self._index is None:
            self._index = LineIndex(self.source)
        return self._index

    def near_pragma(self, line: int) -> bool:
        """Whether line `line` (from 0) may belong to a directive: it or a line that it continues says so."""
        at = min(max(line, 0), len(self.lines) - 1)
        return self._continues_pragma(at) or self._may_make_pragma(at)

    def below_pragma(self, line: int) -> bool:
        """Whether line `line` (from 0) may belong to a directive or to the code of a construct."""
        return self.source.find(b"omp", 0, self.lines.line_span(min(max(line, 0), len(self.lines) - 1))[1]) >= 0

    def _continues_pragma(self, at: int) -> bool:
        while b"pragma" not in (here := self._line(at)) and b"*/" not in here:
            at -= 1
            if at < 0 or not self._line(at).rstrip().endswith(b"\\"):
                return False
        return True

    def _may_make_pragma(self, at: int) -> bool:
        near = [self._line(n) for n in range(max(0, at - 5), at + 1)]
        if b"_Pragma" in near[-1] or any(b"omp::" in line for line in near):
            return True
        # A macro may make a directive of what it is called with.
        return any(_CALL.match(line) for line in near) and b"_Pragma" in self.source

    def _line(self, line: int) -> bytes:
        start, end = self.lines.line_span(line)
        return self.source[start:end]

    def apply(self, version: int, changes: list[Change]) -> None:
        """The changes in order, each meant for the text that the one before it left."""
        pending: list[tuple[int, int, bytes]] = []  # [start, end) of the text and what comes there, the last one first
        for change in changes:
            if change.start is None or change.end is None:
                pending = [(0, len(self.source), _encode(change.text))]
                continue
            start, end = sorted((self._place(change.start), self._place(change.end)))
            if pending and end >= pending[-1][0]:  # it is meant for what the others left
                self._splice(pending)
                pending = []
                start, end = sorted((self._place(change.start), self._place(change.end)))
            pending.append((start, end, _encode(change.text)))
        self._splice(pending)
        self.version = version

    def _splice(self, edits: list[tuple[int, int, bytes]]) -> None:
        old, parts, at = memoryview(self.source), list[bytes | memoryview](), 0
        for start, end, text in reversed(edits):
            parts += (old[at:start], text)
            at = end
        self.source = b"".join([*parts, old[at:]])
        if self._index is not None and len(edits) == 1:
            ((start, end, text),) = edits
            self._index = self._index.edited(self.source, start, end, len(text))
        else:
            self._index = None

    def _place(self, position: tuple[int, int]) -> int:
        """The byte of a position, clamped to what exists."""
        line, column = position
        if line >= len(self.lines):
            return len(self.source)
        start, end = self.lines.line_span(max(line, 0))
        if line <= 0:
            start = 0  # also before a byte order mark: the client sent it, so it counts it
        if line < 0 or column <= 0:
            return start
        content = self.source[start:end]
        if content.isascii():
            return start + min(column, len(content))
        # As a second line: a byte order mark at the start of the first is none of the text.
        return start + LineIndex(b"\n" + content).offset(1, column, self.encoding) - 1


def _encode(text: str) -> bytes:
    """UTF-8; a lone surrogate, which JSON can carry, becomes `?`: one column in every encoding, as it was."""
    return text.encode("utf-8", "replace")
