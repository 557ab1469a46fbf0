"""The adapter, part six: statements, with every directive at its statement.

The grammar never sees a pragma: it is bound by position, to the statement that starts next after it.  Reading goes
in source order, so that scopes decide what is a type, and names in clauses mean what they mean at the pragma.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import Directive, declare_target_list
from ompls.analysis.model.tu import SyntaxNote
from ompls.analysis.spec import DIRECTIVES
from ompls.analysis.syntax.attributes import end_of_attributes
from ompls.analysis.syntax.binding import DirectiveReader, begins
from ompls.analysis.syntax.expressions import EXPRESSIONS
from ompls.analysis.syntax.limits import MAX_CHAIN, MAX_DEPTH, MAX_STACKED, TOO_DEEP, TOO_LONG
from ompls.analysis.syntax.reader import broken, named
from ompls.analysis.syntax.specifiers import DECLARATORS, Specifiers
from ompls.analysis.syntax.tree import parse_once

_SILENT = frozenset(("{", "}", "comment", ";", ":", "case", "default", "else"))
# What the grammar takes `T (name)…;` for: down these fields is what it takes for the callee.
_VEXING = {
    "call_expression": ("function",),
    "assignment_expression": ("left",),
    "subscript_expression": ("argument",),
    "comma_expression": ("left",),
}
_DECLARES = b"auto "


class StatementReader(DirectiveReader):
    """Statements."""

    def bound(self, d: Directive, body: ast.Stmt | None) -> ast.DirectiveStmt:
        if d.name == "declare target":
            for mode, item in declare_target_list(d):
                if item.symbol is not None and item.symbol.level == "block":  # a static variable of this function
                    item.symbol.declare_target = mode
        end = body.span.end if body is not None else d.span.end
        return ast.DirectiveStmt(Span(d.span.start, end), d, body)

    def drain(self, end: int, out: list[ast.Stmt]) -> None:
        """Directives before `end` that no statement follows."""
        while (d := self.next_directive(end)) is not None:
            if not self.standalone(d):
                self.notes.append(SyntaxNote("pragma", *d.span, f"no statement follows the directive '{d.name}'"))
            stmt = self.bound(d, None)
            self.directives.append(stmt)
            out.append(stmt)

    def compound(self, n: Node) -> ast.Compound:
        self.enter()
        out = self.statements(n.children)
        self.drain(n.end_byte, out)
        if any(isinstance(s, ast.DirectiveStmt) and begins(s.directive) for s in out):
            out = _between(out)
        self.leave()
        if broken(n):
            self.taint(n)
        return ast.Compound(self.span(n), tuple(out))

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
        outside = len(self.around)
        while (d := self.next_directive(n.start_byte)) is not None:
            if self.standalone(d) or len(over) >= MAX_STACKED:
                stmt: ast.Stmt = self.bound(d, None)
                assert isinstance(stmt, ast.DirectiveStmt)
                self.directives.append(stmt)
                out.append(self.wrap(slots, stmt))
                over, slots = [], []
                del self.around[outside:]
            else:
                slots.append(len(self.directives))
                self.directives.append(self.bound(d, None))  # keeps source order; `wrap` puts the body in
                over.append(d)
                self.around.append(d)
        made: list[ast.Stmt] = []
        self.depth += len(over)
        self.convert(n, made)
        del self.around[outside:]
        self.depth -= len(over)
        if over and made:
            out.append(self.wrap(slots, made[0]))
            out.extend(made[1:])
        else:
            out.extend(made)

    def wrap(self, slots: list[int], stmt: ast.Stmt) -> ast.Stmt:
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
        return ast.Compound(Span(out[0].span.start, out[-1].span.end) if out else self.span(n), tuple(out))

    def convert(self, n: Node, out: list[ast.Stmt]) -> None:
        """Append what `n` is, without regard to the directives before it."""
        if self.depth >= MAX_DEPTH:
            self.too_deep(n, out)
            return
        reader = _STATEMENTS.get(n.type)
        if reader is None or (n.type != "compound_statement" and n.has_error and broken(n)):
            self.taint(n)
            out.append(ast.OtherStmt(self.span(n), self.parts(n)))
            return
        self.depth += 1
        reader(self, n, out)
        self.depth -= 1

    def too_deep(self, n: Node, out: list[ast.Stmt]) -> None:
        """Nothing in `n` is read, its directives neither; that is said once in a declaration."""
        self.taint(n)
        while self.directive_before(n.end_byte):
            self.at_pragma += 1
        span = self.span(n)
        if all(note.kind != "budget" for note in self.notes):
            self.notes.append(SyntaxNote("budget", *span, f"what stands here is not looked at: {TOO_DEEP}"))
        out.append(ast.OtherStmt(span, [], why=TOO_DEEP))

    def block(self, n: Node, out: list[ast.Stmt]) -> None:
        out.append(self.compound(n))

    def expression(self, n: Node, out: list[ast.Stmt]) -> None:
        inner = named(n)
        if not inner:
            out.append(ast.ExprStmt(self.span(n), None))
            return
        e = inner[0]
        if e.type in _VEXING and self.vexing(n, e, out):
            return
        if e.type == "gnu_asm_expression":
            out.append(ast.AsmStmt(self.span(n), self.operands(e), self.is_empty(e)))
            return
        if e.type == "cast_expression" and self.source.startswith(b"goto", e.start_byte):
            value = e.child_by_field_name("value")  # GNU `goto *p`, masked
            out.append(ast.Jump(self.span(n), "goto", "", self.expr(value) if value is not None else None))
            return
        out.append(ast.ExprStmt(self.span(n), self.expr(e)))

    def operands(self, n: Node) -> list[ast.Node]:
        """An asm statement's operands; of an output its address, because anything may happen to it."""
        if broken(n):
            self.taint(n)
        out: list[ast.Node] = []
        for group in named(n):
            for operand in named(group):
                value = operand.child_by_field_name("value")
                if value is None:
                    continue
                e = self.expr(value)
                if operand.type == "gnu_asm_output_operand":
                    e = self.typed(ast.Unary(e.span, "&", e))
                out.append(e)
        return out

    def is_empty(self, n: Node) -> bool:
        """Whether an asm statement does nothing: an output that is no input may come from another operand."""
        code = n.child_by_field_name("assembly_code")
        outputs = (o for group in named(n) for o in named(group) if o.type == "gnu_asm_output_operand")
        constraints = (c for o in outputs if (c := o.child_by_field_name("constraint")) is not None)
        return code is not None and not self.text(code).strip('"') and all("+" in self.text(c) for c in constraints)

    def vexing(self, n: Node, e: Node, out: list[ast.Stmt]) -> bool:
        """`T (name);`, `T (*name) = 0;` with a typedef name are declarations that the grammar takes for expressions."""
        callee: Node | None = e
        while callee is not None and callee.type in _VEXING:
            callee = next((c for f in _VEXING[callee.type] if (c := callee.child_by_field_name(f)) is not None), None)
        if callee is None or callee.type != "identifier":
            return False
        name = self.text(callee)
        if e.type == "call_expression" and name in ("_Static_assert", "__label__"):
            return True
        return self.is_type(name) and self.declared_alone(n, out)

    def declared_alone(self, n: Node, out: list[ast.Stmt]) -> bool:
        """Read `n` as the declaration that it is: alone, after a word that only a declaration begins with."""
        text = self.source[n.start_byte : n.end_byte]
        root = parse_once(_DECLARES + text)
        if root.has_error or len(root.children) != 1 or root.children[0].type != "declaration":
            return False
        saved, span = (self.source, self.shift), self.span(n)
        self.source, self.shift = _DECLARES + text, span.start - len(_DECLARES)
        try:
            spec = self.specifiers(root.children[0])
            spec.storage = ""
            found = [c for c in root.children[0].named_children if c.type in DECLARATORS and c.start_byte >= spec.last]
            made = [self.declared(c, spec) for c in found]
        finally:
            self.source, self.shift = saved
        out.append(ast.DeclStmt(span, tuple(made), Span(span.start, span.start + spec.last - len(_DECLARES))))
        return True

    def local_declaration(self, n: Node, out: list[ast.Stmt]) -> None:
        product = self.misread_product(n)
        if product is not None:
            out.append(ast.ExprStmt(self.span(n), product))
            return
        decls, spec = self.declaration(n)
        out.append(ast.DeclStmt(self.span(n), tuple(decls), self.specifier_span(n, spec)))

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
        span = Span(n.start_byte + self.shift, end_of_attributes(self.source, n.end_byte) + self.shift)
        out.append(ast.DeclStmt(span, (), span))

    def if_(self, n: Node, out: list[ast.Stmt]) -> None:
        """A ladder of `else if` is read without recursion over its length."""
        ladder: list[tuple[Node, ast.Expr, ast.Stmt]] = []
        otherwise: ast.Stmt | None = None
        at: Node | None = n
        while at is not None:
            ladder.append((at, self.condition(at), self.sub(at.child_by_field_name("consequence"), at)))
            alternative = at.child_by_field_name("alternative")
            inner = named(alternative) if alternative is not None else []
            at = inner[0] if inner and self.follows(inner[0]) else None
            if at is not None and len(ladder) >= MAX_CHAIN:
                self.taint(at)
                otherwise = ast.OtherStmt(self.span(at), [], why=TOO_LONG)
                break
            if at is None and alternative is not None:
                otherwise = self.sub(inner[0] if inner else None, alternative)
        for node, condition, then in reversed(ladder):
            otherwise = ast.If(self.span(node), condition, then, otherwise)
        assert otherwise is not None
        out.append(otherwise)

    def follows(self, n: Node) -> bool:
        """Whether the statement of an `else` is an `if` that can be read, under no directive."""
        return n.type == "if_statement" and not (n.has_error and broken(n)) and not self.directive_before(n.start_byte)

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


def _between(items: list[ast.Stmt]) -> list[ast.Stmt]:
    """`items`, with what is between a `begin metadirective` and its end as the body of the directive in its place."""
    out: list[ast.Stmt] = []
    open_: list[tuple[ast.DirectiveStmt, int]] = []  # with where its body begins in `out`
    for item in items:
        if isinstance(item, ast.DirectiveStmt) and item.directive.name == "end metadirective" and open_:
            begun, at = open_.pop()
            held = out[at:]
            if held and DIRECTIVES[begun.directive.name].kind in ("block", "loop"):
                span = Span(held[0].span.start, held[-1].span.end)
                begun.body = held[0] if len(held) == 1 else ast.Compound(span, tuple(held))
                begun.span = Span(begun.span.start, span.end)
                del out[at:]
        out.append(item)
        if isinstance(item, ast.DirectiveStmt) and begins(item.directive):
            open_.append((item, len(out)))
    return out


_S = StatementReader
_STATEMENTS: dict[str, Callable[[StatementReader, Node, list[ast.Stmt]], None]] = {
    "compound_statement": _S.block,
    "expression_statement": _S.expression,
    "declaration": _S.local_declaration,
    "type_definition": _S.local_declaration,
    "struct_specifier": _S.tag,
    "union_specifier": _S.tag,
    "enum_specifier": _S.tag,
    "if_statement": _S.if_,
    "while_statement": _S.while_,
    "do_statement": _S.do,
    "for_statement": _S.for_,
    "switch_statement": _S.switch,
    "case_statement": _S.case,
    "labeled_statement": _S.labeled,
    "goto_statement": _S.jump,
    "break_statement": _S.jump,
    "continue_statement": _S.jump,
    "return_statement": _S.jump,
    "attributed_statement": _S.attributed,
}
