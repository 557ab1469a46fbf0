"""What expressions are worth at a place where all variables are known, and which storage an lvalue is.

Each expression becomes a Python function of the variables' values once, however often it is met: a region of thousands
of tasks asks for the same few expressions each time.  A pointer that nothing assigns is an object of its own, whatever
it points to: two of them are taken for different ones, as the paper does.  What `malloc` and the like return is a new
object each time that the call is met.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ompls.analysis.dataenv.called import known_of
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in, variable_changed_by
from ompls.analysis.model.ast import Expr, Symbol
from ompls.analysis.model.constants import fold, operated, wrap
from ompls.analysis.model.ctype import Array, CType, Enum, Integer, Pointer, Record
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import offsetof, sizeof
from ompls.analysis.model.peel import bare, indexed


class Address(NamedTuple):
    """A place in storage: an object (a variable, what a pointer led to), and bytes from its start."""

    object: tuple[object, ...]
    offset: int


class UnknownValue(Exception):
    """`name` is what is not known before the program runs, `why` the words behind it."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"`{name}` {why}")
        self.name, self.why = name, why


Value = int | Address
Frame = dict[Symbol, Value | UnknownValue]
Evaluated = Callable[[Frame], Value]
Placed = Callable[[Frame], Address]
_address = partial(tuple.__new__, Address)  # of a pair: half the time

# Operators whose result needs no look at the types while the operands are as small as they are here.
_QUICK: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<": operator.lt, ">": operator.gt, "<=": operator.le,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_SMALL = 1 << 15  # a product of two of these fits an int
_HUGE = 1 << 64  # of a type that is not known values could grow without end


class Values:
    """The expressions of one function.

    text -- how an expression is written, for reasons
    kept -- the value of a variable of the file that nothing changes; None: it may change
    """

    def __init__(
        self, function: ast.FunctionDef, model: DataModel, text: Callable[[Expr], str],
        kept: Callable[[Symbol], Expr | None],
    ) -> None:  # fmt: skip
        self.model, self.text, self._kept = model, text, kept
        self._values: dict[int, Evaluated] = {}
        self._places: dict[int, Placed] = {}
        self._changes: dict[Symbol, int] = {}
        self._exposed: set[Symbol] = set()  # whose address somebody has: they may change at any time
        for node in ast.walk_all(function):
            symbol = variable_changed_by(node)
            if symbol is not None:
                self._changes[symbol] = self._changes.get(symbol, 0) + 1
                if isinstance(node, ast.Unary) and node.op == "&":
                    self._exposed.add(symbol)

    # --- values -------------------------------------------------------------------------------------------------

    def value(self, e: Expr) -> Evaluated:
        made = self._values.get(id(e))
        if made is None:
            made = self._values[id(e)] = self._value(e)
        return made

    def _value(self, e: Expr) -> Evaluated:
        constant = fold(e)
        if constant is not None:
            return lambda _: constant
        match e:
            case ast.Paren():
                return self.value(e.inner)
            case ast.Name(symbol=Symbol() as symbol) if symbol.kind in ("var", "param"):
                return self.place(e) if isinstance(e.type, Array) else self._variable(symbol)
            case ast.Index() | ast.Member():
                return self._loaded(e)
            case ast.Unary():
                return self._unary(e)
            case ast.Binary():
                return self._binary(e)
            case ast.Assign() if isinstance(target := bare(e.target), ast.Name) and target.symbol is not None:
                return self._assign(e, target.symbol)
            case ast.Conditional(then=Expr() as then):
                asked, first, second = self.value(e.condition), self.value(then), self.value(e.otherwise)
                return lambda f: first(f) if asked(f) else second(f)
            case ast.Cast():
                return self._converted(self.value(e.operand), e.to)
            case ast.Call() if _makes_storage(e):
                return lambda _: Address((object(), "value"), 0)
        return self._unknown(e)

    def _unknown(self, e: Expr) -> Evaluated:
        def ask(_: Frame) -> Value:
            raise UnknownValue(self.text(e), "is not known when compiling")

        return ask

    def _variable(self, symbol: Symbol) -> Evaluated:
        at_file = symbol.level == "file" or symbol.storage == "static"
        pointer = isinstance(symbol.type, Pointer)
        changing = at_file and (symbol in self._changes if pointer else self._kept(symbol) is None)

        def read(f: Frame) -> Value:
            value = f.get(symbol)
            if value is None:
                value = f[symbol] = self._initial(symbol)
            if value.__class__ is UnknownValue:
                raise value
            return value  # type: ignore[return-value]

        def unsure(_: Frame) -> Value:
            raise UnknownValue(symbol.name, "may change" if changing else "may be changed through its address")

        return unsure if changing or (symbol in self._exposed and not pointer) else read

    def _initial(self, symbol: Symbol) -> Value | UnknownValue:
        """What a variable has before the region gives it anything."""
        changes = self._changes.get(symbol, 0)
        at_file = symbol.level == "file" or symbol.storage == "static"
        init = self._kept(symbol) if at_file else symbol.init if changes == 1 else None
        if init is not None:
            try:
                return self.value(init)({})
            except UnknownValue as why:
                if not isinstance(symbol.type, Pointer):
                    return why
        if isinstance(symbol.type, Pointer) and changes <= (symbol.level == "block"):
            return Address((symbol, "value"), 0)
        if symbol.kind == "param" and not changes:
            return UnknownValue(symbol.name, "is a parameter")
        return UnknownValue(symbol.name, "may change" if at_file or changes > 1 else "is not known when compiling")

    def _loaded(self, e: Expr) -> Evaluated:
        """What is stored at an lvalue: an array is its address, a pointer in memory leads to an object of its own."""
        if isinstance(e.type, Array):
            return self.place(e)
        if not isinstance(e.type, Pointer):
            return self._unknown(e)
        place = self.place(e)
        return lambda f: Address((*place(f), "value"), 0)

    def _unary(self, e: ast.Unary) -> Evaluated:
        target = bare(e.operand)
        if e.op in ("++", "--") and isinstance(target, ast.Name) and target.symbol is not None:
            return self._stepped(e, target.symbol)
        if e.op == "&":
            return self.place(e.operand)
        if e.op == "*":
            return self._loaded(e)
        if e.op not in "+-~!":
            return self._unknown(e)
        of, op, t = self.value(e.operand), e.op, e.type

        def apply(f: Frame) -> Value:
            v = of(f)
            if v.__class__ is not int:
                raise UnknownValue(self.text(e), "is not known when compiling")
            return wrap({"+": v, "-": -v, "~": ~v, "!": int(not v)}[op], t)

        return apply

    def _stepped(self, e: ast.Unary, symbol: Symbol) -> Evaluated:
        read, step, post = self._variable(symbol), 1 if e.op == "++" else -1, e.postfix
        size = self._step_of(symbol.type)

        def apply(f: Frame) -> Value:
            old = f.get(symbol)
            if old.__class__ is not int:
                old = read(f)
            new = old + step if old.__class__ is int else Address(old[0], old[1] + step * size)  # type: ignore[index]
            f[symbol] = new
            return old if post else new

        return apply

    def _assign(self, e: ast.Assign, symbol: Symbol) -> Evaluated:
        if e.op == "=":
            value = self._converted(self.value(e.value), symbol.type)
        else:
            value = self._binary(ast.Binary(e.span, e.op[:-1], e.target, e.value, type=symbol.type))

        def apply(f: Frame) -> Value:
            try:
                v = f[symbol] = value(f)
            except UnknownValue as why:
                f[symbol] = why
                raise
            return v

        return apply

    def _converted(self, value: Evaluated, t: CType) -> Evaluated:
        if not isinstance(t, (Integer, Enum)):
            return value

        def apply(f: Frame) -> Value:
            v = value(f)
            return wrap(v, t) if v.__class__ is int and not -_SMALL <= v < _SMALL else v

        small = isinstance(t, Integer) and (t.size < 4 or not t.signed)
        return (lambda f: wrap(v, t) if (v := value(f)).__class__ is int else v) if small else apply

    def _binary(self, e: ast.Binary) -> Evaluated:
        """A chain of operators that group to the left, without recursion along it."""
        row = ast.chain(e)
        made = self.value(row[0].left)
        for operation in row:
            made = self._operation(operation, made)
        return made

    def _operation(self, e: ast.Binary, left: Evaluated) -> Evaluated:
        right, op, quick = self.value(e.right), e.op, _QUICK.get(e.op)
        size = self._step_of(e.type)
        if op == ",":
            return lambda f: (left(f), right(f))[1]
        if op in ("&&", "||"):
            return lambda f: int(bool(left(f) and right(f))) if op == "&&" else int(bool(left(f) or right(f)))

        def apply(f: Frame) -> Value:
            a, b = left(f), right(f)
            if a.__class__ is int and b.__class__ is int:
                if quick is not None and -_SMALL < a < _SMALL and -_SMALL < b < _SMALL and e.type.__class__ is Integer:
                    v = quick(a, b)
                    return wrap(v, e.type) if v < 0 else int(v)
                whole = operated(e, a, b)
                if whole is not None and -_HUGE < (value := wrap(whole, e.type)) < _HUGE:
                    return value
            elif op == "+" and a.__class__ is not b.__class__:
                (base, at), step = (a, b) if b.__class__ is int else (b, a)  # type: ignore[misc]
                return Address(base, at + step * size)  # type: ignore[operator]
            elif op == "-" and b.__class__ is int:
                return Address(a[0], a[1] - b * size)  # type: ignore[index]
            raise UnknownValue(self.text(e), "is not known when compiling")

        return apply

    def _step_of(self, t: CType) -> int:
        """What a pointer of this type moves by for 1, in bytes."""
        of = t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else None
        return (sizeof(of, self.model) or 1) if of is not None else 1

    # --- storage ------------------------------------------------------------------------------------------------

    def place(self, e: Expr) -> Placed:
        made = self._places.get(id(e))
        if made is None:
            made = self._places[id(e)] = self._place(e)
        return made

    def _place(self, e: Expr) -> Placed:
        match e:
            case ast.Paren():
                return self.place(e.inner)
            case ast.Name(symbol=Symbol() as symbol):
                there = Address((symbol,), 0)
                return lambda _: there
            case ast.Index():
                base = indexed(e)
                return self._element(base, e.base if base is e.index else e.index, e.type)
            case ast.Section():
                t = e.base.type
                return self._element(
                    e.base, e.lower, t.of if isinstance(t, Array) else t.to if isinstance(t, Pointer) else t
                )
            case ast.Member():
                base_type = e.base.type.to if e.arrow and isinstance(e.base.type, Pointer) else e.base.type
                at = offsetof(base_type, e.field, self.model) if isinstance(base_type, Record) else None
                base_at = self._pointed(e.base) if e.arrow else self.place(e.base)
                if at is None:
                    return lambda f: Address((*base_at(f), e.field), 0)
                return lambda f: Address((found := base_at(f))[0], found[1] + at)
            case ast.Unary(op="*"):
                return self._pointed(e.operand)
            case ast.Shaping():
                return self._pointed(e.operand)
        return self._unknown(e)  # type: ignore[return-value]

    def _pointed(self, e: Expr) -> Placed:
        value = self.value(e)

        def apply(f: Frame) -> Address:
            v = value(f)
            if v.__class__ is int:
                raise UnknownValue(self.text(e), "is not known when compiling")
            return v  # type: ignore[return-value]

        return apply

    def _element(self, base: Expr, index: Expr | None, t: CType) -> Placed:
        """Where an element is.  Of a size that is not known each index is an object of its own.

        Subscripts of an array of arrays are one function: `a[i][j]` is asked for more than all else.
        """
        if index is None:
            return self._pointed(base)
        size = sizeof(t, self.model)
        if size is None:
            whole, number = self._pointed(base), self.value(index)
            return lambda f: Address((*whole(f), number(f)), 0)
        rows: list[tuple[Any, Evaluated, int, Expr]] = []  # a variable, or None: of no variable there is a value
        while True:
            rows.insert(0, (self._local(index), self.value(index), size, index))
            inner = bare(base)
            row = sizeof(inner.type, self.model) if isinstance(inner.type, Array) else None
            if not isinstance(inner, ast.Index) or row is None:
                break
            size, base = row, indexed(inner)
            index = inner.base if base is inner.index else inner.index
        start = self._pointed(base)

        def apply(f: Frame) -> Address:
            found, at = start(f)
            for symbol, number, step, e in rows:
                i = f.get(symbol)
                if i.__class__ is not int:
                    i = number(f)
                    if i.__class__ is not int:
                        raise UnknownValue(self.text(e), "is not known when compiling")
                at += i * step
            return _address((found, at))

        return apply

    def _local(self, e: Expr) -> Symbol | None:
        """The variable that `e` is, if its value is what the frame has."""
        e = bare(e)
        symbol = e.symbol if isinstance(e, ast.Name) else None
        plain = symbol is not None and symbol.level == "block" and symbol.storage == "" and symbol not in self._exposed
        return symbol if plain else None


def _makes_storage(call: ast.Call) -> bool:
    """Whether it returns storage of its own: `malloc`, `omp_alloc`; not `realloc`, which may keep the place."""
    row = known_of(call)
    fresh = row is not None and row.allocates is not None and row.allocates.into is None and row.frees is None
    return fresh and not assigned_in(call)
