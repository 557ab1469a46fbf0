"""Directives that are not `#pragma` lines of their own: `_Pragma("omp …")`, `[[omp::directive(…)]]`, macros that make
such (`pragmacalls.py`), and what a metadirective may stand for.

For a cursor in one of them there is a text of the same length in which it is a pragma line, so that everything that
reads pragmas reads it, with the same offsets.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ompls.analysis.features.pragmacalls import call_as_pragma
from ompls.analysis.features.pragmas import LONGEST, Pragma, pragma_at
from ompls.analysis.syntax.clause_expr import tokenize

_LONGEST = 2_000  # bytes of one before the cursor
_OPERATOR = re.compile(rb'\b_Pragma\s*\(\s*"(?=[ \t]*omp\b)(?P<text>(?:[^"\\\n]|\\[^\n])*)')
_ATTRIBUTE = re.compile(rb"\bomp[ \t]*::[ \t]*directive[ \t]*\(")
_CONTINUATION = re.compile(rb"\\[ \t\f\v]*\r?\n")
_BRACKETS = re.compile(rb'"(?:\\.|[^"\\\n])*"?|/\*.*?(?:\*/|\Z)|//[^\n]*|[()]|\]\]', re.S)


def directive_around(source: bytes, offset: int) -> tuple[bytes, Pragma] | None:
    """(a text of the same length, the pragma line in it) for the innermost directive that byte `offset` is in.

    None where there is none, or one that is too long.
    """
    pragma = pragma_at(source, offset)
    if pragma is not None and pragma.line_end - pragma.start > LONGEST:
        return None
    found = (source, pragma) if pragma is not None else as_pragma(source, offset)
    while found is not None and (inner := _variant(*found, offset)) is not None:
        found = inner
    return found


def as_pragma(source: bytes, offset: int) -> tuple[bytes, Pragma] | None:
    """(the text with a pragma line in its place, that pragma) when byte `offset` is in another form."""
    return _operator(source, offset) or _attribute(source, offset) or call_as_pragma(source, offset)


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


def _variant(source: bytes, pragma: Pragma, offset: int) -> tuple[bytes, Pragma] | None:
    """The directive in a clause of a metadirective: behind the colon of `when`, or all of the parentheses."""
    if source.find(b"metadirective", pragma.start, pragma.line_end) < 0:
        return None
    tokens = tokenize(source[pragma.start : pragma.line_end], pragma.start)
    words = [t.text for t in tokens[3:5]]
    if words[:1] != ["metadirective"] and words != ["begin", "metadirective"]:
        return None
    depth, owner, inner = 0, "", -1
    for before, token in pairwise(tokens):
        if token.text in ("(", "{", "["):
            depth += 1
            if depth == 1:
                owner, inner = before.text, -1 if before.text == "when" else token.end
        elif depth == 1 and token.text == ":" and owner == "when" and inner < 0:
            inner = token.end
        elif token.text in (")", "}", "]"):
            depth -= 1
            if depth == 0 and 0 <= inner <= offset <= token.start:
                return _rewritten(source, pragma.start, inner, token.start, b"#pragma omp")
    if depth and 0 <= inner <= offset:
        return _rewritten(source, pragma.start, inner, pragma.line_end, b"#pragma omp")
    return None


def _rewritten(source: bytes, start: int, inner: int, end: int, word: bytes) -> tuple[bytes, Pragma] | None:
    """With bytes [start, inner) as `word` and blanks, and a line end at `end`."""
    if inner - start < len(word) + 1:
        return None
    text = _CONTINUATION.sub(lambda m: b" " * len(m[0]), source[inner:end]).replace(b"\n", b" ").replace(b"\r", b" ")
    rest = b"\n" + source[end + 1 :] if end < len(source) else b""
    return source[:start] + word.ljust(inner - start) + text + rest, Pragma(start, inner + len(text.rstrip()), end)
