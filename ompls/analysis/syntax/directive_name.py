"""The name of a directive: its words, of which there may be several, with blanks or the underscores of OpenMP 6.0."""

from __future__ import annotations

import sys

from ompls.analysis.model.omp import Directive
from ompls.analysis.spec import CLAUSES, DIRECTIVES
from ompls.analysis.syntax.clause_expr import Token

_LONGEST_NAME = max(len(name.split()) for name in DIRECTIVES)
_LEAF_WORDS = frozenset(word for name in DIRECTIVES for word in name.split())


def longer_name(directive: Directive) -> tuple[str, int]:
    """The name with the words right after it, and how many these are, when one of them is no word of OpenMP's."""
    words: list[str] = []
    for clause in directive.clauses:
        if (clause.known and clause.name not in _LEAF_WORDS) or clause.text or not clause.name:
            break
        words.append(clause.name)
    if all(word in _LEAF_WORDS for word in words):
        return "", 0
    return " ".join([directive.name, *words]), len(words)


def directive_name(tokens: list[Token], pos: int) -> tuple[str, bool, int]:
    """The longest directive name at `pos`; else the words up to the first known clause or parenthesis."""
    words: list[str] = []
    ends: list[int] = []  # the token after the last one that contributes to words[:n+1]
    at = pos
    while at < len(tokens) and tokens[at].kind == "name" and len(words) < _LONGEST_NAME + 3:
        for part in tokens[at].text.split("_") if _splits(words, tokens[at].text) else [tokens[at].text]:
            words.append(part)
            ends.append(at + 1)
        at += 1
    for count in range(len(words), 0, -1):
        if " ".join(words[:count]) in DIRECTIVES and (count == len(words) or ends[count - 1] != ends[count]):
            return sys.intern(" ".join(words[:count])), True, ends[count - 1]
    stop = pos
    while stop < len(tokens) and tokens[stop].kind == "name":
        called = stop + 1 < len(tokens) and tokens[stop + 1].text == "("
        if stop > pos and tokens[stop].text in CLAUSES and (called or tokens[stop].text not in _LEAF_WORDS):
            break
        stop += 1
        if called and stop - pos >= 1:
            break
    return " ".join(t.text for t in tokens[pos:stop]), False, stop


def _splits(words: list[str], word: str) -> bool:
    """Whether `word` is a 6.0 spelling with underscores (`target_enter_data`) in its place."""
    return "_" in word and any(" ".join([*words[k:], *word.split("_")]) in DIRECTIVES for k in range(len(words) + 1))
