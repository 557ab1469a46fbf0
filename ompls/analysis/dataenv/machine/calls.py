"""Calls: functions of the unit are walked in the context of the call, known ones looked up; others may do anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ompls.analysis.dataenv.machine.copies import Copies, Copy, outside_copy
from ompls.analysis.dataenv.machine.events import Event, Recorder
from ompls.analysis.dataenv.machine.memory import Frame
from ompls.analysis.dataenv.machine.recall import Done, Reach, keep, of_copies, reach_of, reached, recall, replay
from ompls.analysis.dataenv.machine.state import ALL_CLEAN, Cases, State, join, joined_value
from ompls.analysis.dataenv.machine.values import Loc, Obj, Site, Value
from ompls.analysis.dataenv.machine.walk import Walker
from ompls.analysis.dataenv.paths import points_to_const
from ompls.analysis.dataenv.symbolic import ZERO, Atom, Opaque, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.ctype import CType, Function, Pointer, Record
from ompls.analysis.model.tu import Content

_DEEPEST = 12  # calls in calls
NOWHERE = Site("", Span(0, 0))
# Functions of the C library that are known although their header was not read.
_HARMLESS = frozenset(
    """printf fprintf puts putchar sprintf snprintf rand srand time clock strlen strcmp strncmp atoi atol atof fabs sqrt
    sin cos tan exp log pow abs labs assert gettimeofday getenv fflush fopen fclose fabsf sqrtf expf powf fmax fmin
    drand48 srand48 usleep sleep perror exit""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Program:
    """What a walk knows of the translation unit.

    functions -- definitions by name; symbols -- the file scope at its end; mappers -- whether it declares mappers
    variants -- functions whose calls may go elsewhere; local -- variables of which every device has its own
    """

    functions: Mapping[str, Content]
    symbols: Mapping[str, Symbol]
    mappers: bool = False
    variants: frozenset[str] = frozenset()
    local: frozenset[str] = frozenset()
    late: Callable[[], bool] = lambda: False  # whether there is no time left
    rings: dict[str, int] = field(default_factory=dict)  # made when it is asked for

    @property
    def around(self) -> tuple[object, ...]:
        """What every walk depends on."""
        return self.mappers, self.variants, self.local

    def call_each_other(self, caller: str, callee: str) -> bool:
        """Whether the callee may come to call the caller: such calls multiply, and are not followed."""
        if not self.rings:
            self.rings.update(rings(self.functions))
        return caller == callee or (caller in self.rings and self.rings[caller] == self.rings.get(callee))


def rings(functions: Mapping[str, Content]) -> dict[str, int]:
    """A number for each function, the same for those that call each other (Tarjan's algorithm, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    ring: dict[str, int] = {}
    open_ones: list[str] = []
    for root in functions:
        work = [(root, iter(functions[root].calls))] if root not in order else []
        if work:
            order[root] = low[root] = len(order)
            open_ones.append(root)
        while work:
            name, rest = work[-1]
            symbol = next(rest, None)
            if symbol is not None:
                called = symbol.name
                if called in functions and called not in order:
                    order[called] = low[called] = len(order)
                    open_ones.append(called)
                    work.append((called, iter(functions[called].calls)))
                elif called in order and called not in ring:
                    low[name] = min(low[name], order[called])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[name])
            if low[name] == order[name]:
                while ring.get(name) is None:
                    ring[open_ones.pop()] = order[name]
    return ring


class Machine(Walker):
    """Walks from one root with `run`; what it noticed is in its recorder."""

    def __init__(self, program: Program, recorder: Recorder, whole: bool) -> None:
        super().__init__(recorder, whole)
        self.program = program
        self.reaches: dict[Content, Reach] = {}
        self.known_sizes: frozenset[Atom] = frozenset()

    @property
    def mappers(self) -> bool:
        return self.program.mappers

    def out_of_time(self) -> bool:
        return self.program.late()

    def defines(self, name: str) -> bool:
        return name in self.program.functions

    # --- roots

    def run(self, content: Content) -> None:
        """Walk a function that nothing calls: its parameters are what they are."""
        function = content.node
        assert isinstance(function, ast.FunctionDef)
        self.frames.append(Frame(content, function.symbol.name, ()))
        self.through(function)
        if self.whole and self.now is not None:
            self.left_behind()

    def left_behind(self) -> None:
        """What is still mapped at the end of the program."""
        assert self.now is not None
        for obj, cases in self.now.cases.items():
            if not cases or obj in self.now.many:
                continue
            held = [next((c for c in case.copies if c.lasting and c.refs), None) for case in cases]
            copy = next((c for c in held if c is not None), None)
            if copy is not None and all(h is not None and not h.extra and not h.forever for h in held):
                self.judge(Event("never-left", copy.origin, obj.name, "certain", (), copy.how), "bad")

    def at_start(self, symbol: Symbol) -> Cases | None:
        """The cases of a static variable at the start."""
        if symbol.name in self.program.local:
            return None
        symbol = self.program.symbols.get(symbol.name, symbol) if symbol.level == "file" else symbol
        device = (self.now.device if self.now is not None else None) or ZERO
        if symbol.declare_target == "enter":
            size = self.size_of(symbol.type)
            copy = Copy(device, ZERO, size, 1, False, "yes", NOWHERE, "", forever=True)
            return frozenset((Copies(copies=(copy if size is not None else copy._replace(low=None, high=None),)),))
        if not self.whole:
            return frozenset((Copies(copies=(outside_copy(device, NOWHERE),)),))
        return ALL_CLEAN

    def constant(self, expr: ast.Expr) -> Value:
        return self.value(expr)

    # --- calls

    def call(self, expr: ast.Call) -> Value:
        function = expr.function
        while isinstance(function, ast.Paren):
            function = function.inner
        args = [self.value(a) for a in expr.args]
        if self.now is None:
            return None
        if not isinstance(function, ast.Name) or function.symbol is None or function.symbol.kind != "func":
            if not isinstance(function, ast.Name) or function.symbol is not None:
                self.value(function)
            if not (isinstance(function, ast.Name) and function.symbol is None):
                self.unknown_call(expr, args)
                return self.result(expr)
        name = function.name
        # a name that is not declared before may mean anything, and `Content.calls` does not have it
        callee = self.program.functions.get(name) if function.symbol is not None else None
        if callee is not None and isinstance(callee.node, ast.FunctionDef):
            fixed = name not in self.program.variants
            if fixed and len(self.frames) < _DEEPEST and not self.program.call_each_other(self.frame.name, name):
                return self.enter_call(expr, callee, callee.node, args)
            self.unknown_call(expr, args)
            return self.result(expr)
        known, value = self.known_call(name, expr, args)
        if not known:
            harmless = name in _HARMLESS or name.startswith(("omp_", "__builtin_", "__sync_", "__atomic_"))
            system = function.symbol is not None and function.symbol.from_system_header
            if harmless or system or self.region is not None:
                self.library_call(expr, args)
            else:
                self.unknown_call(expr, args)
            return self.result(expr)
        return value if value is not None or self.now is None else self.result(expr)

    def result(self, expr: ast.Call) -> Value:
        """What a call gives that is not followed: a value of its own."""
        if is_integer(expr.type):
            return Poly.of(Opaque(f"{self.frame.name}@{expr.span.start}", None, ()))
        return None

    def library_call(self, expr: ast.Call, args: list[Value]) -> None:
        """A function that maps nothing; it may read and write what its arguments point to."""
        params = _params(expr)
        for i, value in enumerate(args):
            if isinstance(value, frozenset) and not (i < len(params) and points_to_const(params[i])):
                (self.soften if self.region is None else self.soften_devices)(value)
                self.unknown_cells(value)
            if isinstance(value, frozenset):
                self.soften_devices(frozenset([t for t in value if t.obj.kind == "lent"]))

    def unknown_cells(self, value: Value) -> None:
        """A function got the address of these objects."""
        assert self.now is not None
        objs = {t.obj for t in value} if isinstance(value, frozenset) else set()
        self.recorder.hands(objs)
        for cell in [c for c in self.now.cells if c[0] in objs]:
            self.now.cells[cell] = None

    def unknown_call(self, expr: ast.Call, args: list[Value]) -> None:
        """Another translation unit's code: it may map what it can reach."""
        assert self.now is not None
        self.library_call(expr, args)
        device = self.now.device or ZERO
        unknown = frozenset((Copies(copies=(outside_copy(device, NOWHERE),)),))
        for obj in self.reachable(args):
            cases = self.now.cases.get(obj, ALL_CLEAN)
            if cases is None or any(c.freed or any(k.forever for k in c.copies) for c in cases):
                self.now.cases[obj] = None
            else:
                self.now.cases[obj] = unknown
        for cell in [c for c in self.now.cells if c[0].symbol is not None and c[0].symbol.level == "file"]:
            value = self.now.cells[cell]
            if isinstance(value, Poly) and cell[0].symbol is not None and cell[0].symbol.storage != "static":
                atom = Opaque(f"{cell[0].name}@{self.frame.name}@{expr.span.start}", None, ())
                self.now.cells[cell] = Poly.of(atom)

    def reachable(self, args: list[Value]) -> set[Obj]:
        """What arguments and variables at file scope lead to."""
        assert self.now is not None
        found: set[Obj] = {
            c[0] for c in self.now.cells if c[0].symbol is not None and c[0].symbol.level == "file"
        }  # fmt: skip
        found |= {o for o in self.now.cases if o.symbol is not None and o.symbol.level == "file"}
        found |= {t.obj for v in args if isinstance(v, frozenset) for t in v}
        held: dict[Obj, list[Obj]] = {}
        for (obj, _), value in self.now.cells.items():
            if isinstance(value, frozenset):
                held.setdefault(obj, []).extend(t.obj for t in value)
        waiting = list(found)
        while waiting:
            for obj in held.get(waiting.pop(), ()):
                if obj not in found:
                    found.add(obj)
                    waiting.append(obj)
        return {o for o in found if o.kind != "null"}

    def enter_call(self, expr: ast.Call, callee: Content, function: ast.FunctionDef, args: list[Value]) -> Value:
        """A function of the unit with these arguments: what it did before with the same input, or walked."""
        if self.region is not None or self.deferred is not None or self.now is None:
            return self.walk_call(expr, callee, function, args)
        reach = self.reaches.get(callee)
        if reach is None:
            reach = self.reaches[callee] = reach_of(callee, self.program.functions, self.program.symbols, _HARMLESS)
        objs = of_copies(reached(self.now, args, reach))
        key = self.input_of(expr, args, objs, reach)
        done = recall(callee, key, self.program.functions, self.program.symbols, self.program.around)
        if done is not None:
            self.apply(done, objs)
            return done.result
        before, sizes, steps = set(self.now.cases) | {c[0] for c in self.now.cells}, set(self.sizes), self.steps
        outer, self.recorder.log = self.recorder.log, []
        beyond, self.beyond = self.beyond, False
        result = self.walk_call(expr, callee, function, args)
        log, self.recorder.log = tuple(self.recorder.log), outer
        if outer is not None:
            outer.extend(log)
        state = self.now or State()
        mine = objs | {o for o in (*state.cases, *(c[0] for c in state.cells)) if o not in before}
        unbounded = self.beyond
        self.beyond = beyond or unbounded
        if unbounded:
            return result  # more than it can reach has changed
        done = Done(
            reach, self.program.around, result, self.now is None,
            {c: v for c, v in state.cells.items() if c[0] in mine}, {o: v for o, v in state.cases.items() if o in mine},
            state.many & mine, state.device, frozenset(self.sizes - sizes), log, self.steps - steps,
        )  # fmt: skip
        keep(callee, key, done)
        return result

    def input_of(self, expr: ast.Call, args: list[Value], objs: set[Obj], reach: Reach) -> object:
        """All that the walk of a call depends on, but for the text of the functions."""
        assert self.now is not None
        state = self.now
        where = (*self.frame.chain, self.frame.name, expr.span.start) if reach.allocates else len(self.frames)
        if len(self.sizes) != len(self.known_sizes):
            self.known_sizes = frozenset(self.sizes)
        return (
            tuple(args), frozenset([(c, v) for c, v in state.cells.items() if c[0] in objs]),
            frozenset([(o, v) for o, v in state.cases.items() if o in objs]), state.many & objs, state.device,
            frozenset(self.recorder.handed & objs),
            self.conditional, self.doubts > 0, self.whole, self.known_sizes, where, isinstance(expr.type, Pointer),
            (self.frame.name, expr.span.start) if is_integer(expr.type) else None,
        )  # fmt: skip

    def apply(self, done: Done, objs: set[Obj]) -> None:
        """What a call did."""
        assert self.now is not None
        self.steps += done.steps
        self.sizes |= done.sizes
        replay(self.recorder, done.log)
        if done.ended:
            self.now = None
            return
        state = self.now
        state.cells = {c: v for c, v in state.cells.items() if c[0] not in objs} | done.cells
        state.cases = {o: v for o, v in state.cases.items() if o not in objs} | done.cases
        state.many |= done.many
        state.device = done.device  # type: ignore[assignment]

    def walk_call(self, expr: ast.Call, callee: Content, function: ast.FunctionDef, args: list[Value]) -> Value:
        """A function of the unit, walked with these arguments."""
        chain = (*self.frame.chain, self.frame.name, expr.span.start)
        conditions = self.conditions
        self.frames.append(Frame(callee, function.symbol.name, chain))
        for i, param in enumerate(function.params):
            self.parameter(param, args[i] if i < len(args) else None)
        result = self.through(function)
        self.frames.pop()
        self.conditions = conditions
        if isinstance(expr.type, Pointer) and isinstance(result, Poly):
            return None
        return result if result is not None else self.result(expr)

    def parameter(self, param: Symbol, value: Value) -> None:
        assert self.now is not None
        obj = self.variable(param)
        self.fresh(obj, True)
        self.frame.locals.append(obj)
        if self.region is not None:
            self.region.local.add(obj)
        if isinstance(param.type, Record):
            return
        loc = Loc(obj, ZERO, obj.size, param.type)
        self.assign_initial(loc, value)

    def through(self, function: ast.FunctionDef) -> Value:
        """Walk a function's body; its result, and in `now` the state at its end."""
        outer = self.breaks, self.continues, self.switches, self.labels, self.met, self.late, self.returns
        start = self.now
        self.breaks, self.continues, self.switches, self.labels = [], [], [], {}
        for _ in range(3):
            self.now = start.copy() if start is not None else None
            self.met, self.late, self.returns, self.frame.results = set(), set(), [], []
            self.statement(function.body)
            if not self.late:
                break
        end = self.now
        for other in self.returns:
            end = join(end, other)
        results = self.frame.results
        self.breaks, self.continues, self.switches, self.labels, self.met, self.late, self.returns = outer
        self.now = end
        self.scope_ends(end)
        found = results[0] if results else None
        for other_result in results[1:]:
            found = joined_value(found, other_result)
        return found

    def scope_ends(self, state: State | None) -> None:
        """The function's variables go away; a device's copy must not stay behind."""
        if state is None:
            return
        for obj in dict.fromkeys(self.frame.locals):
            cases = state.cases.get(obj)
            held = [
                next((c for c in case.copies if c.lasting and c.refs and not c.extra), None) for case in cases or ()
            ]
            copy = held[0] if held else None
            if copy is not None and all(held) and len(self.frames) > 1:
                self.judge(Event("outlives", copy.origin, obj.name, "certain", (), copy.how), "bad")
            if len(self.frames) > 1:
                state.cases.pop(obj, None)
                for cell in [c for c in state.cells if c[0] == obj]:
                    del state.cells[cell]


def _params(expr: ast.Call) -> tuple[CType, ...]:
    function = expr.function.type
    if isinstance(function, Pointer):
        function = function.to
    return function.params if isinstance(function, Function) else ()
