"""Directives that are not written as `#pragma` lines: `_Pragma("omp …")` and `[[omp::directive(…)]]`.

For a cursor in one of them there is a text of the same length in which it is a pragma line, so that everything that
reads pragmas reads it, with the same offsets.
"""

from __future__ import annotations

import re

from ompls.analysis.features.pragmas import Pragma

_LONGEST = 2_000  # bytes of one before the cursor
_OPERATOR = re.compile(rb'\b_Pragma\s*\(\s*"(?=[ \t]*omp\b)(?P<text>(?:[^"\\\n]|\\[^\n])*)')
_ATTRIBUTE = re.compile(rb"\bomp[ \t]*::[ \t]*directive[ \t]*\(")
_BRACKETS = re.compile(rb'"(?:\\.|[^"\\\n])*"?|/\*.*?(?:\*/|\Z)|//[^\n]*|[()]|\]\]', re.S)


def as_pragma(source: bytes, offset: int) -> tuple[bytes, Pragma] | None:
    """(the text with a pragma line in its place, that pragma) when byte `offset` is in one of the two forms."""
    return _operator(source, offset) or _attribute(source, offset)


def _operator(source: bytes, offset: int) -> tuple[bytes, Pragma] | None:
    line = source.rfind(b"\n", 0, max(offset, 0)) + 1
    for match in _OPERATOR.finditer(source, line):
        if match.start() > offset:
            break
        if match.start("text") <= offset <= match.end("text"):
            if b"//" in source[line : match.start()]:
                return None
            return _rewritten(source, match.start(), match.start("text"), match.end("text"), b"#pragma")
    return None


def _attribute(source: bytes, offset: int) -> tuple[bytes, Pragma] | None:
    """The last `omp::directive(` before the cursor, if its parenthesis is still open there."""
    first = source.rfind(b"[[", max(0, offset - _LONGEST), max(offset, 0))
    if first < 0:
        return None
    opened = [m.end() for m in _ATTRIBUTE.finditer(source, first, offset)]
    if not opened:
        return None
    inner = opened[-1]
    depth = 1
    for match in _BRACKETS.finditer(source, inner, inner + 2 * _LONGEST):
        depth += (match[0] == b"(") - (match[0] == b")")
        if depth == 0 or match[0] == b"]]":
            end = match.start()
            break
    else:
        end = source.find(b"\n", offset)
        end = end if end >= 0 else len(source)
    return _rewritten(source, first, inner, end, b"#pragma omp") if inner <= offset <= end else None


def _rewritten(source: bytes, start: int, inner: int, end: int, word: bytes) -> tuple[bytes, Pragma] | None:
    """With bytes [start, inner) as `word` and blanks, and a line end at `end`."""
    if inner - start < len(word) + 1:
        return None
    text = source[inner:end].replace(b"\n", b" ").replace(b"\r", b" ")
    rest = b"\n" + source[end + 1 :] if end < len(source) else b""
    return source[:start] + word.ljust(inner - start) + text + rest, Pragma(start, inner + len(text.rstrip()), end)
