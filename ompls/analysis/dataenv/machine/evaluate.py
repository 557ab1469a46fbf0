"""Expressions: their values, and the accesses that they make, in order."""

from __future__ import annotations

from abc import abstractmethod

from ompls.analysis.dataenv.machine.facts import facts_of
from ompls.analysis.dataenv.machine.naming import name_of
from ompls.analysis.dataenv.machine.objects import STEPS, GivenUp
from ompls.analysis.dataenv.machine.places import Places
from ompls.analysis.dataenv.machine.state import State, join, joined_value
from ompls.analysis.dataenv.machine.values import (
    NULL,
    Loc,
    Obj,
    Pointers,
    Target,
    Value,
    at_start,
    converted,
    function,
    number,
)
from ompls.analysis.dataenv.paths import is_address
from ompls.analysis.dataenv.symbolic import ZERO, Opaque, Poly, is_integer, opaque
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr
from ompls.analysis.model.constants import combined, fold
from ompls.analysis.model.ctype import Array, CType, Function, Pointer, Record
from ompls.analysis.model.layout import offsetof
from ompls.analysis.model.peel import bare, indexed

_TERMS = 16  # of a value; larger ones are given up


class Evaluator(Places):
    """`value` evaluates for a value, `places` for a place."""

    # --- to be given by the classes above

    @abstractmethod
    def call(self, expr: ast.Call) -> Value: ...

    @abstractmethod
    def statement(self, stmt: ast.Stmt | None) -> None: ...

    @abstractmethod
    def truth(self, expr: Expr) -> bool | None:
        """The truth value of a condition, which is evaluated."""

    # --- values

    def value(self, expr: Expr | None) -> Value:
        """The value of `expr`, with its accesses and effects."""
        if expr is None or self.now is None:
            return None
        self.steps += 1
        if self.steps > STEPS or (not self.steps % 256 and self.out_of_time()):
            raise GivenUp
        match expr:
            case ast.Name():
                return self._name(expr)
            case ast.IntLiteral() | ast.CharLiteral():
                return number(expr.value)
            case ast.Paren():
                return self.value(expr.inner)
            case ast.Index() | ast.Member():
                return self.read(expr)
            case ast.Binary():
                return self._binary(expr)
            case ast.Assign():
                return self._assign(expr)
            case ast.Unary():
                return self._unary(expr)
            case ast.Call():
                return self.call(expr)
            case ast.Cast():
                return self._cast(expr)
            case ast.Conditional():
                return self._conditional(expr)
            case ast.SizeOf():
                known = fold(expr)
                return Poly.of(known) if known is not None else self.size_of(expr.of)
            case ast.StringLiteral():
                text = Obj("heap", ("text", self.frame.name, expr.span.start), expr.text)
                if self.region is not None:
                    self.region.local.add(text)  # the device's code has storage of its own for it
                return at_start(text)
            case ast.StatementExpr():
                self.statement(expr.body)
                return None
            case ast.Generic():
                return self.value(expr.chosen)
            case ast.OtherExpr():
                self.not_understood(expr)
                return None
        for child in expr.children():
            if isinstance(child, Expr):
                self.value(child)
        return None

    @abstractmethod
    def comparison(self, expr: ast.Binary) -> bool | None:
        """`==`, `<`, ...: whether it holds."""

    def not_understood(self, node: ast.Node) -> None:
        """Something whose effect is not known: what it names may have changed in any way."""
        assert self.now is not None
        for n in node.walk():
            if isinstance(n, ast.Name) and n.symbol is not None and n.symbol.kind in ("var", "param"):
                obj = self.variable(n.symbol)
                held = [v for c, v in self.scanned().items() if c[0] == obj and isinstance(v, frozenset)]
                self.forget([obj, *(t.obj for v in held for t in v)])
                for cell in [c for c in self.scanned() if c[0] == obj]:
                    self.now.cells[cell] = None

    def _name(self, expr: ast.Name) -> Value:
        symbol = expr.symbol
        if symbol is not None and symbol.kind == "func":
            return at_start(function(symbol.name))
        if symbol is None or symbol.kind not in ("var", "param"):
            return Poly.of(symbol.value) if symbol is not None and symbol.value is not None else None
        obj = self.variable(symbol)
        if isinstance(symbol.type, Array):
            if obj.kind == "lent":
                return at_start(obj)
            return frozenset((Target(obj, ZERO),))
        loc = Loc(obj, ZERO, obj.size, symbol.type)
        self.access([loc], expr, True, False)
        if isinstance(symbol.type, Record) or self.now is None:
            return None
        value = self.load(loc)
        if value is None and is_integer(symbol.type) and symbol.level != "file" and not self.changes(symbol):
            value = self.now.cells[obj, 0] = self.unknown(expr)  # until it is given another
        return value

    def changes(self, symbol: ast.Symbol) -> bool:
        """Whether a loop around gives it another value before it is read here again."""
        facts = facts_of(self.frame.content)
        return self.region is not None or any(symbol in facts.written_in(loop.range.stmt) for loop in self.loops)

    def read(self, expr: Expr) -> Value:
        """The value at an lvalue that is no variable's name."""
        locs = self.places(expr)
        if isinstance(expr.type, Array):
            return _pointers(locs)
        self.access(locs, expr, True, False, through=_is_through(expr))
        value = self.held(locs, expr.type)
        for obj, _, _ in value if isinstance(value, frozenset) and isinstance(expr, ast.Member) else ():
            if obj.kind == "outside" and isinstance(obj.key, tuple) and obj.name == obj.key[0].name:
                obj.name = name_of(expr)  # where what it lies in is named only
        return value

    def held(self, locs: list[Loc], t: CType) -> Value:
        """What scalars at `locs` hold; all of them the same, or not known."""
        if self.now is None or not locs or (not isinstance(t, Pointer) and not is_integer(t)):
            return None
        values = [self.load(loc) for loc in locs]
        found = values[0]
        for other in values[1:]:
            found = joined_value(found, other)
        return found

    def _binary(self, expr: ast.Binary) -> Value:
        if expr.op not in ast.FLAT:
            holds = self.comparison(expr)
            return None if holds is None else number(int(holds))
        row = ast.chain(expr)
        last = row[0]
        value, known = self.value(last.left), fold(last.left)
        varies: bool | None = None
        for operation in row:
            known = combined(operation, known)
            if operation.op in ("&&", "||"):
                varies = self.varies(operation.left) if varies is None else varies or self.varies(last.right)
                self.branch_of(operation.right, varies)
                value = None
            else:
                value = self._combined(operation, value, known)
            last = operation
        return value

    def _combined(self, expr: ast.Binary, a: Value, known: int | None) -> Value:
        """The value of an operation whose left operand is `a`; `known`: what it is as a constant."""
        op = expr.op
        b = self.value(expr.right)
        if op == ",":
            return b
        if op in ("+", "-"):
            if is_address(expr.left.type) and not is_address(expr.right.type):
                return self.moved(a, b if isinstance(b, Poly) else None, expr.left.type, 1 if op == "+" else -1)
            if is_address(expr.right.type) and op == "+":
                return self.moved(b, a if isinstance(a, Poly) else None, expr.right.type, 1)
        if known is not None:
            return Poly.of(known)
        if not isinstance(a, Poly) or not isinstance(b, Poly):
            return None
        return _arithmetic(op, a, b)

    @abstractmethod
    def varies(self, condition: Expr | None) -> bool:
        """Whether a condition is on what changes from one iteration of the innermost loop to the next."""

    def branch_of(self, expr: Expr, varies: bool) -> Value:
        """`expr` evaluated on some paths only; `varies`: those of other iterations."""
        if self.now is None:
            return None
        before = self.now.copy()
        self.conditions += 1
        self.varied += varies
        value = self.value(expr)
        self.conditions -= 1
        self.varied -= varies
        self.now = join(self.now, before)
        return value

    def moved(self, pointer: Value, by: Poly | None, t: CType, sign: int) -> Value:
        """A pointer some elements further."""
        if not isinstance(pointer, frozenset):
            return None
        size = self.size_of(t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else t)
        step = by * size * sign if by is not None and size is not None else None
        return frozenset(
            [t._replace(offset=t.offset + step if t.offset is not None and step is not None else None) for t in pointer]
        )

    def _unary(self, expr: ast.Unary) -> Value:
        op, operand = expr.op, expr.operand
        if op == "&":
            named = operand.symbol if isinstance(operand, ast.Name) else None
            return self.value(operand) if named is not None and named.kind == "func" else self.address(operand)
        if op == "*":
            return self.read(expr)
        if op in ("++", "--"):
            locs = self.places(operand)
            self.access(locs, operand, True, True, through=_is_through(operand))
            old = self.held(locs, operand.type)
            new: Value = None
            if isinstance(old, frozenset):
                new = self.moved(old, Poly.of(1), operand.type, 1 if op == "++" else -1)
            elif isinstance(old, Poly):
                new = converted(old + (1 if op == "++" else -1), operand.type)
            if self.now is not None:
                self.store(locs, new)
            return old if expr.postfix else new
        value = self.value(operand)
        if op == "-" and isinstance(value, Poly):
            return -value
        if (
            op == "!"
            and isinstance(value, Poly)
            and value.atoms()
            and all(isinstance(a, Opaque) and a.op == "omp_is_initial_device" for a in value.atoms())
        ):
            return Poly.of(1) - value
        if isinstance(value, Poly) and op in ("!", "~") and (x := value.constant) is not None:
            if op == "!":
                return Poly.of(int(not x))
            return converted(Poly.of(~x), expr.type)
        known = fold(expr)
        return Poly.of(known) if known is not None else value if op == "+" else None

    def address(self, operand: Expr) -> Value:
        """`&operand`; nothing is accessed but what leads there."""
        operand = bare(operand)
        if isinstance(operand.type, Function):
            return None
        return _pointers(self.places(operand))

    def _assign(self, expr: ast.Assign) -> Value:
        target = expr.target
        if expr.op == "=":
            value = self.value(expr.value)
            locs = self.places(target)
            self.access(locs, target, False, True, through=_is_through(target))
        else:
            by = self.value(expr.value)
            locs = self.places(target)
            self.access(locs, target, True, True, through=_is_through(target))
            old = self.held(locs, target.type)
            value = None
            if isinstance(old, frozenset) and expr.op in ("+=", "-="):
                value = self.moved(old, by if isinstance(by, Poly) else None, target.type, 1 if expr.op == "+=" else -1)
            elif isinstance(old, Poly) and isinstance(by, Poly):
                value = _arithmetic(expr.op[:-1], old, by)
        if self.now is None:
            return None
        if isinstance(target.type, Record):
            self.copy_record(expr.value, locs, value)
        elif isinstance(target.type, Pointer) or is_integer(target.type):
            if isinstance(value, Poly) and isinstance(target.type, Pointer):
                value = at_start(NULL) if value.constant == 0 else None
            self.named_by(value, target)
            if value is None and is_integer(target.type) and isinstance(target, ast.Name):
                value = self.unknown(expr)
            value = converted(value, target.type)
            self.store(locs, value)
        return value

    @staticmethod
    def named_by(value: Value, target: Expr) -> None:
        """A fresh object gets the name of the first pointer that it is assigned to, as it is written there."""
        if isinstance(value, frozenset):
            for obj, _, _ in value:
                if not obj.name and isinstance(target, (ast.Name, ast.Member)):
                    obj.name = name_of(target)

    def copy_record(self, source: Expr, locs: list[Loc], value: Value = None) -> None:
        """`a = b` of structures: the cells go along; `value`: what leads to `b` where it is a call's result."""
        assert self.now is not None
        froms = self.record_places(source) or self.pointed(value, source.type)
        known = (
            len(froms) == 1 and len(locs) == 1
            and froms[0].low is not None and froms[0].low.constant is not None
            and locs[0].low is not None and locs[0].low.constant is not None
        )  # fmt: skip
        for loc in locs:
            for cell in [c for c in self.scanned() if c[0] == loc.obj]:
                self.now.cells[cell] = None
        if known and isinstance(source.type, Record):
            self.copy_members(source.type, froms[0], locs[0])

    def copy_members(self, record: Record, source: Loc, to: Loc) -> None:
        """The pointers and integers of a structure, from one place to another."""
        for f in record.body.fields or ():
            offset = offsetof(record, f.name, self.model)
            if offset is not None and (isinstance(f.type, Pointer) or is_integer(f.type)):
                size = self.size_of(f.type)
                value = self.load(Loc(source.obj, (source.low or ZERO) + offset, size, f.type))
                self.store([Loc(to.obj, (to.low or ZERO) + offset, size, f.type)], value)

    def record_places(self, source: Expr) -> list[Loc]:
        """Where a structure lies that is a place and no result."""
        source = bare(source)
        is_place = isinstance(source, (ast.Name, ast.Index, ast.Member)) or (
            isinstance(source, ast.Unary) and source.op == "*"
        )
        return self.places(source) if is_place else []

    def _cast(self, expr: ast.Cast) -> Value:
        value = self.value(expr.operand)
        if isinstance(value, Poly):
            if isinstance(expr.to, Pointer):
                return at_start(NULL) if value.constant == 0 else None
            return converted(value, expr.to) if is_integer(expr.to) else None
        return value if isinstance(expr.to, Pointer) else None

    def _conditional(self, expr: ast.Conditional) -> Value:
        """`a ? b : c ? d : e` is walked without recursion over its length."""
        ladder: list[tuple[ast.Conditional, bool, Value, State | None]] = []
        at: Expr | None = expr
        while isinstance(at, ast.Conditional):
            if at.then is None:
                self.value(at.condition)
            known = self.truth(at.condition) if at.then is not None else None
            if known is not None:
                at = at.otherwise if not known else at.then
                if known:
                    break
                continue
            if self.now is None:
                at = None
                break
            before, varies = self.now.copy(), self.varies(at.condition)
            self.conditions += 1
            self.varied += varies
            then = self.value(at.then)
            ladder.append((at, varies, then, self.now))
            self.now = before
            at = at.otherwise
        value = self.value(at)
        for conditional, varies, then, after in reversed(ladder):
            self.conditions -= 1
            self.varied -= varies
            self.now = join(after, self.now)
            value = joined_value(_as_pointer(then, conditional), _as_pointer(value, conditional))
        return value


def _is_through(expr: Expr) -> bool:
    """Whether the place is reached through a pointer."""
    while isinstance(expr, (ast.Paren, ast.Member, ast.Index)):
        if isinstance(expr, ast.Paren):
            expr = expr.inner
            continue
        base = indexed(expr) if isinstance(expr, ast.Index) else expr.base
        if isinstance(base.type, Pointer):
            return True
        expr = base
    return isinstance(expr, ast.Unary) and expr.op == "*"


def _pointers(locs: list[Loc]) -> Pointers | None:
    return frozenset([Target(loc.obj, loc.low, loc.every) for loc in locs]) or None


def _as_pointer(value: Value, expr: Expr) -> Value:
    if isinstance(value, Poly) and isinstance(expr.type, Pointer):
        return at_start(NULL) if value.constant == 0 else None
    return value


def _arithmetic(op: str, a: Poly, b: Poly) -> Poly | None:
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b if len(a.terms) * len(b.terms) <= _TERMS else None
    known = b.constant
    if op == "<<":
        return a * (1 << known) if known is not None and 0 <= known < 63 else None
    if op in ("/", "%"):
        x = a.constant
        if known and x is not None:
            quotient = abs(x) // abs(known) * (1 if (x < 0) == (known < 0) else -1)
            return Poly.of(quotient if op == "/" else x - quotient * known)
        if op == "/" and known and (exact := a.divided(known)) is not None:
            return exact
        return opaque(op, None, (a, b)) if known != 0 else None
    if op in ("&", "|", "^") and known is not None and (x := a.constant) is not None:
        return Poly.of(x & known if op == "&" else x | known if op == "|" else x ^ known)
    return None
