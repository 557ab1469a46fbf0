"""Semantic tokens of pragma lines: what each word is.  Lexical, so that they are there in every branch and text."""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import Literal, get_args

from ompls.analysis.features.directivelines import defined_macros
from ompls.analysis.features.pragmas import Pragma, pragmas, pragmas_between
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import TU
from ompls.analysis.spec import CLAUSES
from ompls.analysis.syntax.clause_expr import Token as Word
from ompls.analysis.syntax.clause_expr import tokenize
from ompls.analysis.syntax.pragma import parse_directive

TokenKind = Literal["sentinel", "directive", "clause", "modifier", "variable", "function", "member", "macro", "number",
                    "string"]  # fmt: skip
_SELECTORS = frozenset(("match", "when", "otherwise", "absent", "contains"))  # words of the language, no variables
_KINDS: tuple[TokenKind, ...] = get_args(TokenKind)
_WORD = Struct("<IIB")  # start, end, which of the kinds: objects for the words of 5,000 pragmas would be 10 MB


# A word at bytes [start, end) of the source, never more than one line; a window has hundreds, so no class is made.
Token = tuple[int, int, TokenKind]


def tokens(source: bytes, start: int = 0, end: int | None = None, tu: TU | None = None) -> list[Token]:
    """The words of all pragmas that touch bytes [start, end), in order; with `tu`, the unit that `source` is the text
    of, only these bytes are read."""
    stop = len(source) if end is None else end
    macros = defined_macros(source)
    found: list[Token] = []
    for pragma in pragmas(source) if tu is None else pragmas_between(tu, start, stop):
        if pragma.end < start or pragma.start > stop:
            continue
        for a, b, number in _WORD.iter_unpack(_of_pragma(source[pragma.start : pragma.end])):
            kind, first, last = _KINDS[number], pragma.start + a, pragma.start + b
            if kind in ("variable", "function") and source[first:last] in macros:
                kind = "macro"
            found.append((first, last, kind))
    return found


def variables_of(source: bytes, pragma: Pragma) -> list[int]:
    """Where the words of a pragma stand that may name variables."""
    words = _WORD.iter_unpack(_of_pragma(source[pragma.start : pragma.end]))
    return [pragma.start + a for a, _, number in words if _KINDS[number] == "variable"]


@lru_cache(maxsize=20_000)
def _of_pragma(text: bytes) -> bytes:
    """The words of one pragma, a `_WORD` each; offsets count in it."""
    words = tokenize(text)
    directive = parse_directive(text)
    by_start = {c.name_span.start: c for c in directive.clauses if c.name_span.start < c.name_span.end}
    found = bytearray()
    clause: Clause | None = None
    for at, word in enumerate(words):
        clause = by_start.get(word.start, clause)
        kind = _kind(words, at, directive, clause)
        if kind is not None and b"\n" not in text[word.start : word.end]:
            found += _WORD.pack(word.start, word.end, _KINDS.index(kind))
    return bytes(found)


def _kind(words: list[Word], at: int, directive: Directive, clause: Clause | None) -> TokenKind | None:
    word = words[at]
    if word.kind == "number":
        return "number"
    if word.kind in ("string", "char"):
        return "string"
    if word.kind != "name":
        return None
    if at < 3:
        return "sentinel"
    if directive.name_span.start <= word.start < directive.name_span.end:
        return "directive"
    if clause is not None:
        if word.start == clause.name_span.start:
            return "clause"
        if _is_modifier(word, clause):
            return "modifier"
    if words[at - 1].text in (".", "->"):
        return "member"
    return "function" if at + 1 < len(words) and words[at + 1].text == "(" else "variable"


def _is_modifier(word: Word, clause: Clause) -> bool:
    span = clause.keyword_span
    if span is not None and span.start <= word.start < span.end:
        return True
    first = clause.items[0].span.start if clause.items else clause.args[0].span.start if clause.args else None
    if clause.name in _SELECTORS:
        return True
    spec = CLAUSES.get(clause.name)
    if spec is None or (first is not None and word.start >= first and clause.name not in ("linear", "defaultmap")):
        return False
    return word.text in spec.keywords or word.text in spec.modifiers
