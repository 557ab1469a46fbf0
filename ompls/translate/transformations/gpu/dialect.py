"""C that is not C++: the edits that make a piece of the user's C acceptable to a CUDA C++ compiler.

CUDA C++ of any toolkit since 10.2 is aimed at (C++14).  Types come from the model, so conversions that C does silently
become casts.  What has no counterpart is a Problem.
"""

from __future__ import annotations

from collections.abc import Callable

from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.convert import decay, owner, unqualified
from ompls.analysis.model.ctype import BOOL, CHAR, UNSIGNED, Array, CType, Enum, Function, Pointer, Record, Void
from ompls.analysis.model.layout import offsetof
from ompls.analysis.model.peel import bare
from ompls.translate.ctext import Types, element_of, flat, is_unknown, is_vla
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part, Rewriter
from ompls.translate.slots import has_effects
from ompls.translate.transformations.gpu.arrays import VariableArrays
from ompls.translate.transformations.gpu.calls import call
from ompls.translate.transformations.gpu.complexes import complex_number
from ompls.translate.transformations.gpu.enums import promoted_operands, promotion
from ompls.translate.transformations.gpu.gnu import ALLOCAS, ComputedGotos, case_range, has_typeof
from ompls.translate.transformations.gpu.pointers import (
    ANY_POINTER,
    is_enumerator,
    is_void_step,
    needs_cast,
    unlike_pointers,
)
from ompls.translate.transformations.gpu.sizes import is_smaller, size_of_definition
from ompls.translate.transformations.gpu.typetext import as_cxx, refuse_other_types
from ompls.translate.transformations.gpu.values import compound_literal, declaration
from ompls.translate.typetexts import TypeText
from ompls.translate.uses import whole_of


class Dialect:
    """Adds the edits for one function or region to `rw`.

    addressed -- id of objects of which, or of a part of which, `&` takes the address
    atomics   -- id of the assignments of `atomic` constructs, which are converted where they are written anew
    declared  -- what the innermost block declares for us
    in_library -- whether the device has a library function
    """

    def __init__(
        self,
        rw: Rewriter,
        types: Types,
        in_library: Callable[[str], bool],
        returns: CType | None = None,
        dims: dict[Symbol, list[str]] | None = None,
    ) -> None:
        self.rw = rw
        self.in_library = in_library
        self.arrays = VariableArrays(rw, types, dims if dims is not None else {})
        self.addressed: set[int] = set()
        self.atomics: set[int] = set()
        self.declared: list[Part] | None = None
        self._gotos: ComputedGotos | None = None
        self._opening: dict[int, list[Part]] = {}  # id of a block -> what it declares first
        self.types = types
        self.returns = returns

    def visit(self, node: ast.Node) -> None:
        """Add the edits for `node` and all below it."""
        self._stack_for(node)
        for n in ast.nodes(node):
            if isinstance(n, ast.Unary) and n.op == "&" and not n.postfix:
                self.addressed.add(id(whole_of(n.operand)))
            elif isinstance(n, ast.DirectiveStmt) and n.directive.name == "atomic":
                self.atomics.update(id(s.expr) for s in n.walk() if isinstance(s, ast.ExprStmt))
        self._gotos = ComputedGotos(self.rw, node)
        self._visit(node)

    def _visit(self, node: ast.Node) -> None:
        blocks: list[tuple[ast.Compound, list[Part] | None]] = []  # with what the one around it declares
        waiting: list[ast.Node | None] = [node]  # None: the innermost block ends
        while waiting:
            n = waiting.pop()
            if n is None:
                block, outer = blocks.pop()
                if self.declared:
                    self.rw.replace(Span(block.span.start + 1, block.span.start + 1), *self.declared)
                self.declared = outer
                continue
            if isinstance(n, ast.Compound):
                blocks.append((n, self.declared))
                self.declared = list(self._opening.get(id(n), ()))
                waiting.append(None)
            self._node(n)
            waiting += reversed(n.children())

    def _node(self, n: ast.Node) -> None:
        if self.arrays.node(n):
            return
        self._gnu(n)
        if complex_number(self, n):
            return
        if isinstance(n, ast.SizeOf) and isinstance(n.of, (Void, Function)):
            self.rw.replace(n.span, "1ul")  # GNU C
        elif isinstance(n, ast.SizeOf) and n.operand is None and "{" in self.rw.string(n.span):
            self.rw.replace(n.span, f"{size_of_definition(n, self.rw.string(n.span))}ul")
        elif isinstance(n, ast.SizeOf) and n.operand is not None and is_smaller(bare(n.operand)):
            self.rw.replace(n.span, f"{n.op}({self.types.cxx(n.of)})")
        for operand in promoted_operands(n):
            self.cast(operand, UNSIGNED)
        for operand in unlike_pointers(n):
            self.cast(operand, ANY_POINTER)
        if isinstance(n, ast.Expr) and is_void_step(n):
            self._void_step(n)
        if isinstance(n, ast.Assign) and n.op == "=" and id(n) not in self.atomics:
            self.convert(n.value, n.target.type, n.target.span)
        elif isinstance(n, ast.Assign) and n.op != "=" and isinstance(n.target.type, Enum):
            kind = self._kind(n.target.type, self._once(n.target))
            old: list[Part] = [f"({promotion(n.target.type)}", n.target.span, f" {n.op[:-1]} ("]
            self.rw.replace(n.span, n.target.span, " = (", *kind, ")", *old, n.value.span, "))")
        elif isinstance(n, ast.Unary) and n.op in ("++", "--") and isinstance(n.operand.type, Enum):
            kind, there, back = self._kind(n.operand.type, self._once(n.operand)), n.op[0], "-" if n.op == "++" else "+"
            stepped: list[Part] = ["(", n.operand.span, " = (", *kind, ")(", n.operand.span, f" {there} 1))"]
            parts = ["((", *kind, ")(", *stepped, f" {back} 1))"] if n.postfix else stepped
            self.rw.replace(n.span, *parts)
        elif isinstance(n, ast.Unary) and n.op in ("++", "--") and unqualified(n.operand.type) == BOOL:
            self._step_of_bool(n)
        elif isinstance(n, ast.VarDecl):
            declaration(self, n)
        elif isinstance(n, ast.AsmStmt):  # without instructions
            operands = [e.operand if isinstance(e, ast.Unary) and e.span == e.operand.span else e for e in n.parts]
            self.rw.replace(n.span, "{ ", *(part for e in operands for part in ("(void)(", e.span, "); ")), "}")
        elif isinstance(n, (ast.OtherStmt, ast.OtherExpr)):
            raise Problem(None, "something in a function that the region calls", n.why or "it could not be read as C")
        elif isinstance(n, ast.Jump) and n.kind == "return" and n.value is not None and self.returns is not None:
            self.convert(n.value, self.returns)
        elif isinstance(n, ast.Call):
            call(self, n)
        elif isinstance(n, ast.CompoundLiteral):
            compound_literal(self, n)
        elif isinstance(n, ast.Generic) and n.chosen is not None:
            self.rw.replace(n.span, "(", n.chosen.span, ")")
        elif isinstance(n, ast.Conditional) and n.then is not None:
            if isinstance(n.type, Pointer):
                self.convert(n.then, n.type)
                self.convert(n.otherwise, n.type)
        elif isinstance(n, ast.Conditional):
            self.rw.replace(n.span, "[&] { auto ompls_v = (", n.condition.span, "); return ompls_v ? ompls_v : (",
                            n.otherwise.span, "); }()")  # fmt: skip

    def _gnu(self, n: ast.Node) -> None:
        if self._gotos is not None:
            self._gotos.node(n)
        if isinstance(n, ast.Member) and isinstance(n.type, Array) and n.type.length is None and not n.type.vla:
            self._flexible(n)
        elif isinstance(n, ast.IntLiteral) and self.rw.text.startswith(b"__builtin_", n.span.start):  # offsetof
            self.rw.replace(n.span, f"{n.value}ul")
        elif isinstance(n, ast.Case) and n.high is not None:
            case_range(self.rw, n)
        elif isinstance(n, (ast.Cast, ast.SizeOf)) and n.type_span is not None and has_typeof(self.rw, *n.type_span):
            self.rw.replace(n.type_span, self.types.cxx(flat(n.to if isinstance(n, ast.Cast) else n.of)))
        elif (
            isinstance(n, ast.DeclStmt)
            and n.decls
            and not any(is_vla(d.symbol.type) for d in n.decls)
            and has_typeof(self.rw, n.span.start, n.decls[0].name_span.start)
        ):
            self._declare_anew(n)
        elif isinstance(n, ast.DeclStmt):
            self._define(n)

    def _flexible(self, n: ast.Member) -> None:
        """A flexible array member is not declared: it begins where the layout says."""
        of = owner(n.base.type, n.arrow)
        offset = offsetof(of, n.field, self.types.model) if isinstance(of, Record) else None
        if isinstance(n.type, Array) and offset is not None:
            address = "(char *)(" if n.arrow else "(char *)&("
            kind = self.types.cxx(Pointer(n.type.of))
            self.rw.replace(n.span, f"(({kind})({address}", n.base.span, f") + {offset}))")

    def _define(self, n: ast.DeclStmt) -> None:
        """The types that a declaration of a block defines, as those of the file scope."""
        span = Span(n.span.start, min((d.span.start for d in n.decls), default=n.span.end))
        text = decoded(self.rw.text[span.start : span.end])
        refuse_other_types(TypeText(decoded(self.rw.text[n.span.start : n.span.end])))
        if "{" in text and (made := as_cxx(TypeText(text))) != text:
            self.rw.replace(span, made)

    def _declare_anew(self, n: ast.DeclStmt) -> None:
        """Declarators whose type was given by an expression, with the type that it has."""
        parts: list[Part] = []
        for d in n.decls:
            t = d.symbol.type
            if is_unknown(t) or not self.types.has_name(element_of(t) or t):
                raise Problem(d.span, f"the type of '{d.symbol.name}'", "it has no name")
            storage = f"{d.symbol.storage} " if d.symbol.storage in ("static", "typedef") else ""
            init: list[Part] = [" = ", d.init.span] if d.init is not None else []
            parts += [f"{storage}{self.types.cxx(t, d.symbol.name)}", *init, "; "]
        self.rw.replace(n.span, *parts)

    def _stack_for(self, node: ast.Node) -> None:
        """What `alloca` takes lives until the function ends: as long as a variable in its outermost block."""
        if not any(isinstance(n, ast.Call) and isinstance(n.function, ast.Name) and n.function.name in ALLOCAS
                   for n in ast.nodes(node)):  # fmt: skip
            return
        blocks: list[ast.Node | None] = [n.body for n in node.walk() if isinstance(n, ast.DirectiveStmt)]
        blocks = blocks or [node]
        for block in blocks:
            first = next((n for n in block.walk() if isinstance(n, ast.Compound)), None) if block is not None else None
            if first is None:
                raise Problem(node.span, "'alloca' here", "its region is no block")
            self._opening.setdefault(id(first), []).append("\nompls_stack ompls_alloca;  // freed when this ends")

    def _void_step(self, n: ast.Expr) -> None:
        """Arithmetic on void * counts bytes (GNU C)."""
        if isinstance(n, ast.Binary):
            for operand in (n.left, n.right):
                if isinstance(decay(operand.type), Pointer):
                    self.cast(operand, Pointer(CHAR))
            if isinstance(n.type, Pointer):
                self.cast(n, n.type)
            return
        assert isinstance(n, (ast.Assign, ast.Unary))
        target = self._once(n.target if isinstance(n, ast.Assign) else n.operand)
        by: list[Part] = ["(", n.value.span, ")"] if isinstance(n, ast.Assign) else ["1"]
        back_to = f"({self.types.cxx(unqualified(n.type))})"
        stepped: list[Part] = ["(", target, f" = {back_to}((char *)", target, f" {n.op[0]} ", *by, "))"]
        if isinstance(n, ast.Unary) and n.postfix:
            back = "-" if n.op == "++" else "+"
            stepped = [f"{back_to}((char *)", *stepped, f" {back} 1)"]
        self.rw.replace(n.span, *stepped)

    def _once(self, e: ast.Expr) -> Span:
        """An lvalue that is about to be written down twice."""
        if has_effects(e):
            raise Problem(e.span, "this operand with side effects", "take them out of the expression")
        return e.span

    def _step_of_bool(self, n: ast.Unary) -> None:
        """C++17 has no ++ and never had a -- of bool: one makes it true, the other toggles it."""
        if not isinstance(bare(n.operand), ast.Name):
            raise Problem(n.span, f"'{n.op}' of a _Bool", "assign it")
        b = n.operand.span
        if n.op == "--":
            self.rw.replace(n.span, "(!(" if n.postfix else "((", b, " = !", b, "))")
        elif n.postfix:
            self.rw.replace(n.span, "[&] { _Bool ompls_v = ", b, "; ", b, " = 1; return ompls_v; }()")
        else:
            self.rw.replace(n.span, "(", b, " = 1)")

    def _kind(self, t: CType, of: Span) -> list[Part]:
        """The type of the object at `of` in a cast: an enumeration may have no name."""
        return [self.types.cxx(unqualified(t))] if self.types.has_name(t) else ["ompls_typeof(", of, ")"]

    def convert(self, e: ast.Expr, to: CType, of: Span | None = None) -> None:
        """C converts `e` to `to` silently; C++ wants a cast between pointers, from literals and to enumerations."""
        inner = bare(e)
        whole = isinstance(to, Enum) and (of is not None or self.types.has_name(to))  # its operands may be promoted
        while isinstance(inner, ast.Conditional) and inner.then is not None and not whole:
            self.convert(inner.then, to, of)
            e = inner.otherwise
            inner = bare(e)
        if not needs_cast(inner, to) or (isinstance(to, Enum) and not self.types.has_name(to) and is_enumerator(inner)):
            return  # an enumeration without a name: only its own enumerators need no cast
        if of is not None and not self.types.has_name(to):
            self.rw.replace(e.span, "(", *self._kind(to, of), ")(", e.span, ")")
        else:
            self.cast(e, to)

    def cast(self, e: ast.Expr, to: CType) -> None:
        self.rw.replace(e.span, f"({self.types.cxx(unqualified(flat(to)))})(", e.span, ")")
