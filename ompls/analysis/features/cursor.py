"""What a cursor in a pragma stands in: the directive's name, between clauses, in which part of which clause.

The text may be unfinished; only what stands before the cursor decides, what stands after it is told apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ompls.analysis.features.operators import directive_around
from ompls.analysis.features.pragmas import Pragma, in_comment
from ompls.analysis.model.omp import Directive
from ompls.analysis.syntax.clause_expr import Token, tokenize
from ompls.analysis.syntax.pragma import directive_of

_WORD = re.compile(rb"[\w$\x80-\xff]*")
_OPEN = {")": "(", "]": "[", "}": "{"}


@dataclass(slots=True)
class Cursor:
    """Offsets are bytes of the source.

    word        -- [start, end) of the word that the cursor touches (empty where it touches none)
    before      -- the directive as far as it stands before the word
    whole       -- all of the directive
    words       -- the names after `omp` and before the word, up to the first one that has parentheses
    only_words  -- nothing else stands there
    owner       -- the name whose parentheses the cursor is in; "" when it is in none
    owner_start -- where that name stands
    inner       -- the tokens of these parentheses before the word
    nested      -- the brackets that are open inside of these parentheses, with the token before each
    following   -- the next significant character after the word ("" at the end)
    """

    pragma: Pragma
    word: tuple[int, int]
    before: Directive
    whole: Directive
    words: list[str] = field(default_factory=list)
    only_words: bool = True
    owner: str = ""
    owner_start: int = 0
    inner: list[Token] = field(default_factory=list)
    nested: list[tuple[str, str]] = field(default_factory=list)
    following: str = ""

    @property
    def in_arguments(self) -> bool:
        """Whether the cursor is in the directive's own parentheses: `flush(|)`, `declare target(|)`."""
        return bool(self.owner) and self.owner_start < self.before.name_span.end

    def colons(self) -> int:
        """How many colons stand before the cursor at the top level of the parentheses (those of `?:` do not count)."""
        return len(self._top(":"))

    def commas(self) -> int:
        """How many commas stand between the last such colon, or the parenthesis, and the cursor."""
        colons, commas = self._top(":"), self._top(",")
        return sum(1 for at in commas if not colons or at > colons[-1])

    def given(self) -> list[str]:
        """The names before the colon, in order, or all when there is none yet."""
        colons = self._top(":")
        tokens = self.inner[: colons[0]] if colons else self.inner
        return [t.text for t in tokens if t.kind == "name"]

    def _top(self, wanted: str) -> list[int]:
        depth = pending = 0
        found = []
        for at, token in enumerate(self.inner):
            if token.kind != "punct":
                continue
            if token.text in "([{":
                depth += 1
            elif token.text in ")]}":
                depth -= 1
            elif depth == 0 and token.text == "?":
                pending += 1
            elif depth == 0 and token.text == wanted:
                if wanted == ":" and pending:
                    pending -= 1
                else:
                    found.append(at)
        return found


def cursor_at(source: bytes, offset: int) -> Cursor | None:
    """What stands around byte `offset`; None outside pragmas, in their comments and strings, before `omp` ends,
    and in a pragma that is too long.

    `_Pragma("omp …")`, `[[omp::directive(…)]]` and what a metadirective may stand for are pragmas, too.
    """
    found = directive_around(source, offset)
    if found is None:
        return None
    source, pragma = found
    if in_comment(source[pragma.start : offset]):
        return None
    whole = tokenize(source[pragma.start : pragma.line_end], pragma.start)
    tokens = [t for t in whole if t.start < offset]
    start = offset
    if tokens and tokens[-1].end >= offset and tokens[-1].kind in ("name", "number"):
        start = tokens.pop().start
    if len(tokens) < 3:  # `#`, `pragma`, `omp`
        return None
    match = _WORD.match(source, offset)
    end = match.end() if match is not None else offset
    before, directive = directive_of(tokens, pragma.start), directive_of(whole, pragma.start)
    following = next((t.text[:1] for t in whole if t.start >= end), "")
    cursor = Cursor(pragma, (start, end), before, directive, following=following)
    for at, token in enumerate(tokens[3:], 3):
        if token.kind != "name" or (at + 1 < len(tokens) and tokens[at + 1].text == "("):
            break
        cursor.words.append(token.text)
    cursor.only_words = len(cursor.words) == len(tokens) - 3
    _find_owner(cursor, tokens)
    return cursor


def _find_owner(cursor: Cursor, tokens: list[Token]) -> None:
    stack: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind == "punct" and token.text in ("(", "[", "{"):
            stack.append(at)
        elif token.kind == "punct" and stack and tokens[stack[-1]].text == _OPEN.get(token.text):
            stack.pop()
    if not stack:
        return
    opened = stack[0]
    owner = tokens[opened - 1]
    cursor.owner = owner.text if owner.kind == "name" and opened > 3 else "("
    cursor.owner_start = owner.start
    cursor.inner = tokens[opened + 1 :]
    cursor.nested = [(tokens[at].text, tokens[at - 1].text) for at in stack[1:]]
