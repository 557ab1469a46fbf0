"""Pragmas that a macro makes of its arguments: `OMP(target map(to: |))` with `#define OMP(x) _Pragma(…)`.

For a cursor in an argument there is a text in which the call is a pragma line: the argument stands where it stood, with
the macro's own words in front of it.  Macros of the main file only, defined in front of the call.
"""

from __future__ import annotations

import re

from ompls.analysis.encoding import encoded
from ompls.analysis.features.pragmas import Pragma

_LONGEST = 2_000  # bytes of a call before the cursor
_DEEPEST = 5  # macros in the replacement of a macro, and calls in the arguments of a call
_CALL = re.compile(rb"^[ \t]*([A-Za-z_]\w*)[ \t]*\(", re.M)
_CONTINUATION = re.compile(rb"\\[ \t\f\v]*\r?\n")
_PIECE = re.compile(rb'"(?:\\.|[^"\\\n])*"?|//[^\n]*|/\*.*?(?:\*/|\Z)|[()\[\]{},;]', re.S)
_OPERATOR = re.compile(r"_Pragma\s*\((.*)\)", re.S)
_USE = re.compile(r"([A-Za-z_]\w*)\s*\((.*)\)", re.S)
_REST = "__VA_ARGS__"


def call_as_pragma(source: bytes, offset: int) -> tuple[bytes, Pragma] | None:
    """(the text with a pragma line in the place of the call, that pragma) when byte `offset` is in such a call."""
    if b"_Pragma" not in source:
        return None
    first = source.rfind(b"\n", 0, max(0, offset - _LONGEST)) + 1
    line_end = source.find(b"\n", offset)
    calls = [c for c in _CALL.finditer(source, first, line_end if line_end >= 0 else len(source)) if c.end() <= offset]
    opened = [(call, at) for call in calls if (at := _argument(source, call.end(), offset))[0] >= 0]
    for call, (number, start, end) in reversed(opened[-_DEEPEST:]):
        words = _words_before(source[: call.start()], call[1].decode(), number)
        if words is not None:
            return _as_line(source, call.start(1), words, start, end)
    return None


def _argument(source: bytes, opened: int, offset: int) -> tuple[int, int, int]:
    """(number, start, end) of the argument that `offset` is in; the number is -1 when the call has ended before it."""
    depth, number, start = 1, 0, opened
    for piece in _PIECE.finditer(source, opened, opened + 2 * _LONGEST):
        if piece[0] == b";" or piece[0] in (b")", b"]", b"}"):
            depth -= 1 if piece[0] != b";" else depth
        elif piece[0] in (b"(", b"[", b"{"):
            depth += 1
        if depth == 0 or (depth == 1 and piece[0] == b","):
            if piece.start() >= offset:
                return number, start, piece.start()
            if depth == 0:
                return -1, 0, 0
            number, start = number + 1, piece.end()
    line_end = source.find(b"\n", offset)
    return number, start, line_end if line_end >= 0 else len(source)


def _words_before(source: bytes, name: str, number: int) -> str | None:
    """The pragma's words in front of argument `number` of the macro; None when it makes no OpenMP pragma of it."""
    made = _made(source, name)
    if made is None:
        return None
    names, text = made
    if number >= len(names) and names[-1:] != [_REST]:
        return None
    found = re.search(rf"\b{names[min(number, len(names) - 1)]}\b", text)
    return text[: found.start()] if found is not None else None


def _made(source: bytes, name: str, depth: int = 0) -> tuple[list[str], str] | None:
    """(the parameters of a macro, the text of the pragma that it makes of them)."""
    definition = _definition(source, name)
    if definition is None or depth > _DEEPEST:
        return None
    names, body = definition
    operator = _OPERATOR.fullmatch(body)
    if operator is not None:
        quoted = _quoted(source, operator[1].strip())
        return (names, quoted) if quoted is not None else None
    use = _USE.fullmatch(body)
    inner = _made(source, use[1], depth + 1) if use is not None else None
    if use is None or inner is None or len(inner[0]) != 1:
        return None
    return names, re.sub(rf"\b{inner[0][0]}\b", lambda _: use[2].strip(), inner[1])


def _quoted(source: bytes, operand: str) -> str | None:
    """What `#x`, or a macro that does only that, puts between quotes."""
    if operand.startswith("#"):
        return operand[1:].strip()
    use = _USE.fullmatch(operand)
    definition = _definition(source, use[1]) if use is not None else None
    if use is None or definition is None:
        return None
    names, body = definition
    return use[2].strip() if len(names) == 1 and body.replace(" ", "") == f"#{names[0]}" else None


def _definition(source: bytes, name: str) -> tuple[list[str], str] | None:
    """(parameters, replacement) of the last `#define name(…)`; a variable list's parameter is `__VA_ARGS__`."""
    pattern = rb"(?m)^[ \t]*#[ \t]*define[ \t]+" + encoded(name) + rb"\(([^()]*)\)((?:\\\r?\n|[^\r\n])*)"
    definitions = re.findall(pattern, source)
    if not definitions:
        return None
    parameters, replacement = definitions[-1]
    names = [word.strip().decode("utf-8", "replace") for word in parameters.split(b",")]
    body = _CONTINUATION.sub(b" ", replacement).decode("utf-8", "replace")
    return [_REST if word == "..." else word.removesuffix("...").strip() for word in names], body.strip().rstrip("; ")


def _as_line(source: bytes, place: int, words: str, start: int, end: int) -> tuple[bytes, Pragma] | None:
    """A pragma line of `words` and the argument [start, end); it reaches over what stands in front of the call."""
    leading = source[start:end]
    head = f"#pragma {words}".encode()
    if not re.match(rb"#pragma\s+omp\b", head + leading.lstrip()):
        return None
    begin = start - len(head)
    if begin < 0:
        return None
    text = _CONTINUATION.sub(lambda m: b" " * len(m[0]), leading).replace(b"\n", b" ").replace(b"\r", b" ")
    rest = b"\n" + source[end + 1 :] if end < len(source) else b""
    line = Pragma(begin, start + len(text.rstrip()), end, place)
    return source[:begin] + head + text + rest, line
