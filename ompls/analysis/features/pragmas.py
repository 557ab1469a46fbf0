"""Where the OpenMP pragmas of a text stand, as the user wrote them.

Lexical only: it needs no model, so what builds on it works in inactive branches and in text that is being typed.
Pragmas that macros or `_Pragma` make are not lines of the text and are not found here.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ompls.analysis.model.tu import TU

_CONTINUED = rb"\\[ \t\f\v]*\r?\n"
_COMMENT = rb"/\*.*?(?:\*/|\Z)|//(?:" + _CONTINUED + rb"|[^\n])*"
_STRING = rb'"(?:\\.|[^"\\\n])*"?'
_CHAR = rb"'(?:\\.|[^'\\\n])*'?"
_BLANK = rb"(?:[ \t\f\v]|" + _CONTINUED + rb"|/\*.*?\*/)"
# Every alternative begins with one of few characters: the search skips everything else at once.
_PRAGMA = (
    rb"(?:\#|%:)" + _BLANK + rb"*pragma" + _BLANK + rb"+omp(?![\w$])"
    rb"(?:[^\n\\/\"]+|" + _COMMENT + rb"|" + _STRING + rb"|" + _CONTINUED + rb"|[^\n])*"
)
_SCAN = re.compile(
    rb"(?P<skip>" + _COMMENT + rb"|" + _STRING + rb"|" + _CHAR + rb")"
    rb"|(?P<pragma>" + _PRAGMA + rb")",
    re.S,
)
_LINE = re.compile(rb"(?:[ \t\f\v]|/\*.*?\*/)*(" + _PRAGMA + rb")", re.S)
_INSIDE = re.compile(rb"(?P<comment>" + _COMMENT + rb")|(?P<string>" + _STRING + rb"|" + _CHAR + rb")", re.S)

# Bytes of a pragma; what is longer was not written by hand, and answers about places in it would take seconds.
LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Pragma:
    """One logical line.  start -- of its `#`; end -- after its last significant byte; line_end -- of its last line;
    call -- of the macro call that stands for it (-1: it is written as a line)."""

    start: int
    end: int
    line_end: int
    call: int = -1

    @property
    def place(self) -> int:
        """Where the user sees it."""
        return self.start if self.call < 0 else self.call


def pragmas_between(tu: TU, start: int, end: int) -> Iterator[Pragma]:
    """The pragmas in bytes [start, end) of the main file, and some around them.

    Only the groups of external declarations that these bytes belong to are read: between them nothing is open.
    """
    groups, source = tu.items.groups, tu.source
    first = bisect.bisect_right(groups, tu.map.expanded(tu.path, start), key=lambda group: group[0]) - 1
    last = bisect.bisect_right(groups, tu.map.expanded(tu.path, end), key=lambda group: group[0])
    begin = next((at for n in range(first, 0, -1) if (at := _place(tu, groups[n][0])) is not None), 0)
    while last < len(groups):
        stop = _place(tu, groups[last][0])
        last += 1
        if stop is not None and stop > begin:
            for pragma in _in_group(source[begin:stop]):
                yield Pragma(pragma.start + begin, pragma.end + begin, pragma.line_end + begin)
            begin = stop
            if stop >= end:
                return
    for pragma in _in_group(source[begin:]):
        yield Pragma(pragma.start + begin, pragma.end + begin, pragma.line_end + begin)


def _place(tu: TU, x: int) -> int | None:
    """The byte of the main file at expanded offset `x`, if it stands there."""
    segment = tu.map.at(x)
    if segment.path != tu.path or segment.kind != "verbatim":
        return None
    at = segment.start + x - segment.x_start
    return at if not at or tu.source[at - 1 : at] in b"\r\n" else None


@lru_cache(maxsize=2)  # it keeps the texts
def pragmas(source: bytes) -> tuple[Pragma, ...]:
    """All `#pragma omp` lines in order, continuation lines included."""
    return _scanned(source)


@lru_cache(maxsize=4)  # a window shows a few, and is asked about for hints and for colours
def _in_group(source: bytes) -> tuple[Pragma, ...]:
    return _scanned(source)


def _scanned(source: bytes) -> tuple[Pragma, ...]:
    text = re.sub(rb"\r(?!\n)", b"\n", source) if b"\r" in source else source
    found = []
    clean = 0  # after a comment that only blanks and comments precede on its line
    for match in _SCAN.finditer(text):
        start, end = match.span()
        first = max(text.rfind(b"\n", 0, start) + 1, clean)
        if text[first:start].strip(b" \t\f\v"):
            continue
        if match.lastgroup == "pragma":
            found.append(Pragma(start, _significant(text[start:end]) + start, end))
        elif text.startswith(b"/*", start):
            clean = end
    return tuple(found)


def pragma_at(source: bytes, offset: int) -> Pragma | None:
    """The pragma on whose logical line byte `offset` is, from its `#` to the end of the line."""
    start = _logical_start(source, offset)
    if b"\r" in source[start : offset + 1] or b"*/" in source[start : offset + 1] or _may_be_comment(source, start):
        return _by_scan(source, offset)
    match = _LINE.match(source, start)
    if match is None or not match.start(1) <= offset <= match.end(1):
        return None
    start, end = match.span(1)
    return Pragma(start, _significant(source[start:end]) + start, end)


def _by_scan(source: bytes, offset: int) -> Pragma | None:
    all_of_them = pragmas(source)
    at = bisect.bisect_right(all_of_them, offset, key=lambda p: p.start) - 1
    if at < 0 or offset > all_of_them[at].line_end:
        return None
    return all_of_them[at]


def _logical_start(source: bytes, offset: int) -> int:
    """Where the logical line of `offset` begins, as far as continuations tell."""
    start = source.rfind(b"\n", 0, max(offset, 0)) + 1
    while start and source[max(0, start - 80) : start].rstrip().endswith(b"\\"):
        start = source.rfind(b"\n", 0, start - 1) + 1
    return start


def _may_be_comment(source: bytes, start: int) -> bool:
    """Whether a block comment may be open there: the last one before it is not seen to end."""
    opened = source.rfind(b"/*", 0, start)
    return opened >= 0 and source.find(b"*/", opened + 2, start) < 0


def in_comment(text: bytes) -> bool:
    """Whether the end of `text`, the beginning of a pragma, is inside a comment or a string."""
    last = None
    for match in _INSIDE.finditer(text):
        last = match
    if last is None or last.end() < len(text):
        return False
    word = last.group()
    if last.lastgroup == "comment":
        return word.startswith(b"//") or not (len(word) >= 4 and word.endswith(b"*/"))
    return len(word) < 2 or word[-1] != word[0]


def _significant(text: bytes) -> int:
    """The length of a logical line without the comments and blanks at its end."""
    if b"/" not in text:
        return len(_stripped(text))
    comments = [m.span() for m in _INSIDE.finditer(text) if m["comment"] is not None]
    kept = _stripped(text)
    while comments and comments[-1][1] >= len(kept) > comments[-1][0]:
        kept = _stripped(kept[: comments.pop()[0]])
    return len(kept)


def _stripped(text: bytes) -> bytes:
    """Without blanks and continuations at the end."""
    kept = text.rstrip()
    while kept.endswith(b"\\"):
        kept = kept[:-1].rstrip()
    return kept
