"""Folding ranges of a file, and what a selection in a pragma grows to.

Folds are for the whole text: an editor that gets ranges from a server often stops folding by indentation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ompls.analysis.features.pragmas import pragma_at, pragmas
from ompls.analysis.features.regions import regions
from ompls.analysis.features.scopes import expanded_offset, item_at, statement_of
from ompls.analysis.model.tu import TU
from ompls.analysis.syntax.clause_expr import Token, tokenize

_SCAN = re.compile(
    rb"""(?P<comment>/\*.*?(?:\*/|\Z))|(?P<skip>//(?:\\\r?\n|[^\n])*|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)
    |(?P<open>\{)|(?P<close>\})|(?P<if>\#[ \t]*(?:if|ifdef|ifndef)\b)|(?P<else>\#[ \t]*(?:else|elif)\w*)
    |(?P<endif>\#[ \t]*endif\b)""",
    re.S | re.X,
)


@dataclass(frozen=True, slots=True)
class Fold:
    """Bytes [start, end): the lines after the first one vanish."""

    start: int
    end: int
    kind: Literal["", "comment", "region"] = ""


def folds(tu: TU) -> list[Fold]:
    """Braces, comments, conditional branches; target constructs with their pragma; pragmas of several lines."""
    source = tu.source
    found = _lexical(source)
    lines = pragmas(source)
    starts = {p.start for p in lines}
    for region in regions(tu):
        if region.whole.path == tu.path and region.whole.start in starts:
            found.append(Fold(region.whole.start, region.whole.end, "region"))
    found += [Fold(p.start, p.end) for p in lines]
    return [f for f in found if source.find(b"\n", f.start, f.end) >= 0 or source.find(b"\r", f.start, f.end) >= 0]


def _lexical(source: bytes) -> list[Fold]:
    found: list[Fold] = []
    braces: list[int] = []
    branches: list[int] = []
    for match in _SCAN.finditer(source):
        kind, at = match.lastgroup, match.start()
        if kind == "comment":
            found.append(Fold(at, match.end(), "comment"))
        elif kind == "open":
            braces.append(at)
        elif kind == "close" and braces:
            found.append(Fold(braces.pop(), at))
        elif kind == "if":
            branches.append(at)
        elif kind in ("else", "endif") and branches:
            line = source.rfind(b"\n", 0, at)
            found.append(Fold(branches.pop(), max(line, 0)))
            if kind == "else":
                branches.append(at)
    return found


def selections(tu: TU, offset: int) -> list[tuple[int, int]]:
    """What a selection at byte `offset` grows to, smallest first; empty outside of pragmas.

    Word, list item, arguments, clause, pragma, construct with its body.
    """
    source = tu.source
    pragma = pragma_at(source, offset)
    if pragma is None:
        return []
    ranges = _inside(tokenize(source[pragma.start : pragma.end], pragma.start), offset)
    ranges.append((pragma.start, max(pragma.end, min(offset, pragma.line_end))))
    item = item_at(tu, expanded_offset(tu, pragma.start))
    stmt = statement_of(tu, item, pragma.start)
    if item is not None and stmt is not None and stmt.body is not None:
        whole = tu.locate(item, stmt.span)
        if whole.path == tu.path:
            ranges.append((whole.start, whole.end))
    grown: list[tuple[int, int]] = []
    for start, end in ranges:
        inner = grown[-1] if grown else (offset, offset)
        if start <= inner[0] and inner[1] <= end and (start, end) != inner:
            grown.append((start, end))
    return grown


def _inside(tokens: list[Token], offset: int) -> list[tuple[int, int]]:
    """Word, then for each bracket around the cursor: the piece between commas, the contents, all with its name."""
    ranges = [(t.start, t.end) for t in tokens if t.start <= offset <= t.end and t.kind != "punct"][:1]
    stack: list[int] = []
    around: list[tuple[int, int]] = []
    for at, token in enumerate(tokens):
        if token.kind != "punct":
            continue
        if token.text in ("(", "[", "{"):
            stack.append(at)
        elif token.text in (")", "]", "}") and stack:
            opened = stack.pop()
            if tokens[opened].end <= offset <= token.start:
                around.append((opened, at))
    for opened, closed in around:  # inner ones close first
        ranges += _contents(tokens, opened, closed, offset)
    return ranges


def _contents(tokens: list[Token], opened: int, closed: int, offset: int) -> list[tuple[int, int]]:
    first, depth, colon = opened + 1, 0, 0
    found = []
    for at in range(opened + 1, closed + 1):
        text = tokens[at].text if tokens[at].kind == "punct" else ""
        if (depth == 0 and text in (",", ":")) or at == closed:
            if first < at and tokens[first].start <= offset <= tokens[at - 1].end:
                found.append((tokens[first].start, tokens[at - 1].end))
            first = at + 1
            colon = at if text == ":" else colon
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
    if colon and closed > colon + 1:
        found.append((tokens[colon + 1].start, tokens[closed - 1].end))
    if closed > opened + 1:
        found.append((tokens[opened + 1].start, tokens[closed - 1].end))
    named = opened > 0 and tokens[opened - 1].kind == "name"
    found.append((tokens[opened - 1 if named else opened].start, tokens[closed].end))
    return found
