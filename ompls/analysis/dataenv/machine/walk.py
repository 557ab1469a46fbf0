"""Statements: the machine goes along all paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ompls.analysis.dataenv.machine.cases import as_host_written, as_written
from ompls.analysis.dataenv.machine.copies import Choice
from ompls.analysis.dataenv.machine.initial import elements
from ompls.analysis.dataenv.machine.loops import copied
from ompls.analysis.dataenv.machine.phases import Phases
from ompls.analysis.dataenv.machine.routines import INITIAL, ON_HOST
from ompls.analysis.dataenv.machine.state import State, assumed, decided, join
from ompls.analysis.dataenv.machine.turns import differences, found_by, in_all
from ompls.analysis.dataenv.machine.values import NULL, Loc, Obj, Target, Value, at_start, converted, number, order
from ompls.analysis.dataenv.symbolic import ZERO, Poly, is_integer
from ompls.analysis.dataenv.walk import may_leave
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Stmt
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import CType, Pointer, Record
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.peel import bare

_DEEPEST = 150
_FORKS = frozenset((ast.Labeled, ast.If, ast.For, ast.While, ast.DoWhile, ast.Switch, ast.Case))
_COMPARED = {
    "<": ("<",), "<=": ("<", "<=", "=="), ">": (">",), ">=": (">", ">=", "=="), "==": ("==",),
}  # fmt: skip
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!="}


@dataclass
class _Branch:
    """An `if` whose `else` comes next; `after`: the state behind what was done when the condition holds."""

    stmt: ast.If
    known: bool | None
    choice: Choice | None
    side: int
    varies: bool
    doubt: bool
    after: State | None


class Walker(Phases):
    """`statement` walks one; what leaves it by a jump is kept with the loop, switch or function that it leaves."""

    def statement(self, stmt: Stmt | None) -> None:
        if stmt is None or self.depth > _DEEPEST:
            return
        if type(stmt) in _FORKS and self.now is not None:
            self.spend(len(self.now.cells) + len(self.now.cases))  # states are copied and joined
        if isinstance(stmt, ast.Labeled):
            self.met.add(stmt.name)
            jumped = copied(self.labels.get(stmt.name))
            decided([self.now, jumped], self.site(stmt), self.conditions)
            self.now = join(self.now, jumped)
            self.statement(stmt.body)
            return
        if self.now is None and not any(isinstance(n, (ast.Labeled, ast.Case)) for n in stmt.walk()):
            return
        self.depth += 1
        self.comes_by(stmt)
        match stmt:
            case ast.Compound():
                self.statements(stmt.items)
                self.comes_by(stmt, end=True)
            case ast.ExprStmt():
                self.value(stmt.expr)
            case ast.DeclStmt():
                for decl in stmt.decls:
                    self.declare(decl)
            case ast.If():
                self.branch(stmt)
            case ast.For() | ast.While() | ast.DoWhile():
                self.loop(stmt)
            case ast.Switch():
                self.switch(stmt)
            case ast.Case():
                self.case(stmt)
            case ast.Jump():
                self.jump(stmt)
            case ast.DirectiveStmt():
                if self.now is not None:
                    self.directive(stmt)
            case _:
                if self.now is not None:
                    self.not_understood(stmt)
        self.depth -= 1

    def comes_by(self, stmt: Stmt, end: bool = False) -> None:
        """Note what holds here, if that is what somebody wants to know."""
        watch = self.recorder.watch
        if watch is not None and stmt is watch.point.stmt and end is watch.point.end and self.now is not None:
            device = self.region.device if self.region is not None else None
            watch.note(self.now, self.frame.chain, device, "maps" in self.beyond)

    def statements(self, stmts: Sequence[Stmt]) -> None:
        """One after the other."""
        for k, stmt in enumerate(stmts):
            self.statement(stmt)
            orders, self.orders = self.orders, []
            if orders and isinstance(stmt, (ast.For, ast.While, ast.DoWhile)) and k + 1 < len(stmts):
                self.in_orders(orders, stmts[k + 1 :])
                break

    def in_orders(self, orders: list[State], rest: Sequence[Stmt]) -> None:
        """The statements after a loop that leaves pointers in one of several orders, walked for each of them."""
        recorder, conditions, varied = self.recorder, self.conditions, self.varied
        before, outer = found_by(recorder), recorder.log
        told, logs, done = [], [], None
        self.apart *= len(orders)
        for state in orders:
            self.now, self.conditions, self.varied = state, conditions, varied
            recorder.certain, recorder.tentative = dict(before[0]), dict(before[1])
            recorder.log = None if outer is None else []
            self.statements(rest)
            told.append(found_by(recorder))
            logs += recorder.log or []
            done = join(done, self.now)
        self.now = done
        self.apart //= len(orders)
        in_all(recorder, told)
        recorder.log = outer
        if outer is not None:
            outer += [entry for entry in logs if entry[0] != "judge"]
            outer += differences(before, recorder)

    # --- declarations

    def declare(self, decl: ast.VarDecl) -> None:
        if self.now is None:
            return
        symbol = decl.symbol
        for dim in decl.dims:
            length = self.value(dim)
            self.is_size(length if isinstance(length, Poly) else None)
        if symbol.storage in ("static", "extern"):
            if symbol.storage == "static" and self.region is not None:
                self.region.local.add(self.variable(symbol))  # the device's own, of a function that it runs
            return
        obj = self.variable(symbol)
        if sizeof(symbol.type, self.model) is None:  # of variable length: another one whenever it is declared
            obj.size = self.size_of(symbol.type)
        self.fresh(obj, decl.init is not None)
        self.frame.locals.append(obj)
        if self.region is not None:
            self.region.local.add(obj)
        if decl.init is None:
            return
        loc = Loc(obj, ZERO, obj.size, symbol.type)
        if isinstance(decl.init, ast.InitList):
            self._elements(decl.init, obj, symbol.type)
        elif isinstance(symbol.type, Record):
            value = self.value(decl.init)
            if self.now is not None:
                self.copy_record(decl.init, [loc], value)
        else:
            value = self.value(decl.init)
            if self.now is not None:
                self.named_by(value, ast.Name(decl.name_span, symbol.name, symbol))
                if value is None and is_integer(symbol.type):
                    value = self.unknown(decl)
                self.assign_initial(loc, value)

    def assign_initial(self, loc: Loc, value: Value) -> None:
        if isinstance(loc.type, Pointer):
            if isinstance(value, Poly):
                value = frozenset((Target(NULL, ZERO),)) if value.constant == 0 else None
            self.store([loc], value if isinstance(value, frozenset) else None)
        elif is_integer(loc.type):
            self.store([loc], converted(value, loc.type) if isinstance(value, Poly) else None)

    def _elements(self, init: ast.InitList, obj: Obj, t: CType) -> None:
        """`{p, n}`, `{.n = n}`: the scalars of which is known where they lie get their values."""
        for element in elements(init, t, self.model):
            value = self.value(element.expr)
            if self.now is None or not element.is_scalar:
                continue
            for fresh, _, _ in value if isinstance(value, frozenset) else ():
                fresh.name = fresh.name or obj.name + element.name
            self.assign_initial(Loc(obj, number(element.gives.start), number(len(element.gives)), element.type), value)

    # --- branches

    def branch(self, stmt: ast.If) -> None:
        """A ladder of `else if` is walked without recursion over its length."""
        ladder: list[_Branch] = []
        at: ast.Stmt | None = stmt
        while isinstance(at, ast.If) and (begun := self._begun(at)) is not None:
            ladder.append(begun)
            at = at.otherwise if begun.known is not True else None
            if not isinstance(at, ast.If) or self.now is None:
                self.statement(at)
                break
        last = ladder[-1].stmt.otherwise if ladder else None
        leaves = last is not None and may_leave(last)
        for begun in reversed(ladder):
            leaves = leaves or may_leave(begun.stmt.then)
            self._ended(begun, leaves)

    def _begun(self, stmt: ast.If) -> _Branch | None:
        """Up to the `else`; None when the condition does not come back."""
        self.asked = False
        known = self.truth(stmt.condition)
        if self.now is None:
            return None
        # Who asks whether the device was reached knows what comes back from it.
        doubt = self.asked and self.region is None
        self.doubts += doubt
        before = self.now.copy() if known is None else None
        unsure = known is None
        self.settled += not unsure
        varies = unsure and self.varies(stmt.condition)
        choice, side = self.choice(stmt.condition) if known is None else (None, 0)
        self.conditions += unsure
        self.varied += varies
        if choice is not None:
            assumed(self.now, choice, side)
        if known is not False:
            self.statement(stmt.then)
        after = self.now if known is not False else None
        if known is not True:
            self.now = before if known is None else self.now
            if choice is not None and self.now is not None:
                assumed(self.now, choice, 1 - side)
        return _Branch(stmt, known, choice, side, varies, doubt, after)

    def _ended(self, branch: _Branch, leaves: bool) -> None:
        stmt, known, after, varies = branch.stmt, branch.known, branch.after, branch.varies
        unsure = known is None
        if known is not True:
            if self.region is None:
                sides = [after, self.now] if branch.side == 0 else [self.now, after]
                choice = branch.choice or self.site(stmt)
                decided(sides, choice, self.conditions - 1 if _by_itself(stmt.condition) else -1)
            after = join(after, self.now)
        self.now = after
        if known is None and after is not None and (self.region is not None or varies):
            written = as_written if self.region is not None else as_host_written
            for obj, cases in after.cases.items():
                if cases is not None and len(cases) > 1:
                    after.cases[obj] = written(cases)
        self.settled -= not unsure
        self.conditions -= unsure
        self.varied -= varies
        self.doubts -= branch.doubt
        if known is None and leaves:
            self.conditions += 1  # up to the end of the loop
            self.varied += varies

    def truth(self, expr: Expr) -> bool | None:
        expr = bare(expr)
        known = fold(expr)
        if known is not None:
            return bool(known)
        if isinstance(expr, ast.Unary) and expr.op == "!":
            inner = self.truth(expr.operand)
            return None if inner is None else not inner
        if isinstance(expr, ast.Binary) and expr.op in ("&&", "||"):
            return self._both(expr)
        if isinstance(expr, ast.Binary) and (expr.op in _COMPARED or expr.op == "!="):
            return self.comparison(expr)
        return self._compared("!=", self.value(expr), ZERO)

    def comparison(self, expr: ast.Binary) -> bool | None:
        """A comparison; one that finds the old value of a variable equal to what it asks for expects the old value."""
        outer, self.deferred = self.deferred, []
        a, b = self.value(expr.left), self.value(expr.right)
        known = self._compared(expr.op, a, b)
        mine, self.deferred = self.deferred, outer
        where = INITIAL in (a, b)  # it asks where a region ran
        if not where and (known is None or known != (expr.op == "==") or expr.op not in ("==", "!=")):
            for event, outcome in mine:
                self.judge(event, outcome)
        return known

    def _both(self, expr: ast.Binary) -> bool | None:
        row = ast.chain(expr, ("&&", "||"))
        known, varies = self.truth(row[0].left), self.varies(row[0].left)
        for operation in row:
            known = self._also(operation, known, varies)
            varies = varies or self.varies(operation.right)
        return known

    def _also(self, expr: ast.Binary, left: bool | None, varies: bool) -> bool | None:
        """The truth of `&&` or `||` whose left operand is known to be `left`."""
        if left is not None and left == (expr.op == "||"):
            return left
        if self.now is None:
            return None
        before = self.now.copy()
        self.conditions += 1
        self.varied += varies
        right = self.truth(expr.right)
        self.conditions -= 1
        self.varied -= varies
        if left is None:
            self.now = join(self.now, before)
        if right is not None and right == (expr.op == "||"):
            return right
        return right if left is not None else None

    def _compared(self, op: str, a: Value, b: Value) -> bool | None:
        if isinstance(a, frozenset) or isinstance(b, frozenset):
            return self._pointers(op, a, b)
        if not isinstance(a, Poly) or not isinstance(b, Poly):
            return None
        if ON_HOST in (a - b).atoms():
            self.asked = True
            a, b = a.substitute({ON_HOST: ZERO}), b.substitute({ON_HOST: ZERO})
        found = order(a, b, self.positive)
        if op == "!=":
            equal = self._compared("==", a, b)
            return None if equal is None else not equal
        if not found:
            return None
        if found in _COMPARED[op]:
            return True
        if op == "==":
            return False if found in ("<", ">") else None
        against = _COMPARED.get(_OPPOSITE[op], ())
        return False if found in against else None

    @staticmethod
    def _pointers(op: str, a: Value, b: Value) -> bool | None:
        """Comparisons with a null pointer: allocations are taken to succeed."""
        for one, other in ((a, b), (b, a)):
            null = (isinstance(other, Poly) and other.constant == 0) or other == frozenset((Target(NULL, ZERO),))
            if null and isinstance(one, frozenset) and op in ("==", "!="):
                nulls = {t.obj.kind == "null" for t in one}
                if len(nulls) == 1 and not any(t.obj.kind == "outside" for t in one):
                    return (True in nulls) == (op == "==")
        return None

    def jump(self, stmt: ast.Jump) -> None:
        if stmt.kind == "return":
            value = self.value(stmt.value)
            if self.region is not None and len(self.frames) == self.region.frames:
                return  # no region is left so: a brace is missing, and what is mapped does not stay for that
            if self.now is not None:
                if stmt.value is not None and isinstance(stmt.value.type, Record) and value is None:
                    value = self.returned(stmt.value, stmt.value.type)
                self.returns.append((self.now, stmt.span))
                self.frame.results.append(value)
        elif self.now is None:
            return
        elif stmt.kind == "goto":
            if stmt.label in self.met:
                self.late.add(stmt.label)
            joined = join(copied(self.labels.get(stmt.label)), self.now.copy())
            if joined is not None:
                self.labels[stmt.label] = joined
        else:
            stack = self.breaks if stmt.kind == "break" else self.continues
            if stack:
                stack[-1].append(self.now)
        self.now = None

    def returned(self, expr: Expr, record: Record) -> Value:
        """A structure that a function returns outlives the function's variables: it has storage of its own."""
        froms = self.record_places(expr)
        if len(froms) != 1 or self.region is not None or self.now is None:
            return None
        obj = Obj("variable", (*self.frame.chain, self.frame.name, "result"), size=self.size_of(record))
        self.fresh(obj, True)
        self.copy_members(record, froms[0], Loc(obj, ZERO, obj.size, record))
        return at_start(obj)


def _by_itself(expr: Expr) -> bool:
    """Whether a condition has little to do with what was done before: no flag, nor that there is something to do.

    `step % 10 == 0` and `energy < limit`, but not `changed`, `mode == 2`, `n > 0`.
    """
    expr = bare(expr)
    if not isinstance(expr, ast.Binary):
        return False
    if expr.op in ("&&", "||"):
        row = ast.chain(expr, ("&&", "||"))
        return _by_itself(row[0].left) and all(_by_itself(operation.right) for operation in row)
    if expr.op in ("==", "!="):
        return any(isinstance(n, ast.Binary) and n.op == "%" for n in expr.walk())
    return expr.op in ("<", "<=", ">", ">=") and all(fold(side) not in (0, 1) for side in (expr.left, expr.right))
