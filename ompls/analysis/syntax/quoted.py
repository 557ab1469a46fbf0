"""Names in generated text.  Any bytes but `/` and NUL may be in a file's name: quotes, line ends, what is not UTF-8."""

from __future__ import annotations

from ompls.analysis.patterns import later

_ODD = r"[\0-\x1f\x7f\ud800-\udfff]|(?<=\?)\?"  # two question marks may begin a trigraph
_IN_STRING = later(_ODD + r'|["\\]')
_IN_COMMENT = later(_ODD + r"|\\(?=[\\\s]*\Z)|(?<=\*)/|(?<=/)\*")  # a backslash at the end takes the next line in


def c_string(text: str) -> str:
    """The string literal of C and C++ whose bytes are those of `text` (which has bytes as `surrogateescape` does)."""
    return f'"{_IN_STRING.sub(lambda m: _escape(m[0]), text)}"'


def in_comment(text: str) -> str:
    """`text` as it may stand in a comment of either form, at its end too: what would change that is escaped."""
    return _IN_COMMENT.sub(lambda m: _octal(m[0]), text)


def line_directive(line: int, path: str) -> str:
    """`#line` for what follows, with the line end."""
    return f"#line {line} {c_string(path)}\n"


def _escape(char: str) -> str:
    return "\\" + char if char in '"\\?' else _octal(char)


def _octal(char: str) -> str:
    code = ord(char)
    if 0xD800 <= code < 0xDC80 or code >= 0xDD00:
        return "?"  # no byte of a name
    return f"\\{code & 0xFF:03o}"
