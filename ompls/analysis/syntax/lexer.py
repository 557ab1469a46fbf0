"""Preprocessing tokens (C11 6.4) and logical lines.

Works on text decoded as Latin-1, so that an index into the text is a byte offset into the file and no byte is ever
invalid.  A *logical line* is what the preprocessor sees as one line: it goes on after a backslash-newline and inside a
block comment, so every logical line starts outside of comments and strings.  Trigraphs are not recognised (gcc's
default); digraphs are.
"""

from __future__ import annotations

import bisect
import re

from ompls.analysis.encoding import decoded, encoded

IDENT, NUMBER, STRING, CHAR, PUNCT, OTHER = 1, 2, 3, 4, 5, 6
PAINTED = 7  # an identifier that will not be expanded any more
PRAGMA = 8  # a `_Pragma` that was executed; its text is the whole `#pragma` line

# (kind, text, preceded by white space, start, end); offsets count in the logical line, -1 when the token is made up
Token = tuple[int, str, bool, int, int]

_WORD = r"[A-Za-z_$\x80-\xff][A-Za-z0-9_$\x80-\xff]*"
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\f\v\r\n]+|//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
    |(?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')
    |(?P<ident>{_WORD})
    |(?P<number>\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.$\x80-\xff])*)
    |(?P<punct>%:%:|\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|<:|:>|<%|%>|%:
        |[][(){{}}.&*+\-~!/%<>^|?:;=,\#])
    |(?P<other>["'][^\n]*|.)""",
    re.S | re.X,
)
_KIND = {"string": STRING, "char": CHAR, "ident": IDENT, "number": NUMBER, "punct": PUNCT, "other": OTHER}

_CONTINUATION = re.compile(r"\\[ \t\f\v]*\r?\n")
_LOGICAL = re.compile(
    r"""(?:[^\n"'/\\]+
    |"(?:[^"\\\n]|\\[ \t\f\v]*\r?\n|\\[^\n])*"?
    |'(?:[^'\\\n]|\\[ \t\f\v]*\r?\n|\\[^\n])*'?
    |//(?:[^\n\\]|\\[ \t\f\v]*\r?\n|\\)*
    |/\*.*?(?:\*/|\Z)
    |/
    |\\[ \t\f\v]*\r?\n
    |\\)*""",
    re.S | re.X,
)
_NOT_NEWLINE = re.compile(r"[^\r\n]")
WORDS = re.compile(_WORD)
_PASTING = {
    *("++", "--", "&&", "||", "<<", ">>", "==", "##", "->", "//", "/*", "<:", ":>", "<%", "%>", "%:", "::", ".."),
    *(operator + "=" for operator in "+-*/%&|^<>!"),
}
DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#", "%:%:": "##"}


def decode(data: bytes) -> str:
    """The text that the functions here work on: one character per byte, a lone carriage return as newline."""
    text = data.decode("latin-1")
    if text.startswith("\xef\xbb\xbf"):
        text = "   " + text[3:]
    if "\r" in text:
        text = re.sub(r"\r(?!\n)", "\n", text)
    return text.replace("\0", " ") if "\0" in text else text


_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # surrogates that stand for no byte of a name


def readable(text: str) -> str:
    """`text` (Latin-1 as above) as `decoded` gives it."""
    return text if text.isascii() else decoded(text.encode("latin-1", "replace"))


def internal(text: str) -> str:
    """The inverse of `readable`."""
    if text.isascii():
        return text
    return encoded(_NO_BYTE.sub("?", text)).decode("latin-1")


def blank(text: str) -> str:
    """`text` with everything but line ends replaced by spaces."""
    return _NOT_NEWLINE.sub(" ", text) if "\n" in text else " " * len(text)


def may_continue(line: str) -> bool:
    """Whether the physical line `line` may be only the first part of a logical line."""
    return "/*" in line or "\\" in line


def logical_end(text: str, start: int) -> int:
    """The offset of the newline (or of the end of the text) that ends the logical line at `start`."""
    match = _LOGICAL.match(text, start)
    return match.end() if match else start


def splice(raw: str) -> tuple[str, list[tuple[int, int]]]:
    """`raw` without its backslash-newlines, and (offset in the result, offset in `raw`) after each of them."""
    parts, marks, at, length = [], [], 0, 0
    for match in _CONTINUATION.finditer(raw):
        parts.append(raw[at : match.start()])
        length += match.start() - at
        at = match.end()
        marks.append((length, at))
    parts.append(raw[at:])
    return "".join(parts), marks


def tokenize(raw: str, base: int = 0) -> list[Token]:
    """The tokens of a logical line, comments dropped; offsets count from `base`.

    A token that a backslash-newline cuts has more bytes than its text.
    """
    marks: list[tuple[int, int]] = []
    text = raw
    if "\\" in raw and "\n" in raw:
        text, marks = splice(raw)
    tokens: list[Token] = []
    space = False
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group == "space":
            space = True
            continue
        start, end = match.span()
        if marks:
            start, end = _unsplice(marks, start), _unsplice(marks, end - 1) + 1
        tokens.append((_KIND[group or "other"], match.group(), space, base + start, base + end))
        space = False
    return tokens


def _unsplice(marks: list[tuple[int, int]], offset: int) -> int:
    at = bisect.bisect_right(marks, (offset, 1 << 62)) - 1
    return offset if at < 0 else offset - marks[at][0] + marks[at][1]


def open_comment(raw: str) -> int:
    """Where the block comment starts that the logical line ends in (only the last line of a file can); else -1."""
    if "/*" not in raw:
        return -1
    text, marks = splice(raw)
    last, at = "", 0
    for match in _TOKEN.finditer(text):
        last, at = match.group(), match.start()
    if not last.startswith("/*") or (len(last) > 3 and last.endswith("*/")):
        return -1
    return _unsplice(marks, at) if marks else at


def pastes(left: str, right: str) -> bool:
    """Whether `left` and `right` set side by side might read as one token (so a space has to stand between them)."""
    if not left or not right:
        return False
    a, b = left[-1], right[0]
    word_a, word_b = a.isalnum() or a in "_$." or a >= "\x80", b.isalnum() or b in "_$.\"'" or b >= "\x80"
    if word_a and word_b:
        return True
    return a + b in _PASTING or (a in "eEpP" and b in "+-")
