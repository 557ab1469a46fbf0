"""The adapter: expressions in which the grammar took a variable in parentheses for the type of a cast.

In `(j) + n * (i)` the grammar may see a cast of `+ n` to a type `j`.  As a cast binds tighter than the operators around
it, these have the wrong operands, too: `((j) + n) * (i)`.  So all of it is read as the flat row of operands and
operators that it is, and grouped anew by the operators' ranks.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from tree_sitter import Node

from ompls.analysis.model import ast, literals
from ompls.analysis.model.ast import Span
from ompls.analysis.model.ctype import CType
from ompls.analysis.patterns import later
from ompls.analysis.syntax.clause_expr import RANKS
from ompls.analysis.syntax.initializers import InitializerReader
from ompls.analysis.syntax.limits import MAX_CHAIN, MAX_DEPTH, TOO_DEEP, TOO_LONG
from ompls.analysis.syntax.reader import broken, named

_CAST_LIKE = frozenset("+-*&")
# Without such a place in it an expression needs no second look.
_SUSPICIOUS = later(rb"[A-Za-z0-9_$]\s*\)(?:\s|/\*.*?\*/|//[^\n]*\n)*[-+*&]", re.DOTALL)


@dataclass
class _Row:
    """What stands in an expression, from left to right; `operands` read themselves when they are called."""

    operands: list[Callable[[], ast.Expr]] = field(default_factory=list)
    operators: list[str] = field(default_factory=list)
    misread: bool = False


class MisreadReader(InitializerReader):
    """Groups what the grammar has grouped wrongly."""

    @abstractmethod
    def typed(self, e: ast.Expr) -> ast.Expr: ...

    def regrouped(self, n: Node) -> ast.Expr | None:
        """The expression at `n` when variables in parentheses were taken for types in it; None: it is what it seems."""
        if _SUSPICIOUS.search(self.source, n.start_byte, n.end_byte) is None:
            return None
        row = self.row(n)
        if not row.misread:
            return None
        deep = self.depth + sum(op not in ast.FLAT for op in row.operators) > MAX_DEPTH
        if deep or len(row.operators) > MAX_CHAIN:
            self.taint(n)
            return ast.OtherExpr(self.span(n), [], why=TOO_DEEP if deep else TOO_LONG)
        self.depth += 1
        values, pending = [row.operands[0]()], list[str]()
        for operator, operand in zip(row.operators, row.operands[1:], strict=True):
            while pending and RANKS[pending[-1]] >= RANKS[operator]:
                self.join(values, pending.pop())
            pending.append(operator)
            values.append(operand())
        while pending:
            self.join(values, pending.pop())
        self.depth -= 1
        return values[0]

    def join(self, values: list[ast.Expr], operator: str) -> None:
        """Makes one of the last two values."""
        right, left = values.pop(), values.pop()
        values.append(self.typed(ast.Binary(Span(left.span.start, right.span.end), operator, left, right)))

    def row(self, n: Node) -> _Row:
        row = _Row()
        waiting: list[Node | str] = [n]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                row.operators.append(node)
                continue
            sides = self.sides(node)
            if sides is not None:
                waiting += reversed(sides)
                continue
            prefixes, cast = self.below_prefixes(node)
            sign = _sign_of(cast) if cast is not None else None
            if cast is None or sign is None:
                row.operands.append(partial(self.expr, node))
                continue
            row.misread = True
            row.operands.append(partial(self.variable, cast, prefixes))
            row.operators.append(sign[0])
            if sign[1].type == "number_literal" and sign[1] == cast.child_by_field_name("value"):
                row.operands.append(partial(self.without_sign, sign[1]))
            else:
                waiting.append(sign[1])
        return row

    def sides(self, n: Node) -> tuple[Node, str, Node] | None:
        """A binary operator between its operands."""
        if n.type != "binary_expression" or broken(n):
            return None
        left, right = n.child_by_field_name("left"), n.child_by_field_name("right")
        operator = n.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return None
        # `(T) - 1` is a cast with a typedef name
        types = any(self.type_in_parens(side) is not None for side in (left, right))
        return None if types else (left, self.text(operator), right)

    def below_prefixes(self, n: Node) -> tuple[tuple[Node, ...], Node | None]:
        """The cast that is none at the end of unary operators and casts, and those, from the left."""
        prefixes: list[Node] = []
        inner: Node | None = n
        while inner is not None:
            if inner.type == "cast_expression" and self.misread_variable(inner) is not None:
                return tuple(prefixes), inner
            if inner.type not in ("cast_expression", "unary_expression", "pointer_expression"):
                break
            prefixes.append(inner)
            inner = inner.child_by_field_name("value" if inner.type == "cast_expression" else "argument")
        return (), None

    def misread_variable(self, cast: Node) -> tuple[Node, ast.Symbol] | None:
        """What the type of a cast is in truth, when it is the name of a variable or function."""
        type_node = cast.child_by_field_name("type")
        word = type_node.children[0] if type_node is not None and type_node.child_count == 1 else None
        if word is None or word.type != "type_identifier":
            return None
        symbol = self.sema.scope.lookup(self.text(word))
        return (word, symbol) if symbol is not None and symbol.kind != "typedef" else None

    def type_in_parens(self, n: Node) -> CType | None:
        """The type when `n` is `(T)` with a typedef name, which the grammar takes for a parenthesised variable."""
        if n.type != "parenthesized_expression":
            return None
        inner = named(n)
        if len(inner) != 1 or inner[0].type != "identifier":
            return None
        symbol = self.sema.scope.lookup(self.text(inner[0]))
        return symbol.type if symbol is not None and symbol.kind == "typedef" else None

    def variable(self, cast: Node, prefixes: tuple[Node, ...] = ()) -> ast.Expr:
        """`(variable)` of a cast that is none, behind unary operators and casts."""
        found = self.misread_variable(cast)
        assert found is not None
        word, symbol = found
        name = self.typed(ast.Name(self.span(word), symbol.name, symbol))
        end = word.end_byte + 1 + self.shift
        e: ast.Expr = ast.Paren(Span(cast.start_byte + self.shift, end), name, type=name.type)
        for n in reversed(prefixes):
            span = Span(n.start_byte + self.shift, end)
            type_node, operator = n.child_by_field_name("type"), n.child_by_field_name("operator")
            if type_node is not None:
                e = self.typed(ast.Cast(span, self.span(type_node), self.type_name(type_node), e))
            else:
                e = self.typed(ast.Unary(span, self.text(operator) if operator is not None else "+", e))
        return e

    def without_sign(self, n: Node) -> ast.Expr:
        """`1` of `-1`, which is the number of a cast: `(variable)-1 * c`."""
        sign = self.text(n)[:1]
        text = self.text(n)[1:]
        t, value = literals.number(text, self.sema.model)
        span = Span(n.start_byte + len(sign) + self.shift, n.end_byte + self.shift)
        if value is None:
            return ast.FloatLiteral(span, text, type=t)
        return ast.IntLiteral(span, value, text, type=t)


def _sign_of(cast: Node) -> tuple[str, Node] | None:
    """The operator that follows `(variable)`, and its right operand (for a number the literal with its sign)."""
    value = cast.child_by_field_name("value")
    if value is None:
        return None
    if value.type == "number_literal" and value.text is not None and value.text[:1] in (b"+", b"-"):
        return value.text[:1].decode(), value
    operator, argument = value.child_by_field_name("operator"), value.child_by_field_name("argument")
    if operator is None or argument is None or operator.text is None or operator.text.decode() not in _CAST_LIKE:
        return None
    if operator.text == b"&" and argument.type == "pointer_expression" and argument.start_byte == operator.end_byte:
        second, after = argument.child_by_field_name("operator"), argument.child_by_field_name("argument")
        if after is not None and second is not None and second.text == b"&":
            return "&&", after  # read as the address of an address
    return operator.text.decode(), argument
