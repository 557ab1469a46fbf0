"""From expressions to `Touch`es: which element of which variable, through pointers that are only another name for it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ompls.analysis.dataenv.called import count_of, known_of, touched_by
from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.paths import depth_of, is_address, root
from ompls.analysis.dataenv.symbolic import ZERO, LoopRange, Poly, is_integer, poly_of
from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by, changed_by
from ompls.analysis.model.ast import Expr, FunctionDef, Node, Symbol, walk_all
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.peel import indexed, strip
from ompls.analysis.rules.support.ordering.model import BY_ADDRESS, Touch
from ompls.analysis.spec.known import Arg

_OF_VALUES = frozenset(
    (ast.Name, ast.IntLiteral, ast.CharLiteral, ast.FloatLiteral, ast.Paren, ast.Cast, ast.Unary, ast.Binary)
)
_SIDES = ("host", BY_ADDRESS)  # of what may be a device's memory


@dataclass(slots=True)
class Values:
    """What is known of one function's variables, without flow.

    known -- variables that are assigned more than once, or whose address is taken: their value says nothing (None);
                those that hold the same number all along
    same -- pointers that are another name for storage: (variable, what they point to is the variable itself)
    moved -- of those by how many elements they point behind its start: `float *p = a + i * m`
    once -- integers that are given one value only, in one place, and of which nobody has the address
    """

    known: dict[Symbol, Poly | None] = field(default_factory=dict)
    same: dict[Symbol, tuple[Symbol, bool]] = field(default_factory=dict)
    moved: dict[Symbol, Expr] = field(default_factory=dict)
    once: frozenset[Symbol] = frozenset()

    def value(self, p: Poly) -> bool:
        """Whether it is the same all along (`guards.Constancy`)."""
        return p.plain and all(self._is_fixed(s) for s in p.symbols())

    def expr(self, expr: Expr) -> bool:
        names = (n.symbol for n in expr.walk() if isinstance(n, ast.Name))
        return all(type(n) in _OF_VALUES for n in expr.walk()) and all(
            s is not None and self._is_fixed(s) for s in names
        )

    def _is_fixed(self, symbol: Symbol) -> bool:
        return symbol in self.once and symbol.level != "file" and symbol.storage != "static"

    @property
    def other_names(self) -> frozenset[Symbol]:
        """Pointers whose elements may be those of another variable: other names for storage, and those that move."""
        return frozenset((*self.same, *(s for s, p in self.known.items() if p is None and isinstance(s.type, Pointer))))


def values_of(function: FunctionDef) -> Values:
    """Looks at every assignment of the function."""
    assigned: dict[Symbol, int] = dict.fromkeys(function.params, 1)
    defined: dict[Symbol, Expr] = {}
    for node in walk_all(function.body):
        target, value = _definition(node)
        if target is None:
            continue
        assigned[target] = assigned.get(target, 0) + (1 if value is not None else 2)
        if value is not None:
            defined[target] = value
    found = Values({s: None for s, n in assigned.items() if n > 1})
    found.once = frozenset(s for s, n in assigned.items() if n == 1 and is_integer(s.type)) - _handed_out(function)
    for symbol, _ in defined.items():
        if symbol not in found.known and symbol.level == "block" and (number := fold(symbol.init)) is not None:
            found.known[symbol] = Poly.of(number)
    for symbol, value in defined.items():
        if symbol not in found.known and isinstance(symbol.type, Pointer):
            base, offset = _start_and_offset(strip(value), symbol.type)
            _note_alias(found, symbol, base)
            if offset is not None and symbol in found.same:
                found.moved[symbol] = offset
    return found


def _handed_out(function: FunctionDef) -> set[Symbol]:
    """Variables of which the address is taken."""
    taken = (strip(n.operand) for n in walk_all(function.body) if isinstance(n, ast.Unary) and n.op == "&")
    return {e.symbol for e in taken if isinstance(e, ast.Name) and e.symbol is not None}


def _definition(node: Node) -> tuple[Symbol | None, Expr | None]:
    """The variable that `node` sets and the value it gets; no value: any."""
    if isinstance(node, ast.VarDecl):
        empty = node.init is None or (isinstance(node.symbol.type, Pointer) and fold(strip(node.init)) == 0)
        return (None, None) if empty else (node.symbol, node.init)
    if isinstance(node, ast.Assign):
        target = strip(node.target)
        if isinstance(target, ast.Name):
            return target.symbol, node.value if node.op == "=" else None
    elif (changed := changed_by(node)) is not None:
        operand = strip(changed)
        # The address of an array gives nothing away that its name does not.
        if isinstance(operand, ast.Name) and not isinstance(operand.type, Array):
            if assigned_by(node) is None and not isinstance(operand.type, Pointer):
                return None, None
            return operand.symbol, None
    return None, None


def _start_and_offset(value: Expr, kind: Pointer) -> tuple[Expr, Expr | None]:
    """`a` and `i` of `a + i` and of `&a[i]`, when that points to elements of the same type."""
    start, offset = value, None
    if isinstance(value, ast.Binary) and value.op == "+" and is_address(value.left.type):
        start, offset = strip(value.left), value.right
    elif isinstance(value, ast.Unary) and value.op == "&" and isinstance(inner := strip(value.operand), ast.Index):
        start, offset = strip(inner.base), inner.index
    element = (
        start.type.to if isinstance(start.type, Pointer) else start.type.of if isinstance(start.type, Array) else None
    )
    alike = element is not None and type(element) is type(kind.to) and not isinstance(element, Array)
    return (start, offset) if offset is not None and isinstance(start, ast.Name) and alike else (value, None)


def _note_alias(found: Values, symbol: Symbol, value: Expr) -> None:
    if isinstance(value, ast.Unary) and value.op == "&":
        operand = strip(value.operand)
        if isinstance(operand, ast.Name) and operand.symbol is not None and operand.symbol.kind in ("var", "param"):
            found.same[symbol] = (operand.symbol, True)
    elif isinstance(value, ast.Name) and value.symbol is not None and value.symbol.kind in ("var", "param"):
        if isinstance(value.type, Array):
            found.same[symbol] = (value.symbol, True)
        elif isinstance(value.type, Pointer) and value.symbol not in found.known:
            found.same[symbol] = (value.symbol, False)


@dataclass(frozen=True, slots=True)
class Place:
    """Where expressions are evaluated: what variables hold, and the loops, branches and locks around."""

    values: Values
    known: dict[Symbol, Poly | None]
    loops: tuple[LoopRange, ...] = ()
    guards: tuple[Guard, ...] = ()
    held: frozenset[str] = frozenset()


def touches(node: Node | None, place: Place) -> Iterator[Touch]:
    """The accesses in an expression or declaration, in evaluation order."""
    if node is None:
        return
    for use in uses(node):
        yield touch_of(use, place)
    for call in (n for n in node.walk() if isinstance(n, ast.Call)):
        yield from _library(call, place)


def touch_of(use: Use, place: Place) -> Touch:
    expr = use.node if isinstance(use.node, Expr) else None
    way, subs = path_of(expr, place) if expr is not None and not use.escapes else ("", ())
    made = Touch(use.symbol, use.node, use.depth, use.read, use.write, way, subs, place.loops, place.held, place.guards,
                 certain=use.certain and not use.escapes, whole=use.escapes)  # fmt: skip
    return resolved(made, place)


def resolved(touch: Touch, place: Place) -> Touch:
    """With pointers replaced by what they are another name for; uncertain when a pointer is not known to stay."""
    values = place.values
    for _ in range(4):
        target = values.same.get(touch.symbol) if touch.depth >= 1 else None
        if target is None:
            break
        symbol, itself = target
        subs = touch.subs
        offset = values.moved.get(touch.symbol)
        if offset is not None:
            by, first = poly_of(offset, place.known), subs[0] if subs else None
            subs = (first + by if first is not None and by is not None else None, *subs[1:])
            touch = replace(touch, certain=touch.certain and not touch.whole)
        if itself and not isinstance(symbol.type, Array):
            subs = subs[1:] if subs[:1] == (ZERO,) else subs
        depth = touch.depth - (1 if itself else 0)
        touch = replace(touch, symbol=symbol, depth=depth, subs=subs, via=touch.via or touch.symbol)
    moves = touch.depth >= 1 and values.known.get(touch.symbol, ZERO) is None
    return replace(touch, certain=False) if moves or touch.depth > 1 else touch


def path_of(expr: Expr, place: Place) -> tuple[str, tuple[Poly | None, ...]]:
    """The members and the subscripts on the way to an lvalue: `s.a[i].b[j]` is ('.a.b', (i, j))."""
    expr = strip(expr)
    if isinstance(expr, ast.Index):
        base = indexed(expr)
        way, subs = path_of(base, place)
        index = expr.index if base is expr.base else expr.base
        return way, (*subs, poly_of(index, place.known))
    if isinstance(expr, ast.Member):
        way, subs = path_of(expr.base, place)
        return f"{way}.{expr.field}", subs if not expr.arrow else (*subs, ZERO)
    if isinstance(expr, ast.Unary) and expr.op == "*":
        inner = strip(expr.operand)
        if isinstance(inner, ast.Binary) and inner.op == "+" and is_address(inner.type):
            pointer, offset = (inner.left, inner.right) if is_address(inner.left.type) else (inner.right, inner.left)
            way, subs = path_of(pointer, place)
            return way, (*subs, poly_of(offset, place.known))
        way, subs = path_of(inner, place)
        return way, (*subs, ZERO if isinstance(inner, (ast.Name, ast.Member, ast.Index)) else None)
    return "", () if isinstance(expr, ast.Name) else (None,)


def _library(call: ast.Call, place: Place) -> Iterator[Touch]:
    """What a library function does for certain with what its arguments point to."""
    row = known_of(call)
    if row is None or row.later:
        return
    for arg, write in touched_by(call, row):
        made = _pointed(call.args[arg.at], place, write) if arg.sure else None
        if made is None:
            continue
        if arg.device is None:
            yield resolved(replace(made, whole=_is_whole(call, arg)), place)
            yield from _last(call, arg, made, place)
        elif arg.behind is None or (arg.behind < len(call.args) and fold(call.args[arg.behind]) == 0):
            for side in _SIDES:
                yield resolved(replace(made, side=side), place)
    made = _pointed(call.args[row.frees], place, True) if row.frees is not None and row.frees < len(call.args) else None
    if made is not None:
        for side in _SIDES if row.on_target else ("host",):
            yield resolved(replace(made, side=side, freed=True, whole=True), place)


def _pointed(arg: Expr, place: Place, write: bool) -> Touch | None:
    """The access of the first element that an argument points to: `b`, `p`, `&x`, `&b[i]`, `s.name`."""
    arg = strip(arg)
    base = strip(arg.operand) if isinstance(arg, ast.Unary) and arg.op == "&" else arg
    symbol, kind = root(base), base.type
    if symbol is None or not isinstance(base, (ast.Name, ast.Index, ast.Member)):
        return None
    depth, (way, subs) = depth_of(base), path_of(base, place)
    if base is arg and isinstance(kind, Pointer) and isinstance(base, ast.Name):
        depth, subs, kind = 1, (ZERO,), kind.to
    elif base is arg and not isinstance(kind, Array):
        return None
    while isinstance(kind, Array):
        subs, kind = (*subs, ZERO), kind.of
    return Touch(symbol, arg, depth, not write, write, way, subs, place.loops, place.held, place.guards)


def _last(call: ast.Call, arg: Arg, first: Touch, place: Place) -> Iterator[Touch]:
    """The last element that it touches, where the number of elements is known."""
    given = strip(call.args[arg.at])
    kind = given.type.to if isinstance(given.type, Pointer) else given.type
    while isinstance(kind, Array):
        kind = kind.of
    count = count_of(call, arg, getattr(kind, "size", None))
    at = first.subs[-1] if first.subs else None
    if count > 1 and at is not None:
        yield resolved(replace(first, subs=(*first.subs[:-1], at + (count - 1))), place)


def _is_whole(call: ast.Call, arg: Arg) -> bool:
    """Whether so many bytes from the start of a variable are touched that these are all that the call is about."""
    at = strip(call.args[arg.at])
    at = strip(at.operand) if isinstance(at, ast.Unary) and at.op == "&" else at
    if not isinstance(at, ast.Name) or not (arg.size and arg.exact):
        return False
    count, kind = 1, at.type
    while isinstance(kind, Array):
        count, kind = count * (kind.length or 1), kind.of
    known = [fold(call.args[n]) for n in arg.size]
    size = getattr(kind, "size", 1) * count
    return any(n is None for n in known) or math.prod(n for n in known if n is not None) >= size
