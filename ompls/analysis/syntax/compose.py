"""Puts an expanded logical line together: what stays, what macros gave, pragmas on lines of their own."""

from __future__ import annotations

import re

from ompls.analysis.source import Piece
from ompls.analysis.syntax.directive import Parsed
from ompls.analysis.syntax.expand import Invocation
from ompls.analysis.syntax.lexer import DIGRAPHS, OTHER, PRAGMA, Token, open_comment, pastes
from ompls.analysis.syntax.output import Line

_NO_BREAK = re.compile(r"[^\n\r]")


def compose(
    raw: str,
    tokens: list[Token],
    invocations: list[Invocation],
    notes: list[tuple[int, int, str]],
    pragma: Parsed | None,
) -> Line:
    """The Line for `raw`; `tokens` are its tokens as written, `notes` have offsets in `raw`."""
    text = _Text(raw)
    pending = iter(invocations)
    invocation = next(pending, None)
    notes = list(notes)
    for kind, spelling, _, start, end in tokens:
        while invocation is not None and invocation.end <= start:
            text.invocation(invocation)
            invocation = next(pending, None)
        if kind == OTHER and spelling[0] in "\"'":
            notes.append(
                (start, end, f"{'string' if spelling[0] == chr(34) else 'character constant'} has no closing quote")
            )
        if invocation is not None and start >= invocation.start:
            continue
        if end - start != len(spelling):
            text.respell(start, end, spelling)
        elif spelling in DIGRAPHS:
            text.respell(start, end, DIGRAPHS[spelling].ljust(len(spelling)))
    if invocation is not None:
        text.invocation(invocation)
    comment = open_comment(raw)
    if comment >= 0:  # the grammar would read it as code
        notes.append((comment, len(raw), "comment has no end"))
        text.respell(comment, len(raw), _NO_BREAK.sub(" ", raw[comment:]))
    return text.line(notes, pragma)


class _Text:
    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.parts: list[str] = []
        self.size = 0
        self.copied = 0
        self.last = ""  # last character put out
        self.pieces: list[Piece] = []
        self.pragmas: list[tuple[int, int]] = []

    def _put(self, part: str) -> None:
        if part:
            self.parts.append(part)
            self.size += len(part)
            self.last = part[-1]

    def _copy(self, upto: int) -> None:
        self._put(self.raw[self.copied : upto])
        self.copied = max(self.copied, upto)

    def respell(self, start: int, end: int, spelling: str) -> None:
        self._copy(start)
        x = self.size
        self._put(spelling)
        self.pieces.append((x, self.size, start, end, ()))
        self.copied = end

    def invocation(self, invocation: Invocation) -> None:
        start, end = invocation.start, invocation.end
        if self._is_attribute(start, end):
            start = self.raw.rindex("[", 0, self.raw.rindex("[", 0, start))
        self._copy(start)
        first = x = self.size
        names = invocation.output[0][1] if invocation.output else ()
        before = self.last
        for token, stack in invocation.output:
            if stack != names and self.size > x:
                self.pieces.append((x, self.size, start, end, names))
                x = self.size
            names = stack
            if token[0] == PRAGMA:
                self._put("" if self.last == "\n" else "\n")
                at = self.size
                self._put(token[1])
                self.pragmas.append((at, self.size))
                self._put("\n")
                before = "\n"
            else:
                if (token[2] and self.size > first) or pastes(before, token[1]):
                    self._put(" ")
                self._put(token[1])
                before = token[1]
        following = self.raw[end : end + 1]
        if self.size > x and pastes(before, following):
            self._put(" ")
        self.pieces.append((x, self.size, start, end, names))
        self.copied = end

    def _is_attribute(self, start: int, end: int) -> bool:
        """Whether it is what `attribute_operator` read, brackets at the end included."""
        return self.raw.startswith("omp", start) and self.raw.endswith("]", start, end)

    def line(self, notes: list[tuple[int, int, str]], pragma: Parsed | None) -> Line:
        self._copy(len(self.raw))
        text = "".join(self.parts)
        if pragma is not None:
            start = pragma.start
            self.pragmas = [(start, len(text.rstrip()))]
        moved = tuple((self._moved(a), max(self._moved(a), self._moved(b)), message) for a, b, message in notes)
        return Line(text, tuple(self.pieces), tuple(self.pragmas), moved)

    def _moved(self, offset: int) -> int:
        """The offset in the new text of `offset` of the raw line."""
        shift = 0
        for x, x_end, start, end, _ in self.pieces:
            if offset < start:
                break
            if offset < end:
                return x
            shift = x_end - end
        return offset + shift
