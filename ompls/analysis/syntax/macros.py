"""Macro definitions, and how a replacement list is filled with arguments (C11 6.10.3.1 to 6.10.3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ompls.analysis.syntax.lexer import IDENT, OTHER, PUNCT, STRING, Token, pastes, tokenize

# Kinds that occur in a macro's body only; the number after the text says which parameter
_PARAM, _STRINGIFY, PASTE, _VA_OPT = 20, 21, 22, 23
_EMPTY: Token = (0, "", False, -1, -1)  # a placemarker


class Runaway(Exception):
    """An expansion that outgrows its bounds."""


class Definition:
    """A macro as the preprocessor uses it.  Made by `MacroTable.intern`: equal definitions are one object."""

    __slots__ = ("_body", "builtin", "name", "params", "text", "variadic")

    def __init__(self, name: str, params: tuple[str, ...] | None, text: str, builtin: bool = False) -> None:
        self.name = name
        self.params = params
        self.text = text
        self.builtin = builtin
        self.variadic = bool(params) and params is not None and params[-1].endswith("...")
        self._body: list[Token] | None = None

    @property
    def body(self) -> list[Token]:
        """The replacement list, parameters and operators marked."""
        if self._body is None:
            tokens = tokenize(self.text)
            self._body = _mark(tokens, self.names()) if tokens else tokens
        return self._body

    def names(self) -> dict[str, int] | None:
        if self.params is None:
            return None
        names = {name: i for i, name in enumerate(self.params)}
        if self.variadic:
            last = len(self.params) - 1
            names[self.params[-1][:-3] or "__VA_ARGS__"] = last
        return names


def _mark(tokens: list[Token], names: dict[str, int] | None) -> list[Token]:
    """Tokens of a body with parameters, `#`, `##` and `__VA_OPT__` recognised."""
    body: list[Token] = []
    at = 0
    while at < len(tokens):
        kind, text, space, _, _ = tokens[at]
        at += 1
        if kind == PUNCT and text in ("##", "%:%:") and body and at < len(tokens):
            body.append((PASTE, text, space, -1, -1))
        elif (
            names is not None and kind == PUNCT and text in ("#", "%:") and at < len(tokens) and tokens[at][1] in names
        ):
            body.append((_STRINGIFY, text, space, names[tokens[at][1]], -1))
            at += 1
        elif names is not None and kind == IDENT and text in names:
            body.append((_PARAM, text, space, names[text], -1))
        elif kind == IDENT and text == "__VA_OPT__" and names is not None and at < len(tokens) and tokens[at][1] == "(":
            close = _closing(tokens, at)
            inner = "".join((" " if t[2] else "") + t[1] for t in tokens[at + 1 : close])
            body.append((_VA_OPT, inner, space, -1, -1))
            at = close + 1
        else:
            body.append((kind, text, space, -1, -1))
    return body


def _closing(tokens: list[Token], opening: int) -> int:
    depth = 0
    for at in range(opening, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[at][1], 0)
        if not depth:
            return at
    return len(tokens)


class Substitution:
    """Fills the replacement list of one invocation.

    arguments -- the arguments' tokens; `omitted` says that the variable ones were left out altogether
    expanded  -- gives an argument completely expanded
    spend     -- is told how many tokens were made; raises Runaway
    problem   -- is told what is wrong
    """

    def __init__(
        self,
        definition: Definition,
        arguments: list[list[Token]],
        omitted: bool,
        *,
        expanded: Callable[[list[Token]], list[Token]],
        spend: Callable[[int], None],
        problem: Callable[[str], None],
    ) -> None:
        self.definition = definition
        self.arguments = arguments
        self.omitted = omitted
        self._expand = expanded
        self._spend = spend
        self._problem = problem
        self._known: dict[int, list[Token]] = {}

    def _expanded(self, index: int) -> list[Token]:
        if index not in self._known:
            self._known[index] = self._expand(self.arguments[index])
        return self._known[index]

    def fill(self, body: list[Token]) -> list[Token]:
        """`body` with arguments in place, `#` and `##` done."""
        out: list[Token] = []
        pasting = False
        for at, token in enumerate(body):
            kind, index = token[0], token[3]
            if kind == PASTE:
                pasting = True
                continue
            if kind == _PARAM and pasting and self._is_gnu_comma(out, index):
                # GNU C: `, ## __VA_ARGS__` drops the comma when the arguments were left out
                if self.omitted:
                    out.pop()
                out.extend(self.arguments[index])
                pasting = False
                continue
            raw = pasting or (at + 1 < len(body) and body[at + 1][0] == PASTE)
            items = self._items(token, raw)
            self._spend(len(items))
            if pasting:
                left = out.pop() if out else _EMPTY
                items = [*self._paste(left, items[0]), *items[1:]]
                pasting = False
            out.extend(items)
        return [t for t in out if t[0]]

    def _items(self, token: Token, raw: bool) -> list[Token]:
        """What stands for one token of the body; a placemarker instead of nothing."""
        kind, text, space, index, _ = token
        if kind == _STRINGIFY:
            return [(STRING, _stringify(self.arguments[index]), space, -1, -1)]
        if kind == _PARAM:
            return spaced(self.arguments[index] if raw else self._expanded(index), space) or [_EMPTY]
        if kind == _VA_OPT:
            if not self.arguments or not self._expanded(len(self.arguments) - 1):
                return [_EMPTY]
            return spaced(self.fill(_mark(tokenize(text), self.definition.names())), space) or [_EMPTY]
        return [token]

    def _is_gnu_comma(self, out: list[Token], index: int) -> bool:
        last = index == len(self.arguments) - 1
        return bool(out) and out[-1][1] == "," and self.definition.variadic and last

    def _paste(self, left: Token, right: Token) -> list[Token]:
        if not left[0]:
            return [right]
        if not right[0]:
            return [left]
        made = tokenize(left[1] + right[1])
        if len(made) != 1 or made[0][0] == OTHER:
            self._problem(f"pasting '{left[1]}' and '{right[1]}' does not give a token")
            return [left, right]
        return [(made[0][0], made[0][1], left[2], -1, -1)]


def spaced(tokens: list[Token], space: bool) -> list[Token]:
    if tokens and tokens[0][2] != space:
        first = tokens[0]
        return [(first[0], first[1], space, first[3], first[4]), *tokens[1:]]
    return tokens


def _stringify(tokens: list[Token]) -> str:
    """C11 6.10.3.2: the spelling of an argument as a string literal."""
    text = ""
    for at, token in enumerate(tokens):
        spelling = token[1]
        if token[0] == STRING or spelling[-1:] == "'":
            spelling = spelling.replace("\\", "\\\\").replace('"', '\\"')
        text += (" " if token[2] and at else "") + spelling
    return f'"{text}"'


def spell(tokens: Iterable[Token]) -> str:
    """Tokens as text, with a space wherever they had one or would read as one token without."""
    text = ""
    parts: list[str] = []
    for token in tokens:
        if token[2] or pastes(text, token[1]):
            parts.append(" ")
        text = token[1]
        parts.append(text)
    return "".join(parts)


def destringize(literal: str) -> str:
    """The text that a string literal given to `_Pragma` stands for (C11 6.10.9)."""
    body = literal[literal.index('"') + 1 : -1]
    return body.replace('\\"', '"').replace("\\\\", "\\")
