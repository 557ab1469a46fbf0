"""Macro expansion (C11 6.10.3), as gcc does it.

The expansion is a stack of token lists being read.  A macro is *disabled* while its own list is on the stack; its name
met meanwhile is painted and never expands again.  A list that is read to its end leaves the stack before the next
token is looked at, also while looking for the parenthesis of a function-like macro: these are the points that C leaves
open and where this agrees with gcc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ompls.analysis.syntax.lexer import IDENT, PAINTED, PRAGMA, PUNCT, STRING, Token, tokenize
from ompls.analysis.syntax.macros import PASTE, Definition, Runaway, Substitution, destringize, spaced, spell

MAX_TOKENS = 200_000  # of one logical line, after expansion
CHEAP = 2_000  # tokens that nobody counts
T = TypeVar("T")
MAX_DEPTH = 100  # of macro arguments in macro arguments


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

    def after_brackets(self) -> bool:
        """Whether the last token that was read stands in the source, after `[[`."""
        before = self._base[max(0, self._at - 3) : max(0, self._at - 1)]
        return not self._contexts and [t[1] for t in before] == ["[", "["]

    def balanced(self) -> list[Token] | None:
        """The tokens up to the parenthesis that closes the one just read; None when there is none."""
        out: list[Token] = []
        depth = 1
        while (token := self._next_anywhere()) is not None:
            depth += {"(": 1, ")": -1}.get(token[1], 0) if token[0] == PUNCT else 0
            if not depth:
                return out
            out.append(token)
        return None

    def tried(self, read: Callable[[Expander], T | None]) -> T | None:
        """What `read` gives, which starts outside of macros; what it has read is given back when that is None."""
        at, size, pulled = self._at, len(self._base), self.pulled
        found = read(self)
        if found is None:
            self._at, self.pulled = at, pulled
            del self._base[size:]
        return found

    def stack(self) -> tuple[str, ...]:
        """The macros being expanded where the reader stands, outermost first."""
        return self._contexts[-1].stack if self._contexts else ()

    @property
    def cost(self) -> int:
        """The tokens that were made or read so far; 0 when they are few."""
        spent = MAX_TOKENS - self.budget[0]
        return spent if spent > CHEAP else 0

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
            if any(t[0] == PASTE for t in replacement):
                replacement = self._filled(definition, [], False)
        else:
            if not self.next_is("("):
                return False
            arguments, omitted = self._arguments(definition, token)
            if arguments is None:
                return False
            replacement = self._filled(definition, arguments, omitted)
        self._spend(len(replacement))
        replacement = spaced(replacement, token[2])
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

    def expanded(self, argument: list[Token]) -> list[Token]:
        if not any(t[0] == IDENT and (t[1] in self.macros or t[1] in self.specials) for t in argument):
            self.looked_up.update((t[1], None) for t in argument if t[0] == IDENT)
            return argument
        inner = Expander(self.macros, self.builtin, None, self.specials)
        inner.looked_up, inner.notes, inner.budget = self.looked_up, self.notes, self.budget
        inner.disabled, inner.depth, inner._origin = self.disabled, self.depth + 1, self._origin
        if inner.depth > MAX_DEPTH:
            raise Runaway(f"macro arguments are nested more than {MAX_DEPTH} deep")
        return inner.flat(argument)

    def _filled(self, definition: Definition, arguments: list[list[Token]], omitted: bool) -> list[Token]:
        def problem(message: str) -> None:
            self.notes.append((self._origin, self._origin + 1, message))

        substitution = Substitution(
            definition, arguments, omitted, expanded=self.expanded, spend=self._spend, problem=problem
        )
        return substitution.fill(definition.body)


def pragma_operator(token: Token, reader: Expander) -> list[Token]:
    """`_Pragma ( string )`: one PRAGMA token; anything else stays as it is.  A macro may make the string."""
    if not reader.next_is("("):
        return [token]
    read = [token, (PUNCT, "(", False, -1, -1)]
    literal = reader.next_token()
    if literal is not None and literal[0] == IDENT:
        reader.looked_up[literal[1]] = reader.macros.get(literal[1])
    if literal is not None and literal[0] == IDENT and literal[1] in reader.macros:
        inside = _up_to_closing(literal, reader)
        made = reader.expanded(inside)
        if len(made) != 1:
            return [*read, *inside, (PUNCT, ")", False, -1, -1)]
        literal, closed = made[0], True
    else:
        closed = literal is not None and literal[0] == STRING and reader.next_is(")")
    if literal is not None and literal[0] == STRING and closed:
        content = tokenize(destringize(literal[1]))
        if content and content[0][1] == "omp":
            content[1:] = reader.expanded(content[1:])
        line = spell(
            [(IDENT, "#pragma", False, -1, -1), *[(t[0], t[1], t[2] or not i, -1, -1) for i, t in enumerate(content)]]
        )
        return [(PRAGMA, line, True, -1, -1)]
    if literal is not None:
        read.append(literal)
    return read


def _up_to_closing(first: Token, reader: Expander) -> list[Token]:
    """`first` and what follows, without the parenthesis that closes the one before."""
    found, depth = [first], 1
    while (token := reader.next_token()) is not None:
        depth += {"(": 1, ")": -1}.get(token[1], 0) if token[0] == PUNCT else 0
        if not depth:
            break
        found.append(token)
    return found


def attribute_operator(token: Token, reader: Expander) -> list[Token]:
    """`[[omp::directive(…)]]` and `[[omp::sequence(…)]]` (6.0 §5.1): a PRAGMA token each; `[[omp::decl(…)]]`: nothing.

    The brackets after it are read here; `compose` takes the ones before it away.
    """
    if not reader.after_brackets():
        return [token]
    found = reader.tried(_attribute)
    if found is None:
        return [token]
    return [
        (
            PRAGMA,
            "#pragma omp " + spell([(t[0], t[1], t[2] and bool(i), -1, -1) for i, t in enumerate(d)]),
            True,
            -1,
            -1,
        )
        for d in found
    ]


def _attribute(reader: Expander) -> list[list[Token]] | None:
    """What the directives of one attribute say, up to `]]`; None when it is none."""
    if not (reader.next_is(":") and reader.next_is(":")):
        return None
    name = reader.next_token()
    content = reader.balanced() if name is not None and reader.next_is("(") else None
    if name is None or content is None or not (reader.next_is("]") and reader.next_is("]")):
        return None
    if name[1] == "directive":
        return [reader.expanded(content)]
    return [reader.expanded(d) for d in _directives(content)] if name[1] in ("sequence", "decl") else None


def _directives(content: list[Token]) -> list[list[Token]]:
    """The arguments of `directive(…)` in those of `sequence(…)`."""
    found: list[list[Token]] = []
    depth, start = 0, -1
    for at, token in enumerate(content):
        depth += {"(": 1, ")": -1}.get(token[1], 0)
        if token[1] == "(" and depth == 1 and at and content[at - 1][1] == "directive":
            start = at + 1
        elif not depth and start >= 0:
            found.append(content[start:at])
            start = -1
    return found
