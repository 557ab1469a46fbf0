"""The adapter, part two: declarators and declarations to symbols with their types."""

from __future__ import annotations

from tree_sitter import Node

from ompls.analysis.model import ast
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import composite
from ompls.analysis.model.ctype import (
    INT,
    MOST_LEVELS,
    MOST_PARTS,
    UNKNOWN,
    Array,
    CType,
    Function,
    Pointer,
    Void,
    is_too_large,
    qualifiers,
    shared,
)
from ompls.analysis.model.scope import FileScope
from ompls.analysis.model.tu import SyntaxNote
from ompls.analysis.syntax import attributes
from ompls.analysis.syntax.limits import MAX_DEPTH
from ompls.analysis.syntax.reader import Declared, broken, named
from ompls.analysis.syntax.specifiers import DECLARATORS, SpecifierReader, Specifiers, aligned


class DeclaratorReader(SpecifierReader):
    """Declarators and declarations."""

    # --- declarators

    def declarator(self, n: Node, base: CType) -> Declared:
        """The type and name that declarator `n` makes of the specified type `base`."""
        dims: list[ast.Expr] = []
        params: list[ast.Symbol] | None = None
        for _ in range(MAX_DEPTH):
            kind = n.type
            inner = n.child_by_field_name("declarator")
            if kind.endswith("pointer_declarator"):
                quals = {self.text(c).strip("_") for c in n.children if c.type == "type_qualifier"}
                base = shared(Pointer(base, quals=qualifiers(quals & {"const", "volatile", "restrict"})))
            elif kind.endswith("array_declarator"):
                base = self.array(n, base, dims)
            elif kind.endswith("function_declarator"):
                types, symbols, variadic, prototype = self.parameters(n.child_by_field_name("parameters"))
                base = Function(base, types, variadic, prototype)
                own = inner
                while own is not None and own.type == "parenthesized_declarator":
                    own = next(iter(named(own)), None)
                params = symbols if own is not None and own.type in ("identifier", "field_identifier") else None
            elif kind.endswith("parenthesized_declarator") or kind == "attributed_declarator":
                inner = next((c for c in named(n) if c.type in DECLARATORS), None)
            elif kind in ("identifier", "field_identifier", "type_identifier", "primitive_type"):
                return Declared(base, self.text(n), n, dims, params)
            else:
                self.taint(n)
                break
            if inner is None:
                break
            n = inner
        return Declared(base, "", None, dims, params)

    def array(self, n: Node, of: CType, dims: list[ast.Expr]) -> CType:
        size = n.child_by_field_name("size")
        quals = qualifiers(self.text(c) for c in n.children if c.type == "type_qualifier")
        if size is None or size.type == "*" or self.text(size) == "*":
            return Array(of, None, vla=size is not None, vla_text="*" if size is not None else "", quals=quals)
        length = self.expr(size)
        dims.insert(0, length)
        value = fold(length)
        if value is not None:
            return Array(of, max(0, value), quals=quals)
        return Array(of, None, True, self.text(size), quals=quals)

    def parameters(self, n: Node | None) -> tuple[tuple[CType, ...], list[ast.Symbol], bool, bool]:
        """(types, symbols, variadic, is a prototype) of a parameter list."""
        types: list[CType] = []
        symbols: list[ast.Symbol] = []
        if n is None:
            return (), [], False, False
        variadic = False
        self.enter()
        for c in named(n):
            if c.type == "variadic_parameter":
                variadic = True
            elif c.type == "parameter_declaration":
                spec = self.specifiers(c)
                declarator = c.child_by_field_name("declarator")
                d = Declared(spec.type) if declarator is None else self.declarator(declarator, spec.type)
                if isinstance(d.type, Void) and not d.name and not types:
                    continue
                t = adjusted(d.type)
                types.append(t)
                if d.name and d.node is not None:
                    symbol = ast.Symbol(d.name, "param", t, level="param", span=self.span(d.node), defined=True)
                    self.sema.scope.declare(symbol)
                    symbols.append(symbol)
            elif c.type == "identifier" and not self.is_type(self.text(c)):  # of old style; its declaration follows
                symbols.append(ast.Symbol(self.text(c), "param", INT, level="param", span=self.span(c), defined=True))
            else:
                types.append(UNKNOWN)
                self.taint(c)
        self.leave()
        if symbols and not types:
            return (), symbols, False, False
        return tuple(types), symbols, variadic, bool(types) or variadic or bool(named(n))

    # --- declarations

    def declare(self, symbol: ast.Symbol) -> ast.Symbol:
        """Declare `symbol` in the current scope; at file scope, as the composite with what is declared already."""
        scope = self.sema.scope
        if isinstance(scope, FileScope):
            symbol.level = "file"
            symbol = self.merged(symbol, scope.own(symbol.name))
        scope.declare(symbol)
        return symbol

    def merged(self, symbol: ast.Symbol, previous: ast.Symbol | None) -> ast.Symbol:
        if previous is not None and previous.kind == symbol.kind and symbol.kind in ("func", "var"):
            symbol.type = composite(symbol.type, previous.type)
            symbol.defined = symbol.defined or previous.defined
            symbol.declare_target = symbol.declare_target or previous.declare_target
            symbol.thread_local = symbol.thread_local or previous.thread_local
            symbol.inline = symbol.inline or previous.inline
            if previous.storage == "static":
                symbol.storage = "static"
            if symbol.init is None:
                symbol.init = previous.init
        if self.file.declare_target and symbol.kind in ("func", "var"):
            symbol.declare_target = symbol.declare_target or "enter"
        return self.file.intern(symbol)

    def declaration(self, n: Node) -> tuple[list[ast.VarDecl], Specifiers]:
        """A `declaration` or `type_definition` node."""
        spec = self.specifiers(n)
        typedef = n.type == "type_definition"
        if typedef:
            spec.storage = "typedef"
        out: list[ast.VarDecl] = []
        first = self._after(n)
        for c in n.children:
            if c.start_byte < first or c.end_byte <= first or not c.is_named or c.type not in DECLARATORS:
                continue
            out.append(self.declared(c, spec))
        if broken(n):
            self.taint(n)
        return out, spec

    def declared(self, n: Node, spec: Specifiers) -> ast.VarDecl:
        """One init-declarator."""
        value = n.child_by_field_name("value") if n.type == "init_declarator" else None
        target = n.child_by_field_name("declarator") if n.type == "init_declarator" else n
        init: ast.Expr | None = None
        if spec.auto and value is not None:
            init = self.expr(value)
            spec = Specifiers(init.type, spec.storage)
            value = None
        d = self.declarator(target if target is not None else n, spec.type)
        if spec.storage == "typedef" and spec.said:
            d.type = aligned(d.type, self.alignment(b" ".join(self.said_of(n, spec))))
        name_span = self.span(d.node) if d.node is not None else self.span(n)
        symbol = self.symbol(d, spec, name_span)
        symbol = self.declare(symbol)
        if value is not None:
            init = self.initializer(value, symbol.type)
            length = init_length(init) if isinstance(symbol.type, Array) else None
            if isinstance(symbol.type, Array) and symbol.type.length is None and not symbol.type.vla:
                symbol = self.completed(symbol, length)
                init.type = symbol.type if isinstance(init, ast.InitList) else init.type
        if init is not None and symbol.init is not init:
            if symbol.level == "file":
                symbol = copy_symbol(symbol)
                symbol.init, symbol.defined = init, True
                self.sema.scope.declare(symbol)
            else:
                symbol.init = init
        return ast.VarDecl(self.span(n), symbol, name_span, init, tuple(d.dims))

    def said_of(self, n: Node, spec: Specifiers) -> list[bytes]:
        """The attributes of one declarator of a declaration."""
        siblings = n.parent.children if n.parent is not None else [n]
        commas = [c.start_byte for c in siblings if c.type == ","]
        first = next(c.start_byte for c in siblings if c.type in DECLARATORS and c.start_byte >= spec.last)
        return attributes.of_part(spec.said, first, commas, sum(comma < n.start_byte for comma in commas))

    def completed(self, symbol: ast.Symbol, length: int | None) -> ast.Symbol:
        """`symbol`, an array of unknown length, with the length its initialiser gives it."""
        assert isinstance(symbol.type, Array)
        made = copy_symbol(symbol)
        made.type = Array(symbol.type.of, length)
        self.sema.scope.declare(made)
        return made

    def symbol(self, d: Declared, spec: Specifiers, span: ast.Span) -> ast.Symbol:
        t, storage = d.type, spec.storage
        if is_too_large(t):
            why = f"the type of '{d.name}' is not followed: written out it has more than {MOST_PARTS} parts"
            self.notes.append(SyntaxNote("budget", *span, f"{why}, or {MOST_LEVELS} levels"))
            t = UNKNOWN
        file_scope = isinstance(self.sema.scope, FileScope)
        if storage == "typedef":
            return ast.Symbol(d.name, "typedef", t, "typedef", span=span)
        level = "file" if file_scope else "block"
        if isinstance(t, Function):
            return ast.Symbol(d.name, "func", t, storage, level, span, inline=spec.inline)  # type: ignore[arg-type]
        defined = storage != "extern"
        made = ast.Symbol(d.name, "var", t, storage, level, span, defined=defined)  # type: ignore[arg-type]
        made.thread_local = spec.thread_local
        return made


def adjusted(t: CType) -> CType:
    """The type of a parameter declared with `t` (C11 §6.7.6.3p7, p8)."""
    if isinstance(t, Array):
        return shared(Pointer(t.of, quals=qualifiers(t.quals & {"const", "volatile", "restrict"})))
    return Pointer(t) if isinstance(t, Function) else t


def copy_symbol(s: ast.Symbol) -> ast.Symbol:
    return ast.Symbol(
        s.name, s.kind, s.type, s.storage, s.level, s.span, s.init, s.value, s.defined, s.inline, s.thread_local,
        s.from_system_header, s.declare_target,
    )  # fmt: skip


def init_length(init: ast.Expr) -> int | None:
    """How many elements an initialiser gives to an array of unknown length."""
    t = init.type
    if isinstance(t, Array):
        return t.length
    return None
