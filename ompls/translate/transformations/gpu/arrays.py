"""Arrays whose length is a variable: CUDA C++ has none, neither as objects nor as what a pointer points to.

Such an array is a pointer to its innermost elements, which lie on the device's heap until the block ends by whatever
way (`ompls_room`); `a[i][j]` is `a[(i) * m + (j)]`, and `p + 1` of a pointer to rows is `p + m`.
"""

from __future__ import annotations

from dataclasses import replace

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import decay
from ompls.analysis.model.ctype import Array, CType, Integer, Pointer
from ompls.translate.ctext import Types, arrays_in, element_of, flat, is_vla, strip
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part, Rewriter
from ompls.translate.slots import has_effects

_NOT_OF_ARRAYS = ("linear",)
_ADDRESS = 8  # bytes
_NEAR = 1 << 20  # a step that is no index of its own


class VariableArrays:
    """Adds the edits for one function or region.

    dims  -- of a variable: its lengths below the outermost one, as text
    outer -- of an array that is declared here: its outermost length
    """

    def __init__(self, rw: Rewriter, types: Types, dims: dict[Symbol, list[str]]) -> None:
        self.rw, self.types, self.dims = rw, types, dims
        self.outer: dict[Symbol, str] = {}
        self._inside: set[int] = set()  # inner parts of an index chain that is done

    def node(self, n: ast.Node) -> bool:
        """Add the edits for `n`, if it has to do with such an array.  Whether nothing else has to be done about it."""
        if isinstance(n, ast.DeclStmt) and any(is_vla(d.symbol.type) for d in n.decls):
            self._declare(n)
        elif isinstance(n, ast.Index):
            self._index(n)
        elif isinstance(n, ast.SizeOf) and is_vla(n.of) and n.op == "sizeof":
            self.rw.replace(n.span, "(", *self._size(n), ")")
            return True
        elif isinstance(n, ast.Cast) and is_vla(n.to):
            self.rw.replace(n.type_span, self.types.cxx(flat(n.to)))
        elif isinstance(n, ast.Unary) and n.op in ("&", "*") and not n.postfix and self._same_place(n):
            self.rw.replace(n.span, "(", n.operand.span, ")")
        elif isinstance(n, (ast.Binary, ast.Assign, ast.Unary)):
            self._arithmetic(n)
        elif isinstance(n, ast.DirectiveStmt) and "target" not in n.directive.constructs[:1]:
            for c in n.directive.all(*_NOT_OF_ARRAYS):
                for i in c.items:
                    if i.symbol is not None and is_vla(i.symbol.type):
                        raise Problem(c.span, f"the variable-length array '{i.text}' in '{c.name}'", "copy it by hand")
        return False

    def _declare(self, n: ast.DeclStmt) -> None:
        """Every declarator as a declaration of its own."""
        parts: list[Part] = []
        for d in n.decls:
            s, t = d.symbol, d.symbol.type
            if s.kind == "typedef":
                continue
            if not is_vla(t):
                init: list[Part] = [" = ", d.init.span] if d.init is not None else []
                parts += [f"{'static ' if s.storage == 'static' else ''}{self.types.cxx(t, s.name)}", *init, ";\n"]
            elif isinstance(t, Array):
                parts += self._room(d, t)
            else:
                init = [" = ", d.init.span] if d.init is not None else []
                parts += [*self._lengths(d, element_of(t), 0), self.types.cxx(flat(t), s.name), *init, ";\n"]
        self.rw.replace(n.span, *parts)

    def _lengths(self, d: ast.VarDecl, t: CType | None, first: int) -> list[Part]:
        """Constants that keep the lengths of `t` as they are at the declaration of `d`."""
        out: list[Part] = []
        names: list[str] = []
        level, dim = first, 0
        levels = sum(1 for _ in arrays_in(d.symbol.type))
        while isinstance(t, Array):
            name = str(t.length)
            if t.length is None:
                name = f"ompls_n{level}_{d.symbol.name}"
                text: Part = d.dims[dim].span if len(d.dims) == levels else t.vla_text
                out += [f"const long {name} = ", text, ";\n"]
            names.append(name)
            t, level, dim = t.of, level + 1, dim + 1
        self.dims[d.symbol] = names[1:] if first == 0 and isinstance(d.symbol.type, Array) else names
        if isinstance(d.symbol.type, Array):
            self.outer[d.symbol] = names[0]
        return out

    def _room(self, d: ast.VarDecl, t: Array) -> list[Part]:
        s = d.symbol
        out = self._lengths(d, t, 0)
        known = [_constant(x) for x in d.dims] if len(d.dims) == sum(1 for _ in arrays_in(t)) else [None]
        if None not in known:  # `const int n = 4; int a[n];` is a variable length for C alone
            kind, count = _elements(t, self.outer[s], self.dims[s])
            within = self.types.cxx(replace(t, of=kind, length=None, vla_text=count), f"ompls_room_{s.name}")
            return [*out, f"{within};\n{constant_pointer(self.types, kind, s.name)} = ompls_room_{s.name};\n"]
        return [*out, room(self.types, s, self.outer[s], self.dims[s])]

    def _of(self, e: ast.Expr) -> list[str]:
        """The lengths of the array that `e` is (outermost first), or of what it points to."""
        depth, root = 0, strip(e)
        while True:
            if isinstance(root, ast.Index):
                root, depth = strip(root.base), depth + 1
            elif isinstance(root, ast.Unary) and root.op == "*" and not root.postfix:
                root, depth = strip(root.operand), depth + 1
            elif isinstance(root, ast.Binary) and root.op in ("+", "-") and not isinstance(root.left.type, Integer):
                root = strip(root.left)
            else:
                break
        t = e.type if isinstance(e.type, Array) else element_of(e.type)
        s = root.symbol if isinstance(root, ast.Name) else None
        if s is not None and s.kind == "var" and isinstance(s.type, Array) and s not in self.outer:  # the host's
            below = self.dims.get(s) or [f"({a.vla_text})" for a in list(arrays_in(s.type))[1:]]
            return ["", *below][depth:]
        if isinstance(root, ast.Name) and root.symbol in self.dims:
            whole = isinstance(root.symbol.type, Array)
            outer = self.outer.get(root.symbol, "") if whole else None
            names = [*([outer] if outer is not None else []), *self.dims[root.symbol]]
            return names[depth if whole or isinstance(e.type, Pointer) else depth - 1 :]
        return [str(a.length) if a.length is not None else f"({a.vla_text})" for a in arrays_in(t)]

    def _size(self, n: ast.SizeOf) -> list[Part]:
        inner: CType = n.of
        while isinstance(inner, Array):
            inner = inner.of
        if n.operand is not None and isinstance(n.of, Array):
            lengths = self._of(n.operand)
        else:
            lengths = [str(a.length) if a.length is not None else f"({a.vla_text})" for a in arrays_in(n.of)]
        if not all(lengths):
            raise Problem(n.span, "the size of this array", "its length is known on the host only; take it there")
        return [" * ".join([*lengths, f"sizeof({self.types.cxx(inner)})"])]

    def _same_place(self, n: ast.Unary) -> bool:
        """Whether the result is a row or a pointer to one: the same pointer to its elements."""
        t = n.type if n.op == "*" else n.operand.type
        return isinstance(t, Array) and is_vla(t)

    def _arithmetic(self, n: ast.Binary | ast.Assign | ast.Unary) -> None:
        """Steps over rows count their elements."""
        if isinstance(n, ast.Binary) and n.op in ("+", "-"):
            rows = [_rows(e) for e in (n.left, n.right)]
            if all(rows):
                self.rw.replace(n.span, "((", n.left.span, " - ", n.right.span, f") / ({self._row(n.left)}))")
            elif rows[0]:
                self.rw.replace(n.right.span, "(", n.right.span, f") * {self._row(n.left)}")
            elif rows[1]:
                self.rw.replace(n.left.span, "(", n.left.span, f") * {self._row(n.right)}")
        elif isinstance(n, ast.Assign) and n.op in ("+=", "-=") and _rows(n.target):
            self.rw.replace(n.value.span, "(", n.value.span, f") * {self._row(n.target)}")
        elif isinstance(n, ast.Unary) and n.op in ("++", "--") and _rows(n.operand):
            back = f" {'-' if n.op == '++' else '+'} {self._row(n.operand)}" if n.postfix else ""
            self.rw.replace(n.span, "((", n.operand.span, f" {n.op[0]}= {self._row(n.operand)}){back})")

    def _row(self, e: ast.Expr) -> str:
        """How many elements a row has."""
        lengths = self._of(e)
        return " * ".join(lengths[1:] if isinstance(e.type, Array) else lengths)

    def _index(self, n: ast.Index) -> None:
        """`a[i][j]` where a row's length varies is `a[(i) * m + (j)]`."""
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
        lengths = self._of(root)
        lengths = lengths[1:] if isinstance(root.type, Array) else lengths
        wide = lengths[0].startswith("ompls_")  # a `long`: all is computed in 64 bits
        split = [_split(i) if wide else (i, 0) for i in indices[: len(lengths) + 1]]
        whole = len(split) > len(lengths)
        place: list[Part] = ["(", split[0][0].span, ")"]
        for k, length in enumerate(lengths, 1):
            offset: list[Part] = [" + (", split[k][0].span, ")"] if k < len(split) else []
            place = ["(", *place, f" * {length}", *offset, ")"]
        place.append(_moved([step for _, step in split], lengths))
        indices = indices[len(lengths) + 1 :]
        rest: list[Part] = [part for i in indices for part in ("[", i.span, "]")]
        self.rw.replace(
            n.span, *([root.span, "[", *place, "]", *rest] if whole else ["(", root.span, " + ", *place, ")"])
        )


def _split(e: ast.Expr) -> tuple[ast.Expr, int]:
    """A subscript as one without a constant, and the constant: `a[i][j]` and `a[i - 1][j]` have one product then.

    Not where the sum may be cut to fewer bits than an address has.
    """
    sum_ = strip(e)
    if isinstance(sum_, ast.Binary) and sum_.op in ("+", "-") and isinstance(sum_.type, Integer):
        step = strip(sum_.right)
        if isinstance(step, ast.IntLiteral) and (sum_.type.signed or sum_.type.size == _ADDRESS):
            value = fold(step)
            if value is not None and 0 <= value <= _NEAR:
                return sum_.left, value if sum_.op == "+" else -value
    return e, 0


def _moved(steps: list[int], lengths: list[str]) -> str:
    """What constants in the subscripts add to a place: `[-1, 0, 2]` is ` - m * n + 2`."""
    text = ""
    for k, step in enumerate(steps):
        factors = [*([str(abs(step))] if abs(step) != 1 or k == len(lengths) else []), *lengths[k:]]
        text += f" {'+' if step > 0 else '-'} {' * '.join(factors)}" if step else ""
    return text


def _elements(t: Array, outer: str, dims: list[str]) -> tuple[CType, str]:
    """What such an array is in CUDA C++: elements of a type with a size, and how many."""
    if not is_vla(t.of):
        return t.of, outer
    *_, last = arrays_in(t)
    return last.of, " * ".join([outer, *dims])


def constant_pointer(types: Types, kind: CType, name: str) -> str:
    return types.cxx(Pointer(kind, quals=frozenset({"const"})), name)


def room(types: Types, s: Symbol, outer: str, dims: list[str]) -> str:
    """The declaration of `s`, an array with these lengths, on the device's heap."""
    assert isinstance(s.type, Array)
    kind, count = _elements(s.type, outer, dims)
    why = "  // a length that varies: on the device's heap until the block ends"
    return (
        f"ompls_room<{types.cxx(kind)}> ompls_room_{s.name}({count});{why}\n"
        f"{constant_pointer(types, kind, s.name)} = ompls_room_{s.name}.begin;\n"
    )


def _rows(e: ast.Expr) -> bool:
    """Whether `e` points to arrays of variable length."""
    t = decay(e.type)
    return isinstance(t, Pointer) and isinstance(t.to, Array) and is_vla(t.to)


def _constant(e: ast.Expr) -> int | None:
    """The value of a length that C++ takes for a constant: of const variables with constant values, too."""
    if (value := fold(e)) is not None:
        return value
    for n in e.walk():
        if isinstance(n, ast.Name):
            s = n.symbol
            if s is None or s.kind == "enumconst":
                continue
            block = s.kind == "var" and s.level == "block" and "const" in s.type.quals and isinstance(s.type, Integer)
            if not block or s.init is None or fold(s.init) is None:
                return None
    return None if has_effects(e) else 1
