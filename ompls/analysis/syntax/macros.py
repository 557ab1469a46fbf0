"""Macro definitions and their expansion (C11 6.10.3), as gcc does it.

The expansion is a stack of token lists being read.  A macro is *disabled* while its own list is on the stack; its name
met meanwhile is painted and never expands again.  A list that is read to its end leaves the stack before the next
token is looked at, also while looking for the parenthesis of a function-like macro: these are the points that C leaves
open and where this agrees with gcc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ompls.analysis.syntax.lexer import IDENT, NUMBER, OTHER, PAINTED, PRAGMA, PUNCT, STRING, Token, pastes, tokenize

# Kinds that occur in a macro's body only; the number after the text says which parameter
_PARAM, _STRINGIFY, _PASTE, _VA_OPT = 20, 21, 22, 23
_EMPTY: Token = (0, "", False, -1, -1)  # a placemarker

MAX_TOKENS = 200_000  # of one logical line, after expansion
MAX_DEPTH = 100  # of macro arguments in macro arguments


class Runaway(Exception):
    """An expansion that outgrows MAX_TOKENS or MAX_DEPTH."""


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
            self._body = _mark(tokens, self._names()) if tokens else tokens
        return self._body

    def _names(self) -> dict[str, int] | None:
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
            body.append((_PASTE, text, space, -1, -1))
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


@dataclass(slots=True)
class Invocation:
    """A macro invocation that stands in the source: its byte range and what came out of it."""

    start: int
    end: int
    output: list[tuple[Token, tuple[str, ...]]] = field(default_factory=list)  # each with the macros it came through


class _Context:
    """A token list being read."""

    __slots__ = ("at", "name", "stack", "tokens")

    def __init__(self, tokens: list[Token], name: str, stack: tuple[str, ...]) -> None:
        self.tokens = tokens
        self.at = 0
        self.name = name
        self.stack = stack


class Expander:
    """Expands the tokens of one logical line.

    macros   -- the definitions in force
    builtin  -- the value of `__LINE__`, `__FILE__`, … used at an offset of the line
    more     -- the tokens of the n-th logical line after this one (from 0), for an invocation that goes on there; None
                when it is a directive or the file ends
    specials -- names that are operators where this is used (`_Pragma`; `defined` in a condition): called with the
                token and `self` to read on; returns the tokens it stands for
    """

    def __init__(
        self,
        macros: dict[str, Definition],
        builtin: Callable[[str, int], str],
        more: Callable[[int], list[Token] | None] | None = None,
        specials: Mapping[str, Callable[[Token, Expander], list[Token]]] | None = None,
    ) -> None:
        self.macros = macros
        self.builtin = builtin
        self.more = more
        self.specials = specials or {}
        self.looked_up: dict[str, Definition | None] = {}
        self.notes: list[tuple[int, int, str]] = []
        self.disabled: set[str] = set()
        self.budget = [MAX_TOKENS]
        self.depth = 0
        self.pulled = 0  # logical lines that `more` gave and that belong to an invocation
        self.open_invocation = False
        self._base: list[Token] = []
        self._at = 0
        self._contexts: list[_Context] = []
        self._origin = 0  # offset of the invocation in the source that is being expanded

    # -- reading ---------------------------------------------------------------------------------------------------

    def next_token(self) -> Token | None:
        """The next token, unexpanded; lists that were read to their end leave the stack first."""
        contexts = self._contexts
        while contexts:
            context = contexts[-1]
            if context.at < len(context.tokens):
                context.at += 1
                return context.tokens[context.at - 1]
            contexts.pop()
            self.disabled.discard(context.name)
        if self._at < len(self._base):
            self._at += 1
            return self._base[self._at - 1]
        return None

    def push_back(self) -> None:
        """Take back the last `next_token` (which gave a token)."""
        if self._contexts:
            self._contexts[-1].at -= 1
        else:
            self._at -= 1

    def _next_anywhere(self) -> Token | None:
        """`next_token`, going on in the next logical lines."""
        token = self.next_token()
        while token is None and self.more is not None:
            line = self.more(self.pulled)
            if line is None:
                return None
            self.pulled += 1
            if line:
                kind, text, _, start, end = line[0]
                self._base.append((kind, text, True, start, end))
                self._base.extend(line[1:])
                token = self.next_token()
        return token

    def next_is(self, text: str) -> bool:
        """Read on if the next token is `text`, else leave it."""
        size, pulled = len(self._base), self.pulled
        token = self._next_anywhere()
        if token is not None and token[1] == text and token[0] == PUNCT:
            return True
        if token is not None:
            self.push_back()
        if self.pulled != pulled:
            del self._base[size:]
            self.pulled = pulled
        return False

    def stack(self) -> tuple[str, ...]:
        """The macros being expanded where the reader stands, outermost first."""
        return self._contexts[-1].stack if self._contexts else ()

    def _spend(self, count: int) -> None:
        self.budget[0] -= count
        if self.budget[0] < 0:
            raise Runaway(f"macro expansion gives more than {MAX_TOKENS} tokens")

    # -- expanding -------------------------------------------------------------------------------------------------

    def line(self, tokens: list[Token]) -> list[Invocation]:
        """Expand a line; what is not in an `Invocation` stays as it is.  Raises Runaway."""
        self._base, self._at = list(tokens), 0
        found: list[Invocation] = []
        current: Invocation | None = None
        while True:
            token = self.next_token()
            at_base = not self._contexts
            if at_base and current is not None:
                current.end = self._base[self._at - 1 - (token is not None)][4]
                current = None
            if token is None:
                return found
            if at_base:
                if token[0] != IDENT or (token[1] not in self.macros and token[1] not in self.specials):
                    if token[0] == IDENT:
                        self.looked_up[token[1]] = None
                    continue
                self._origin = token[3]
            stack = self.stack()
            result = self._step(token)
            if result is None:
                current = self._opened(current, found, token, at_base)
            elif result != [token] or not at_base:
                current = self._opened(current, found, token, at_base)
                current.output.extend((t, stack) for t in result)

    def _opened(self, current: Invocation | None, found: list[Invocation], token: Token, at_base: bool) -> Invocation:
        if current is None or at_base:
            current = Invocation(token[3], token[4])
            found.append(current)
        return current

    def flat(self, tokens: list[Token]) -> list[Token]:
        """`tokens` completely expanded."""
        self._base, self._at = tokens, 0
        output: list[Token] = []
        while True:
            token = self.next_token()
            if token is None:
                return output
            result = self._step(token)
            if result is not None:
                output.extend(result)

    def _step(self, token: Token) -> list[Token] | None:
        """What to output for `token`, or None when it was a macro whose replacement is to be read now."""
        self._spend(1)
        if token[0] != IDENT:
            return [token]
        name = token[1]
        definition = self.macros.get(name)
        self.looked_up[name] = definition
        if name in self.specials:
            return self.specials[name](token, self)
        if definition is None:
            return [token]
        if name in self.disabled:
            return [(PAINTED, name, token[2], token[3], token[4])]
        if definition.builtin:
            value = self.builtin(name, token[3] if token[3] >= 0 else self._origin)
            return [(t[0], t[1], token[2], token[3], token[4]) for t in tokenize(value)] or [token]
        return None if self._enter(definition, token) else [token]

    def _enter(self, definition: Definition, token: Token) -> bool:
        """Put the replacement of an invocation on the stack; False when it is no invocation after all."""
        stack = (*self.stack(), definition.name)
        if definition.params is None:
            replacement = definition.body
            if any(t[0] == _PASTE for t in replacement):
                replacement = self._substitute(definition, replacement, [], False)
        else:
            if not self.next_is("("):
                return False
            arguments, omitted = self._arguments(definition, token)
            if arguments is None:
                return False
            replacement = self._substitute(definition, definition.body, arguments, omitted)
        self._spend(len(replacement))
        if replacement and replacement[0][2] != token[2]:
            first = replacement[0]
            replacement = [(first[0], first[1], token[2], first[3], first[4]), *replacement[1:]]
        self._contexts.append(_Context(replacement, definition.name, stack))
        self.disabled.add(definition.name)
        return True

    # -- arguments -------------------------------------------------------------------------------------------------

    def _arguments(self, definition: Definition, name: Token) -> tuple[list[list[Token]] | None, bool]:
        """The arguments after the opening parenthesis, and whether the variable ones were left out altogether.

        None when they never end or their number is wrong; everything read is given back then.
        """
        assert definition.params is not None
        start = self._snapshot()
        wanted = len(definition.params)
        arguments: list[list[Token]] = [[]]
        depth = 0
        while True:
            token = self._next_anywhere()
            if token is None:
                self.open_invocation = True
                self._note(name, f"the arguments of macro '{definition.name}' have no closing parenthesis")
                self._restore(start)
                return None, False
            self._spend(1)
            kind, text = token[0], token[1]
            if kind == PUNCT:
                if text == "(":
                    depth += 1
                elif text == ")":
                    if not depth:
                        break
                    depth -= 1
                elif text == "," and not depth and not (definition.variadic and len(arguments) == wanted):
                    arguments.append([])
                    continue
            elif kind == IDENT and text in self.disabled:
                token = (PAINTED, *token[1:])
            arguments[-1].append(token)
        omitted = definition.variadic and len(arguments) < wanted
        if wanted == 1 and definition.variadic and arguments == [[]]:
            omitted = True
        if not wanted and arguments == [[]]:
            arguments = []
        if omitted and len(arguments) == wanted - 1:
            arguments.append([])
        if len(arguments) != wanted:
            self._note(name, f"macro '{definition.name}' takes {wanted} arguments, not {len(arguments)}")
            self._restore(start)
            return None, False
        return arguments, omitted

    def _snapshot(self) -> tuple[list[tuple[_Context, int]], int, set[str]]:
        return [(c, c.at) for c in self._contexts], self._at, set(self.disabled)

    def _restore(self, state: tuple[list[tuple[_Context, int]], int, set[str]]) -> None:
        """Go back to just before the opening parenthesis."""
        contexts, self._at, disabled = state
        self._contexts = [c for c, _ in contexts]
        for context, at in contexts:
            context.at = at
        self.disabled.clear()
        self.disabled.update(disabled)
        self.push_back()

    def _note(self, token: Token, message: str) -> None:
        if token[3] >= 0:
            self.notes.append((token[3], token[4], message))
        else:
            self.notes.append((self._origin, self._origin + 1, message))

    def _expanded(self, argument: list[Token]) -> list[Token]:
        if not any(t[0] == IDENT and (t[1] in self.macros or t[1] in self.specials) for t in argument):
            self.looked_up.update((t[1], None) for t in argument if t[0] == IDENT)
            return argument
        inner = Expander(self.macros, self.builtin, None, self.specials)
        inner.looked_up, inner.notes, inner.budget = self.looked_up, self.notes, self.budget
        inner.disabled, inner.depth, inner._origin = self.disabled, self.depth + 1, self._origin
        if inner.depth > MAX_DEPTH:
            raise Runaway(f"macro arguments are nested more than {MAX_DEPTH} deep")
        return inner.flat(argument)

    # -- substitution ----------------------------------------------------------------------------------------------

    def _substitute(
        self, definition: Definition, body: list[Token], arguments: list[list[Token]], omitted: bool
    ) -> list[Token]:
        """The replacement list with arguments in place, `#` and `##` done."""
        out: list[Token] = []
        expanded: dict[int, list[Token]] = {}
        pasting = False
        for at, token in enumerate(body):
            kind, _, space, index, _ = token
            if kind == _PASTE:
                pasting = True
                continue
            pasted_next = at + 1 < len(body) and body[at + 1][0] == _PASTE
            if kind == _STRINGIFY:
                items = [(STRING, _stringify(arguments[index]), space, -1, -1)]
            elif kind == _PARAM:
                if pasting or pasted_next:
                    items = arguments[index]
                else:
                    if index not in expanded:
                        expanded[index] = self._expanded(arguments[index])
                    items = expanded[index]
                items = _spaced(items, space) or [_EMPTY]
                if pasting and out and out[-1][1] == "," and definition.variadic and index == len(arguments) - 1:
                    # GNU C: `, ## __VA_ARGS__` drops the comma when the arguments were left out
                    if omitted:
                        out.pop()
                    out.extend(arguments[index])
                    pasting = False
                    continue
            elif kind == _VA_OPT:
                items = self._va_opt(definition, token, arguments, omitted)
            else:
                items = [token]
            if pasting:
                left = out.pop() if out else _EMPTY
                out.extend(self._paste(left, items[0]))
                out.extend(items[1:])
                pasting = False
            else:
                out.extend(items)
            self._spend(len(items))
        return [t for t in out if t[0]]

    def _va_opt(self, definition: Definition, token: Token, arguments: list[list[Token]], omitted: bool) -> list[Token]:
        if not arguments or not self._expanded(arguments[-1]):
            return [_EMPTY]
        inner = _mark(tokenize(token[1]), definition._names())
        return _spaced(self._substitute(definition, inner, arguments, omitted), token[2]) or [_EMPTY]

    def _paste(self, left: Token, right: Token) -> list[Token]:
        if not left[0]:
            return [right]
        if not right[0]:
            return [left]
        made = tokenize(left[1] + right[1])
        if len(made) != 1 or made[0][0] == OTHER:
            message = f"pasting '{left[1]}' and '{right[1]}' does not give a token"
            self.notes.append((self._origin, self._origin + 1, message))
            return [left, right]
        return [(made[0][0], made[0][1], left[2], -1, -1)]


def _spaced(tokens: list[Token], space: bool) -> list[Token]:
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


def pragma_operator(token: Token, reader: Expander) -> list[Token]:
    """`_Pragma ( string )`: one PRAGMA token; anything else stays as it is."""
    if not reader.next_is("("):
        return [token]
    read = [token, (PUNCT, "(", False, -1, -1)]
    literal = reader.next_token()
    if literal is not None and literal[0] == STRING and reader.next_is(")"):
        content = tokenize(destringize(literal[1]))
        if content and content[0][1] == "omp":
            content[1:] = reader._expanded(content[1:])
        line = spell(
            [(IDENT, "#pragma", False, -1, -1), *[(t[0], t[1], t[2] or not i, -1, -1) for i, t in enumerate(content)]]
        )
        return [(PRAGMA, line, True, -1, -1)]
    if literal is not None:
        read.append(literal)
    return read


__all__ = [
    "IDENT", "NUMBER", "OTHER", "PRAGMA", "Definition", "Expander", "Invocation", "Runaway", "destringize",
    "pragma_operator", "spell",
]  # fmt: skip
