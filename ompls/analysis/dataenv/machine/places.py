"""Lvalues and list items: where they may lie, in bytes of objects."""

from __future__ import annotations

from abc import abstractmethod

from ompls.analysis.dataenv.machine.facts import names_of
from ompls.analysis.dataenv.machine.memory import Memory
from ompls.analysis.dataenv.machine.values import Loc, Value, number
from ompls.analysis.dataenv.paths import may_exceed_its_type
from ompls.analysis.dataenv.symbolic import ONE, ZERO, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Symbol
from ompls.analysis.model.ctype import Array, CType, Pointer, Record, Void
from ompls.analysis.model.layout import find_member, offsetof, sizeof
from ompls.analysis.model.peel import indexed


class Places(Memory):
    """`places` finds the places of an lvalue; what leads there is evaluated."""

    @abstractmethod
    def value(self, expr: Expr | None) -> Value:
        """The value of an expression, with its accesses and effects."""

    def size_of(self, t: CType) -> Poly | None:
        """The size of an object of type `t` in bytes, of arrays of variable length too when the length is a name."""
        known = sizeof(t, self.model)
        if known is not None:
            return number(known)
        if isinstance(t, Array):
            inner = self.size_of(t.of)
            length = Poly.of(t.length) if t.length is not None else self.named(t.vla_text)
            return inner * length if inner is not None and length is not None else None
        return None

    def size_of_variable(self, symbol: Symbol) -> Poly | None:
        """The size of a variable's object in bytes; None: its type does not say."""
        size = self.variable(symbol).size
        return size if size is not None or may_exceed_its_type(symbol) else self.size_of(symbol.type)

    def named(self, text: str) -> Poly | None:
        """The value of the variable of the current function that has this name."""
        symbol = self.names().get(text)
        if symbol is None or not is_integer(symbol.type) or self.now is None:
            return None
        obj = self.variable(symbol)
        value = self.load(Loc(obj, ZERO, obj.size, symbol.type))
        return value if isinstance(value, Poly) else None

    def names(self) -> dict[str, Symbol]:
        """Parameters and local variables of the function that is walked."""
        return names_of(self.frame.content)

    # --- places

    def places(self, expr: Expr) -> list[Loc]:
        """Where the lvalue `expr` may lie; [] when that is not known.  Evaluates what leads there."""
        if self.now is None:
            return []
        match expr:
            case ast.Name():
                return self._variable_place(expr)
            case ast.Paren():
                return self.places(expr.inner)
            case ast.Index():
                return self.elements(expr, self.value(_subscript(expr)), ONE)
            case ast.Section():
                return self._section(expr)
            case ast.Member():
                return self._member(expr)
            case ast.Unary(op="*"):
                return self.pointed(self.value(expr.operand), expr.type)
            case ast.Cast():
                return self.places(expr.operand)
            case ast.CompoundLiteral():
                self.value(expr.init)
                return []
        self.value(expr)
        return []

    def _variable_place(self, expr: ast.Name) -> list[Loc]:
        symbol = expr.symbol
        if symbol is None or symbol.kind not in ("var", "param"):
            return []
        if symbol in self.frame.placed:
            return [self.frame.placed[symbol]]
        return [Loc(self.variable(symbol), ZERO, self.size_of_variable(symbol), symbol.type)]

    def pointed(self, pointer: Value, t: CType) -> list[Loc]:
        """Where a pointer to `t` points."""
        if not isinstance(pointer, frozenset):
            return []
        size = self.size_of(t)
        return [Loc(obj, at, size, t, every) for obj, at, every in pointer if obj.kind != "null"]

    def elements(self, expr: ast.Index | ast.Section, first: Value, count: Poly | None) -> list[Loc]:
        """`count` elements from number `first` on."""
        base = indexed(expr) if isinstance(expr, ast.Index) else expr.base
        of = _element_type(base)
        size = self.size_of(of)
        start = first * size if isinstance(first, Poly) and size is not None else None
        length = size if count is ONE else count * size if count is not None and size is not None else None
        if isinstance(base.type, Pointer) and not isinstance(base, ast.Section):
            found = self.pointed(self.value(base), of)
            return [Loc(o.obj, _sum(o.low, start), length, of, o.every) for o in found]
        if isinstance(base, ast.Section) and isinstance(base.type, Array) and isinstance(base.type.of, Pointer):
            self.value(base.base)
            return []  # the rows lie where each of its elements points
        inner = self.places(base)
        if isinstance(base, ast.Section):
            # all rows of the section, from the first row's first element to the last row's last
            row = self.size_of(base.type.of) if isinstance(base.type, Array) else None
            return [Loc(o.obj, _sum(o.low, start), _sum(_less(o.size, row), length), of, o.every) for o in inner]
        return [Loc(o.obj, _sum(o.low, start), length, of, o.every) for o in inner]

    def _section(self, expr: ast.Section) -> list[Loc]:
        lower: Value = ZERO if expr.lower is None else self.value(expr.lower)
        count = self.value(expr.length) if expr.length is not None else None
        length = count if isinstance(count, Poly) else None
        base = expr.base.type
        if isinstance(expr.base, ast.Section) and isinstance(base, Array):
            base = base.of
        if expr.length is None and isinstance(base, Array) and isinstance(lower, Poly):
            whole = Poly.of(base.length) if base.length is not None else self.named(base.vla_text)
            length = None if whole is None else whole - lower
        stride = self.value(expr.stride) if expr.stride is not None else None
        if isinstance(stride, Poly) and length is not None:
            length = (length - 1) * stride + 1
        self.is_size(length)
        return self.elements(expr, lower, length)

    def _member(self, expr: ast.Member) -> list[Loc]:
        t = expr.base.type
        if expr.arrow:
            record = t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else t
            found = self.pointed(self.value(expr.base), record)
        else:
            record, found = t, self.places(expr.base)
        offset = offsetof(record, expr.field, self.model) if isinstance(record, Record) else None
        member = find_member(record, expr.field) if isinstance(record, Record) else None
        narrow = member is not None and member.bits  # the bytes of a bit-field are fewer than those of its type
        size = Poly.of((narrow + 7) // 8) if narrow else self.size_of(expr.type)
        return [
            Loc(o.obj, _sum(o.low, Poly.of(offset)) if offset is not None else None, size, expr.type, o.every)
            for o in found
        ]


def _subscript(expr: ast.Index) -> Expr:
    return expr.index if indexed(expr) is expr.base else expr.base


def _element_type(base: Expr) -> CType:
    """What a subscript of `base` names; of a section, in each of its elements."""
    t = base.type
    if isinstance(base, ast.Section) and isinstance(t, Array):
        t = t.of
    return t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else Void()


def _sum(a: Poly | None, b: Poly | None) -> Poly | None:
    if a is None or b is None:
        return None
    return b if not a.terms else a if not b.terms else a + b


def _less(a: Poly | None, b: Poly | None) -> Poly | None:
    return None if a is None or b is None else a - b
