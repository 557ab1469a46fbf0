"""GNU and newer C spellings that the grammar does not know, rewritten to what it does know, at equal length.

Only the parser sees the masked text; the adapter reads names, types and attributes from the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ompls.analysis.patterns import later

_SPELLINGS = {
    b"__restrict": b"restrict", b"__restrict__": b"restrict", b"__const": b"const", b"__const__": b"const",
    b"__volatile": b"volatile", b"__volatile__": b"volatile", b"__inline": b"inline", b"__inline__": b"inline",
    b"__signed__": b"signed", b"__signed": b"signed", b"__extension__": b"", b"_Thread_local": b"__thread",
    b"_Noreturn": b"", b"__alignof": b"_Alignof", b"__alignof__": b"_Alignof",
}  # fmt: skip
# Comments, and the literals in which nothing is one
_COMMENT = later(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|/\*.*?\*/|//(?:[^\\\n]|\\.)*", re.DOTALL)
_WORD = later(rb"\b(?:__[a-z]+(?:__)?|_Thread_local|_Noreturn)\b")
_ATTRIBUTE = later(rb"\b(?:__attribute(?:__)?|__declspec|_Alignas|alignas)\s*\(")
_OF_TYPE = later(rb"\b(struct|union|enum)\b(\s*\[\[[^][]*\]\])+")
_ASM_NAME = later(rb"(?<=\))\s*\b(?:__asm__|__asm|asm)\s*\(\s*(?:\"[^\"\n]*\"\s*)+\)")
_NUMBER = rb"(?:long|short|double|float|char|int|signed|unsigned)"
_COMPLEX = later(
    rb"\b(?:" + _NUMBER + rb"\s+)+(?:_Complex|__complex__)\b(?:\s+" + _NUMBER + rb"\b)*"
    rb"|\b(?:_Complex|__complex__)(?:\s+" + _NUMBER + rb"\b)+"
)
_PART = later(rb"\b__(?:real|imag)(?:__)?\b")
_IMAGINARY = later(rb"(?<![\w.])(\.?\d[\d.]*(?:[eE][+-]?\d+)?)(?:[iIjJqQwW]([fFlL]?)|([fFlL])[iIjJ])(?!\w)")
_SUFFIX = later(rb"[\d.][fFlL]?[iIjJqQwW]")
_HEXADECIMAL = later(rb"\b0[xX]\.(?=[0-9a-fA-F])")
_DESIGNATOR = later(rb"([{,]\s*\[[^][{};=]*\])[ \t](?=\s*[\w\"'{&(~!+-])")  # before C99, without `=`
# Keywords of the grammar and names in C17, where what follows tells which they are.
_NAMES = later(rb"\b(?:(?:noreturn|constexpr|thread_local)\b(?!\s*[A-Za-z_])|(?:align(?:as|of)|offsetof)\b(?!\s*\())")
_TYPEOF = later(rb"\b(?:__typeof__|__typeof|typeof)\s*\(")
_CASE_RANGE = later(rb"\bcase\b[^;{}:?]*?\.\.\.")
_COMPUTED_GOTO = later(rb"\bgoto\s*\*")
_VA_ARG = later(rb"\b__builtin_va_arg\s*\(")
_OF_TYPES = later(rb"\b__builtin_(?:offsetof|types_compatible_p)\s*\(")  # nothing but types, or a member


def _jump(m: re.Match[bytes]) -> bytes:
    """GNU `goto *p` as `(void)p`, where there is room; the grammar wants a label."""
    word = m.group()
    return word[:-1] + b" " if len(word) < 6 or b"\n" in word else b"(void)".rjust(len(word))


def without_comments(text: bytes) -> bytes:
    """`text` with blanks for its comments; same length, newlines kept."""
    if b"/*" not in text and b"//" not in text:
        return text
    return _COMMENT.sub(lambda m: m.group() if m.group()[:1] in b"\"'" else _blank(m.group()), text)


def mask(text: bytes) -> bytes:
    """`text` with the unknown spellings replaced, and without comments, which may hold such words (`/* goto */`); same
    length, newlines kept."""
    text = without_comments(text)
    if b"__" in text or b"_Noreturn" in text or b"_Thread_local" in text:
        text = _WORD.sub(_spelling, text)
    if b"attribute" in text or b"lignas" in text or b"__declspec" in text:
        text = _groups(text, _ATTRIBUTE, _blank)
    if b"[[" in text:
        text = _OF_TYPE.sub(lambda m: m[1] + _blank(m.group()[len(m[1]) :]), text)
    if b"asm" in text:
        text = _ASM_NAME.sub(lambda m: _blank(m.group()), text)
    if b"omplex" in text:
        text = _COMPLEX.sub(lambda m: _word(m.group()), text)
    if b"__real" in text or b"__imag" in text:
        text = _PART.sub(lambda m: b"~".ljust(len(m.group())), text)
    if _SUFFIX.search(text):
        text = _IMAGINARY.sub(lambda m: m.group(1) + b"0" + (m.group(2) or m.group(3) or b""), text)
    if b"0x." in text or b"0X." in text:
        text = _HEXADECIMAL.sub(b"0x0", text)
    if b"{" in text and b"[" in text:
        text = _DESIGNATOR.sub(rb"\1=", text)
    if any(word in text for word in (b"noreturn", b"constexpr", b"thread_local", b"align", b"offsetof")):
        text = _NAMES.sub(lambda m: _word(m.group()), text)
    if b"typeof" in text:
        text = _groups(text, _TYPEOF, _word)
    if b"..." in text:
        text = _CASE_RANGE.sub(lambda m: m.group()[:-3] + b"|| ", text)
    if b"goto" in text:
        text = _COMPUTED_GOTO.sub(_jump, text)
    if b"__builtin_va_arg" in text:
        text = _groups(text, _VA_ARG, _second_argument)
    if b"__builtin_offsetof" in text or b"__builtin_types_compatible_p" in text:
        text = _groups(text, _OF_TYPES, _word)
    return text


def _spelling(m: re.Match[bytes]) -> bytes:
    word = m.group()
    known = _SPELLINGS.get(word)
    return word if known is None else known.ljust(len(word))


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\n\r]", b" ", text)


def _word(text: bytes) -> bytes:
    """One identifier as long as `text` (line breaks become part of it)."""
    return b"_" * len(text)


def _second_argument(text: bytes) -> bytes:
    """`va_arg(list, type)` with the type as one identifier."""
    comma = text.find(b",")
    if comma < 0:
        return text
    return text[: comma + 1] + _word(text[comma + 1 : -1]) + text[-1:]


def _groups(text: bytes, start: re.Pattern[bytes], change: Callable[[bytes], bytes]) -> bytes:
    """Apply `change` to every balanced `start … )`; an unclosed one stays."""
    out: list[bytes] = []
    at = 0
    for m in start.finditer(text):
        if m.start() < at:
            continue
        end = closing(text, m.end())
        if end < 0:
            continue
        out += (text[at : m.start()], change(text[m.start() : end]))
        at = end
    return b"".join((*out, text[at:])) if out else text


_PAREN = later(rb"[()]|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")


def closing(text: bytes, at: int, limit: int = 20_000) -> int:
    """The offset after the parenthesis that closes the one before `at`; -1 when there is none within `limit` bytes."""
    depth = 1
    for m in _PAREN.finditer(text, at, min(len(text), at + limit)):
        token = m.group()
        if token == b"(":
            depth += 1
        elif token == b")":
            depth -= 1
            if not depth:
                return m.end()
    return -1
