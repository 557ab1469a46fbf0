"""What a directive line says, as far as it does not depend on macros."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ompls.analysis.patterns import later
from ompls.analysis.syntax.expand import Expander
from ompls.analysis.syntax.lexer import IDENT, PUNCT, STRING, Token, splice, tokenize
from ompls.analysis.syntax.macros import Definition, Runaway


@dataclass(frozen=True, slots=True)
class Parsed:
    """A directive.  `tokens` are those after the name; `start` is the offset of `#` in the logical line `raw`."""

    name: str
    tokens: list[Token]
    start: int
    raw: str

    @property
    def rest(self) -> str:
        """Everything after the name, as written."""
        return self.raw[self.tokens[0][3] :].strip() if self.tokens else ""

    @property
    def for_preprocessor(self) -> bool:
        """Whether this is a pragma that the preprocessor itself obeys (and gcc -E does not print)."""
        return self.name == "pragma" and bool(self.tokens) and self.tokens[0][1] in ("once", "push_macro", "pop_macro")

    @property
    def expands(self) -> bool:
        """Whether gcc -fopenmp expands macros in this pragma."""
        return self.name == "pragma" and len(self.tokens) > 1 and self.tokens[0][1] == "omp"


def parse_line(raw: str) -> Parsed | None:
    """The directive on the logical line `raw`; None when it is none."""
    tokens = tokenize(raw)
    if not tokens or tokens[0][0] != PUNCT or tokens[0][1] not in ("#", "%:"):
        return None
    name = tokens[1][1] if len(tokens) > 1 else ""
    return Parsed(name, tokens[2:], tokens[0][3], raw)


_SKIPPED = later(r"(?:\s|/\*.*?\*/)*(?:#|%:)(?:[ \t\f\v]|/\*.*?\*/)*([a-z]+)", re.S)
_CONDITIONALS = {"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"}


def skipped_directive(raw: str) -> str:
    """The conditional directive on a line of an inactive branch, or ''."""
    match = _SKIPPED.match(splice(raw)[0])
    return match.group(1) if match and match.group(1) in _CONDITIONALS else ""


def macro_of(parsed: Parsed) -> tuple[Definition | None, Token | None, str]:
    """The macro that a `#define` defines and the token of its name; else what is wrong."""
    tokens = parsed.tokens
    if not tokens or tokens[0][0] != IDENT or tokens[0][1] == "defined":
        return None, None, "#define needs a macro name"
    name = tokens[0]
    if len(tokens) < 2 or tokens[1][1] != "(" or tokens[1][2]:
        return Definition(name[1], None, body_text(tokens[1:])), name, ""
    params: list[str] = []
    at = 2
    while at < len(tokens) and tokens[at][1] != ")":
        kind, text = tokens[at][:2]
        at += 1
        if text == ",":
            continue
        if text == "..." and params and at > 1 and tokens[at - 2][0] == IDENT:
            params[-1] += "..."
        elif kind == IDENT or text == "...":
            params.append(text)
        else:
            return None, None, f"'{text}' is not expected among the parameters of macro '{name[1]}'"
    if at == len(tokens):
        return None, None, f"the parameters of macro '{name[1]}' have no closing parenthesis"
    return Definition(name[1], tuple(params), body_text(tokens[at + 1 :])), name, ""


def body_text(tokens: list[Token]) -> str:
    """A replacement list with its white space normalised: equal bodies have equal texts (C11 6.10.3p2)."""
    return "".join([(" " if t[2] and i else "") + t[1] for i, t in enumerate(tokens)])


_OPERAND = later(r'<[^>\n]*>|"[^"\n]*"')


def include_operand(
    parsed: Parsed, macros: dict[str, Definition], builtin: Callable[[str, int], str]
) -> tuple[str, int]:
    """'<file>' or '"file"', macros expanded, '' when it is neither; and what the expansion cost."""
    tokens = parsed.tokens
    if not tokens:
        return "", 0
    if tokens[0][1] == "<" or tokens[0][0] == STRING or tokens[0][1].startswith('"'):
        match = _OPERAND.match(parsed.raw, tokens[0][3])
        return (match.group() if match else ""), 0
    expander = Expander(macros, builtin)
    try:
        expanded = expander.flat(tokens)
    except Runaway:
        return "", expander.cost
    match = _OPERAND.match("".join((" " if t[2] and i else "") + t[1] for i, t in enumerate(expanded)))
    return (match.group() if match else ""), expander.cost


# There is one way to read a comment: a pattern with several takes exponential time on a line of slashes.
_BLANK = r"(?:\s|//[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*"
_GUARD = later(_BLANK + r"#[ \t]*(?:ifndef[ \t]+|if[ \t]+!defined[ \t]*\(?[ \t]*)(\w+)")
_LINE = later(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b", re.M)
_ONLY_COMMENTS = later(_BLANK + r"\Z")


def guard_of(text: str) -> str:
    """The macro that guards a whole header against a second inclusion, or ''."""
    match = _GUARD.match(text)
    if not match:
        return ""
    depth = 0
    for line in _LINE.finditer(text):
        word = line.group(1)
        if word.startswith("if"):
            if not depth and line.start() > match.end():
                return ""
            depth += 1
        elif word == "endif":
            depth -= 1
            if not depth:
                end = text.find("\n", line.end())
                return match.group(1) if end < 0 or _ONLY_COMMENTS.match(text, end) else ""
        elif depth == 1:
            return ""
    return ""
