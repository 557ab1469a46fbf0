"""C that is not C++: the edits that make a piece of the user's C acceptable to a CUDA C++ compiler.

CUDA C++ of any toolkit since 10.2 is aimed at (C++14).  Types come from the model, so conversions that C does silently
become casts.  What has no counterpart is a Problem.
"""

from __future__ import annotations

import re

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import decay, unqualified
from ompls.analysis.model.ctype import CHAR, Array, CType, Enum, Floating, Function, Integer, Pointer, Record, Void
from ompls.analysis.model.layout import offsetof
from ompls.analysis.model.literals import units
from ompls.analysis.spec.devices.gpu import CUDA
from ompls.analysis.spec.runtime import MATH_FUNCTIONS
from ompls.translate.ctext import Types, element_of, flat, is_unknown, is_vla, strip
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part, Rewriter
from ompls.translate.transformations.gpu.arrays import VariableArrays
from ompls.translate.transformations.gpu.enums import UNSIGNED, promoted_operands
from ompls.translate.transformations.gpu.gnu import (
    ALLOCAS,
    BUILTINS,
    ComputedGotos,
    case_range,
    has_typeof,
)
from ompls.translate.transformations.gpu.initializers import has_effects, is_designated, leaves, printed, read
from ompls.translate.transformations.gpu.pointers import (
    ANY_POINTER,
    is_enumerator,
    is_void_step,
    needs_cast,
    unlike_pointers,
)
from ompls.translate.transformations.gpu.sizes import fits, is_complex, is_smaller

# What <math.h>'s macros become under gcc.
_INFINITY = "(1e300 * 1e300)"
_CONSTANTS = {
    "__builtin_inf": _INFINITY, "__builtin_huge_val": _INFINITY, "__builtin_inff": f"((float){_INFINITY})",
    "__builtin_huge_valf": f"((float){_INFINITY})", "__builtin_nan": f"({_INFINITY} * 0.0)",
    "__builtin_nanf": f"((float)({_INFINITY} * 0.0))",
}  # fmt: skip
_FUNCTIONS = {f"__builtin_{f}": f for f in CUDA.functions or () if not f.startswith(("omp_", "_"))} | {
    "__builtin_isinf_sign": "isinf"
}


class Dialect:
    """Adds the edits for one function or region to `rw`."""

    def __init__(
        self, rw: Rewriter, types: Types, returns: CType | None = None, dims: dict[Symbol, list[str]] | None = None
    ) -> None:
        self.rw = rw
        self.arrays = VariableArrays(rw, types, dims if dims is not None else {})
        self._addressed: set[int] = set()  # operands of &
        self._declared: list[Part] | None = None  # what the innermost block declares for us
        self._gotos: ComputedGotos | None = None
        self._opening: dict[int, list[Part]] = {}  # id of a block -> what it declares first
        self.types = types
        self.returns = returns

    def visit(self, node: ast.Node) -> None:
        """Add the edits for `node` and all below it."""
        self._stack_for(node)
        for n in ast.nodes(node):
            if isinstance(n, ast.Unary) and n.op == "&" and not n.postfix:
                self._addressed.add(id(strip(n.operand)))
        self._gotos = ComputedGotos(self.rw, node)
        self._visit(node)

    def _visit(self, node: ast.Node) -> None:
        outer = self._declared
        if isinstance(node, ast.Compound):
            self._declared = list(self._opening.get(id(node), ()))
        self._node(node)
        for child in node.children():
            self._visit(child)
        if isinstance(node, ast.Compound) and self._declared:
            self.rw.replace(Span(node.span.start + 1, node.span.start + 1), *self._declared)
        self._declared = outer

    def _node(self, n: ast.Node) -> None:
        if self.arrays.node(n):
            return
        self._gnu(n)
        if self._complex(n):
            return
        if isinstance(n, ast.SizeOf) and isinstance(n.of, (Void, Function)):
            self.rw.replace(n.span, "1ul")  # GNU C
        elif isinstance(n, ast.SizeOf) and n.operand is not None and is_smaller(strip(n.operand)):
            self.rw.replace(n.span, f"{n.op}({self.types.cxx(n.of)})")
        for operand in promoted_operands(n):
            self._cast(operand, UNSIGNED)
        for operand in unlike_pointers(n):
            self._cast(operand, ANY_POINTER)
        if isinstance(n, ast.Expr) and is_void_step(n):
            self._void_step(n)
        if isinstance(n, ast.Assign) and n.op == "=":
            self.convert(n.value, n.target.type, n.target.span)
        elif isinstance(n, ast.Assign) and isinstance(n.target.type, Enum):
            kind = self._kind(n.target.type, self._once(n.target))
            self.rw.replace(
                n.span, n.target.span, " = (", *kind, ")(", n.target.span, f" {n.op[:-1]} (", n.value.span, "))"
            )
        elif isinstance(n, ast.Unary) and n.op in ("++", "--") and isinstance(n.operand.type, Enum):
            kind, there, back = self._kind(n.operand.type, self._once(n.operand)), n.op[0], "-" if n.op == "++" else "+"
            stepped: list[Part] = ["(", n.operand.span, " = (", *kind, ")(", n.operand.span, f" {there} 1))"]
            parts = ["((", *kind, ")(", *stepped, f" {back} 1))"] if n.postfix else stepped
            self.rw.replace(n.span, *parts)
        elif isinstance(n, ast.Unary) and n.op in ("++", "--") and unqualified(n.operand.type) == Integer("_Bool"):
            self._step_of_bool(n)
        elif isinstance(n, ast.VarDecl):
            self._declaration(n)
        elif isinstance(n, ast.AsmStmt):  # without instructions
            operands = [e.operand if isinstance(e, ast.Unary) and e.span == e.operand.span else e for e in n.parts]
            self.rw.replace(n.span, "{ ", *(part for e in operands for part in ("(void)(", e.span, "); ")), "}")
        elif isinstance(n, (ast.OtherStmt, ast.OtherExpr)):
            raise Problem(None, "something in a function that the region calls", "it could not be read as C")
        elif isinstance(n, ast.Jump) and n.kind == "return" and n.value is not None and self.returns is not None:
            self.convert(n.value, self.returns)
        elif isinstance(n, ast.Call):
            self._call(n)
        elif isinstance(n, ast.CompoundLiteral):
            self._compound_literal(n)
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

    def _complex(self, n: ast.Node) -> bool:
        """Complex numbers are objects of a class; whether nothing else has to be done about `n`."""
        if isinstance(n, ast.Unary) and n.op in ("__real__", "__imag__") and not n.postfix:
            part = "re" if n.op == "__real__" else "im"
            if is_complex(n.operand.type):
                self.rw.replace(n.span, "(", n.operand.span, f").{part}")
            else:
                self.rw.replace(n.span, "(", n.operand.span, ")" if part == "re" else ", 0)")
        elif isinstance(n, ast.FloatLiteral) and is_complex(n.type):
            number = re.sub(r"[iIjJ]", "", n.text)
            self.rw.replace(n.span, f"{self.types.cxx(n.type)}(0, {number})")
        elif isinstance(n, ast.Call) and isinstance(n.function, ast.Name) and n.function.name == "__builtin_complex":
            parts = [part for a in n.args for part in (a.span, ", ")][:-1]
            self.rw.replace(n.span, f"{self.types.cxx(n.type)}(", *parts, ")")
        elif isinstance(n, ast.Assign) and n.op != "=" and is_complex(n.value.type) and not is_complex(n.target.type):
            raise Problem(n.span, f"'{n.op}' of a complex number to a real one", "write the assignment out")
        elif isinstance(n, ast.Conditional) and n.then is not None and is_complex(n.type):
            for e in (n.then, n.otherwise):
                if unqualified(e.type) != unqualified(n.type):
                    self._cast(e, n.type)
        elif isinstance(n, ast.Unary) and n.op in ("++", "--") and is_complex(n.operand.type):
            raise Problem(n.span, f"'{n.op}' of a complex number", "add 1")
        else:
            return False
        return True

    def _flexible(self, n: ast.Member) -> None:
        """A flexible array member is not declared: it begins where the layout says."""
        owner = n.base.type.to if isinstance(n.base.type, Pointer) else n.base.type
        offset = offsetof(owner, n.field) if isinstance(owner, Record) else None
        if isinstance(n.type, Array) and offset is not None:
            address = "(char *)(" if n.arrow else "(char *)&("
            kind = self.types.cxx(Pointer(n.type.of))
            self.rw.replace(n.span, f"(({kind})({address}", n.base.span, f") + {offset}))")

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
                    self._cast(operand, Pointer(CHAR))
            if isinstance(n.type, Pointer):
                self._cast(n, n.type)
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
        if not isinstance(strip(n.operand), ast.Name):
            raise Problem(n.span, f"'{n.op}' of a _Bool", "assign it")
        b = n.operand.span
        if n.op == "--":
            self.rw.replace(n.span, "(!(" if n.postfix else "((", b, " = !", b, "))")
        elif n.postfix:
            self.rw.replace(n.span, "[&] { bool ompls_v = ", b, "; ", b, " = true; return ompls_v; }()")
        else:
            self.rw.replace(n.span, "(", b, " = true)")

    def _kind(self, t: CType, of: Span) -> list[Part]:
        """The type of the object at `of` in a cast: an enumeration may have no name."""
        return [self.types.cxx(unqualified(t))] if self.types.has_name(t) else ["ompls_typeof(", of, ")"]

    def convert(self, e: ast.Expr, to: CType, of: Span | None = None) -> None:
        """C converts `e` to `to` silently; C++ wants a cast between pointers, from literals and to enumerations."""
        inner = strip(e)
        if isinstance(inner, ast.Conditional) and inner.then is not None:
            self.convert(inner.then, to, of)
            self.convert(inner.otherwise, to, of)
            return
        if not needs_cast(inner, to) or (isinstance(to, Enum) and not self.types.has_name(to) and is_enumerator(inner)):
            return  # an enumeration without a name: only its own enumerators need no cast
        if of is not None and not self.types.has_name(to):
            self.rw.replace(e.span, "(", *self._kind(to, of), ")(", e.span, ")")
        else:
            self._cast(e, to)

    def _cast(self, e: ast.Expr, to: CType) -> None:
        self.rw.replace(e.span, f"({self.types.cxx(unqualified(flat(to)))})(", e.span, ")")

    def _call(self, n: ast.Call) -> None:
        name = n.function.name if isinstance(n.function, ast.Name) else ""
        if name == "__builtin_expect" and n.args:
            self.rw.replace(n.span, "(", n.args[0].span, ")")
        elif name == "__builtin_constant_p":
            self.rw.replace(n.span, "0" if fold(n.args[0]) is None else "1")
        elif name in ALLOCAS and n.args:
            self.rw.replace(n.span, "ompls_alloca.take(", n.args[0].span, ")")
        elif name in _CONSTANTS:
            self.rw.replace(n.span, _CONSTANTS[name])
        elif name.removeprefix("__builtin_") in BUILTINS and name.startswith("__builtin_"):
            before, after = BUILTINS[name.removeprefix("__builtin_")].split("{}") if n.args else ("__trap()", "")
            spans = [part for a in n.args for part in (a.span, ", ")][:-1]
            self.rw.replace(n.span, before, *spans, after)
        elif name in _FUNCTIONS:
            self.rw.replace(n.function.span, _FUNCTIONS[name])
            for arg in n.args if _FUNCTIONS[name] in MATH_FUNCTIONS else ():
                if isinstance(arg.type, (Integer, Enum)) or unqualified(arg.type) == Floating("float"):
                    self._cast(arg, Floating("double"))
        elif name.startswith("__builtin_"):
            raise Problem(n.span, f"the call of '{name}'", "it is gcc's own; the device has no function of that name")
        t = n.function.type
        if isinstance(t, Pointer):
            t = t.to
        if not isinstance(t, Function):
            return
        symbol = n.function.symbol if isinstance(n.function, ast.Name) else None
        overloaded = symbol is not None and not symbol.defined and symbol.kind == "func"
        for arg, to in zip(n.args, t.params, strict=False):
            if overloaded and isinstance(to, (Integer, Floating)) and unqualified(arg.type) != unqualified(to):
                self._cast(arg, to)  # C++ has sqrt(float) and abs(double), which give something else
            elif is_vla(to):
                self.rw.replace(arg.span, f"({self.types.cxx(flat(to))})(", arg.span, ")")
            else:
                self.convert(arg, to)

    def _declaration(self, d: ast.VarDecl) -> None:
        t = d.symbol.type
        if isinstance(d.init, ast.InitList):
            self.initializer(d.init, t, d.symbol)
        elif isinstance(d.init, ast.StringLiteral) and isinstance(t, Array):
            self._characters(d.init, t)
        elif d.init is not None:
            self.convert(d.init, t, d.name_span)

    def _compound_literal(self, n: ast.CompoundLiteral) -> None:
        """A temporary of C++, or where the object has to outlive the expression a variable of the block."""
        self.initializer(n.init, n.of)
        keeps = isinstance(n.of, Array) or id(n) in self._addressed
        value: list[Part] = [n.init.span]
        if isinstance(n.of, Array):
            kind = f"ompls_array<{self.types.cxx(unqualified(n.of.of))}, {n.of.length}>"
            value = [kind, "{", n.init.span, "}"]
        elif isinstance(n.of, Record):
            if not self.types.has_name(n.of):
                raise Problem(n.span, "a compound literal of an unnamed type", "CUDA C++ cannot name it")
            kind = self.types.cxx(unqualified(n.of))
            value = [re.sub(r"^(struct|union) ", "", kind), n.init.span]
        else:
            kind = self.types.cxx(unqualified(n.of))
            value = [f"({kind})(", n.init.elements[0].span, ")"] if n.init.elements else [f"{kind}()"]
        if keeps and self._declared is not None:
            name = f"ompls_literal_{n.span.start}"
            self._declared.append(f"\n{kind} {name};  // a compound literal lives as long as its block")
            value = [f"({name} = ", *value, ")", ".v" if isinstance(n.of, Array) else ""]
        self.rw.replace(n.span, *value)

    def initializer(self, init: ast.InitList, t: CType, of: Symbol | None = None) -> None:
        """`{…}` for `t`: designators become positions, and C's silent conversions become casts."""
        if not init.elements:
            return
        slot = read(init, t, self.rw.text)
        for e, kind in leaves(slot):
            self._element(e, kind)

        def name_of(kind: CType) -> str:
            if self.types.has_name(kind):
                return self.types.cxx(unqualified(kind))
            if of is None or kind != of.type or of.type.quals:
                raise Problem(init.span, "an initializer of an unnamed type", "CUDA C++ cannot name it")
            return f"ompls_typeof({of.name})"

        if is_designated(init, self.rw.text):
            self.rw.replace(init.span, *printed(slot, name_of))

    def _element(self, e: ast.Expr, t: CType) -> None:
        if isinstance(e, ast.StringLiteral) and isinstance(t, Array):
            self._characters(e, t)
        elif fits(e, t):
            pass
        elif isinstance(t, (Integer, Floating)) and isinstance(e.type, (Integer, Floating, Enum)) and e.type != t:
            self._cast(e, t)  # C++ rejects narrowing in braces
        else:
            self.convert(e, t)

    def _characters(self, e: ast.StringLiteral, t: Array) -> None:
        """C leaves out the terminating null where it does not fit, C++ wants room for it."""
        if isinstance(e.type, Array) and e.type.length is not None and t.length == e.type.length - 1:
            kind = self.types.cxx(unqualified(t.of))
            self.rw.replace(e.span, "{" + ", ".join(f"({kind}){u}" for u in units(e.text)) + "}")
