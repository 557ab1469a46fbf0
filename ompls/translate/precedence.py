"""Parentheses in generated expressions: where C's precedence asks for them (C11 6.5), and nowhere else."""

from __future__ import annotations

from functools import lru_cache

from ompls.analysis.syntax.lexer import CHAR, IDENT, NUMBER, STRING, tokenize

_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|=")
_ROWS = (
    (",",), _ASSIGNMENTS, ("?", ":"), ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="),
    ("<<", ">>"), ("+", "-"), ("*", "/", "%"), ("cast",), ("unary",),
)  # fmt: skip
_LEVELS = {op: level for level, row in enumerate(_ROWS, 1) for op in row}
_PRIMARY = len(_ROWS) + 1
_UNARY = ("+", "-", "*", "&", "!", "~", "++", "--")


def operand(text: str, op: str, *, right: bool = False) -> str:
    """The expression `text` as the left (or the `right`) operand of `op`; "cast": of a cast, "unary": of a sign.

    Each word in it has to be an operand, and no macro that expands to more.
    """
    return text if _level(text) >= _LEVELS[op] + right else f"({text})"


@lru_cache(maxsize=4096)
def _level(text: str) -> int:
    """That of the operator in `text` that is applied last; 0: who knows."""
    lowest, depth, wanted = _PRIMARY, 0, True  # whether an operand comes next
    tokens = tokenize(text)
    opened = False  # by a parenthesis where an operand was wanted: a cast, or an operand in parentheses
    for k, (kind, word, *_) in enumerate(tokens):
        if word in ("(", "["):
            if not depth:
                opened = wanted
            depth += 1
        elif word in (")", "]"):
            depth -= 1
            following = tokens[k + 1] if k + 1 < len(tokens) else None
            wanted = False
            if not depth and opened and following is not None:
                wanted = following[0] in (IDENT, NUMBER, STRING, CHAR) or following[1] in ("~", "!", "(")
                lowest = min(lowest, _LEVELS["cast"]) if wanted else lowest
        elif depth:
            continue
        elif word in ("{", "}"):
            return 0
        elif (wanted and word in _UNARY) or (wanted and word in ("sizeof", "_Alignof", "alignof")):
            lowest = min(lowest, _LEVELS["cast"])
        elif wanted and kind in (IDENT, NUMBER, STRING, CHAR):
            wanted = False
        elif not wanted and word in (".", "->"):
            wanted = True
        elif not wanted and word in _LEVELS:
            lowest, wanted = min(lowest, _LEVELS[word]), True
        elif wanted or word not in ("++", "--"):
            return 0
    return 0 if depth or wanted else lowest
