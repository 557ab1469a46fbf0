"""The constant expressions of `#if` and `#elif` (C11 6.10.1, with gcc's `__has_…` operators).

Arithmetic is that of intmax_t and uintmax_t: 64 bits, unsigned when either operand is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ompls.analysis.model import literals
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.syntax.expand import Expander
from ompls.analysis.syntax.lexer import CHAR, IDENT, NUMBER, PAINTED, PUNCT, STRING, Token, readable
from ompls.analysis.syntax.macros import Definition, Runaway

_MASK = (1 << 64) - 1
_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_UNSIGNED_CHAR = "__CHAR_UNSIGNED__"
_MAX_DEPTH = 60  # of parentheses and conditionals

Value = tuple[int, bool]  # the number, and whether it is unsigned


class BadCondition(Exception):
    """The expression is not one; the message says why."""


@dataclass(slots=True)
class Condition:
    """What a condition says.

    looked_up -- the names it asked for, with the definitions found: the value depends on nothing else
    undefined -- the names among them without definition
    """

    value: bool
    undefined: set[str] = field(default_factory=set)
    looked_up: dict[str, Definition | None] = field(default_factory=dict)
    problem: str = ""
    cost: int = 0  # see Expander.cost


def evaluate(
    tokens: list[Token],
    macros: dict[str, Definition],
    builtin: Callable[[str, int], str],
    has_include: Callable[[str], bool],
) -> Condition:
    """The value of the condition `tokens`; `has_include` answers for an operand such as '<omp.h>'."""
    undefined: set[str] = set()
    seen: dict[str, Definition | None] = {}

    def defined(token: Token, reader: Expander) -> list[Token]:
        parenthesis = reader.next_is("(")
        name = reader.next_token()
        if name is None or name[0] not in (IDENT, PAINTED) or (parenthesis and not reader.next_is(")")):
            raise BadCondition("'defined' needs a macro name")
        seen[name[1]] = macros.get(name[1])
        if name[1] not in macros:
            undefined.add(name[1])
        return [_number(name[1] in macros, token)]

    def has(token: Token, reader: Expander) -> list[Token]:
        operand = _operand(token, reader)
        if token[1].startswith("__has_include"):
            return [_number(has_include(operand), token)]
        # gcc's own answer would need gcc: it has the builtins and attributes that headers ask for
        return [_number(token[1] != "__has_cpp_attribute", token)]

    specials = dict.fromkeys(_HAS, has) | {"defined": defined}
    expander = Expander(macros, builtin, None, specials)
    try:
        expanded = expander.flat(tokens)
        if any(token[0] == CHAR for token in expanded):
            seen[_UNSIGNED_CHAR] = macros.get(_UNSIGNED_CHAR)
        value = _Parser(expanded, undefined, DataModel(signed_char=_UNSIGNED_CHAR not in macros)).parse()
        result = Condition(value[0] != 0, undefined)
    except (BadCondition, Runaway) as error:
        result = Condition(False, undefined, problem=str(error))
    result.looked_up, result.cost = {**expander.looked_up, **seen}, expander.cost
    return result


_HAS = (
    "__has_include",
    "__has_include_next",
    "__has_attribute",
    "__has_cpp_attribute",
    "__has_c_attribute",
    "__has_builtin",
)


def _number(value: bool, token: Token) -> Token:
    return (NUMBER, "1" if value else "0", token[2], token[3], token[4])


def _operand(token: Token, reader: Expander) -> str:
    """The text between the parentheses of a `__has_…` operator."""
    if not reader.next_is("("):
        raise BadCondition(f"'{token[1]}' needs an operand in parentheses")
    text, depth = "", 0
    while True:
        part = reader.next_token()
        if part is None:
            raise BadCondition(f"the operand of '{token[1]}' has no closing parenthesis")
        depth += {"(": 1, ")": -1}.get(part[1], 0) if part[0] == PUNCT else 0
        if depth < 0:
            break
        text += part[1]
    if text[:1] not in '<"':
        text = "".join(t[1] for t in reader.expanded([(IDENT, text, False, -1, -1)]))
    return text


class _Parser:
    """Precedence climbing over expanded tokens."""

    def __init__(self, tokens: list[Token], undefined: set[str], model: DataModel) -> None:
        self.tokens = tokens
        self.undefined = undefined
        self.model = model
        self.at = 0
        self.depth = 0

    def parse(self) -> Value:
        if not self.tokens:
            raise BadCondition("the condition has no expression")
        value = self._ternary(True)
        if self.at < len(self.tokens):
            raise BadCondition(f"'{self.tokens[self.at][1]}' is not expected in a condition")
        return value

    def _peek(self) -> str:
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        return token[1] if token is not None and token[0] == PUNCT else ""

    def _ternary(self, live: bool) -> Value:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise BadCondition("the condition is nested too deeply")
        condition = self._binary(1, live)
        if self._peek() == "?":
            self.at += 1
            first = self._ternary(live and condition[0] != 0)
            while self._peek() == ",":
                self.at += 1
                first = self._ternary(live)
            if self._peek() != ":":
                raise BadCondition("'?' without ':'")
            self.at += 1
            second = self._ternary(live and condition[0] == 0)
            chosen = first if condition[0] else second
            condition = _fix(chosen[0], first[1] or second[1])
        self.depth -= 1
        return condition

    def _binary(self, least: int, live: bool) -> Value:
        left = self._unary(live)
        while True:
            operator = self._peek()
            precedence = _PRECEDENCE.get(operator, 0)
            if precedence < least or not precedence:
                return left
            self.at += 1
            needed = live and not (operator == "||" and left[0]) and not (operator == "&&" and not left[0])
            right = self._binary(precedence + 1, needed)
            left = _apply(operator, left, right, needed)

    def _unary(self, live: bool) -> Value:
        operators: list[str] = []
        while self._peek() in ("!", "-", "+", "~") and self._peek():
            operators.append(self._peek())
            self.at += 1
        value = self._primary(live)
        for operator in reversed(operators):
            if operator == "!":
                value = (int(not value[0]), False)
            elif operator == "-":
                value = _fix(-value[0], value[1])
            elif operator == "~":
                value = _fix(~value[0], value[1])
        return value

    def _primary(self, live: bool) -> Value:
        if self.at >= len(self.tokens):
            raise BadCondition("the condition ends too early")
        kind, text = self.tokens[self.at][:2]
        self.at += 1
        if kind == NUMBER:
            return _integer(text)
        if kind == CHAR:
            return _character(text, self.model)
        if kind in (IDENT, PAINTED):
            if live:
                self.undefined.add(text)
            return (0, False)
        if text == "(" and kind == PUNCT:
            value = self._ternary(live)
            if self._peek() != ")":
                raise BadCondition("')' is missing in the condition")
            self.at += 1
            return value
        raise BadCondition(f"{'a string' if kind == STRING else repr(text)} is not allowed in a condition")


def _fix(value: int, unsigned: bool) -> Value:
    """`value` in 64 bits."""
    value &= _MASK
    return (value if unsigned or value < 1 << 63 else value - (1 << 64), unsigned)


def _apply(operator: str, left: Value, right: Value, live: bool) -> Value:
    a, b = left[0], right[0]
    unsigned = left[1] or right[1]
    if operator == "&&":
        return (int(bool(a) and bool(b)), False)
    if operator == "||":
        return (int(bool(a) or bool(b)), False)
    if operator in ("<<", ">>"):
        shift = b if operator == "<<" else -b
        shifted = a << min(shift, 64) if shift >= 0 else a >> min(-shift, 64)
        return _fix(shifted, left[1])
    if unsigned:
        a, b = a & _MASK, b & _MASK
    if operator in ("/", "%"):
        if not b:
            if live:
                raise BadCondition("division by zero in a condition")
            return (0, unsigned)
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return _fix(quotient if operator == "/" else a - quotient * b, unsigned)
    if operator in ("<", ">", "<=", ">=", "==", "!="):
        truth = {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[operator]
        return (int(truth), False)
    result = {"+": a + b, "-": a - b, "*": a * b, "|": a | b, "^": a ^ b, "&": a & b}[operator]
    return _fix(result, unsigned)


def _integer(text: str) -> Value:
    digits = text.replace("'", "").lower()
    body = digits.rstrip("ulz")
    suffix = digits[len(body) :]
    base = 16 if body.startswith("0x") else 2 if body.startswith("0b") else 8 if body.startswith("0") else 10
    try:
        value = int(body.removeprefix("0x").removeprefix("0b") or "", base)
    except ValueError:
        raise BadCondition(f"'{text}' is not an integer") from None
    return _fix(value, "u" in suffix or (value >> 63 != 0))


def _character(text: str, model: DataModel) -> Value:
    return (literals.character(readable(text), model)[1], text[0] in "uU")
