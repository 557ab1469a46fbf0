"""Loops: the first iteration, the second, then any, to a fixed point.

A loop is taken to run at least twice unless its bounds or its condition say otherwise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection

from ompls.analysis.dataenv.machine.cases import Cases, coarse
from ompls.analysis.dataenv.machine.directives import Directives
from ompls.analysis.dataenv.machine.facts import POINTED, facts_of
from ompls.analysis.dataenv.machine.objects import Loop
from ompls.analysis.dataenv.machine.state import State, forget_loop, join
from ompls.analysis.dataenv.machine.turns import (
    MOST_ORDERS,
    MOST_TURNS,
    agree,
    at_least,
    found_by,
    growing,
    in_all,
    swapped,
)
from ompls.analysis.dataenv.machine.values import Cell, Obj, Value
from ompls.analysis.dataenv.symbolic import LoopRange, Poly, is_integer, loop_range
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Stmt, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.peel import bare

_ROUNDS = 6


class Loops(Directives):
    """`loop` walks one; what leaves it by a jump is kept with it."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.breaks: list[list[State]] = []
        self.continues: list[list[State]] = []
        # where each begins, and the label that is known to be taken
        self.switches: list[tuple[State | None, tuple[ast.Case, ...] | None]] = []
        self.labels: dict[str, State] = {}
        self.met: set[str] = set()  # labels that the walk has come by
        self.late: set[str] = set()  # labels that were jumped to after that
        self.returns: list[tuple[State, Span]] = []  # and where
        self.depth = 0
        self.orders: list[State] = []  # in which the last loop has left pointers that change places
        self.apart = 1  # the number of orders that the walk keeps apart
        self.mentioned: dict[Cases, frozenset[Symbol]] = {}  # variables, by the cases that depend on them
        self.asked = False  # whether a condition has to do with where a region ran

    # --- loops

    def loop(self, stmt: ast.For | ast.While | ast.DoWhile) -> None:
        conditions, varied = self.conditions, self.varied
        if isinstance(stmt, ast.For):
            self.statement(stmt.init)
        if self.now is None:
            return
        out, over = ([], False) if self.region is not None or self.is_plain(stmt) else self.phases(stmt)
        if not over:
            self._any_loop(stmt)
        for other in out:
            self.now = join(self.now, other)
        self.conditions, self.varied = conditions, varied

    def _any_loop(self, stmt: ast.For | ast.While | ast.DoWhile) -> None:
        conditions, varied = self.conditions, self.varied
        found, trips = self.counted(stmt)
        if self.now is None or (trips is not None and trips <= 0):
            return
        for symbol in self.assigned(stmt):
            if is_integer(symbol.type):
                self.now.cells[self.holder(symbol), 0] = None
        if found.symbol is not None:
            self.now.cells[self.holder(found.symbol), 0] = Poly.of(found.symbol)
        if trips is None and self.starts_empty(found):
            self.conditions += 1
        self.loops.append(Loop(found, self.conditions, self.is_plain(stmt), self.varied))
        if found.symbol is not None:
            self.recorder.members.pop(found.symbol, None)
        try:
            self._rounds(stmt, found, trips)
        finally:
            self.loops.pop()
            self.conditions, self.varied = conditions, varied

    def _rounds(self, stmt: ast.For | ast.While | ast.DoWhile, found: LoopRange, trips: int | None) -> None:
        """The first iteration, the second, and then any, until nothing new comes."""
        start = head = self.now
        done: State | None = None
        conditions, varied, plain = self.conditions, self.varied, self.loops[-1].plain
        once = isinstance(stmt, ast.DoWhile) and fold(stmt.condition) == 0
        grown_refs: dict[Obj, int] = {}
        for number in range(1 if once else _ROUNDS):
            self.conditions, self.varied = conditions, varied
            told = self.recorder.changes
            end, done = self._iteration(stmt, found, copied(head))
            again = self._another(self._head_again(end, stmt, found), start, found)
            if again is None or head is None or again == head:
                break
            if plain and again.cells == head.cells and told == self.recorder.changes:
                break  # all accesses are on one side: what they did once they do again
            if number == 0:
                moved = swapped(head, again) if not plain and self.region is None else ()
                if moved and (turned := self._turns(stmt, found, moved, [head, again], [done])):
                    done = self._after_turns(turned, None if self._left_early(stmt) else trips)
                    break
                head = again
                continue
            if number == 1:
                if not plain and (trips is None or trips > 1):
                    grown_refs = growing(head, again)
                head = join(copied(start), head)
            at_least(again, grown_refs)
            grown = join(copied(head), again)
            if grown == head and number > 1:
                break
            head = grown if number < _ROUNDS - 2 else given_up(head, grown)
        if done is not None:
            at_least(done, grown_refs, only=not self._left_early(stmt))
        self.now = done
        self.chooses_anew(done, stmt, self.assigned(stmt))
        if done is not None and found.symbol is not None:
            last = found.upper if found.step == 1 and found.exact else None
            self.now_is(found.symbol, last + 1 if last is not None and not self._left_early(stmt) else None)

    def _turns(
        self, stmt: ast.For | ast.While | ast.DoWhile, found: LoopRange, moved: Collection[Cell],
        heads: list[State], left: list[State | None],
    ) -> list[State | None]:  # fmt: skip
        """Pointers that come back to where they were: the states in which each iteration of a turn leaves the loop.

        heads, left -- the states before the first and the second iteration; that in which the first leaves the loop
        [] when the pointers are not where they were after a few iterations, or none goes on.
        """
        conditions, varied = self.conditions, self.varied
        while not agree(heads[0], heads[-1], moved):
            if len(heads) > MOST_TURNS:
                return []
            self.conditions, self.varied = conditions, varied
            end, done = self._iteration(stmt, found, heads[-1].copy())
            again = self._head_again(end, stmt, found)
            if again is None:
                return []
            heads.append(again)
            left.append(done)
        heads[0] = join(heads[0].copy(), heads.pop()) or heads[0]
        changed, number, told = True, 0, [found_by(self.recorder)]
        while changed and number < _ROUNDS - 2:
            changed, told = False, []
            for turn, head in enumerate(heads):
                self.conditions, self.varied = conditions, varied
                end, left[turn] = self._iteration(stmt, found, head.copy())
                told.append(found_by(self.recorder))
                again = self._head_again(end, stmt, found)
                following = (turn + 1) % len(heads)
                grown = join(heads[following].copy(), again)
                if grown is not None and grown != heads[following]:
                    last = number >= _ROUNDS - 4
                    heads[following] = (given_up(heads[following], grown) if last else grown) or grown
                    changed = True
            number += 1
        in_all(self.recorder, told)
        return left

    def _after_turns(self, left: list[State | None], trips: int | None) -> State | None:
        """The state after a loop that leaves its pointers in one of several orders; the last iteration tells which."""
        if trips is not None:
            return left[(trips - 1) % len(left)]
        known = [state for state in left if state is not None]
        few = 1 < len(known) <= MOST_ORDERS // self.apart and len(self.loops) == 1
        self.orders = [state.copy() for state in known] if few else []
        done: State | None = None
        for state in known:
            done = join(done, state)
        return done

    def _iteration(
        self, stmt: ast.For | ast.While | ast.DoWhile, found: LoopRange, head: State | None
    ) -> tuple[State | None, State | None]:
        """(the state at its end, the state in which the loop is left)."""
        self.breaks.append([])
        self.continues.append([])
        self.now = head
        if head is not None:
            self.spend(4 * (len(head.cells) + len(head.cases)))  # it is copied, looked through and compared
        counted, plain = found.symbol is not None, self.loops[-1].plain
        runs = True
        if not isinstance(stmt, ast.DoWhile) and stmt.condition is not None and not counted:
            runs = self.truth(stmt.condition) is not False
        if not runs:
            self.breaks.pop()
            self.continues.pop()
            return None, self.now
        self.statement(stmt.body)
        for other in self.continues.pop():
            self.now = join(self.now, other)
        if isinstance(stmt, ast.For) and not counted:
            self.value(stmt.step)
        if stmt.condition is not None and not (counted and plain):
            self.value(stmt.condition)
        end, out = self.now, self.breaks.pop()
        for left in (end, *out):
            if left is not None:
                forget_loop(left, found, self.mentioned)
        endless = stmt.condition is None or (not isinstance(stmt, ast.DoWhile) and bool(fold(stmt.condition)))
        done = None if endless else end
        for other in out:
            done = join(done, other)
        return end, done

    def _head_again(self, end: State | None, stmt: Stmt, found: LoopRange) -> State | None:
        """The state in which the next iteration starts."""
        if end is None:
            return None
        again = end.copy()
        for symbol in self.assigned(stmt):
            if is_integer(symbol.type):
                again.cells[self.holder(symbol), 0] = None
        if found.symbol is not None:
            again.cells[self.holder(found.symbol), 0] = Poly.of(found.symbol)
        self.chooses_anew(again, stmt, self.assigned(stmt))
        return again

    def starts_empty(self, found: LoopRange) -> bool:
        """Whether it does not run at all in the first iteration of a loop around that the host runs, as `j < i`."""
        if found.trips is None:
            return False
        around = self.loops if self.region is None else self.loops[: self.region.loops]
        names = found.trips.symbols()
        first = {
            loop.range.symbol: start
            for loop in around
            if not loop.plain and loop.range.symbol in names
            and (start := loop.range.lower if loop.range.step > 0 else loop.range.upper) is not None
        }  # fmt: skip
        trips = found.trips.substitute(first).constant  # type: ignore[arg-type]
        return bool(first) and trips is not None and trips <= 0

    def _another(self, again: State | None, start: State | None, found: LoopRange) -> State | None:
        """Objects of which each iteration looks at another piece are as they were before the loop."""
        if again is None or start is None or found.symbol is None:
            return again
        for obj in self.recorder.members.get(found.symbol, ()):
            if obj in start.cases:
                again.cases[obj] = start.cases[obj]
            elif obj.kind == "heap" and obj in again.cases:  # the loop allocates them
                del again.cases[obj]
                again.many |= {obj}
        return again

    def _left_early(self, stmt: ast.For | ast.While | ast.DoWhile) -> bool:
        """Whether the loop may end before its bounds say so; a host function that returns here found an error."""
        found = facts_of(self.frame.content).jumps_in(stmt.body)
        return bool(found & ({"break", "goto"} if self.region is None else {"break", "goto", "return"}))

    def now_is(self, symbol: Symbol, value: Value) -> None:
        assert self.now is not None
        self.now.cells[self.holder(symbol), 0] = value

    def holder(self, symbol: Symbol) -> Obj:
        """What holds the value of a variable here: on a device its copy there, unless it is private."""
        obj = self.variable(symbol)
        return obj if self.region is None or obj in self.region.local else Obj("copy", obj)

    def counted(self, stmt: ast.For | ast.While | ast.DoWhile) -> tuple[LoopRange, int | None]:
        """The loop's range in terms of what is known here, and how often it runs if that is a constant."""
        nothing = LoopRange(None, None, None, 0, stmt)
        shape = loop_range(stmt, self.strides(stmt)) if isinstance(stmt, ast.For) else None
        if shape is None or shape.symbol is None or not isinstance(stmt, ast.For) or self.now is None:
            return nothing, None
        if shape.symbol in self.assigned(stmt.body):
            return nothing, None
        first = self.now.cells.get((self.holder(shape.symbol), 0))
        condition = bare(stmt.condition)
        if not isinstance(condition, ast.Binary):
            return nothing, None
        on_left = any(isinstance(n, ast.Name) and n.symbol is shape.symbol for n in condition.left.walk())
        last = self.value(condition.right if on_left else condition.left)
        start, end = (v if isinstance(v, Poly) else None for v in (first, last))
        if end is not None and condition.op in ("<", ">", "!="):
            end = end + (-1 if shape.step > 0 else 1)
        exact, step = not self._left_early(stmt), abs(shape.step)
        width = (end - start) * (1 if shape.step > 0 else -1) if start is not None and end is not None else None
        trips = width.constant if width is not None else None
        if width is not None and start is not None:
            self.is_size(width + 1)
            if step != 1:
                exact = exact and trips is not None
                if trips is not None:
                    end = start + trips // step * shape.step
        low, high = (start, end) if shape.step > 0 else (end, start)
        return LoopRange(shape.symbol, low, high, shape.step, stmt, exact), None if trips is None else trips + 1

    def strides(self, stmt: ast.For) -> dict[Symbol, Poly | None]:
        """What the variables in its step hold, where that is a number: `i += chunk`."""
        assert self.now is not None
        found: dict[Symbol, Poly | None] = {}
        for n in stmt.step.walk() if stmt.step is not None else ():
            if isinstance(n, ast.Name) and n.symbol is not None and n.symbol not in self.assigned(stmt):
                held = self.now.cells.get((self.holder(n.symbol), 0))
                if isinstance(held, Poly) and held.constant is not None:
                    found[n.symbol] = held
        return found

    def varies(self, condition: ast.Expr | None) -> bool:
        """Whether a condition is on what changes from one iteration of the innermost loop to the next."""
        if not self.loops or condition is None:
            return False
        loop = self.loops[-1]
        if loop.changed is None:
            loop.changed = self.assigned(loop.range.stmt)
        changed = loop.changed
        return any(isinstance(n, ast.Name) and n.symbol in changed for n in condition.walk())

    def assigned(self, node: ast.Node) -> set[Symbol]:
        """Variables that `node` gives another value."""
        return facts_of(self.frame.content).written_in(node)

    def is_plain(self, node: ast.Node) -> bool:
        """Whether neither a region nor a function of the unit runs in it."""
        facts = facts_of(self.frame.content)
        calls = facts.calls_in(node)
        return not facts.has_region(node) and POINTED not in calls and not any(self.defines(name) for name in calls)

    @abstractmethod
    def phases(self, stmt: ast.For | ast.While | ast.DoWhile) -> tuple[list[State], bool]:
        """Walk iterations one by one while it is known what they do; whether the loop ends so."""

    @abstractmethod
    def defines(self, name: str) -> bool:
        """Whether the unit has a function of that name."""


def copied(state: State | None) -> State | None:
    return None if state is None else state.copy()


def given_up(head: State | None, grown: State | None) -> State | None:
    """What still changes is not known; where it is only who has written what, what is mapped is."""
    if head is None or grown is None:
        return grown
    for obj, cases in grown.cases.items():
        before = head.cases.get(obj, cases)
        if before != cases:
            same = before is not None and cases is not None and coarse(before) == coarse(cases)
            grown.cases[obj] = coarse(cases) if same and cases is not None else None
    for cell, value in grown.cells.items():
        if head.cells.get(cell, value) != value:
            grown.cells[cell] = None
    return grown
