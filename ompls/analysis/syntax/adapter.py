"""The adapter, part three: statements and external declarations, with every directive at its statement.

The grammar never sees a pragma: it is bound by position, to the statement that starts next after it.  Reading goes
in source order, so that scopes decide what is a type, and names in clauses mean what they mean at the pragma.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.analysis.model.ctype import INT, UNKNOWN, CType, Function, Unknown
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.scope import FileScope
from ompls.analysis.model.sema import Sema
from ompls.analysis.spec import is_standalone
from ompls.analysis.syntax.declarations import Specifiers
from ompls.analysis.syntax.expressions import _READERS as EXPRESSIONS
from ompls.analysis.syntax.expressions import ExpressionReader
from ompls.analysis.syntax.pragma import parse_directive
from ompls.analysis.syntax.reader import MAX_DEPTH, broken, named

_OMP = re.compile(rb"\s*#\s*pragma(?:\s|\\\r?\n)+omp\b")
_ITERATOR = re.compile(r"iterator\s*\((.*)\)\s*$", re.S)
_ITERATOR_NAME = re.compile(r"(?:^|,)\s*((?:\w+[\s*]+)*)(\w+)\s*=")
_SILENT = frozenset(("{", "}", "comment", ";", ":", "case", "default", "else"))
MAX_STACKED = 16  # directives on one statement
_DECLARATIONS = frozenset(("declaration", "type_definition"))
_TAGS = frozenset(("struct_specifier", "union_specifier", "enum_specifier"))


@dataclass
class External:
    """One external declaration, read."""

    node: ast.FunctionDef | ast.Declaration | ast.OtherStmt
    directives: list[ast.DirectiveStmt] = field(default_factory=list)
    calls: list[ast.Symbol] = field(default_factory=list)
    tainted: list[Span] = field(default_factory=list)
    notes: list[tuple[Span, str]] = field(default_factory=list)


def is_omp(text: bytes) -> bool:
    """Whether the pragma line is an OpenMP one."""
    return _OMP.match(text) is not None


class Adapter(ExpressionReader):
    """Reads one external declaration.

    pragmas -- (start, end) of the pragmas inside it, in order, in the same offsets as the nodes
    """

    def __init__(
        self, source: bytes, start: int, file: FileScope, sema: Sema, pragmas: Sequence[tuple[int, int]] = ()
    ) -> None:
        super().__init__(source, -start, file, sema)
        self.pragmas = pragmas
        self.at_pragma = 0
        self.directives: list[ast.DirectiveStmt] = []
        self.notes: list[tuple[Span, str]] = []

    # --- external declarations

    def external(self, n: Node) -> External:
        """The external declaration at `n`."""
        node: ast.FunctionDef | ast.Declaration | ast.OtherStmt
        if n.type == "function_definition":
            node = self.function(n)
        elif n.type in _DECLARATIONS:
            node = ast.Declaration(self.span(n), self.declaration(n)[0])
        elif n.type in _TAGS:
            self.specified(n)
            node = ast.Declaration(self.span(n), [])
        elif n.type == "expression_statement" and self.source.startswith(b"_Static_assert", n.start_byte):
            node = ast.Declaration(self.span(n), [])
        else:
            self.taint(n)
            node = ast.OtherStmt(self.span(n), self.parts(n))
        self.drain(n.end_byte, [])
        calls = list(self.calls.values())
        if n.has_error and not self.tainted:
            self.taint(n)
        return External(node, self.directives, calls, self.tainted, self.notes)

    def function(self, n: Node) -> ast.FunctionDef | ast.OtherStmt:
        spec = self.specifiers(n)
        declarator, body = n.child_by_field_name("declarator"), n.child_by_field_name("body")
        if declarator is None or body is None:
            self.taint(n)
            return ast.OtherStmt(self.span(n), self.parts(n))
        d = self.declarator(declarator, spec.type)
        if d.node is None or not isinstance(d.type, Function):
            self.taint(n)
            return ast.OtherStmt(self.span(n), self.parts(n))
        name_span = self.span(d.node)
        storage = spec.storage if spec.storage in ("static", "extern") else ""
        symbol = ast.Symbol(d.name, "func", d.type, storage, "file", name_span, defined=True, inline=spec.inline)  # type: ignore[arg-type]
        symbol = self.declare(symbol)
        self.sema.function = d.name
        self.enter()
        params = d.params or []
        for p in params:
            self.sema.scope.declare(p)
        compound = self.compound(body)
        self.leave()
        self.sema.function = ""
        header = Span(n.start_byte + self.shift, body.start_byte + self.shift)
        return ast.FunctionDef(self.span(n), symbol, params, compound, name_span, header)

    def parts(self, n: Node) -> list[ast.Node]:
        """What can be read of a broken piece: its expressions and statements."""
        if self.depth >= MAX_DEPTH:
            return []
        self.depth += 1
        out: list[ast.Node] = []
        for c in n.named_children:
            if c.type in EXPRESSIONS:
                out.append(self.expr(c))
            elif c.type in _STATEMENTS:
                out.extend(self.statements([c]))
        self.depth -= 1
        return out

    # --- directives

    def next_directive(self, before: int) -> Directive | None:
        """The next directive that starts before `before`, parsed and typed in the current scope."""
        while self.at_pragma < len(self.pragmas) and self.pragmas[self.at_pragma][0] < before:
            start, end = self.pragmas[self.at_pragma]
            self.at_pragma += 1
            text = self.source[start:end]
            if is_omp(text):
                directive = parse_directive(text, start + self.shift, self.is_type)
                self.type_clauses(directive)
                return directive
        return None

    def type_clauses(self, directive: Directive) -> None:
        """Names and types of the clauses' expressions, in the scope of the pragma."""
        for clause in directive.clauses:
            iterators = [m.group(1) for m in map(_ITERATOR.match, clause.modifiers) if m]
            if iterators:
                self.enter()
                for words, name in _ITERATOR_NAME.findall(iterators[0]):
                    t = self.parsed_alone(words, 0) if words.strip() else INT
                    self.sema.scope.declare(ast.Symbol(name, "var", t if t is not None else INT))
            for item in clause.items:
                self.clause_expr(item.expr)
                item.symbol = base_symbol(item.expr)
            for e in clause.args:
                self.clause_expr(e)
            if iterators:
                self.leave()
        for item in directive.args:
            self.clause_expr(item.expr)
            item.symbol = base_symbol(item.expr)

    def clause_expr(self, e: ast.Expr) -> None:
        for node in e.walk():
            if isinstance(node, (ast.Cast, ast.CompoundLiteral)):
                of = self.type_at(node.type_span)
                if isinstance(node, ast.Cast):
                    node.to = of
                else:
                    node.of = of
            elif isinstance(node, ast.SizeOf) and node.operand is None and isinstance(node.of, Unknown):
                text = self.source[node.span.start - self.shift : node.span.end - self.shift]
                open_at = text.find(b"(")
                node.of = self.type_at(Span(node.span.start + open_at + 1, node.span.end - 1))
        self.sema.complete(e)

    def type_at(self, span: Span) -> CType:
        text = self.source[span.start - self.shift : span.end - self.shift].decode("utf-8", "replace")
        return self.parsed_alone(text, span.start) or UNKNOWN

    def standalone(self, d: Directive) -> bool:
        return is_standalone(d.name, tuple(c.name for c in d.clauses))

    def bound(self, d: Directive, body: ast.Stmt | None) -> ast.DirectiveStmt:
        end = body.span.end if body is not None else d.span.end
        return ast.DirectiveStmt(Span(d.span.start, end), d, body)

    def drain(self, end: int, out: list[ast.Stmt]) -> None:
        """Directives before `end` that no statement follows."""
        while (d := self.next_directive(end)) is not None:
            if not self.standalone(d):
                self.notes.append((d.span, f"no statement follows the directive '{d.name}'"))
            stmt = self.bound(d, None)
            self.directives.append(stmt)
            out.append(stmt)

    # --- statements

    def compound(self, n: Node) -> ast.Compound:
        self.enter()
        out = self.statements(n.children)
        self.drain(n.end_byte, out)
        self.leave()
        if broken(n):
            self.taint(n)
        return ast.Compound(self.span(n), out)

    def statements(self, nodes: Sequence[Node]) -> list[ast.Stmt]:
        out: list[ast.Stmt] = []
        for n in nodes:
            if n.type not in _SILENT:
                self.emit(n, out)
        return out

    def emit(self, n: Node, out: list[ast.Stmt]) -> None:
        """Append the statement(s) of `n`, under the directives that stand before it."""
        over: list[Directive] = []
        slots: list[int] = []
        while (d := self.next_directive(n.start_byte)) is not None:
            if self.standalone(d) or len(over) >= MAX_STACKED:
                stmt: ast.Stmt = self.bound(d, None)
                assert isinstance(stmt, ast.DirectiveStmt)
                self.directives.append(stmt)
                out.append(self.wrap(over, slots, stmt))
                over, slots = [], []
            else:
                slots.append(len(self.directives))
                self.directives.append(self.bound(d, None))  # keeps source order; `wrap` puts the body in
                over.append(d)
        made: list[ast.Stmt] = []
        self.depth += len(over)
        self.convert(n, made)
        self.depth -= len(over)
        if over and made:
            out.append(self.wrap(over, slots, made[0]))
            out.extend(made[1:])
        else:
            out.extend(made)

    def wrap(self, over: list[Directive], slots: list[int], stmt: ast.Stmt) -> ast.Stmt:
        for slot in reversed(slots):
            holder = self.directives[slot]
            holder.body = stmt
            holder.span = Span(holder.span.start, stmt.span.end)
            stmt = holder
        return stmt

    def sub(self, n: Node | None, parent: Node) -> ast.Stmt:
        """The statement in a place that takes one; a stand-alone directive before it makes it a block."""
        if n is None:
            self.taint(parent)
            return ast.OtherStmt(self.span(parent), [])
        out: list[ast.Stmt] = []
        self.emit(n, out)
        if len(out) == 1:
            return out[0]
        return ast.Compound(Span(out[0].span.start, out[-1].span.end) if out else self.span(n), out)

    def convert(self, n: Node, out: list[ast.Stmt]) -> None:
        """Append what `n` is, without regard to the directives before it."""
        reader = _STATEMENTS.get(n.type)
        if reader is None or self.depth >= MAX_DEPTH or (n.type != "compound_statement" and n.has_error and broken(n)):
            self.taint(n)
            out.append(ast.OtherStmt(self.span(n), self.parts(n)))
            return
        self.depth += 1
        reader(self, n, out)
        self.depth -= 1

    def block(self, n: Node, out: list[ast.Stmt]) -> None:
        out.append(self.compound(n))

    def expression(self, n: Node, out: list[ast.Stmt]) -> None:
        inner = named(n)
        if not inner:
            out.append(ast.ExprStmt(self.span(n), None))
            return
        e = inner[0]
        if e.type == "call_expression" and self.vexing(n, e, out):
            return
        if e.type == "gnu_asm_expression":
            out.append(ast.OtherStmt(self.span(n), self.operands(e)))
            return
        out.append(ast.ExprStmt(self.span(n), self.expr(e)))

    def operands(self, n: Node) -> list[ast.Node]:
        """The expressions of an asm statement's operands."""
        self.taint(n)
        out: list[ast.Node] = []
        for group in named(n):
            for operand in named(group):
                value = operand.child_by_field_name("value")
                if value is not None:
                    out.append(self.expr(value))
        return out

    def vexing(self, n: Node, call: Node, out: list[ast.Stmt]) -> bool:
        """`T (name);` with a typedef name is a declaration that the grammar takes for a call."""
        function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is None or arguments is None or function.type != "identifier":
            return False
        name = self.text(function)
        if name in ("_Static_assert", "__label__"):
            return True
        symbol = self.sema.scope.lookup(name)
        inner = named(arguments)
        if symbol is None or symbol.kind != "typedef" or len(inner) != 1 or inner[0].type != "identifier":
            return False
        span = self.span(inner[0])
        made = ast.Symbol(self.text(inner[0]), "var", symbol.type, span=span, defined=True)
        self.declare(made)
        out.append(ast.DeclStmt(self.span(n), [ast.VarDecl(span, made, span, None, [])], self.span(function)))
        return True

    def local_declaration(self, n: Node, out: list[ast.Stmt]) -> None:
        product = self.misread_product(n)
        if product is not None:
            out.append(ast.ExprStmt(self.span(n), product))
            return
        decls, spec = self.declaration(n)
        out.append(ast.DeclStmt(self.span(n), decls, self.specifier_span(n, spec)))

    def specifier_span(self, n: Node, spec: Specifiers) -> Span:
        return Span(n.start_byte + self.shift, max(spec.last, n.start_byte) + self.shift)

    def misread_product(self, n: Node) -> ast.Expr | None:
        """`a * b;` with a variable `a`, which the grammar took for a declaration of a pointer."""
        parts = named(n)
        if n.type != "declaration" or len(parts) != 2 or parts[0].type != "type_identifier":
            return None
        symbol = self.sema.scope.lookup(self.text(parts[0]))
        if symbol is None or symbol.kind == "typedef" or parts[1].type != "pointer_declarator":
            return None
        right = parts[1].child_by_field_name("declarator")
        if right is None or right.type != "identifier":
            return None
        left = self.typed(ast.Name(self.span(parts[0]), symbol.name, symbol))
        return self.typed(ast.Binary(Span(left.span.start, self.span(right).end), "*", left, self.identifier(right)))

    def tag(self, n: Node, out: list[ast.Stmt]) -> None:
        self.specified(n)
        out.append(ast.DeclStmt(self.span(n), [], self.span(n)))

    def if_(self, n: Node, out: list[ast.Stmt]) -> None:
        condition = self.condition(n)
        then = self.sub(n.child_by_field_name("consequence"), n)
        alternative = n.child_by_field_name("alternative")
        otherwise: ast.Stmt | None = None
        if alternative is not None:
            inner = named(alternative)
            otherwise = self.sub(inner[0] if inner else None, alternative)
        out.append(ast.If(self.span(n), condition, then, otherwise))

    def condition(self, n: Node) -> ast.Expr:
        """The condition without its parentheses."""
        e = self.field(n, "condition")
        return e.inner if isinstance(e, ast.Paren) else e

    def while_(self, n: Node, out: list[ast.Stmt]) -> None:
        out.append(ast.While(self.span(n), self.condition(n), self.sub(n.child_by_field_name("body"), n)))

    def do(self, n: Node, out: list[ast.Stmt]) -> None:
        body = self.sub(n.child_by_field_name("body"), n)
        out.append(ast.DoWhile(self.span(n), body, self.condition(n)))

    def for_(self, n: Node, out: list[ast.Stmt]) -> None:
        self.enter()
        init: ast.DeclStmt | ast.ExprStmt | None = None
        first = n.child_by_field_name("initializer")
        if first is not None:
            made: list[ast.Stmt] = []
            if first.type == "declaration":
                self.local_declaration(first, made)
            else:
                made.append(ast.ExprStmt(self.span(first), self.expr(first)))
            if isinstance(made[0], (ast.DeclStmt, ast.ExprStmt)):
                init = made[0]
        condition, step = n.child_by_field_name("condition"), n.child_by_field_name("update")
        loop = ast.For(
            self.span(n),
            init,
            self.expr(condition) if condition is not None else None,
            self.expr(step) if step is not None else None,
            self.sub(n.child_by_field_name("body"), n),
        )
        self.leave()
        out.append(loop)

    def switch(self, n: Node, out: list[ast.Stmt]) -> None:
        out.append(ast.Switch(self.span(n), self.condition(n), self.sub(n.child_by_field_name("body"), n)))

    def case(self, n: Node, out: list[ast.Stmt]) -> None:
        value = n.child_by_field_name("value")
        low: ast.Expr | None = None
        high: ast.Expr | None = None
        if value is not None and self.is_range(value):
            low, high = self.field(value, "left"), self.field(value, "right")
        elif value is not None:
            low = self.expr(value)
        inner = self.statements([c for c in n.children if value is None or c.start_byte != value.start_byte])
        out.append(ast.Case(self.span(n), low, high, inner[0] if inner else None))
        out.extend(inner[1:])

    def is_range(self, n: Node) -> bool:
        """GNU `case 1 ... 5:` (masked as `||` for the grammar)."""
        op = n.child_by_field_name("operator") if n.type == "binary_expression" else None
        return op is not None and self.source.startswith(b"...", op.start_byte)

    def labeled(self, n: Node, out: list[ast.Stmt]) -> None:
        label = n.child_by_field_name("label")
        rest = [c for c in named(n) if label is None or c.start_byte != label.start_byte]
        inner = self.statements(rest)
        out.append(ast.Labeled(self.span(n), self.text(label) if label else "", inner[0] if inner else None))
        out.extend(inner[1:])

    def jump(self, n: Node, out: list[ast.Stmt]) -> None:
        kind = n.type.removesuffix("_statement")
        parts = named(n)
        label = ""
        value: ast.Expr | None = None
        if kind == "goto":
            computed = b"*" in self.source[n.start_byte : parts[0].start_byte] if parts else False
            if computed:  # GNU `goto *p`, masked; the grammar calls the name a label
                name = self.text(parts[0])
                value = self.typed(ast.Name(self.span(parts[0]), name, self.sema.scope.lookup(name)))
            else:
                label = self.text(parts[0]) if parts else ""
        elif parts:
            value = self.expr(parts[0])
        out.append(ast.Jump(self.span(n), kind, label, value))  # type: ignore[arg-type]

    def attributed(self, n: Node, out: list[ast.Stmt]) -> None:
        out.extend(self.statements([c for c in named(n) if c.type in _STATEMENTS]))


def base_symbol(e: ast.Expr) -> ast.Symbol | None:
    """The variable at the base of a list item."""
    for _ in range(MAX_DEPTH):
        if isinstance(e, ast.Name):
            return e.symbol
        if isinstance(e, (ast.Index, ast.Section, ast.Member)):
            e = e.base
        elif isinstance(e, (ast.Unary, ast.Shaping, ast.Cast)):
            e = e.operand
        elif isinstance(e, ast.Paren):
            e = e.inner
        elif isinstance(e, ast.Binary):  # *(p + i)
            e = e.left
        else:
            break
    return None


_A = Adapter
_STATEMENTS: dict[str, Callable[[Adapter, Node, list[ast.Stmt]], None]] = {
    "compound_statement": _A.block,
    "expression_statement": _A.expression,
    "declaration": _A.local_declaration,
    "type_definition": _A.local_declaration,
    "struct_specifier": _A.tag,
    "union_specifier": _A.tag,
    "enum_specifier": _A.tag,
    "if_statement": _A.if_,
    "while_statement": _A.while_,
    "do_statement": _A.do,
    "for_statement": _A.for_,
    "switch_statement": _A.switch,
    "case_statement": _A.case,
    "labeled_statement": _A.labeled,
    "goto_statement": _A.jump,
    "break_statement": _A.jump,
    "continue_statement": _A.jump,
    "return_statement": _A.jump,
    "attributed_statement": _A.attributed,
}
