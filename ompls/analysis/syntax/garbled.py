"""How arguments of a clause are meant that do not have their form: a colon that is missing, the parts in a wrong order.

The functions look at the tokens between a clause's parentheses; they answer why they cannot be read, or "".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ompls.analysis.spec import ClauseSpec
from ompls.analysis.spec.data_clauses import REDUCTIONS
from ompls.analysis.syntax.clause_expr import Token

Join = Callable[[int, int], str]  # the tokens from one number to another, as text

_OPERATORS = frozenset(REDUCTIONS)
_FOR_A_COLON = (";", "=")


def reduction_without_colon(name: str, tokens: Sequence[Token], start: int, stop: int, join: Join) -> str:
    """`reduction(+ s)`, `reduction(s)`."""
    operator, start = _first(tokens, start, stop, _OPERATORS, "+")
    meant = f"{name}({operator}: {join(start, stop)})"
    return f"a reduction's operator and a colon must stand before the list, as in '{meant}'"


def depend_without_colon(spec: ClauseSpec, tokens: Sequence[Token], start: int, stop: int, join: Join) -> str:
    """`depend(in x)`, `depend(x)`."""
    kind, start = _first(tokens, start, stop, frozenset(spec.keywords), "in")
    return f"a kind of dependence and a colon must stand before the list, as in 'depend({kind}: {join(start, stop)})'"


def _first(tokens: Sequence[Token], start: int, stop: int, words: frozenset[str], usual: str) -> tuple[str, int]:
    """What the list begins with, if it is one of the words, and where the rest begins; else what is usual."""
    if start + 1 >= stop or tokens[start].text not in words:
        return usual, start
    return tokens[start].text, start + 1 + (tokens[start + 1].text == "," and start + 2 < stop)


def without_colon(spec: ClauseSpec, tokens: Sequence[Token], start: int, stop: int) -> int:
    """Where the list begins in `map(tofrom x)`, `map(always, tofrom x)`, `map(to; x)`: words that a colon must follow.

    -1: all is well, or nobody can tell. `map(to, x)` may list a variable of that name.
    """
    words, at = (*spec.keywords, *spec.modifiers), start
    while at < stop and tokens[at].text in words:
        more = at + 2 < stop and tokens[at + 1].text == "," and tokens[at + 2].text in words
        at += 2 if more else 1
    if at == start or at >= stop:
        return -1
    if tokens[at].text in _FOR_A_COLON:
        return at + 1 if at + 1 < stop else -1
    return at if tokens[at].kind == "name" else -1


def list_first(spec: ClauseSpec, tokens: Sequence[Token], start: int, colon: int, stop: int) -> str:
    """The word behind the colon that belongs before the list: `map(x: tofrom)`, `reduction(s: +)`."""
    if stop != colon + 2 or tokens[start].text in (*spec.keywords, *spec.modifiers, *_OPERATORS):
        return ""  # a variable may have such a name
    word = tokens[colon + 1]
    known = spec.keywords if spec.name != "reduction" else _OPERATORS if word.kind == "punct" else ()
    return word.text if word.text in known else ""


def without_comma(
    spec: ClauseSpec, tokens: Sequence[Token], pieces: Sequence[tuple[int, int]], before: Sequence[str], join: Join
) -> str:
    """`schedule(static 4)`, `schedule(static: 4)`, `defaultmap(tofrom, scalar)`; before: what stands before a colon."""
    (first, last), word = pieces[0], tokens[pieces[0][0]].text
    if word in spec.keywords and last > first + 1:
        return f"a comma must follow '{word}', as in '{spec.name}({word}, {join(first + 1, last)})'"
    if before and before[-1] in spec.keywords and word not in spec.keywords:
        return f"a comma must follow '{before[-1]}', as in '{spec.name}({before[-1]}, {join(first, last)})'"
    second = join(*pieces[1]) if len(pieces) > 1 else ""
    if spec.name == "defaultmap" and word in spec.keywords and second in spec.modifiers:
        return f"a colon must follow '{word}', as in 'defaultmap({word}: {second})'"
    return ""


def fortran_section(tokens: Sequence[Token], first: int, last: int, join: Join) -> str:
    """`x(0:n)`, which is `x[0:n]` in C."""
    called = last - first >= 4 and tokens[first].kind == "name" and tokens[first + 1].text == "("
    if not called or tokens[last - 1].text != ")":
        return ""
    inside = join(first + 2, last - 1)
    return f"{tokens[first].text}[{inside}]" if ":" in inside and "(" not in inside else ""


def end_without_parentheses(tokens: Sequence[Token], at: int, known: Callable[[str], bool]) -> int:
    """Where the next clause begins behind one whose arguments have no parentheses: `update to x[0:n] nowait`.

    known -- whether a word is a clause that needs no parentheses
    """
    first = at + 1 if at < len(tokens) and tokens[at].kind == "name" else at
    if first >= len(tokens) or tokens[first].kind == "name" or tokens[first].text in ("(", ","):
        return at  # a word, which may be of the directive's name
    while at < len(tokens):
        called = at + 1 < len(tokens) and tokens[at + 1].text == "("
        if tokens[at].kind == "name" and (called or known(tokens[at].text)):
            break
        at += 1
    return at
