"""C that is not C++: the edits that make a piece of the user's C acceptable to a CUDA C++ compiler.

CUDA C++ of any toolkit since 10.2 is aimed at (C++14).  Types come from the model, so conversions that C does silently
become casts.  What has no counterpart is a Problem.
"""

from __future__ import annotations

import re

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Function, Integer, Pointer, Record, Void
from ompls.translate.ctext import Types, element_of, flat, is_vla, strip
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Chunk, Part, Rewriter
from ompls.translate.transformations.gpu.enums import UNSIGNED, promoted_operands
from ompls.translate.transformations.gpu.sizes import fits, is_smaller

_RENAMED = """alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t class compl concept const_cast
    constexpr decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public reinterpret_cast requires static_assert static_cast template
    this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq""".split()  # noqa: SIM905
# CUDA's own types: a user's type of that name gets another one.
_VECTORS = [
    f"{t}{n}"
    for t in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double")
    for n in "1234"
]
_BUILT_IN = ("dim3", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize")
# What <math.h>'s macros become under gcc.
_INFINITY = "(1e300 * 1e300)"
_CONSTANTS = {
    "__builtin_inf": _INFINITY, "__builtin_huge_val": _INFINITY, "__builtin_inff": f"((float){_INFINITY})",
    "__builtin_huge_valf": f"((float){_INFINITY})", "__builtin_nan": f"({_INFINITY} * 0.0)",
    "__builtin_nanf": f"((float)({_INFINITY} * 0.0))",
}  # fmt: skip
_FUNCTIONS = {
    f"__builtin_{f}": f
    for f in ("isnan", "isinf", "isfinite", "signbit", "fabs", "fabsf", "memcpy", "memset", "printf")
} | {"__builtin_isinf_sign": "isinf"}
_SPELLED = {
    "_Bool": "bool", "restrict": "__restrict__", "__restrict": "__restrict__", "_Noreturn": "", "register": "",
    "_Static_assert": "static_assert", "_Alignof": "alignof", "_Alignas": "alignas", "__extension__": "",
    "__const": "const", "__inline": "inline", "__inline__": "inline", "_Thread_local": "thread_local",
    "__volatile__": "volatile", "__signed__": "signed", "typeof": "__typeof__",
}  # fmt: skip
# What `true`, `false` and `bool` mean when they are not macros any more is what C++ means by them.
_WORDS = {
    w: f"{w}_"
    for w in [*_RENAMED, *_VECTORS, *_BUILT_IN]
    if w not in ("bool", "true", "false", "static_assert", "nullptr")
} | _SPELLED
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\b("""
    + "|".join(sorted(_WORDS, key=len, reverse=True))
    + r")\b",
    re.S,
)


def respell(chunks: list[Chunk]) -> list[Chunk]:
    """The user's words that C++ reserves or spells differently; generated text has the user's names in it, too."""
    out: list[Chunk] = []
    for c in chunks:
        if not c.verbatim:
            out.append(Chunk(respelled(c.text), c.source, False))
            continue
        at, source = 0, c.source
        for m in _TOKEN.finditer(c.text):
            if m.group(1):  # in pieces, so that every byte keeps its offset
                before = c.text[at : m.start()]
                out.append(Chunk(before, source, True))
                source += len(before.encode())
                out.append(Chunk(_WORDS[m.group(1)], source, False))
                source += len(m.group().encode())
                at = m.end()
        out.append(Chunk(c.text[at:], source, True))
    return out


def respelled(text: str) -> str:
    return _TOKEN.sub(lambda m: _WORDS[m.group(1)] if m.group(1) else m.group(), text)


class Dialect:
    """Adds the edits for one function or region to `rw`."""

    def __init__(
        self, rw: Rewriter, types: Types, returns: CType | None = None, dims: dict[Symbol, list[str]] | None = None
    ) -> None:
        self.rw = rw
        self.dims = dims or {}
        self._inside: set[int] = set()  # inner parts of an index chain that is done
        self.types = types
        self.returns = returns

    def visit(self, node: ast.Node) -> None:
        for n in node.walk():
            self._node(n)

    def _node(self, n: ast.Node) -> None:
        if isinstance(n, ast.Index):
            self._index(n)
        elif isinstance(n, ast.SizeOf) and n.operand is not None and is_smaller(strip(n.operand)):
            self.rw.replace(n.span, f"{n.op}({self.types.cxx(n.of)})")
        for operand in promoted_operands(n):
            self._cast(operand, UNSIGNED)
        if isinstance(n, ast.Assign) and n.op == "=":
            self.convert(n.value, n.target.type)
        elif isinstance(n, ast.Assign) and isinstance(n.target.type, Enum):
            kind = self.types.cxx(unqualified(n.target.type))
            self.rw.replace(
                n.span, n.target.span, f" = ({kind})(", n.target.span, f" {n.op[:-1]} (", n.value.span, "))"
            )
        elif isinstance(n, ast.Unary) and n.op in ("++", "--") and isinstance(n.operand.type, Enum):
            kind, there, back = self.types.cxx(unqualified(n.operand.type)), n.op[0], "-" if n.op == "++" else "+"
            stepped: list[Part] = ["(", n.operand.span, f" = ({kind})(", n.operand.span, f" {there} 1))"]
            parts = [f"(({kind})(", *stepped, f" {back} 1))"] if n.postfix else stepped
            self.rw.replace(n.span, *parts)
        elif isinstance(n, ast.Unary) and n.op in ("++", "--") and unqualified(n.operand.type) == Integer("_Bool"):
            self._step_of_bool(n)
        elif isinstance(n, ast.VarDecl):
            self._declaration(n)
        elif isinstance(n, ast.Jump) and n.kind == "return" and n.value is not None and self.returns is not None:
            self.convert(n.value, self.returns)
        elif isinstance(n, ast.Call):
            self._call(n)
        elif isinstance(n, ast.CompoundLiteral):
            self._compound_literal(n)
        elif isinstance(n, ast.Generic) and n.chosen is not None:
            self.rw.replace(n.span, "(", n.chosen.span, ")")
        elif isinstance(n, ast.Conditional) and n.then is None:
            self.rw.replace(n.span, "[&] { auto ompls_v = (", n.condition.span, "); return ompls_v ? ompls_v : (",
                            n.otherwise.span, "); }()")  # fmt: skip
        elif isinstance(n, ast.Unary) and n.op in ("__real__", "__imag__") and not n.postfix:
            raise Problem(n.span, f"'{n.op}'", "CUDA C++ has no such operator")

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

    def convert(self, e: ast.Expr, to: CType) -> None:
        """C converts `e` to `to` silently; C++ wants a cast from void *, from literals and to enumerations."""
        inner = strip(e)
        if isinstance(inner, ast.Conditional) and inner.then is not None:
            self.convert(inner.then, to)
            self.convert(inner.otherwise, to)
            return
        source = inner.type
        if isinstance(to, Pointer):
            from_void = isinstance(source, Pointer) and isinstance(source.to, Void) and not isinstance(to.to, Void)
            literal = isinstance(inner, ast.StringLiteral) and "const" not in to.to.quals
            if from_void or literal:
                self._cast(e, to)
        elif isinstance(to, Enum) and isinstance(source, (Integer, Enum)) and source != to:
            self._cast(e, to)

    def _cast(self, e: ast.Expr, to: CType) -> None:
        self.rw.replace(e.span, f"({self.types.cxx(unqualified(to))})(", e.span, ")")

    def _index(self, n: ast.Index) -> None:
        """`a[i][j]` where a row's length varies is `a[(i) * m + (j)]`: C++ has no pointers to such rows."""
        if id(n) in self._inside:
            return
        indices: list[ast.Expr] = [n.index]
        root = strip(n.base)
        while isinstance(root, ast.Index):
            self._inside.add(id(root))
            indices.insert(0, root.index)
            root = strip(root.base)
        below = element_of(root.type)
        if below is None or not is_vla(below):
            return
        known = self.dims.get(root.symbol) if isinstance(root, ast.Name) and root.symbol is not None else None
        place: list[Part] = ["(", indices.pop(0).span, ")"]
        level, whole = 0, True
        while isinstance(below, Array):
            length = known[level] if known else str(below.length) if below.length is not None else f"({below.vla_text})"
            whole = bool(indices)
            offset: list[Part] = [" + (", indices.pop(0).span, ")"] if whole else []
            place = ["(", *place, f" * {length}", *offset, ")"]
            below, level = below.of, level + 1
        rest: list[Part] = [part for i in indices for part in ("[", i.span, "]")]
        self.rw.replace(
            n.span, *([root.span, "[", *place, "]", *rest] if whole else ["(", root.span, " + ", *place, ")"])
        )

    def _call(self, n: ast.Call) -> None:
        name = n.function.name if isinstance(n.function, ast.Name) else ""
        if name == "__builtin_expect" and n.args:
            self.rw.replace(n.span, "(", n.args[0].span, ")")
        elif name in _CONSTANTS:
            self.rw.replace(n.span, _CONSTANTS[name])
        elif name in _FUNCTIONS:
            self.rw.replace(n.function.span, _FUNCTIONS[name])
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
            self.initializer(d.init, t)
        elif d.init is not None:
            self.convert(d.init, t)

    def _compound_literal(self, n: ast.CompoundLiteral) -> None:
        self.initializer(n.init, n.of)
        if isinstance(n.of, Record):
            name = self.types.cxx(n.of).replace("struct ", "").replace("union ", "")
            if "<" in name:
                raise Problem(n.span, "a compound literal of an unnamed type", "CUDA C++ cannot name it")
            self.rw.replace(n.span, name, n.init.span)
        else:
            self.rw.replace(n.span, f"({self.types.cxx(n.of)})(", n.init.elements[0].span, ")")

    def initializer(self, init: ast.InitList, t: CType) -> None:
        """`{…}` for `t`: designators become positions, and C's silent conversions become casts."""
        if isinstance(t, Record) and t.body.fields is not None:
            named = [f for f in t.body.fields if f.name]
            places = self._designated(init)
            if places is not None:
                known = {f.name: f for f in named}
                values = dict(places)
                if t.kind == "union" or not set(values) <= set(known):
                    raise Problem(
                        init.span, "a designated initializer", "CUDA C++ initializes a union's first member only"
                    )
                last = max(k for k, f in enumerate(named) if f.name in values)
                parts: list[str | Span] = ["{"]
                for k, f in enumerate(named[: last + 1]):
                    parts += [", "] if k else []
                    parts.append(
                        values[f.name].span
                        if f.name in values
                        else "{}"
                        if isinstance(f.type, (Array, Record))
                        else "0"
                    )
                    if f.name in values:
                        self._element(values[f.name], f.type)
                self.rw.replace(init.span, *parts, "}")
                return
            for e, f in zip(init.elements, named, strict=False):
                self._element(e, f.type)
        elif isinstance(t, Array):
            if re.search(r"(?:[{,])\s*\[", self._bare(init)):
                raise Problem(
                    init.span, "an array initializer with designators", "CUDA C++ has none; assign the elements"
                )
            for e in init.elements:
                self._element(e, t.of)
        elif init.elements:
            self._element(init.elements[0], t)

    def _element(self, e: ast.Expr, t: CType) -> None:
        if isinstance(e, ast.InitList):
            self.initializer(e, t)
        elif fits(e, t):
            pass
        elif isinstance(t, (Integer, Floating, Enum)) and isinstance(e.type, (Integer, Floating, Enum)) and e.type != t:
            self._cast(e, t)  # C++ rejects narrowing in braces
        elif isinstance(t, Pointer):
            self.convert(e, t)

    def _designated(self, init: ast.InitList) -> list[tuple[str, ast.Expr]] | None:
        """(field, value) of every element when all have a `.field =`; None when none has."""
        out: list[tuple[str, ast.Expr]] = []
        at = init.span.start
        for e in init.elements:
            m = re.search(rb"\.\s*(\w+)\s*=\s*$", self.rw.text[at : e.span.start])
            out.append((m.group(1).decode() if m else "", e))
            at = e.span.end
        if not any(name for name, _ in out):
            return None
        if not all(name for name, _ in out):
            raise Problem(init.span, "an initializer with some designators", "give all members a designator or none")
        return out

    def _bare(self, init: ast.InitList) -> str:
        """The text of the braces without its elements."""
        at, out = init.span.start, b""
        for e in init.elements:
            out += self.rw.text[at : e.span.start]
            at = e.span.end
        return (out + self.rw.text[at : init.span.end]).decode("utf-8", "replace")
