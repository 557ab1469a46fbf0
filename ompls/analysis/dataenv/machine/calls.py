"""Calls: functions of the unit are walked in the context of the call, known ones looked up; others may do anything."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ompls.analysis.dataenv.called import known_of
from ompls.analysis.dataenv.faults import Does, LeftOut, NeverLeft, Outlives, Seen
from ompls.analysis.dataenv.machine.cases import ALL_CLEAN, Cases
from ompls.analysis.dataenv.machine.copies import Copies, Copy, outside_copy
from ompls.analysis.dataenv.machine.events import Recorder
from ompls.analysis.dataenv.machine.objects import Beyond, Frame, Loop
from ompls.analysis.dataenv.machine.outside import NOWHERE, Outside, is_harmless
from ompls.analysis.dataenv.machine.program import Program
from ompls.analysis.dataenv.machine.recall import (
    Done,
    Reach,
    is_from,
    keep,
    of_copies,
    reach_of,
    reached,
    recall,
    replay,
)
from ompls.analysis.dataenv.machine.state import State, decided, join, joined_value
from ompls.analysis.dataenv.machine.values import Loc, Obj, Site, Target, Value
from ompls.analysis.dataenv.symbolic import ZERO, Atom, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Pointer, Record
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.peel import bare, peel
from ompls.analysis.model.tu import Content

_DEEPEST = 12  # calls in calls


class Machine(Outside):
    """Walks from one root with `run`; what it noticed is in its recorder."""

    def __init__(self, program: Program, recorder: Recorder, whole: bool) -> None:
        super().__init__(recorder, whole)
        self.program = program
        self.reaches: dict[Content, Reach] = {}
        self.known_sizes: frozenset[Atom] = frozenset()

    def out_of_time(self) -> bool:
        return self.program.late()

    @property
    def model(self) -> DataModel:
        return self.program.model

    def defines(self, name: str) -> bool:
        return name in self.program.functions

    def never_attached(self, member: str) -> bool:
        return self.program.attached is not None and member not in self.program.attached

    @property
    def followed_by_mappers(self) -> bool:
        return self.program.attached is None or self.program.mappers or bool(self.program.mapping)

    # --- roots

    def run(self, content: Content, bare: bool = False) -> None:
        """Walk a function that nothing calls: its parameters are what they are; `bare`: `main`, without arguments."""
        function = content.node
        assert isinstance(function, ast.FunctionDef)
        self.frames.append(Frame(content, function.symbol.name, ()))
        self.bare = bare
        if bare and self.now is not None:
            self.now.cells[self.variable(function.params[0]), 0] = Poly.of(1)
        for symbol in self.shared_variables() if self.recorder.watch is not None else ():
            if self.program.symbols.get(symbol.name, symbol).declare_target == "enter":
                self.cases_of(self.variable(symbol))  # it is there, whether the walk comes by it or not
        self.through(function)
        if self.whole and self.now is not None:
            self.left_behind()

    def left_behind(self) -> None:
        """What is still mapped at the end of the program."""
        assert self.now is not None
        for obj, cases in self.now.cases.items():
            if not cases or obj in self.now.many:
                continue
            held = [
                None if case.freed else next((c for c in case.copies if c.lasting and c.refs), None) for case in cases
            ]
            copy = next((c for c in held if c is not None), None)
            if copy is not None and all(h is not None and not h.extra and not h.forever for h in held):
                self.judge(NeverLeft(copy.origin, obj.name, "certain", (), copy.how), "bad")

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
        value = self.value(expr)
        functions = isinstance(value, frozenset) and any(t.obj.kind == "function" for t in value)
        return None if functions else value  # what they do is not looked at again when they change

    # --- calls

    def call(self, expr: ast.Call) -> Value:
        function = bare(expr.function)
        args = [self.value(a) for a in expr.args]
        if self.now is None:
            return None
        if not isinstance(function, ast.Name) or function.symbol is None or function.symbol.kind != "func":
            if not isinstance(function, ast.Name) or function.symbol is not None:
                pointed = self.pointed_function(function)
                if pointed is not None and self.now is not None:
                    args = [self.argument(a, v) for a, v in zip(expr.args, args, strict=True)]
                    return self.enter_call(expr, pointed, args)
            if not (isinstance(function, ast.Name) and function.symbol is None):
                self.unknown_call(expr, args)
                return self.result(expr)
        name = function.name
        # a name that is not declared before may mean anything, and `Content.calls` does not have it
        callee = self.program.functions.get(name) if function.symbol is not None else None
        if callee is not None and isinstance(callee.node, ast.FunctionDef):
            # what a function with a member that there is not would do, nobody knows
            fixed = name not in self.program.variants and not callee.unknown_members
            # such calls multiply, and are not followed
            each_other = self.frame.name in self.reach(callee).called
            if fixed and len(self.frames) < _DEEPEST and not each_other:
                args = [self.argument(a, v) for a, v in zip(expr.args, args, strict=True)]
                return self.enter_call(expr, callee, args)
            self.unknown_call(expr, args)
            return self.result(expr)
        row = known_of(expr)
        known, value = self.known_call(name, row, expr, args)
        if not known:
            system = function.symbol is not None and function.symbol.from_system_header
            known = is_harmless(name) or system or self.region is not None
            (self.routine_call if known else self.unknown_call)(expr, args)
            stays = known and not (row is not None and row.may_end)
            if not stays and self.bare and self.settled and len(self.frames) == 1:
                self.now = None  # `if (argc < 2) usage();` does not come back, perhaps
            return self.result(expr)
        return value if value is not None or self.now is None else self.result(expr)

    def pointed_function(self, expr: ast.Expr) -> Content | None:
        """The function that a pointer certainly points to, when it can be followed."""
        value = self.value(peel(expr, ops="*"))
        targets = [t.obj for t in value] if isinstance(value, frozenset) else []
        if len(targets) != 1 or targets[0].kind != "function" or self.region is not None:
            return None
        name = targets[0].name
        callee = self.program.functions.get(name)
        if callee is None or not isinstance(callee.node, ast.FunctionDef):
            return None
        again = name in self.program.variants or any(frame.name == name for frame in self.frames)
        return None if again or callee.unknown_members or len(self.frames) >= _DEEPEST else callee

    def enter_call(self, expr: ast.Call, callee: Content, args: list[Value]) -> Value:
        """A function of the unit with these arguments: what it did before with the same input, or walked.

        It is walked with what it can reach, and all else stays: so a call costs what it does, and not what there is.
        """
        if self.region is not None or self.deferred is not None or self.now is None or self.leads_to_watched(callee):
            return self.walk_call(expr, callee, args)
        reach, objs = self.reach_with(self.reach(callee), args)
        if reach.allocates:  # the same call may have allocated before
            objs |= {o for o in self.now.cases if is_from(o, self.chain_of(expr))}
        self.spend(2 * len(self.now.cells) + len(self.now.cases))
        part = self.now.part(objs)
        key = self.input_of(expr, args, part, objs, reach)
        done = recall(callee, key, reach, self.program.around)
        if done is not None:
            self.steps += done.steps
            self.sizes |= done.sizes
            replay(self.recorder, done.log)
        else:
            done = self.followed(expr, callee, args, part.copy(), reach)
            keep(callee, self.program.shared.one(key), done)
        self.beyond_reach(done.beyond, expr)
        if done.ended:
            self.now = None
        else:
            self.now.replace(part, done)
        return done.result

    def leads_to_watched(self, callee: Content) -> bool:
        """Whether the walk is to come by a place in it, or in what it calls."""
        watch = self.recorder.watch
        return watch is not None and (
            callee is watch.point.content or watch.point.function in self.reach(callee).called
        )

    def followed(self, expr: ast.Call, callee: Content, args: list[Value], part: State, reach: Reach) -> Done:
        """What a call does to the part of the state that it can reach; `now` stays as it is."""
        outside, sizes, steps = self.now, set(self.sizes), self.steps
        outer, self.recorder.log = self.recorder.log, []
        beyond, self.beyond = self.beyond, set()
        self.now = part
        result = self.walk_call(expr, callee, args)
        log, self.recorder.log = tuple(self.recorder.log), outer
        if outer is not None:
            outer.extend(log)
        state, ended, self.now = self.now or State(), self.now is None, outside
        did, self.beyond = frozenset(self.beyond), beyond
        one, mapping = self.program.shared.one, self.program.shared.mapping
        return Done(
            reach, self.program.shared.same(self.program.around), result, ended, mapping(state.cells),
            mapping(state.cases), one(state.many), one(state.each), state.device,
            one(frozenset(self.sizes - sizes)), log, self.steps - steps, one(did),
        )  # fmt: skip

    def beyond_reach(self, did: Collection[Beyond], expr: ast.Call) -> None:
        """What a call may have done to what nothing that is known leads to."""
        if "maps" in did:
            self.anything()
        if "fills" in did:
            self.filled_on_device(None)
        if "calls" in did:
            self.unknown_call(expr, [])

    def argument(self, expr: ast.Expr, value: Value) -> Value:
        """An argument's value, a number that is not known as one of its own; of a structure, where it lies."""
        if value is None and self.region is None and is_integer(expr.type):
            return self.unknown(expr)
        if not isinstance(expr.type, Record) or value is not None:
            return value
        found = self.record_places(expr)
        return frozenset([Target(loc.obj, loc.low, loc.every) for loc in found]) or None

    def shared_variables(self) -> Iterable[Symbol]:
        known = self.reach(self.frames[0].content).variables.values()
        return [symbol for symbol in known if symbol is not None and symbol.level == "file"]

    def chain_of(self, expr: ast.Call) -> tuple[object, ...]:
        """The calls that lead into the function that is called."""
        return (*self.frame.chain, self.frame.name, expr.span.start)

    def reach(self, callee: Content) -> Reach:
        found = self.reaches.get(callee)
        if found is None:
            found = self.reaches[callee] = reach_of(callee, self.program.functions, self.program.symbols)
        return found

    def reach_with(self, reach: Reach, args: list[Value]) -> tuple[Reach, set[Obj]]:
        """What a call can reach with these arguments, the functions included that pointers to them lead to."""
        assert self.now is not None
        followed: set[str] = set()
        while True:
            objs = of_copies(reached(self.now, args, reach))
            pointed = {o.name for o in objs if o.kind == "function"} - followed
            if not pointed:
                return reach, objs
            followed |= pointed
            for name in sorted(pointed & self.program.functions.keys()):
                content = self.program.functions[name]
                other = self.reach(content)
                reach = Reach(
                    {**reach.called, **other.called, name: content}, {**reach.variables, **other.variables},
                    reach.allocates or other.allocates, reach.every or other.every,
                )  # fmt: skip

    def input_of(self, expr: ast.Call, args: list[Value], part: State, objs: set[Obj], reach: Reach) -> object:
        """All that the walk of a call depends on, but for the text of the functions."""
        where = self.chain_of(expr) if reach.allocates else len(self.frames)
        if len(self.sizes) != len(self.known_sizes):
            self.known_sizes = frozenset(self.sizes)
        return (
            tuple(args), frozenset(part.cells.items()), frozenset(part.cases.items()), part.many, part.each,
            part.device, self.conditions, self.tasks > 0, tuple([_range_of(loop) for loop in self.loops]),
            frozenset(self.recorder.handed & objs),
            self.conditional, self.doubts > 0, self.whole, self.known_sizes, where, isinstance(expr.type, Pointer),
            (self.frame.name, expr.span.start) if is_integer(expr.type) else None,
        )  # fmt: skip

    def walk_call(self, expr: ast.Call, callee: Content, args: list[Value]) -> Value:
        """A function of the unit, walked with these arguments."""
        function, chain = callee.node, self.chain_of(expr)
        assert isinstance(function, ast.FunctionDef)
        conditions, varied = self.conditions, self.varied
        self.called_anew(function.symbol.name)
        self.frames.append(Frame(callee, function.symbol.name, chain))
        for i, param in enumerate(function.params):
            self.parameter(param, args[i] if i < len(args) else None)
        result = self.through(function)
        self.frames.pop()
        self.conditions, self.varied = conditions, varied
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
            froms = self.pointed(value, param.type)
            if len(froms) == 1 and froms[0].low is not None and froms[0].low.constant is not None:
                self.copy_members(param.type, froms[0], Loc(obj, ZERO, obj.size, param.type))
            return
        loc = Loc(obj, ZERO, obj.size, param.type)
        self.assign_initial(loc, value)

    def through(self, function: ast.FunctionDef) -> Value:
        """Walk a function's body; its result, and in `now` the state at its end."""
        outer = self.breaks, self.continues, self.switches, self.labels, self.met, self.late, self.returns
        start, conditions = self.now, self.conditions
        self.breaks, self.continues, self.switches, self.labels = [], [], [], {}
        for _ in range(3):
            self.now = start.copy() if start is not None else None
            self.met, self.late, self.returns, self.frame.results = set(), set(), [], []
            self.statement(function.body)
            if not self.late:
                break
        end = self.now
        self.left_out(start, end)
        self.goes_through(end, conditions)
        for other, _ in self.returns:
            end = join(end, other)
        results = self.frame.results
        self.breaks, self.continues, self.switches, self.labels, self.met, self.late, self.returns = outer
        self.now = end
        self.scope_ends()
        found = results[0] if results else None
        for other_result in results[1:]:
            found = joined_value(found, other_result)
        return found

    def left_out(self, start: State | None, end: State | None) -> None:
        """What a return leaves mapped of what the function has mapped, and does not when it goes on to its end."""
        if not self.returns or start is None or (len(self.frames) == 1 and self.whole):
            return
        last = max(span for _, span in self.returns)
        ends = [end] if end is not None else [state for state, span in self.returns if span == last]
        for state, span in self.returns:
            if end is None and span == last:
                continue
            for obj, cases in state.cases.items():
                if cases is start.cases.get(obj):
                    continue  # nothing has happened to it, as to most
                copy = self.kept_by(state, obj)
                left = copy is not None and all(e.cases.get(obj) and self.kept_by(e, obj) is None for e in ends)
                if copy is not None and left and self.kept_by(start, obj) is None and obj not in state.many:
                    related = (Seen(copy.origin, Does.MAPPED),)
                    event = LeftOut(Site(self.frame.name, span), obj.name, "certain", related, copy.how)
                    self.judge(event, "bad")

    def goes_through(self, end: State | None, conditions: int) -> None:
        """What is so where the function goes on to its end is so by one decision.

        What an early return leaves is not: it may be that of an error, after which nobody needs results.
        """
        early, last = self.returns, end
        if last is None and self.returns:
            last, at = max(self.returns, key=lambda r: r[1])
            early = [(state, span) for state, span in self.returns if span != at]
        if last is not None and early:
            site = Site(self.frame.name, max(span for _, span in early))
            decided([last], site, conditions, [state for state, _ in early])

    def kept_by(self, state: State, obj: Obj) -> Copy | None:
        """The copy that a `target enter data` of the current function keeps, in all cases; else None."""
        found = [
            next((c for c in case.copies if c.lasting and c.refs and c.origin.function == self.frame.name), None)
            for case in state.cases.get(obj) or ()
        ]
        return found[0] if found and all(found) else None

    def scope_ends(self) -> None:
        """The function's variables go away; a device's copy must not stay behind."""
        if self.now is None:
            return
        for obj in dict.fromkeys(self.frame.locals):
            cases = self.now.cases.get(obj)
            held = [
                next((c for c in case.copies if c.lasting and c.refs and not c.extra), None) for case in cases or ()
            ]
            copy = held[0] if held else None
            if copy is not None and all(held) and len(self.frames) > 1:
                self.judge(Outlives(copy.origin, obj.name, "certain", (), copy.how), "bad")
        if len(self.frames) > 1:
            self.gone(set(self.frame.locals))


def _range_of(loop: Loop) -> object:
    """What a walk inside of a loop may know of it."""
    r = loop.range
    return r.symbol, r.lower, r.upper, r.exact, loop.conditions
