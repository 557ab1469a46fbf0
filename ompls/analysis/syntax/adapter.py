"""The grammar's tree of one external declaration to the typed syntax tree that every reader shares.

Node names of the grammar stay in the parts of this adapter: specifiers, declarators, initialisers, expressions,
directives, statements; each is a class over the one before it, and `Adapter` is the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.analysis.model.ctype import Function
from ompls.analysis.model.tu import SyntaxNote
from ompls.analysis.syntax.declarators import adjusted
from ompls.analysis.syntax.externals import errors
from ompls.analysis.syntax.statements import StatementReader

_DECLARATIONS = frozenset(("declaration", "type_definition"))
_TAGS = frozenset(("struct_specifier", "union_specifier", "enum_specifier"))


@dataclass
class External:
    """One external declaration, read."""

    node: ast.FunctionDef | ast.Declaration | ast.OtherStmt
    directives: list[ast.DirectiveStmt] = field(default_factory=list)
    calls: list[ast.Symbol] = field(default_factory=list)
    tainted: list[Span] = field(default_factory=list)
    notes: list[SyntaxNote] = field(default_factory=list)  # their offsets count in it
    strangers: tuple[str, ...] = ()


class Adapter(StatementReader):
    """Reads one external declaration.

    bodies -- False: those of functions stay unread (a header's, which nobody looks into: the names in one would be read
              next, and theirs, without end)
    """

    bodies = True

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
        if n.has_error and not self.tainted and errors([n], 1):
            self.taint(n)
        self.tainted += [member.span for member in self.sema.unknown_members]
        return External(node, self.directives, calls, self.tainted, self.notes, tuple(self.strangers))

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
        if not self.file.variant:  # a function variant has a name of its own (OpenMP 5.2 §7.5.5)
            symbol = self.declare(symbol)
        self.sema.function = d.name
        self.enter()
        params = d.params or []
        for p in params:
            self.sema.scope.declare(p)
        if params and not d.type.prototype:
            self.old_style(n, params)
        compound = self.compound(body) if self.bodies else ast.Compound(self.span(body), ())
        self.leave()
        self.sema.function = ""
        header = Span(n.start_byte + self.shift, body.start_byte + self.shift)
        return ast.FunctionDef(self.span(n), symbol, tuple(params), compound, name_span, header)

    def old_style(self, n: Node, params: list[ast.Symbol]) -> None:
        """Give the parameters of an old-style definition the types that the declarations before its body say."""
        by_name = {p.name: p for p in params}
        for declaration in n.children:
            if declaration.type != "declaration":
                continue
            base = self.specifiers(declaration).type
            for c in declaration.children_by_field_name("declarator"):
                declared = self.declarator(c, base)
                param = by_name.get(declared.name)
                if param is None:
                    self.taint(c)
                else:
                    param.type, param.span = adjusted(declared.type), self.span(declared.node or c)
