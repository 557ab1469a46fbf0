"""Programs that go through phases: a `switch` on a variable whose value is known, and the loop around that goes on with
the next phase.

    while (state != DONE)
        switch (state) {
        case LOAD: …; state = COMPUTE; break;

Such a loop is walked iteration by iteration for as long as the variable has a known value; what comes then is any loop.
So is a loop whose iterations take turns (`steering.py`), until what one turn does, the next does again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.machine.loops import Loops, copied
from ompls.analysis.dataenv.machine.objects import Loop
from ompls.analysis.dataenv.machine.state import State, decided, join
from ompls.analysis.dataenv.machine.steering import is_arithmetic, steering
from ompls.analysis.dataenv.paths import named_in
from ompls.analysis.dataenv.symbolic import LoopRange, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import changed_by
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.constants import fold

_MOST = 12  # iterations that are walked one by one
_MOST_TURNS = 6  # of a loop that takes turns, when it runs more often


class Phases(Loops):
    """`switch` walks one, `phases` the iterations of a loop over phases."""

    def switch(self, stmt: ast.Switch) -> None:
        value = self.value(stmt.condition)
        start = self.now
        taken = _taken(stmt, value.constant if isinstance(value, Poly) else None)
        self.switches.append((copied(start), taken))
        self.breaks.append([])
        self.conditions += taken is None
        self.now = None
        self.statement(stmt.body)
        self.conditions -= taken is None
        self.switches.pop()
        ends = [self.now, *self.breaks.pop()]
        if taken is None:
            decided(ends, self.site(stmt), self.conditions)
        for other in ends[1:]:
            self.now = join(self.now, other)
        if taken == () or (taken is None and not any(case.value is None for case in _cases(stmt.body))):
            self.now = join(self.now, start)

    def case(self, stmt: ast.Case) -> None:
        """A label of the innermost switch: it is jumped to, unless another one is known to be."""
        if self.switches:
            start, taken = self.switches[-1]
            if taken is None or stmt in taken:
                self.now = join(self.now, copied(start))
        self.statement(stmt.body)

    def phases(self, stmt: ast.For | ast.While | ast.DoWhile) -> tuple[list[State], bool]:
        """Walk the loop's iterations for as long as its phase is known.

        (the states in which it is left from them, whether these are all)
        """
        asked = _asked(stmt)
        if asked.isdisjoint(self.assigned(stmt)):
            return self._in_turns(stmt)
        self.loops.append(Loop(LoopRange(None, None, None, 0, stmt), self.conditions, False, self.varied))
        try:
            return self._one_by_one(stmt, sorted(asked, key=lambda s: s.name))
        finally:
            self.loops.pop()

    def _in_turns(self, stmt: ast.For | ast.While | ast.DoWhile) -> tuple[list[State], bool]:
        """`phases` of a loop of which each iteration chooses by its number what it works on."""
        changed, inner = self.assigned(stmt), set[Symbol]()
        for n in stmt.body.walk():
            if isinstance(n, (ast.For, ast.While, ast.DoWhile)):
                inner |= self.assigned(n)
        found = steering(stmt, changed, inner)
        if not found:
            return [], False
        trips = self.counted(stmt)[1]
        few = trips is not None and trips <= _MOST
        by = [expr for expr, array in found if array is None or (few and self._is_table(array))]
        if not by or None in self._turn(by):
            return [], False
        self.loops.append(Loop(LoopRange(None, None, None, 0, stmt), self.conditions, False, self.varied))
        try:
            return self._turns_of(stmt, by, trips)
        finally:
            self.loops.pop()

    def _turns_of(
        self, stmt: ast.For | ast.While | ast.DoWhile, by: list[Expr], trips: int | None
    ) -> tuple[list[State], bool]:
        out: list[State] = []
        conditions, varied = self.conditions, self.varied
        heads: list[tuple[tuple[int | None, ...], State]] = []
        numbers = [self.holder(s) for s in self.assigned(stmt) if is_integer(s.type)]
        while len(heads) < _MOST_TURNS or (trips is not None and trips <= _MOST):
            self.conditions, self.varied = conditions, varied
            if stmt.condition is not None and (heads or not isinstance(stmt, ast.DoWhile)):
                runs = self.truth(stmt.condition)
                if (runs is False or (runs is None and len(heads) > 1)) and self.now is not None:  # it runs twice
                    out.append(self.now.copy())
                if runs is False:
                    return out, True
            if self.now is None:
                return out, True
            turn = self._turn(by)
            if None in turn:
                return out, False
            now = self.now.copy()
            for obj in numbers:
                now.cells.pop((obj, 0), None)
            again = next((k for k, (other, head) in enumerate(heads) if other == turn and head == now), None)
            if again is not None:  # all is as it was: so it goes on
                last = [heads[again + (trips - again) % (len(heads) - again)]] if trips is not None else heads[again:]
                return [*out, *[head for _, head in last]], True
            heads.append((turn, now))
            self._walk_one(stmt, out)
            self._next(stmt)
        return out, False

    def _is_table(self, array: Symbol) -> bool:
        """Whether each of its pointers is known by itself."""
        assert self.now is not None
        obj = self.variable(array)
        held = [v for c, v in self.scanned().items() if c[0] == obj and isinstance(c[1], int)]
        known = {next(iter(v)) for v in held if isinstance(v, frozenset) and len(v) == 1}
        return len(known) == len(held) > 1 and not any(t.obj in self.now.many for t in known)

    def _turn(self, by: list[Expr]) -> tuple[int | None, ...]:
        values = [self.value(expr) for expr in by]
        return tuple([v.constant if isinstance(v, Poly) else None for v in values])

    def _walk_one(self, stmt: ast.For | ast.While | ast.DoWhile, out: list[State]) -> None:
        """One iteration; the states in which it leaves the loop go to `out`."""
        self.breaks.append([])
        self.continues.append([])
        self.statement(stmt.body)
        for other in self.continues.pop():
            self.now = join(self.now, other)
        out += self.breaks.pop()
        if isinstance(stmt, ast.For) and self.now is not None:
            self.value(stmt.step)

    def _one_by_one(self, stmt: ast.For | ast.While | ast.DoWhile, asked: list[Symbol]) -> tuple[list[State], bool]:
        out: list[State] = []
        start = copied(self.now)
        met: dict[tuple[int | None, ...], State] = {}
        for number in range(_MOST):
            if self.now is None:
                return out, True
            phase = tuple([self._constant(s) for s in asked])
            if None in phase:
                if number:
                    self.now = start  # what it is now goes together with what was done: that would be forgotten
                break
            if stmt.condition is not None and (number or not isinstance(stmt, ast.DoWhile)):
                runs = self.truth(stmt.condition)
                if (runs is False or (runs is None and number > 1)) and self.now is not None:  # it runs twice
                    out.append(self.now.copy())
                if runs is False:
                    return out, True
                if runs is None and self.now is not None and phase in met:
                    if self.now == met[phase]:
                        return out, True  # all is as it was: so it goes on
                    break
            if self.now is not None:
                met[phase] = self.now.copy()
            self._walk_one(stmt, out)
            self._next(stmt)
        return out, False

    def _next(self, stmt: ast.For | ast.While | ast.DoWhile) -> None:
        """Between two iterations: what was worked out in one is a value of its own in the other."""
        if self.now is None:
            return
        for symbol in self.assigned(stmt):
            if is_integer(symbol.type) and self._constant(symbol) is None:
                self.now.cells[self.holder(symbol), 0] = None
        self.chooses_anew(self.now, stmt, self.assigned(stmt))

    def _constant(self, symbol: Symbol) -> int | None:
        assert self.now is not None
        value = self.now.cells.get((self.holder(symbol), 0))
        return value.constant if isinstance(value, Poly) else None


def _asked(stmt: Node) -> set[Symbol]:
    """What says which way a `switch` in the loop goes, and flags, which an `if` asks for and constants are given to."""
    phases: set[Symbol] = set()
    flags: set[Symbol] = set()
    changed: set[Symbol] = set()
    for n in stmt.walk():
        if isinstance(n, ast.Switch) and is_arithmetic(n.condition):
            phases |= named_in(n.condition)
        elif isinstance(n, ast.If):
            flags |= named_in(n.condition)
        elif isinstance(n, ast.Assign) and n.op == "=" and fold(n.value) is not None:
            continue
        elif (target := changed_by(n)) is not None:
            changed |= named_in(target)
    return phases | (flags & _given(stmt) - changed)


def _given(stmt: Node) -> set[Symbol]:
    """The variables that an assignment in the statement names as what it changes."""
    targets = (n.target for n in stmt.walk() if isinstance(n, ast.Assign))
    return {t.symbol for t in targets if isinstance(t, ast.Name) and t.symbol is not None}


def _taken(stmt: ast.Switch, value: int | None) -> tuple[ast.Case, ...] | None:
    """The label that is jumped to, () when it is none of them; None: that is not known."""
    default: tuple[ast.Case, ...] = ()
    if value is None:
        return None
    for case in _cases(stmt.body):
        if case.value is None:
            default = (case,)
            continue
        low = fold(case.value)
        high = fold(case.high) if case.high is not None else low
        if low is None or high is None:
            return None
        if low <= value <= high:
            return (case,)
    return default


def _cases(body: Node) -> Iterator[ast.Case]:
    """The labels of a switch, without those of switches in it."""
    if isinstance(body, ast.Case):
        yield body
    for child in body.children():
        if not isinstance(child, ast.Switch):
            yield from _cases(child)
