"""Tokens and C expressions of a pragma: a Pratt parser that makes untyped `ast` nodes.

Array sections, shape operators and everything C allows in an expression.  A name is a type only if the caller's
predicate says so; types are not parsed further (`Cast.type_span` says where they stand; `model/sema` completes them).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import NamedTuple

from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast, literals
from ompls.analysis.model.ast import Expr, Span
from ompls.analysis.model.ctype import UNKNOWN
from ompls.analysis.model.datamodel import LP64
from ompls.analysis.patterns import later
from ompls.analysis.syntax.limits import MAX_CHAIN, MAX_DEPTH, TOO_DEEP, TOO_LONG

IsType = Callable[[str], bool]

_TOKEN = later(
    r"""(?P<blank>[ \t\r\n\f\v]+|/\*.*?(?:\*/|\Z)|//[^\n]*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"?)
      | (?P<char>[uUL]?'(?:\\.|[^'\\\n])*'?)
      | (?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
      | (?P<punct><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|<:|:>|<%|%>|%:|.)""",
    re.VERBOSE | re.DOTALL,
)
_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#"}
_SPLICE = later(rb"\\[ \t]*\r?\n")

_TYPE_WORDS = frozenset(
    """void char short int long float double signed unsigned _Bool _Complex struct union enum const volatile restrict
    _Atomic __const __volatile__ __restrict __signed__ __int128 _Float16 _Float32 _Float64 _Float128 bool typeof
    __typeof__ __typeof""".split()  # noqa: SIM905 - a list literal would be 25 lines
)
RANKS = {
    ",": 1, "||": 4, "&&": 5, "|": 6, "^": 7, "&": 8, "==": 9, "!=": 9, "<": 10, ">": 10, "<=": 10, ">=": 10,
    "<<": 11, ">>": 11, "+": 12, "-": 12, "*": 13, "/": 13, "%": 13,
}  # fmt: skip
_POSTFIX = frozenset(("[", "(", ".", "->", "++", "--"))
_ASSIGN = frozenset(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])


class Token(NamedTuple):
    kind: str  # name, number, string, char, punct
    text: str
    start: int
    end: int


class ParseError(Exception):
    """Why an expression could not be parsed; never leaves `syntax/`."""


def tokenize(text: bytes, shift: int = 0) -> list[Token]:
    """The tokens of a pragma's text; comments, blanks and continued lines vanish.  Offsets count from `shift`."""
    places: list[int] | None = None  # where the bytes of the spliced text stood
    if b"\\" in text:
        kept, places, at = bytearray(), [], 0
        for m in _SPLICE.finditer(text):
            kept += text[at : m.start()]
            places.extend(range(at, m.start()))
            at = m.end()
        kept += text[at:]
        places.extend(range(at, len(text) + 1))
        text = bytes(kept)
    tokens = []
    for match in _TOKEN.finditer(text.decode("latin-1")):
        kind = match.lastgroup or "punct"
        if kind == "blank":
            continue
        start, end = match.span()
        word = match.group()
        if not word.isascii():
            word = decoded(word.encode("latin-1"))
        if places is not None:
            start, end = places[start], places[end - 1] + 1
        tokens.append(Token(kind, _DIGRAPHS.get(word) or sys.intern(word), start + shift, end + shift))
    return tokens


class ExprParser:
    """Parses expressions from `tokens[pos:end]`; raises ParseError, which callers turn into `Clause.broken`."""

    def __init__(self, tokens: list[Token], pos: int, end: int, is_type: IsType) -> None:
        self.tokens, self.pos, self.end, self.is_type = tokens, pos, end, is_type
        self.depth = 0
        self.height = 0  # levels in what was read last: of `p->n->n`, what comes later stands around them

    # --- tokens

    def peek(self, ahead: int = 0) -> str:
        at = self.pos + ahead
        return self.tokens[at].text if at < self.end and self.tokens[at].kind not in ("string", "char") else ""

    def next(self) -> Token:
        if self.pos >= self.end:
            raise ParseError("the expression ends too early")
        self.pos += 1
        return self.tokens[self.pos - 1]

    def expect(self, text: str) -> Token:
        token = self.next()
        if token.text != text:
            raise ParseError(f"expected '{text}' before '{token.text}'")
        return token

    # --- expressions, loosest first

    def expression(self, level: int = 1) -> Expr:
        """Binary operators of at least `level` (1: with commas, 2: an assignment expression)."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ParseError(TOO_DEEP)
        left = self.unary()
        parts = 0
        while True:
            op = self.peek()
            parts += 1
            if parts > MAX_CHAIN:
                raise ParseError(TOO_LONG)
            if op in _ASSIGN and level <= 2:
                self.next()
                value = self.part(2)
                left = ast.Assign(Span(left.span.start, value.span.end), op, left, value)
            elif op == "?" and level <= 3:
                self.next()
                then = None if self.peek() == ":" else self.part()
                self.expect(":")
                other = self.part(2)
                left = ast.Conditional(Span(left.span.start, other.span.end), left, then, other)
            elif RANKS.get(op, 0) >= level:
                self.next()
                right = self.part(RANKS[op] + 1)
                if op not in ast.FLAT:
                    self.lean()
                left = ast.Binary(Span(left.span.start, right.span.end), op, left, right)
            else:
                self.depth -= 1
                return left

    def unary(self) -> Expr:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ParseError(TOO_DEEP)
        self.height = 0
        token = self.next()
        try:
            if token.kind == "punct" and token.text in ("+", "-", "!", "~", "*", "&", "++", "--", "&&"):
                operand = self.unary()
                return ast.Unary(Span(token.start, operand.span.end), token.text, operand)
            if token.kind == "name" and token.text in ("sizeof", "_Alignof", "__alignof__", "alignof"):
                return self.size_of(token)
            if token.kind == "name" and token.text in ("__real__", "__imag__", "__extension__"):
                operand = self.unary()
                if token.text == "__extension__":
                    return operand
                return ast.Unary(Span(token.start, operand.span.end), token.text, operand)
            return self.postfix(self.primary(token))
        finally:
            self.depth -= 1
            self.height += 1

    def size_of(self, token: Token) -> Expr:
        if self.peek() == "(" and self.type_at(1):
            close = self.matching(self.pos)
            span = Span(self.tokens[self.pos + 1].start, self.tokens[close - 1].end)
            self.pos = close + 1
            whole = Span(token.start, self.tokens[close].end)
            return ast.SizeOf(whole, token.text, None, UNKNOWN, type_span=span)
        operand = self.unary()
        return ast.SizeOf(Span(token.start, operand.span.end), token.text, operand, UNKNOWN)

    def primary(self, token: Token) -> Expr:
        span = Span(token.start, token.end)
        if token.kind == "name":
            return ast.Name(span, token.text)
        if token.kind == "number":
            if ".." in token.text:  # what C reads as one word
                raise ParseError(f"'{token.text}' is no number: an array section is '[first : length]'")
            return number(span, token.text)
        if token.kind == "char":
            return ast.CharLiteral(
                span, literals.character(token.text, LP64)[1], token.text
            )  # `Sema` knows the machine
        if token.kind == "string":
            text, end = token.text, token.end
            while self.pos < self.end and self.tokens[self.pos].kind == "string":
                part = self.next()
                text, end = text + " " + part.text, part.end
            return ast.StringLiteral(Span(token.start, end), text)
        if token.text == "(":
            return self.parenthesised(token)
        raise ParseError(f"unexpected '{token.text}'")

    def parenthesised(self, token: Token) -> Expr:
        if self.peek() == "[":
            return self.shaping(token)
        if self.type_at(0):
            close = self.matching(self.pos - 1)
            type_span = Span(self.tokens[self.pos].start, self.tokens[close - 1].end)
            self.pos = close + 1
            if self.peek() == "{":
                return self.opaque(token, self.matching(self.pos))
            operand = self.unary()
            return ast.Cast(Span(token.start, operand.span.end), type_span, UNKNOWN, operand)
        if self.peek() == "{":
            return self.opaque(token, self.matching(self.pos - 1))
        inner = self.expression()
        return ast.Paren(Span(token.start, self.expect(")").end), inner)

    def opaque(self, first: Token, last: int) -> Expr:
        """A statement expression or a compound literal, up to the token at `last`: C, but nothing is known of it."""
        self.pos = last + 1
        return ast.OtherExpr(Span(first.start, self.tokens[last].end), [])

    def shaping(self, token: Token) -> Expr:
        """`([n][m])p` (OpenMP 5.2 §3.2.4)."""
        dims: list[Expr] = []
        while self.peek() == "[":
            self.next()
            dims.append(self.part())
            self.expect("]")
        self.expect(")")
        height, operand = self.height, self.unary()
        self.height = max(height, self.height)
        return ast.Shaping(Span(token.start, operand.span.end), dims, operand)

    def postfix(self, left: Expr) -> Expr:
        while (op := self.peek()) in _POSTFIX:
            if op == "[":
                left = self.index(left)
            elif op == "(":
                self.next()
                args: list[Expr] = []
                while self.peek() != ")":
                    args.append(self.part(2))
                    if self.peek() != ")":
                        self.expect(",")
                left = ast.Call(Span(left.span.start, self.expect(")").end), left, tuple(args))
            elif op in (".", "->"):
                self.next()
                name = self.next()
                if name.kind != "name":
                    raise ParseError(f"expected a member's name before '{name.text}'")
                span = Span(left.span.start, name.end)
                left = ast.Member(span, left, name.text, op == "->", Span(name.start, name.end))
            else:
                left = ast.Unary(Span(left.span.start, self.next().end), op, left, postfix=True)
            self.lean()
        return left

    def part(self, level: int = 1) -> Expr:
        """An expression beside what was read before, below the same operator."""
        height, found = self.height, self.expression(level)
        self.height = max(height, self.height)
        return found

    def lean(self) -> None:
        """One more level around what was read: however many stand side by side, they are as deep as the deepest."""
        self.height += 1
        if self.depth + self.height > MAX_DEPTH:
            raise ParseError(TOO_DEEP)

    def index(self, base: Expr) -> Expr:
        """`[index]` or `[lower : length : stride]`, each part optional (OpenMP 5.2 §3.2.5)."""
        self.next()
        parts: list[Expr | None] = [None]
        while self.peek() != "]":
            if self.peek() == ":":
                self.next()
                parts.append(None)
            elif parts[-1] is None:
                parts[-1] = self.part()
            else:
                raise ParseError(f"expected ']' before '{self.next().text}'")
        span = Span(base.span.start, self.next().end)
        first = parts[0]
        if len(parts) == 1:
            if first is None:
                raise ParseError("empty brackets")
            return ast.Index(span, base, first)
        if len(parts) > 3:
            raise ParseError("an array section has at most three parts")
        return ast.Section(span, base, first, parts[1], parts[2] if len(parts) == 3 else None)

    # --- helpers

    def type_at(self, ahead: int) -> bool:
        """Whether a type name starts `ahead` tokens from here."""
        at = self.pos + ahead
        if at >= self.end or self.tokens[at].kind != "name":
            return False
        word = self.tokens[at].text
        return word in _TYPE_WORDS or self.is_type(word)

    def matching(self, open_at: int) -> int:
        """Index of the bracket that closes the one at `open_at`."""
        close = matching(self.tokens, open_at, self.end)
        if close < 0:
            raise ParseError(f"'{self.tokens[open_at].text}' is not closed")
        return close


def matching(tokens: list[Token], open_at: int, end: int) -> int:
    """Index of the bracket that closes the one at `open_at`; -1 if none before `end` does."""
    depth = 0
    for i in range(open_at, end):
        if tokens[i].kind == "punct":
            if tokens[i].text in ("(", "[", "{"):
                depth += 1
            elif tokens[i].text in (")", "]", "}"):
                depth -= 1
                if depth == 0:
                    return i
    return -1


def number(span: Span, text: str) -> Expr:
    """A numeric literal; one that C would refuse is an `OtherExpr`."""
    body = text.lower()
    if not body.startswith("0x") and re.search(r"[.ep]", body):
        return ast.FloatLiteral(span, text)
    if body.startswith("0x") and re.search(r"[.p]", body):
        return ast.FloatLiteral(span, text)
    digits = body.rstrip("ul")
    try:
        octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
        return ast.IntLiteral(span, int(digits, 8 if octal else 0), text)
    except ValueError:
        return ast.OtherExpr(span, [])
