"""Which storage an lvalue names: a variable, the way from it, and symbolic subscripts on the way.

`a[i][j]`, `p[i]`, `*(p + i)`, `s.rows[k].x`, `sp->data[i]`; pointers that hold a known place are seen
through (`p = a + 1` makes `p[i]` the place `a[i + 1]`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ompls.analysis.dataenv.paths import is_address
from ompls.analysis.dataenv.symbolic import CHANGED, ZERO, Opaque, Poly, is_integer, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Symbol
from ompls.analysis.model.ctype import Array, CType, Pointer, Void
from ompls.analysis.model.peel import bare, indexed

ELEMENT, LOADED = "[]", "*"


class Place(NamedTuple):
    """Storage.

    symbol -- the variable it is reached from
    depth -- through how many pointers (0: in the variable itself)
    path -- the way: '[]' for each subscript, '*' for a pointer that is loaded from memory on the way, a member's name.
            `a[i].x` is ('[]', 'x'); `p[i]` and `*p` are ('[]',); `sp->m` is ('[]', 'm'); `s.p[i]` is ('p', '*', '[]')
    subscripts -- one for each '[]' of the path; None: not known
    dims -- for each subscript the number of elements of its dimension; None: not known (that of a pointer always)
    sure -- False when the pointer that it starts from may have changed on the way here
    since -- number (`Access.order`) of the assignment that gave the pointer its value; 0: it had it at the start
    """

    symbol: Symbol
    depth: int = 0
    path: tuple[str, ...] = ()
    subscripts: tuple[Poly | None, ...] = ()
    dims: tuple[Poly | None, ...] = ()
    sure: bool = True
    since: int = 0

    def element(self, subscript: Poly | None, dim: Poly | None = None) -> Place:
        """An element of the array that this place is."""
        symbol, depth, path, subscripts, dims, sure, since = self
        return Place(symbol, depth, (*path, ELEMENT), (*subscripts, subscript), (*dims, dim), sure, since)

    def member(self, name: str) -> Place:
        return self._replace(path=(*self.path, name))

    def shifted(self, by: Poly | None) -> Place:
        """`by` elements further: what a pointer to this place points to after `+ by`."""
        if by is not None and by == ZERO:
            return self
        if not self.path or self.path[-1] != ELEMENT:
            return self.element(None)._replace(sure=False)
        symbol, depth, path, (*before, last), dims, sure, since = self
        new = None if last is None or by is None else last + by
        return Place(symbol, depth, path, (*before, new), dims, sure, since)

    def blurred(self) -> Place:
        """The same variable, nothing known of the elements."""
        return self._replace(subscripts=tuple([None for _ in self.subscripts]))

    @property
    def linear(self) -> Poly | None:
        """The subscripts as one element number, in row-major order: `a[i][j]` of `a[R][C]` is i*C + j."""
        if not self.subscripts or self.path[-len(self.subscripts) :] != (ELEMENT,) * len(self.subscripts):
            return None
        total = self.subscripts[0]
        for subscript, dim in zip(self.subscripts[1:], self.dims[1:], strict=True):
            if total is None or subscript is None or dim is None:
                return None
            total = total * dim + subscript
        return total


class _Integers(dict[Symbol, Any]):
    """What integers hold, as polynomials (None: not known).

    One that has changed is kept as the number of the change and made a polynomial when it is asked for: loops forget
    many variables that nobody asks for.
    """

    __slots__ = ()

    def __getitem__(self, symbol: Symbol) -> Poly | None:
        value: Poly | int | None = dict.__getitem__(self, symbol)
        if isinstance(value, int):
            value = fresh_value(symbol, value)
            dict.__setitem__(self, symbol, value)
        return value

    def change(self, symbol: Symbol, stamp: int) -> None:
        dict.__setitem__(self, symbol, stamp)

    def get(self, symbol: Symbol, default: Any = None) -> Any:
        if symbol not in self:
            return default
        return self[symbol]

    def raw(self, symbol: Symbol) -> Poly | int | None:
        """The number or the polynomial; the variable's own when nothing is kept."""
        value: Poly | int | None = dict.get(self, symbol, 0)
        return Poly.of(symbol) if value == 0 and symbol not in self else value


@dataclass(slots=True)
class Env:
    """What variables are known to hold where the analysis stands; what is not mentioned is as it was at the start.

    values -- integers; None: not known
    pointers -- what pointers point to
    dims -- the lengths of arrays with variable ones, outermost first
    """

    values: _Integers = field(default_factory=_Integers)
    pointers: dict[Symbol, Place] = field(default_factory=dict)
    dims: dict[Symbol, tuple[Poly | None, ...]] = field(default_factory=dict)

    def copy(self) -> Env:
        return Env(_Integers(self.values), dict(self.pointers), self.dims)

    def forget(self, symbols: Iterable[Symbol], stamp: int) -> None:
        """`symbols` may have changed: they hold something new that `stamp` names."""
        for symbol in symbols:
            if isinstance(symbol.type, Pointer):
                self.pointers[symbol] = fresh_target(symbol, stamp)
            elif is_integer(symbol.type):
                self.values.change(symbol, stamp)

    def rename(self, symbol: Symbol, stamp: int) -> None:
        """`symbol` becomes a loop's variable: what was said in terms of its old value is not known any more."""
        for name in self.values:
            value = self.values.raw(name)
            if isinstance(value, Poly) and symbol in value.symbols():
                self.values.change(name, stamp)
        for name, place in self.pointers.items():
            if any(s is not None and symbol in s.symbols() for s in place.subscripts):
                self.pointers[name] = place.blurred()
        self.values[symbol] = Poly.of(symbol)

    def join(self, other: Env, stamp: int) -> None:
        """What holds here and there."""
        for symbol in self.values.keys() | other.values.keys():
            own, others = self.values.raw(symbol), other.values.raw(symbol)
            if type(own) is not type(others) and symbol in self.values and symbol in other.values:
                own, others = self.values[symbol], other.values[symbol]
            if own != others:
                self.values.change(symbol, stamp)
        for symbol in self.pointers.keys() | other.pointers.keys():
            start = start_target(symbol)
            if self.pointers.get(symbol, start) != other.pointers.get(symbol, start):
                self.pointers[symbol] = fresh_target(symbol, stamp)


def fresh_value(symbol: Symbol, stamp: int) -> Poly:
    """A value that is not known, but is the same until the variable changes again."""
    return Poly.of(Opaque(CHANGED, symbol, (Poly.of(stamp),)))


def start_target(symbol: Symbol) -> Place:
    """What a pointer points to at the start."""
    return Place(symbol, 1, (ELEMENT,), (ZERO,), (None,))


def fresh_target(symbol: Symbol, stamp: int) -> Place:
    """What a pointer points to that got a value which is not known."""
    return Place(symbol, 1, (ELEMENT,), (ZERO,), (None,), since=stamp)


def place_of(expr: Expr, env: Env) -> Place | None:
    """The storage that the lvalue `expr` names; None when no variable leads there (a call's result, …)."""
    expr = bare(expr)
    if isinstance(expr, ast.Name):
        symbol = expr.symbol
        return Place(symbol) if symbol is not None and symbol.kind in ("var", "param") else None
    if isinstance(expr, ast.Index):
        base = indexed(expr)
        subscript = poly_of(expr.index if base is expr.base else expr.base, env.values)
        if isinstance(base.type, Array):
            array = place_of(base, env)
            return array.element(subscript, _length(base.type, array, env)) if array is not None else None
        target = pointee_of(base, env)
        return target.shifted(subscript) if target is not None else None
    if isinstance(expr, ast.Member):
        inner = pointee_of(expr.base, env) if expr.arrow else place_of(expr.base, env)
        return inner.member(expr.field) if inner is not None else None
    if isinstance(expr, ast.Unary) and expr.op == "*":
        return pointee_of(expr.operand, env)
    return None


def pointee_of(expr: Expr, env: Env) -> Place | None:
    """The storage that the value of the pointer expression `expr` points to."""
    expr = bare(expr)
    if isinstance(expr.type, Array):
        array = place_of(expr, env)
        return array.element(ZERO, _length(expr.type, array, env)) if array is not None else None
    if isinstance(expr, ast.Name):
        return _pointer(expr.symbol, env)
    if isinstance(expr, ast.Unary) and expr.op == "&":
        return place_of(expr.operand, env)
    if isinstance(expr, ast.Unary) and expr.op in ("++", "--"):
        # Its value is taken after the walk has moved the pointer.
        target = pointee_of(expr.operand, env)
        moved = {"++": -1, "--": 1}[expr.op] if expr.postfix else 0
        return target.shifted(Poly.of(moved)) if target is not None else None
    if isinstance(expr, ast.Binary) and expr.op in ("+", "-"):
        return _moved_pointer(expr, env)
    if isinstance(expr, ast.Cast):
        return _cast(expr, env)
    if isinstance(expr, ast.Assign):
        return pointee_of(expr.target, env)
    if isinstance(expr, (ast.Index, ast.Member)) or (isinstance(expr, ast.Unary) and expr.op == "*"):
        holder = place_of(expr, env)
        if holder is None:
            return None
        loaded = holder._replace(depth=holder.depth + 1, path=(*holder.path, LOADED))
        return loaded.element(ZERO)
    return None


def _moved_pointer(expr: Expr, env: Env) -> Place | None:
    """What `p + a - b` points to."""
    steps: list[Poly | None] = []
    while isinstance(expr, ast.Binary) and expr.op in ("+", "-"):
        behind = is_address(expr.right.type) and not is_address(expr.left.type)
        by = poly_of(expr.left if behind else expr.right, env.values)
        steps.append(-by if by is not None and expr.op == "-" else by)
        expr = bare(expr.right if behind else expr.left)
    target = pointee_of(expr, env)
    for by in reversed(steps):
        target = target.shifted(by) if target is not None else None
    return target


def _pointer(symbol: Symbol | None, env: Env) -> Place | None:
    if symbol is None or symbol.kind not in ("var", "param"):
        return None
    known = env.pointers.get(symbol)
    return known if known is not None else start_target(symbol)


def _cast(expr: ast.Cast, env: Env) -> Place | None:
    """A pointer keeps its place when it goes on to count in elements of the same size."""
    target = pointee_of(expr.operand, env)
    if target is None or not isinstance(expr.to, Pointer):
        return None
    before = _target(expr.operand.type)
    if before is None or isinstance(expr.to.to, Void) or isinstance(before, Void):
        return target
    if expr.keeps_step and not isinstance(expr.to.to, Array):
        return target
    return target.shifted(None)


def _target(t: CType) -> CType | None:
    return t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else None


def _length(t: Array, array: Place, env: Env) -> Poly | None:
    """The number of elements of `array`, which has type `t`."""
    if t.length is not None:
        return Poly.of(t.length)
    dims = env.dims.get(array.symbol, ()) if array.path == (ELEMENT,) * len(array.path) and not array.depth else ()
    return dims[len(array.path)] if len(array.path) < len(dims) else None
