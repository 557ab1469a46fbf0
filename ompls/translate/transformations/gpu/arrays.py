"""Arrays whose length is a variable: CUDA C++ has none, neither as objects nor as what a pointer points to.

Such an array is a pointer to its innermost elements, which lie on the device's heap until the block ends by whatever
way (`ompls_room`); `a[i][j]` is `a[(long)(i) * m + (j)]`, and `p + 1` of a pointer to rows is `p + (long)(1) * m`.
Lengths may be `int`; products of them are not, for an array may have more elements than an `int` can count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import decay
from ompls.analysis.model.ctype import INT, Array, CType, Integer, Pointer
from ompls.analysis.model.peel import bare
from ompls.translate.ctext import Types, arrays_in, element_of, flat, is_vla, words
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part, Rewriter
from ompls.translate.slots import has_effects

_NOT_OF_ARRAYS = ("linear",)
_ADDRESS = 8  # bytes
_NEAR = 1 << 20  # a step that is no index of its own
_OF_INTS = re.compile(r"[\w\s+*()-]+")  # a length that is an `int` where all its names are
_EFFECT = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)")


class VariableArrays:
    """Adds the edits for one function or region.

    A length is taken once, where C takes it: what it names may change later, or be hidden.

    dims  -- of a variable: its lengths below the outermost one, as text; of a typedef name all of them
    outer -- of an array that is declared here: its outermost length
    """

    def __init__(self, rw: Rewriter, types: Types, dims: dict[Symbol, list[str]]) -> None:
        self.rw, self.types, self.dims = rw, types, dims
        self.outer: dict[Symbol, str] = {}
        self._inside: set[int] = set()  # inner parts of an index chain that is done
        self._types: dict[str, int] = {}  # typedef names -> how many lengths

    def parameters(self, params: Sequence[Symbol]) -> list[str]:
        """The declarations that a function with these parameters begins with: it takes their lengths there."""
        out: list[str] = []
        fitting = {p.name for p in params if _is_int(p.type)}
        for s in params:
            if not is_vla(s.type):
                continue
            rows = _rows_of(s)
            for name, text in self._lengths(s, rows, [a.vla_text for a in arrays_in(rows)], ()):
                narrow = _OF_INTS.fullmatch(str(text)) and all(w in fitting for w in words(str(text)))
                out.append(f"const {'int' if narrow else 'long'} {name} = ({text});")
        return out

    def node(self, n: ast.Node) -> bool:
        """Add the edits for `n`, if it has to do with such an array.  Whether nothing else has to be done about it."""
        if isinstance(n, ast.DeclStmt) and any(is_vla(d.symbol.type) for d in n.decls):
            self._declare(n)
        elif (
            isinstance(n, ast.For)
            and isinstance(n.init, ast.DeclStmt)
            and any(is_vla(d.symbol.type) for d in n.init.decls)
        ):  # declarations of their own, in front of the loop
            head, rest = Span(n.span.start, n.init.span.start), Span(n.init.span.end, n.span.end)
            self.rw.replace(n.span, "{\n", n.init.span, head, ";", rest, "\n}")
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
            init: list[Part] = [" = ", d.init.span] if d.init is not None else []
            if s.kind == "typedef":
                parts += self._typedef(n, d)
            elif not is_vla(t):
                parts += [f"{'static ' if s.storage == 'static' else ''}{self.types.cxx(t, s.name)}", *init, ";\n"]
            elif isinstance(t, Array):
                parts += self._room(n, d, t)
            else:
                parts += [*self._taken(n, d, _rows_of(s)), self.types.cxx(flat(t), s.name), *init, ";\n"]
        self.rw.replace(n.span, *parts)

    def _typedef(self, n: ast.DeclStmt, d: ast.VarDecl) -> list[Part]:
        """A variable length makes no type in C++: its lengths have the type's name."""
        s, name = d.symbol, d.symbol.name
        if not is_vla(s.type):
            return [f"typedef {self.types.cxx(s.type, name)};\n"]
        rows = s.type if isinstance(s.type, Array) else _rows_of(s)
        taken = self._taken(n, d, rows)
        names = [f"ompls_n{k}_{name}" for k, _ in enumerate(arrays_in(rows))]
        known = [
            f"const long {x} = {a.length};\n"
            for x, a in zip(names, arrays_in(rows), strict=True)
            if a.length is not None
        ]
        if self._types.setdefault(name, len(names)) != len(names):
            raise Problem(d.span, f"the type '{name}'", "another one of variable length has its name; rename it")
        self.dims[s] = names
        return [*taken, *known]

    def _taken(self, n: ast.DeclStmt, d: ast.VarDecl, t: Array) -> list[Part]:
        """Constants for the lengths of `t` in the declaration of `d`."""
        below = sum(1 for _ in arrays_in(t)) - len(d.dims)
        of_type: Sequence[str] = ()
        if below > 0:
            specifiers = self.rw.string(Span(n.span.start, n.decls[0].name_span.start))
            of_type = self._of_type(specifiers) or (self._below(d.init) if d.init is not None else ())
            if len(of_type) != below:
                raise Problem(
                    d.span, f"the variable length in the type of '{d.symbol.name}'", "write it in its declaration"
                )
        made = self._lengths(d.symbol, t, [x.span for x in d.dims], of_type)
        return [part for name, text in made for part in (f"const long {name} = ", text, ";\n")]

    def _lengths(self, s: Symbol, t: Array, own: Sequence[Part], of_type: Sequence[str]) -> list[tuple[str, Part]]:
        """Names for the variable lengths of `t`, the type of `s` or what it points to, with what each is at first.

        own     -- what the declarator says
        of_type -- the lengths that the type has without the declarator
        """
        out: list[tuple[str, Part]] = []
        names: list[str] = []
        for k, a in enumerate(arrays_in(t)):
            if a.length is not None:
                names.append(str(a.length))
            elif k >= len(own) and s.kind != "typedef" and of_type[k - len(own)].isidentifier():  # taken already
                names.append(of_type[k - len(own)])
            else:
                names.append(f"ompls_n{k}_{s.name}")
                out.append((names[-1], own[k] if k < len(own) else of_type[k - len(own)]))
        self.dims[s] = names
        if isinstance(s.type, Array):
            self.outer[s], self.dims[s] = names[0], names[1:]
        return out

    def _of_type(self, text: str) -> list[str]:
        """The lengths of the typedef name of variable length in the text of a type."""
        return next(([f"ompls_n{k}_{w}" for k in range(self._types[w])] for w in words(text) & set(self._types)), [])

    def _written(self, span: Span, t: CType) -> list[str]:
        """The lengths of `t`, the type that is written at `span`, or of what it points to: taken there."""
        text = self.rw.string(span)
        arrays = list(arrays_in(t if isinstance(t, Array) else element_of(t)))
        of_type = self._of_type(text)
        own = arrays[: len(arrays) - len(of_type)]
        if any(a.length is None and a.vla_text not in text for a in own):
            raise Problem(span, "this type of variable length", "write its length there")
        return [str(a.length) if a.length is not None else f"(long)({a.vla_text})" for a in own] + of_type

    def _room(self, n: ast.DeclStmt, d: ast.VarDecl, t: Array) -> list[Part]:
        s = d.symbol
        _refuse_deeper(s)
        out = self._taken(n, d, t)
        known = [_constant(x) for x in d.dims] if len(d.dims) == sum(1 for _ in arrays_in(t)) else [None]
        if None not in known:  # `const int n = 4; int a[n];` is a variable length for C alone
            kind, count = _elements(t, self.outer[s], self.dims[s])
            within = self.types.cxx(replace(t, of=kind, length=None, vla_text=count), f"ompls_room_{s.name}")
            return [*out, f"{within};\n{constant_pointer(self.types, kind, s.name)} = ompls_room_{s.name};\n"]
        return [*out, room(self.types, s, self.outer[s], self.dims[s])]

    def _of(self, e: ast.Expr) -> list[str]:
        """The lengths of the array that `e` is (outermost first), or of what it points to."""
        depth, root = 0, bare(e)
        while True:
            if isinstance(root, ast.Index):
                root, depth = bare(root.base), depth + 1
            elif isinstance(root, ast.Unary) and root.op == "*" and not root.postfix:
                root, depth = bare(root.operand), depth + 1
            elif isinstance(root, ast.Binary) and root.op in ("+", "-") and not isinstance(root.left.type, Integer):
                root = bare(root.left)
            elif (inner := _same(root)) is not None:
                root = inner
            elif isinstance(root, ast.Unary) and root.op == "&":
                root, depth = bare(root.operand), depth - 1
            else:
                break
        s = root.symbol if isinstance(root, ast.Name) else None
        if s is not None and s.kind == "var" and isinstance(s.type, Array) and s not in self.outer:  # the host's
            lengths = ["", *self.dims.get(s, ())]
        elif s is not None and s in self.dims:
            lengths = [*([self.outer[s]] if isinstance(s.type, Array) else [""]), *self.dims[s]]
        elif isinstance(root, ast.Cast):
            lengths = self._written(root.type_span, root.to)
            if any(_EFFECT.search(x) for x in lengths):
                raise Problem(root.span, "a length with side effects in a cast", "take it into a variable first")
            lengths = ["", *lengths]
        else:
            raise Problem(e.span, "an array of variable length here", "take a pointer to it into a variable first")
        # `depth` counts from what the variable names: an array, or the first of those that it points to
        return lengths[depth + (isinstance(e.type, Pointer)) :]

    def _below(self, e: ast.Expr) -> list[str]:
        """The lengths of a row of `e`."""
        lengths = self._of(e)
        return lengths[1:] if isinstance(e.type, Array) else lengths

    def _size(self, n: ast.SizeOf) -> list[Part]:
        inner: CType = n.of
        while isinstance(inner, Array):
            inner = inner.of
        lengths: list[str] = []
        if n.operand is not None and isinstance(n.of, Array):
            lengths = self._of(n.operand)
        elif isinstance(n.of, Array):
            lengths = self._written(n.type_span or n.span, n.of)
        if not all(lengths):
            raise Problem(n.span, "the size of this array", "its length is known on the host only; take it there")
        return [" * ".join([f"sizeof({self.types.cxx(flat(inner))})", *lengths])]

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
                self.rw.replace(n.right.span, *self._steps(n.right, n.left))
            elif rows[1]:
                self.rw.replace(n.left.span, *self._steps(n.left, n.right))
        elif isinstance(n, ast.Assign) and n.op in ("+=", "-=") and _rows(n.target):
            self.rw.replace(n.value.span, *self._steps(n.value, n.target))
        elif isinstance(n, ast.Unary) and n.op in ("++", "--") and _rows(n.operand):
            back = f" {'-' if n.op == '++' else '+'} {self._row(n.operand)}" if n.postfix else ""
            self.rw.replace(n.span, "((", n.operand.span, f" {n.op[0]}= {self._row(n.operand)}){back})")

    def _row(self, e: ast.Expr) -> str:
        """How many elements a row has."""
        return product(self._below(e))

    def _steps(self, by: ast.Expr, e: ast.Expr) -> list[Part]:
        """How many elements `by` rows of `e` have."""
        return [*_wide(by), f" * {' * '.join(self._below(e))}"]

    def _index(self, n: ast.Index) -> None:
        """`a[i][j]` where a row's length varies is `a[(long)(i) * m + (j)]`."""
        if id(n) in self._inside:
            return
        indices: list[ast.Expr] = [n.index]
        root = bare(n.base)
        while isinstance(root, ast.Index):
            self._inside.add(id(root))
            indices.insert(0, root.index)
            root = bare(root.base)
        below = element_of(root.type)
        if below is None or not is_vla(below):
            return
        lengths = self._below(root)
        split = [_split(i) for i in indices[: len(lengths) + 1]]
        whole = len(split) > len(lengths)
        place = _wide(split[0][0])
        for k, length in enumerate(lengths, 1):
            offset: list[Part] = [" + (", split[k][0].span, ")"] if k < len(split) else []
            place = ["(", *place, f" * {length}", *offset, ")"]
        place.append(_moved([step for _, step in split], lengths))
        indices = indices[len(lengths) + 1 :]
        rest: list[Part] = [part for i in indices for part in ("[", i.span, "]")]
        of: list[Part] = [root.span] if isinstance(root, ast.Name) else ["(", root.span, ")"]
        self.rw.replace(n.span, *([*of, "[", *place, "]", *rest] if whole else ["(", *of, " + ", *place, ")"]))


def _split(e: ast.Expr) -> tuple[ast.Expr, int]:
    """A subscript as one without a constant, and the constant: `a[i][j]` and `a[i - 1][j]` have one product then.

    Not where the sum may be cut to fewer bits than an address has.
    """
    sum_ = bare(e)
    if isinstance(sum_, ast.Binary) and sum_.op in ("+", "-") and isinstance(sum_.type, Integer):
        step = bare(sum_.right)
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
        text += f" {'+' if step > 0 else '-'} {product(factors)}" if step else ""
    return text


def _elements(t: Array, outer: str, dims: list[str]) -> tuple[CType, str]:
    """What such an array is in CUDA C++: elements of a type with a size, and how many."""
    if not is_vla(t.of):
        return t.of, outer
    *_, last = arrays_in(t)
    return last.of, product([outer, *dims])


def product(lengths: Sequence[str]) -> str:
    """In 64 bits, though each of them may be an `int`."""
    first, *others = lengths
    return " * ".join([first if not others or first.startswith("(long)") else f"(long){first}", *others])


def _wide(e: ast.Expr) -> list[Part]:
    """`e` as a factor with as many bits as an address."""
    fits = isinstance(e.type, Integer) and e.type.size == _ADDRESS
    return ["(" if fits else "(long)(", e.span, ")"]


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


def _same(e: ast.Expr) -> ast.Expr | None:
    """The part of `e` that is what `e` points to, with the same lengths."""
    if isinstance(e, ast.Conditional):
        return bare(e.then if e.then is not None else e.condition)
    if isinstance(e, ast.Assign):
        return bare(e.target)
    if isinstance(e, ast.Unary) and e.op in ("++", "--"):
        return bare(e.operand)
    return bare(e.right) if isinstance(e, ast.Binary) and e.op == "," else None


def _rows_of(s: Symbol) -> Array:
    """The arrays of variable length that `s` points to.  Raises Problem for what is more than a pointer to them."""
    _refuse_deeper(s)
    rows = element_of(s.type)
    assert isinstance(rows, Array)
    return rows


def _refuse_deeper(s: Symbol) -> None:
    inner: CType | None = s.type if isinstance(s.type, Array) else element_of(s.type)
    deep = not isinstance(inner, Array)
    while isinstance(inner, Array):
        inner = inner.of
    if deep or (inner is not None and is_vla(inner)):
        raise Problem(s.span, f"the variable '{s.name}'", "a variable length stands too deep in its type")


def _is_int(t: CType) -> bool:
    """Whether arithmetic with it is that of `int`."""
    return isinstance(t, Integer) and (t.size < INT.size or (t.size == INT.size and t.signed))
