"""Expressions of the walk behind `access.py`: operands before the access that needs them, values kept as they go."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace

from ompls.analysis.dataenv.called import count_of, known_of, touched_by
from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.paths import is_address, points_to_const, root
from ompls.analysis.dataenv.places import Env, Place, fresh_target, fresh_value, place_of, pointee_of
from ompls.analysis.dataenv.records import Access, Held, LockStep, Sync, Touched, member_of
from ompls.analysis.dataenv.relations import Fact, facts_of
from ompls.analysis.dataenv.summaries import Passed, Summaries, Summary
from ompls.analysis.dataenv.symbolic import ZERO, LoopRange, Poly, is_integer, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.ctype import Array, Function, Pointer, Record
from ompls.analysis.model.peel import bare, indexed, strip
from ompls.analysis.model.tu import Content
from ompls.analysis.spec.known import Arg, Known, Lock

_MEETS = re.compile(r"barrier|wait|sync|lock|signal", re.I)  # in the name of a function that is not known
_MANY = 4000  # accesses of one walk; no more are kept
_DEEPEST = 16  # steps of an lvalue that are followed


def _is_shallow(expr: Expr) -> bool:
    """Whether so few steps lead to an lvalue that each lvalue on the way can be followed from its beginning, too."""
    for _ in range(_DEEPEST):
        if isinstance(expr, ast.Index):
            expr = indexed(expr)
        elif isinstance(expr, ast.Member):
            expr = expr.base
        elif isinstance(expr, ast.Unary):
            expr = expr.operand
        elif isinstance(expr, ast.Paren):
            expr = expr.inner
        else:
            return True
    return False


class Expressions(ABC):
    """Where the walk stands, and what it does with an expression."""

    def __init__(self, functions: Mapping[str, Content], env: Env | None, summaries: Summaries) -> None:
        self.functions = functions
        self.summaries = summaries
        self.env = env.copy() if env is not None else Env()
        self.accesses: list[Access] = []
        self.syncs: list[Sync] = []
        self.declared: dict[Symbol, ast.DirectiveStmt | None] = {}  # and the directive around the declaration
        self.touched: Touched = {}
        self.loops: tuple[LoopRange, ...] = ()
        self.guards: tuple[Guard, ...] = ()
        self.directives: tuple[ast.DirectiveStmt, ...] = ()
        self.private: list[set[Symbol]] = []  # of each of `directives`
        self.sections: list[set[Symbol]] = []  # pointers of which it has private what they point to
        self.held: frozenset[Held] = frozenset()
        self.given: frozenset[Held] = frozenset()  # locks given back that were not taken in what is walked
        self.again: dict[Place, int] = {}  # how often a nestable lock that is held was taken once more
        self.atomic: tuple[Place, ...] = ()  # what an `atomic` directive makes atomic
        self.order = 0
        self.waits: list[int] = []
        self.locks: list[LockStep] = []
        self.meets: list[int] = []
        self.threads: list[int] = []  # what `omp_set_num_threads` is given; 0: not known

    def tick(self) -> int:
        """The next number in the order of evaluation."""
        self.order += 1
        return self.order

    def wait(self) -> None:
        """A thread may wait for another here."""
        self.waits.append(self.tick())

    # --- what is found

    def emit(
        self,
        place: Place | None,
        node: Node,
        read: bool,
        write: bool,
        *,
        certain: bool = True,
        clause: str = "",
        by: Node | None = None,
    ) -> None:
        """An access."""
        if place is None or len(self.accesses) >= _MANY:
            return
        if write:
            self.note_write(place)
        held = self.held
        if place in self.atomic:
            held = held | {("atomic", "")}
        self.order += 1
        owner = self.owner(place.symbol, place.depth)
        self.accesses.append(
            Access(
                place, node, read, write, self.loops, self.guards, self.directives, held, owner, self.order, certain,
                clause=clause, by=by,
            )
        )  # fmt: skip

    def note_write(self, place: Place) -> None:
        """The next access writes `place`."""
        if place.path or place.depth or isinstance(place.symbol.type, Record):
            self.touched.setdefault(place.symbol, []).append(self.order + 1)
            self.touched.setdefault((place.symbol, member_of(place)), []).append(self.order + 1)

    def owner(self, symbol: Symbol, depth: int = 0) -> ast.DirectiveStmt | None:
        """The innermost directive that gives each of its threads a variable of its own (or what it points to)."""
        own, declared = (self.sections, None) if depth else (self.private, self.declared.get(symbol))
        for at in range(len(own) - 1, -1, -1):
            stmt = self.directives[at]
            if symbol in own[at] or stmt is declared:
                return stmt
        return None

    # --- values

    def value(self, expr: Expr | None) -> None:
        """`expr` is evaluated."""
        match expr:
            case None | ast.SizeOf():
                return
            case ast.Name() | ast.Index() | ast.Member() | ast.Unary(op="*"):
                self.operands(expr)
                if not isinstance(expr.type, (Array, Function)):
                    self.emit(self.place(expr), expr, True, False)
            case ast.Paren():
                self.value(expr.inner)
            case ast.Unary(op="++" | "--"):
                self.step(expr)
            case ast.Unary(op="&"):
                self.operands(bare(expr.operand))
            case ast.Assign():
                self.assign(expr)
            case ast.Binary():
                self.operations(expr)
            case ast.Conditional():
                self.conditional(expr)
            case ast.Call():
                self.call(expr)
            case ast.Generic():
                self.value(expr.chosen)
            case ast.StatementExpr():
                self.statement(expr.body)
            case _:
                for child in expr.children():
                    if isinstance(child, Expr):
                        self.value(child)

    @abstractmethod
    def statement(self, stmt: ast.Stmt | None) -> None:
        """A statement inside of an expression; the walker proper knows how."""

    def operations(self, expr: ast.Binary) -> None:
        row = ast.chain(expr)
        self.value(row[0].left)
        facts: tuple[Fact, ...] = ()  # of the operands before, when they are of one `&&` or `||`
        last = row[0]
        for operation in row:
            op, of = operation.op, operation.left
            if op in ("&&", "||"):
                facts, of = (facts, last.right) if op == last.op and operation is not last else ((), of)
                facts = (*facts, *facts_of(of, op == "&&", self.env.values))
                self.under(Guard(operation.left, op == "&&", facts, operation), operation.right)
            else:
                self.value(operation.right)
            last = operation

    def conditional(self, expr: ast.Conditional) -> None:
        before = self.guards
        at: Expr = expr
        while isinstance(at, ast.Conditional):
            self.value(at.condition)
            self.under(self.if_holds(at.condition, True, at), at.then)
            self.guards = (*self.guards, self.if_holds(at.condition, False, at))
            at = at.otherwise
        self.value(at)
        self.guards = before

    def if_holds(self, condition: Expr, holds: bool, stmt: Node) -> Guard:
        return Guard(condition, holds, facts_of(condition, holds, self.env.values), stmt)

    def under(self, guard: Guard, expr: Expr | None) -> None:
        before, self.guards = self.guards, (*self.guards, guard)
        self.value(expr)
        self.guards = before

    def place(self, expr: Expr) -> Place | None:
        """The storage of an lvalue, or the variable that it starts from when that is all that is known."""
        found = place_of(expr, self.env) if _is_shallow(expr) else None
        if found is None and (symbol := root(expr)) is not None and not isinstance(bare(expr), ast.Call):
            return Place(symbol, 1, ("[]",), (None,), (None,), sure=False)
        return found

    def operands(self, expr: Expr) -> None:
        """What it takes to find the lvalue `expr`: subscripts, and the pointers on the way."""
        if isinstance(expr, ast.Index):
            base = indexed(expr)
            self.value(expr.index if base is expr.base else expr.base)
            self.base(base)
        elif isinstance(expr, ast.Member):
            if expr.arrow:
                self.base(expr.base)
            else:
                self.operands(bare(expr.base))
        elif isinstance(expr, ast.Unary) and expr.op == "*":
            self.base(expr.operand)
        elif not isinstance(expr, ast.Name):
            self.value(expr)

    def base(self, expr: Expr) -> None:
        """The pointer or array that an lvalue starts from: an array itself is not read."""
        expr = bare(expr)
        if isinstance(expr.type, Array) and isinstance(expr, (ast.Name, ast.Index, ast.Member, ast.Unary)):
            self.operands(expr)
        else:
            self.value(expr)

    # --- writes

    def assign(self, expr: ast.Assign) -> None:
        self.value(expr.value)
        target = bare(expr.target)
        self.operands(target)
        compound = expr.op != "="
        self.emit(self.place(target), target, compound, True, by=expr)
        if isinstance(target, ast.Name) and target.symbol is not None:
            if compound:
                self.add(target, expr.op[:-1], expr.value)
            else:
                self.set(target.symbol, expr.value)

    def step(self, expr: ast.Unary) -> None:
        target = bare(expr.operand)
        self.operands(target)
        self.emit(self.place(target), target, True, True, by=expr)
        if isinstance(target, ast.Name):
            self.move(target, Poly.of(1 if expr.op == "++" else -1))

    def add(self, target: ast.Name, op: str, value: Expr) -> None:
        by = poly_of(value, self.env.values) if op in ("+", "-") else None
        self.move(target, -by if by is not None and op == "-" else by)

    def move(self, target: ast.Name, by: Poly | None) -> None:
        """`target += by`."""
        symbol = target.symbol
        if symbol is None:
            return
        if isinstance(symbol.type, Pointer):
            now = pointee_of(target, self.env)
            known = now is not None and now.sure and by is not None
            self.env.pointers[symbol] = (
                now.shifted(by) if now is not None and known else fresh_target(symbol, self.tick())
            )
        elif is_integer(symbol.type):
            was = poly_of(target, self.env.values)
            self.env.values[symbol] = (
                was + by if was is not None and by is not None else fresh_value(symbol, self.tick())
            )

    def set(self, symbol: Symbol, value: Expr | None) -> None:
        """`symbol = value`."""
        if isinstance(symbol.type, Pointer):
            target = pointee_of(value, self.env) if value is not None else None
            if target is None or not target.sure:
                target = fresh_target(symbol, self.tick())  # new storage, known by this pointer
            self.env.pointers[symbol] = target
        elif is_integer(symbol.type):
            known = poly_of(value, self.env.values)
            self.env.values[symbol] = known if known is not None else fresh_value(symbol, self.tick())

    # --- calls

    def call(self, expr: ast.Call) -> None:
        function = bare(expr.function)
        name = function.name if isinstance(function, ast.Name) else ""
        if not isinstance(function, ast.Name) or function.symbol is None or function.symbol.kind != "func":
            self.value(function)
            name = ""
        for arg in expr.args:
            self.argument(arg)
        row = known_of(expr) if name not in self.functions else None
        if row is not None and row.lock is not None and len(expr.args) == 1:
            self.lock(expr.args[0], row.lock)
            return
        if name == "omp_set_num_threads" and len(expr.args) == 1:
            asked = poly_of(expr.args[0], self.env.values)
            self.threads.append((asked.constant or 0) if asked is not None else 0)
        summary = self.summaries.of(name)
        if summary is not None:
            self.defined_call(expr, summary)
            return
        if row.meets if row is not None else _MEETS.search(name):
            self.meets.append(self.tick())
        self.known_call(expr, row) if row is not None else self.unknown_call(expr)

    def defined_call(self, expr: ast.Call, summary: Summary) -> None:
        """A function of the unit: what its summary says, in terms of what is passed to it."""
        if summary.waits:
            self.wait()
        passed = Passed(summary.params, expr, self.env, summary.steady)
        steps: list[Access | Sync] = [*summary.accesses, *summary.syncs]
        for step in sorted(steps, key=lambda s: s.order):
            if isinstance(step, Sync):
                loops, guards = (*self.loops, *step.loops), (*self.guards, *step.guards)
                directives = (*self.directives, *step.directives)
                self.syncs.append(Sync(step.kind, step.stmt, self.tick(), loops, guards, directives))
            elif (moved := passed.access(step)) is not None:
                self.append(moved, expr, summary.content)
        given, kept = passed.locks(summary.given), passed.locks(summary.kept)
        self.env.forget(summary.sets, self.tick())
        self.given |= given - self.held
        self.held = (self.held - given) | kept
        if summary.locks:
            self.locks.append(LockStep(self.tick(), None, taken=True))

    def append(self, access: Access, call: ast.Call, home: Content) -> None:
        """An access in a called function, as seen from here."""
        if len(self.accesses) >= _MANY:
            return
        if access.write:
            self.note_write(access.place)
        self.order += 1
        owner = self.owner(access.symbol, access.depth)
        self.accesses.append(
            replace(
                access, node=call, loops=(*self.loops, *access.loops), guards=(*self.guards, *access.guards),
                directives=(*self.directives, *access.directives), held=self.held | access.held, order=self.order,
                calls=(call, *access.calls), inner=access.inner or access.node, home=access.home or home, owner=owner,
            )
        )  # fmt: skip

    def argument(self, expr: Expr) -> None:
        inner = strip(expr)
        if is_address(inner.type) and isinstance(inner, (ast.Name, ast.Index, ast.Member)):
            self.base(inner)
        else:
            self.value(expr)

    def lock(self, arg: Expr, does: Lock) -> None:
        taken = does.taken
        place = pointee_of(arg, self.env)
        if place is None:
            symbol = root(arg)
            place = Place(symbol, 1, ("[]",), (None,), (None,), sure=False) if symbol is not None else None
        if place is not None:
            self.locks.append(LockStep(self.tick(), None if does.tried else place, taken))
            change: frozenset[Held] = frozenset((("lock", place),))
            if does.nests and taken and change <= self.held:
                self.again[place] = self.again.get(place, 0) + 1
            elif does.nests and not taken and self.again.get(place):
                self.again[place] -= 1  # its owner still has it
            else:
                self.given |= change - self.held if not taken else frozenset()
                self.held = self.held | change if taken else self.held - change

    def tries(self, expr: Expr | None) -> bool:
        """Whether it is `omp_test_lock(&l);`, of which nobody asks the result: the lock may be another thread's."""
        call = bare(expr) if expr is not None else None
        row = known_of(call) if isinstance(call, ast.Call) else None
        tried = row is not None and row.lock is not None and row.lock.tried
        if tried:
            self.locks.append(LockStep(self.tick(), None, taken=True))
        return tried

    def known_call(self, expr: ast.Call, row: Known) -> None:
        """A library function: what it certainly does with the first element that an argument points to, and what it may
        do with others."""
        for arg, write in touched_by(expr, row):
            given, place = self.pointee(expr.args[arg.at])
            if place is not None:
                if arg.sure and arg.device is None and not row.later:
                    self.ends(expr, arg, given, place, write)
                self.may_touch(given, place, not write, write)
        given_back = row.frees if row.frees is not None else row.allocates.into if row.allocates is not None else None
        if given_back is not None and given_back < len(expr.args):
            given, place = self.pointee(expr.args[given_back])
            if place is not None:
                self.may_touch(given, place, True, True)

    def pointee(self, arg: Expr) -> tuple[Expr, Place | None]:
        """An argument without casts, and what it points to."""
        inner = strip(arg)
        if not is_address(inner.type) or isinstance(inner, ast.StringLiteral):
            return inner, None
        return inner, pointee_of(inner, self.env)

    def ends(self, call: ast.Call, arg: Arg, given: Expr, place: Place, write: bool) -> None:
        """The first and the last element that are certainly read or written of what an argument points to."""
        kind = given.type
        kind = kind.to if isinstance(kind, Pointer) else kind.of if isinstance(kind, Array) else kind
        while isinstance(kind, Array):
            place, kind = place.element(ZERO, Poly.of(kind.length) if kind.length is not None else None), kind.of
        self.emit(place, given, not write, write, by=call)
        count = count_of(call, arg, getattr(kind, "size", None))
        if count > 1:
            self.emit(place.shifted(Poly.of(count - 1)), given, not write, write, by=call)

    def may_touch(self, arg: Expr, place: Place, read: bool, write: bool) -> None:
        """Something that `place` is the beginning of may be read or written."""
        self.emit(place.blurred(), arg, read, write, certain=False)
        if write and not place.path:
            self.env.forget({place.symbol}, self.tick())

    def unknown_call(self, expr: ast.Call) -> None:
        """What the arguments point to may be read, and written unless it is const."""
        function = expr.function.type
        if isinstance(function, Pointer):
            function = function.to
        params = function.params if isinstance(function, Function) else ()
        for i, arg in enumerate(expr.args):
            inner, place = self.pointee(arg)
            if place is not None:
                const = (i < len(params) and points_to_const(params[i])) or points_to_const(inner.type)
                self.may_touch(inner, place, True, not const)
