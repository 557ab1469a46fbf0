"""The adapter, part four: expressions of the grammar's tree to typed expressions.

Where the grammar cannot know typedef names it guesses; the guesses are set right here, from the scopes:
`(T) - 1`, `(T)(x)`, `sizeof(T)`, `(variable)(x)`.
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from ompls.analysis.model import ast, literals
from ompls.analysis.model.ast import Span
from ompls.analysis.model.convert import decay
from ompls.analysis.model.ctype import INT, UNKNOWN, CType, Unknown
from ompls.analysis.model.layout import designated_offset
from ompls.analysis.model.peel import bare
from ompls.analysis.syntax.limits import MAX_CHAIN, MAX_DEPTH, TOO_DEEP, TOO_LONG
from ompls.analysis.syntax.misread import MisreadReader
from ompls.analysis.syntax.reader import broken, named

_CAST_LIKE = frozenset("+-*&")


class ExpressionReader(MisreadReader):
    """Expressions; every node it returns is typed."""

    def expr(self, n: Node) -> ast.Expr:
        """The typed expression at `n`."""
        reader = EXPRESSIONS.get(n.type)
        if reader is None or self.depth >= MAX_DEPTH or (n.has_error and broken(n)):
            return self.other(n)
        self.depth += 1
        e = reader(self, n)
        self.depth -= 1
        return e

    def field(self, n: Node, name: str) -> ast.Expr:
        """The expression in field `name` of `n`; an OtherExpr where it is missing."""
        child = n.child_by_field_name(name)
        return self.other(n, ()) if child is None else self.expr(child)

    def typed(self, e: ast.Expr) -> ast.Expr:
        self.sema.finish(e)
        return e

    def other(self, n: Node, parts: tuple[Node, ...] | None = None) -> ast.Expr:
        """What is not understood, with the expressions in it that are."""
        self.taint(n)
        if self.depth >= MAX_DEPTH:
            return ast.OtherExpr(self.span(n), [], why=TOO_DEEP)
        self.depth += 1
        inner = [self.expr(c) for c in (n.named_children if parts is None else parts) if c.type in EXPRESSIONS]
        self.depth -= 1
        return ast.OtherExpr(self.span(n), inner)

    def unread(self, n: Node, why: str) -> ast.Expr:
        self.taint(n)
        return ast.OtherExpr(self.span(n), [], why=why)

    # --- primaries

    def identifier(self, n: Node) -> ast.Expr:
        name = self.text(n)
        if name.startswith("__builtin_offsetof"):
            return self.offset_of(n)
        if name.startswith("__builtin_types_compatible_p"):
            return ast.OtherExpr(self.span(n), [], type=INT)
        e = self.typed(self.name(n))
        if isinstance(e.type, Unknown):
            self.taint(n)
        return e

    def name(self, n: Node) -> ast.Name:
        name = self.text(n)
        return ast.Name(self.span(n), name, self.sema.scope.lookup(name))

    def number(self, n: Node) -> ast.Expr:
        text = self.text(n)
        t, value = literals.number(text, self.sema.model)
        if value is None:
            return ast.FloatLiteral(self.span(n), text, type=t)
        return ast.IntLiteral(self.span(n), value, text, type=t)

    def character(self, n: Node) -> ast.Expr:
        text = self.text(n)
        t, value = literals.character(text, self.sema.model)
        return ast.CharLiteral(self.span(n), value, text, type=t)

    def string(self, n: Node) -> ast.Expr:
        text = self.text(n)
        return ast.StringLiteral(self.span(n), text, type=literals.string(text, self.sema.model))

    def concatenated(self, n: Node) -> ast.Expr:
        strings = named(n)
        if any(c.type != "string_literal" for c in strings):
            return self.other(n)
        text = " ".join(self.text(c) for c in strings)
        return ast.StringLiteral(self.span(n), text, type=literals.string(text, self.sema.model))

    def keyword(self, n: Node) -> ast.Expr:
        """`true`, `false`, `NULL` as words of the grammar: ordinary names where a header declares them."""
        name = self.text(n)
        symbol = self.sema.scope.lookup(name)
        e = ast.Name(self.span(n), name, symbol, type=symbol.type if symbol is not None else INT)
        if symbol is None and (name == "NULL" or not self.file.c23):
            self.sema.undeclared.append(e)
        return e

    def paren(self, n: Node) -> ast.Expr:
        inner = named(n)
        if len(inner) != 1:
            return self.other(n)
        if inner[0].type == "compound_statement":
            body = self.compound(inner[0])
            return self.typed(ast.StatementExpr(self.span(n), body))
        e = self.expr(inner[0])
        return ast.Paren(self.span(n), e, type=e.type)

    # --- operators

    def unary(self, n: Node) -> ast.Expr:
        argument = n.child_by_field_name("argument")
        operator = n.child_by_field_name("operator")
        if argument is None or operator is None:
            return self.other(n)
        op = self.text(operator)
        if op == "_":  # masked
            op = "__real__" if self.source.startswith(b"__real", n.start_byte) else "__imag__"
            if argument.type == "assignment_expression":
                return self.part_assigned(n, op, argument)
        if op == "&" and argument.type == "pointer_expression" and argument.start_byte == operator.end_byte:
            label = argument.child_by_field_name("argument")
            if label is not None and label.type == "identifier" and self.text(argument)[:1] == "&":
                target = ast.Name(self.span(label), self.text(label), None)
                return self.typed(ast.Unary(self.span(n), "&&", target))
        return self.typed(ast.Unary(self.span(n), op, self.expr(argument)))

    def part_assigned(self, n: Node, op: str, assignment: Node) -> ast.Expr:
        """`__real__ z = x`: the mask is an operator of lower rank than `__real__`."""
        operator, left = assignment.child_by_field_name("operator"), self.field(assignment, "left")
        target = self.typed(ast.Unary(Span(n.start_byte + self.shift, left.span.end), op, left))
        text = self.text(operator) if operator is not None else "="
        return self.typed(ast.Assign(self.span(n), text, target, self.field(assignment, "right")))

    def update(self, n: Node) -> ast.Expr:
        operator = n.child_by_field_name("operator")
        if operator is None:
            return self.other(n)
        postfix = operator.start_byte > n.start_byte
        return self.typed(ast.Unary(self.span(n), self.text(operator), self.field(n, "argument"), postfix))

    def binary(self, n: Node) -> ast.Expr:
        """A left-leaning chain of binary operators, read without recursion over its length."""
        regrouped = self.regrouped(n)
        if regrouped is not None:
            return regrouped
        chain: list[Node] = []
        left = n
        while left.type == "binary_expression" and not (left.has_error and broken(left)):
            chain.append(left)
            inner = left.child_by_field_name("left")
            if inner is None:
                return self.other(n)
            left = inner
        if len(chain) > MAX_CHAIN:
            return self.unread(n, TOO_LONG)
        chain.reverse()
        acc: ast.Expr
        at = 0
        cast = self.type_in_parens(left)
        if cast is not None:
            acc, at = self.cast_operand(left, cast, chain, 0)
        else:
            acc = self.expr(left)
        height = self.depth
        while at < len(chain):
            node = chain[at]
            op_node, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
            if op_node is None or right is None:
                return self.other(n)
            start = acc.span.start
            op = self.text(op_node)
            height += op not in ast.FLAT
            if height > MAX_DEPTH:
                return self.unread(n, TOO_DEEP)
            cast = self.type_in_parens(right)
            if cast is not None:
                operand, at = self.cast_operand(right, cast, chain, at + 1)
            else:
                operand, at = self.expr(right), at + 1
            e = ast.Binary(Span(start, operand.span.end), op, acc, operand)
            acc = self.typed(e)
        return acc

    def cast_operand(self, n: Node, to: CType, chain: list[Node], at: int) -> tuple[ast.Expr, int]:
        """`(T) op operand`, where the grammar saw `(T)` as the left operand of chain[at]'s binary operator."""
        if at < len(chain):
            op_node, right = chain[at].child_by_field_name("operator"), chain[at].child_by_field_name("right")
            if op_node is not None and right is not None and self.text(op_node) in _CAST_LIKE:
                operand = self.expr(right)
                unary = self.typed(
                    ast.Unary(Span(op_node.start_byte + self.shift, operand.span.end), self.text(op_node), operand)
                )
                return self.cast_of(n, to, unary), at + 1
        return self.other(n), at

    def cast_of(self, parens: Node, to: CType, operand: ast.Expr) -> ast.Expr:
        span = self.span(parens)
        inner = Span(span.start + 1, span.end - 1)
        return self.typed(ast.Cast(Span(span.start, operand.span.end), inner, to, operand))

    def assignment(self, n: Node) -> ast.Expr:
        op = n.child_by_field_name("operator")
        target, value = self.field(n, "left"), self.field(n, "right")
        return self.typed(ast.Assign(self.span(n), self.text(op) if op is not None else "=", target, value))

    def conditional(self, n: Node) -> ast.Expr:
        """`a ? b : c ? d : e`, read without recursion over its length."""
        ladder: list[tuple[Node, ast.Expr, ast.Expr | None]] = []
        at: Node | None = n
        while at is not None and at.type == "conditional_expression" and not (at.has_error and broken(at)):
            then = at.child_by_field_name("consequence")
            if len(ladder) >= MAX_CHAIN:
                return self.unread(n, TOO_LONG)
            ladder.append((at, self.field(at, "condition"), self.expr(then) if then is not None else None))
            at = at.child_by_field_name("alternative")
        e = self.expr(at) if at is not None else self.other(n, ())
        for node, condition, chosen in reversed(ladder):
            e = self.typed(ast.Conditional(self.span(node), condition, chosen, e))
        return e

    def comma(self, n: Node) -> ast.Expr:
        """`a, b, c`: the grammar has the first one on the left."""
        e = self.field(n, "left")
        right, number = n.child_by_field_name("right"), 1
        while right is not None and right.type == "comma_expression" and not (right.has_error and broken(right)):
            number += 1
            if number > MAX_CHAIN:
                return self.unread(n, TOO_LONG)
            e = self.comma_of(e, self.field(right, "left"))
            right = right.child_by_field_name("right")
        return self.comma_of(e, self.expr(right) if right is not None else self.other(n, ()))

    def comma_of(self, left: ast.Expr, right: ast.Expr) -> ast.Expr:
        return self.typed(ast.Binary(Span(left.span.start, right.span.end), ",", left, right))

    # --- postfix

    def call(self, n: Node) -> ast.Expr:
        function, arguments = n.child_by_field_name("function"), n.child_by_field_name("arguments")
        if function is None or arguments is None:
            return self.other(n)
        to = self.type_in_parens(function)
        nodes = named(arguments)
        if function.type == "identifier" and self.is_type(self.text(function)):
            return self.other(n, ())
        if to is not None and nodes and not broken(arguments):
            return self.cast_of(function, to, self.in_parens(arguments, nodes))
        name = self.text(function)
        if name == "__builtin_va_arg" and len(nodes) == 2:
            return self.va_arg(n, nodes)
        if arguments.has_error and broken(arguments):
            return self.other(n, (function, *nodes))
        # an undeclared name is no reason for taint here: the call declares it
        called = self.typed(self.name(function)) if function.type == "identifier" else self.expr(function)
        callee = bare(called)
        if isinstance(callee, ast.Name) and callee.symbol is not None and callee.symbol.kind == "func":
            self.calls.setdefault(callee.name, callee.symbol)
        elif isinstance(callee, ast.Name) and callee.symbol is None:
            self.strangers[callee.name] = None
        e = ast.Call(self.span(n), called, tuple([self.expr(c) for c in nodes]))
        self.typed(e)
        if isinstance(e.type, Unknown) and isinstance(callee, ast.Name) and callee.symbol is None:
            self.taint(n)
        return e

    def in_parens(self, n: Node, nodes: list[Node]) -> ast.Expr:
        """An argument list read as a parenthesised (comma) expression."""
        e = self.expr(nodes[0])
        for c in nodes[1:]:
            e = self.comma_of(e, self.expr(c))
        return ast.Paren(self.span(n), e, type=e.type)

    def va_arg(self, n: Node, nodes: list[Node]) -> ast.Expr:
        of = self.parsed_alone(self.text(nodes[1]), nodes[1].start_byte + self.shift)
        return ast.OtherExpr(self.span(n), [self.expr(nodes[0])], type=of if of is not None else UNKNOWN)

    def subscript(self, n: Node) -> ast.Expr:
        return self.typed(ast.Index(self.span(n), self.field(n, "argument"), self.field(n, "index")))

    def member(self, n: Node) -> ast.Expr:
        name = n.child_by_field_name("field")
        operator = n.child_by_field_name("operator")
        if name is None or operator is None:
            return self.other(n)
        base = self.field(n, "argument")
        return self.typed(ast.Member(self.span(n), base, self.text(name), operator.type == "->", self.span(name)))

    # --- types in expressions

    def cast(self, n: Node) -> ast.Expr:
        type_node, value = n.child_by_field_name("type"), n.child_by_field_name("value")
        if type_node is None or value is None:
            return self.other(n)
        if self.misread_variable(n) is not None:
            return self.misread_cast(n, value)
        regrouped = self.regrouped(n)
        if regrouped is not None:
            return regrouped
        to = self.type_name(type_node)
        return self.typed(ast.Cast(self.span(n), self.span(type_node), to, self.expr(value)))

    def misread_cast(self, n: Node, value: Node) -> ast.Expr:
        """`(variable)(x)` or `(variable) - x`, which the grammar took for a cast."""
        if value.type != "parenthesized_expression":
            regrouped = self.regrouped(n)
            return self.other(n) if regrouped is None else regrouped
        called = self.variable(n)
        if isinstance(called, ast.Paren) and isinstance(called.inner, ast.Name) and called.inner.symbol is not None:
            symbol = called.inner.symbol
            if symbol.kind == "func":
                self.calls.setdefault(symbol.name, symbol)
        inner = self.expr(value)
        return self.typed(ast.Call(self.span(n), called, (inner.inner if isinstance(inner, ast.Paren) else inner,)))

    def size_of(self, n: Node) -> ast.Expr:
        op = "sizeof" if n.type == "sizeof_expression" else self.text(n.children[0])
        type_node, value = n.child_by_field_name("type"), n.child_by_field_name("value")
        if type_node is not None:
            words = named(type_node)
            if len(words) == 1 and words[0].type == "type_identifier":
                name = self.text(words[0])
                symbol = self.sema.scope.lookup(name)
                if symbol is not None and symbol.kind != "typedef":
                    variable = ast.Name(self.span(words[0]), name, symbol)
                    return self.typed(ast.SizeOf(self.span(n), op, self.typed(variable), UNKNOWN))
            return self.typed(ast.SizeOf(self.span(n), op, None, self.type_name(type_node)))
        if value is None:
            return self.other(n)
        to = self.type_in_parens(value)
        if to is not None:
            return self.typed(ast.SizeOf(self.span(n), op, None, to))
        return self.typed(ast.SizeOf(self.span(n), op, self.expr(value), UNKNOWN))

    def offset_of(self, n: Node) -> ast.Expr:
        """`offsetof(type, member)`: a literal when it is constant."""
        text = self.text(n)
        of, _, path = text[text.find("(") + 1 : -1].rpartition(",")
        t = self.parsed_alone(of, n.start_byte + self.shift)
        offset = designated_offset(t, path, self.sema.model) if t is not None else None
        size_t = self.sema.model.integer(self.sema.model.size_type)
        if offset is None:
            return ast.OtherExpr(self.span(n), [], type=size_t)
        return ast.IntLiteral(self.span(n), offset, text, type=size_t)

    def compound_literal(self, n: Node) -> ast.Expr:
        type_node, value = n.child_by_field_name("type"), n.child_by_field_name("value")
        if type_node is None or value is None:
            return self.other(n)
        of = self.type_name(type_node)
        init = self.initializer(value, of)
        if not isinstance(init, ast.InitList):
            return self.other(n)
        return self.typed(ast.CompoundLiteral(self.span(n), self.span(type_node), init.type, init))

    def generic(self, n: Node) -> ast.Expr:
        """`_Generic`: the association whose type is the control's."""
        parts = named(n)
        if not parts:
            return self.other(n)
        control = self.expr(parts[0])
        chosen: ast.Expr | None = None
        default: ast.Expr | None = None
        alternatives: list[ast.Expr] = []
        for type_node, value in zip(parts[1::2], parts[2::2], strict=False):
            e = self.expr(value)
            alternatives.append(e)
            if self.text(type_node) == "default":
                default = e
            elif chosen is None and self.type_name(type_node) == decay(control.type):
                chosen = e
        chosen = chosen or default
        return self.typed(ast.Generic(self.span(n), control, chosen, [e for e in alternatives if e is not chosen]))


_R = ExpressionReader
EXPRESSIONS: dict[str, Callable[[ExpressionReader, Node], ast.Expr]] = {
    "identifier": _R.identifier,
    "number_literal": _R.number,
    "char_literal": _R.character,
    "string_literal": _R.string,
    "concatenated_string": _R.concatenated,
    "true": _R.keyword,
    "false": _R.keyword,
    "null": _R.keyword,
    "parenthesized_expression": _R.paren,
    "unary_expression": _R.unary,
    "pointer_expression": _R.unary,
    "update_expression": _R.update,
    "binary_expression": _R.binary,
    "assignment_expression": _R.assignment,
    "conditional_expression": _R.conditional,
    "comma_expression": _R.comma,
    "call_expression": _R.call,
    "subscript_expression": _R.subscript,
    "field_expression": _R.member,
    "cast_expression": _R.cast,
    "sizeof_expression": _R.size_of,
    "alignof_expression": _R.size_of,
    "offsetof_expression": _R.offset_of,
    "compound_literal_expression": _R.compound_literal,
    "generic_expression": _R.generic,
}
