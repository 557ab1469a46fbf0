"""Which pointers may name the same storage in one function, and where the storage comes from (no flow: whole function).

A *class* is a set of places, each ('object', symbol) or ('pointee', symbol); assigning `p = q`, `p = a`, `p = &x`, `p = q + 1`
joins them.  Mapping one member maps the storage of all, so that nothing is called absent that another name has mapped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ompls.analysis.dataenv.paths import depth_of, root, walk_all
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Symbol
from ompls.analysis.model.ctype import Array, Pointer, Record
from ompls.analysis.spec.runtime import DEVICE_ALLOCATORS, HOST_ALLOCATORS

Place = tuple[Literal["object", "pointee"], Symbol]
Source = Literal["host", "device", "same", "none", "unknown"]


@dataclass(slots=True)
class Storages:
    """The classes of one function.

    device -- classes that may hold device storage (`omp_target_alloc`)
    unknown -- classes with a pointer whose address is taken: its storage may come from anywhere
    escaped -- classes that other code may know of
    lengths -- for a pointer, the element count of its only allocation, when the text tells
    """

    parent: dict[Place, Place] = field(default_factory=dict)
    device: set[Place] = field(default_factory=set)
    unknown: set[Place] = field(default_factory=set)
    escaped: set[Place] = field(default_factory=set)
    lengths: dict[Symbol, Expr | None] = field(default_factory=dict)

    def find(self, place: Place) -> Place:
        while place in self.parent:
            place = self.parent[place]
        return place

    def join(self, a: Place, b: Place) -> None:
        a, b = self.find(a), self.find(b)
        if a is not b and a != b:
            self.parent[a] = b

    def marked(self, marks: set[Place], place: Place) -> bool:
        rep = self.find(place)
        return any(self.find(m) == rep for m in marks)

    def alone(self, place: Place) -> bool:
        """Whether nothing else is in the class."""
        rep = self.find(place)
        return not any(self.find(p) == rep for p in (*self.parent, *self.parent.values()) if p != place)


def place_of(expr: Expr) -> Place | None:
    """The storage that an lvalue or a list item names: of a variable, or of what a pointer variable points to."""
    symbol, depth = root(expr), depth_of(expr)
    if symbol is None or depth > 1 or depth < 0:
        return None
    if depth == 1 and not isinstance(symbol.type, Pointer):
        return None  # `s.p[0:n]`, `table[i][0:n]`: a pointer that lies in memory is not followed
    return ("pointee", symbol) if depth == 1 else ("object", symbol)


def pointed_at(expr: Expr) -> Place | None:
    """The storage that the value of a pointer expression names: `p + 1`, `&a[3]`, `a`, `&x`."""
    expr = strip(expr)
    if isinstance(expr, ast.Unary) and expr.op == "&":
        return place_of(expr.operand)
    symbol, depth = root(expr), depth_of(expr)
    if symbol is None:
        return None
    if isinstance(expr.type, Array):
        return place_of(expr)
    if depth == 0 and isinstance(symbol.type, Pointer):
        return ("pointee", symbol)
    if depth == 0 and isinstance(symbol.type, Array) and isinstance(expr, ast.Binary):
        return ("object", symbol)
    return None


def strip(expr: Expr) -> Expr:
    """Without parentheses and casts."""
    while isinstance(expr, (ast.Paren, ast.Cast)):
        expr = expr.inner if isinstance(expr, ast.Paren) else expr.operand
    return expr


def source_of(value: Expr) -> Source:
    """Where the value of a pointer expression comes from."""
    value = strip(value)
    if isinstance(value, ast.Call):
        name = value.function.name if isinstance(value.function, ast.Name) else ""
        if name in DEVICE_ALLOCATORS:
            return "device"
        return "host" if name in HOST_ALLOCATORS else "unknown"
    if isinstance(value, (ast.StringLiteral, ast.CompoundLiteral)):
        return "host"
    if isinstance(value, ast.IntLiteral):
        return "none"
    return "same" if pointed_at(value) is not None else "unknown"


def storages_of(function: ast.FunctionDef) -> Storages:
    """Looks at every assignment, initialiser and address in the function."""
    found = Storages()
    for node in walk_all(function.body):
        if isinstance(node, ast.VarDecl) and node.init is not None:
            _store(found, node.symbol, node.init)
        elif isinstance(node, ast.Assign) and node.op == "=" and isinstance(node.target.type, (Pointer, Record)):
            target = strip(node.target)
            symbol = target.symbol if isinstance(target, ast.Name) else None
            _store(found, symbol if symbol is not None and symbol.level != "file" else None, node.value)
            if symbol is not None and symbol.level == "file":
                _store(found, symbol, node.value)
        elif isinstance(node, ast.Unary) and node.op == "&":
            _address_taken(found, strip(node.operand))
    return found


def _store(found: Storages, target: Symbol | None, value: Expr) -> None:
    """`value` goes to a pointer variable, or (None) to memory that is not followed."""
    value = strip(value)
    if isinstance(value, ast.Conditional):
        for part in (value.then, value.otherwise):
            if part is not None:
                _store(found, target, part)
    elif isinstance(value, ast.Binary) and value.op == ",":
        _store(found, target, value.right)
    elif isinstance(value, ast.Assign):
        _store(found, target, value.value)
        _store(found, target, value.target)
    elif isinstance(value, ast.InitList):
        for element in value.elements:
            _store(found, None, element)
    elif target is None or not isinstance(target.type, Pointer):
        place = pointed_at(value)
        if place is not None and isinstance(value.type, (Pointer, Array)):
            found.escaped.add(place)
    else:
        _assign(found, target, value)


def _assign(found: Storages, target: Symbol, value: Expr) -> None:
    place: Place = ("pointee", target)
    source = source_of(value)
    if source == "same":
        other = pointed_at(value)
        if other is not None and other[1] is not target:
            found.join(place, other)
            found.lengths[target] = None
        return
    if source == "device":
        found.device.add(place)
    elif source == "unknown":
        found.lengths[target] = None
        if isinstance(value, ast.Call):
            # It may return one of its arguments.
            for arg in value.args:
                other = pointed_at(arg)
                if other is not None and isinstance(arg.type, (Pointer, Array)):
                    found.join(place, other)
    elif isinstance(value, ast.Call):
        length = _length(value, target)
        found.lengths[target] = None if target in found.lengths else length


def _length(call: ast.Call, target: Symbol) -> Expr | None:
    """`n` of `malloc(n * sizeof(T))`, `malloc(sizeof(T) * n)`, `calloc(n, sizeof(T))`."""
    name = call.function.name if isinstance(call.function, ast.Name) else ""
    if name == "calloc" and len(call.args) == 2 and isinstance(strip(call.args[1]), ast.SizeOf):
        return call.args[0]
    if name == "malloc" and len(call.args) == 1:
        size = strip(call.args[0])
        if isinstance(size, ast.Binary) and size.op == "*":
            left, right = strip(size.left), strip(size.right)
            if isinstance(right, ast.SizeOf):
                return left
            if isinstance(left, ast.SizeOf):
                return right
    return None


def _address_taken(found: Storages, operand: Expr) -> None:
    """`&p` of a pointer variable: anything may be assigned to it."""
    if isinstance(operand, ast.Name) and operand.symbol is not None and isinstance(operand.symbol.type, Pointer):
        found.unknown.add(("pointee", operand.symbol))
