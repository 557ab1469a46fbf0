"""Follows the statements of a region and makes a node of each task that they create.

What has no task in it is not run, but for what it assigns to variables that later values need.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from ompls.analysis.graphs.construct import Construct, makes_task
from ompls.analysis.graphs.depends import Depends
from ompls.analysis.graphs.evaluated import Frame, UnknownValue, Values
from ompls.analysis.graphs.here import Here
from ompls.analysis.graphs.order import Depend, Node, Order
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in, variable_changed_by
from ompls.analysis.model.ast import DirectiveStmt, Expr, FunctionDef, Span, Stmt, Symbol
from ompls.analysis.model.grouped import groups_tasks
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare

MOST_NODES, MOST_STEPS, MOST_CALLS = 20_000, 400_000, 20
# Blocks that one thread runs as they stand.
_PLAIN = frozenset(("single", "masked", "master", "critical", "scope", "assume", "target data", "unroll", "section"))

End = Literal["", "break", "continue", "return"]


class Expansion:
    """One region.  `values_of` and `callee` answer for the functions of the unit."""

    def __init__(
        self, values_of: Callable[[FunctionDef], Values], callee: Callable[[Symbol], FunctionDef | None]
    ) -> None:
        self._values_of, self._callee = values_of, callee
        self.order = Order()
        self.steps = 0
        self._indices: list[tuple[str, Symbol]] = []
        self._calls: list[FunctionDef] = []
        self._at: tuple[tuple[str, int], ...] = ()  # the indices around the calls that are followed
        self._with_tasks: dict[int, bool] = {}
        self._constructs: dict[int, Construct] = {}
        self._plain: dict[int, Callable[[Frame], object]] = {}
        self._depends = Depends(self._spend)
        self._said: list[tuple[Construct, list[Depend]]] = []

    def run(self, function: FunctionDef, statements: tuple[Stmt, ...]) -> list[Node]:
        """The nodes that the statements create.  Raises NotStatic."""
        self._enter(function)
        frame: Frame = {}
        self._approach(function.body, statements[0], frame)
        for statement in statements:
            self._statement(statement, frame)
        return self.order.nodes

    def idle(self) -> tuple[Directive, ...]:
        """The constructs of the region's function whose `depend` clauses make no task wait, whenever they are met."""
        places = self.order.idle()
        busy: dict[Construct, bool] = {}
        for construct, depends in self._said if places else ():
            busy[construct] = busy.get(construct, False) or any(place not in places for _, place, _ in depends)
        return tuple([c.stmt.directive for c, is_busy in busy.items() if not is_busy])

    def _spend(self, span: Span) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise self._here.fail(span, f"following it takes more than {MOST_STEPS:,} steps")

    def _approach(self, at: ast.Node, first: Stmt, f: Frame) -> None:
        """What the statements before the region make of the variables."""
        while at is not first:
            below = next((n for n in at.children() if n.span.start <= first.span.start < n.span.end), None)
            if below is None:
                return
            if isinstance(at, ast.Compound):
                for item in at.items[: at.items.index(below)]:
                    if isinstance(item, (ast.DeclStmt, ast.ExprStmt)) and not self.has_tasks(item):
                        self._statement(item, f)
                    else:
                        self._forget(item, f)
            elif isinstance(at, (ast.For, ast.While, ast.DoWhile)):
                self._forget(at, f)
            at = below

    def _enter(self, function: FunctionDef) -> None:
        self._calls.append(function)
        self._here = Here(self._values_of(function), function.symbol.name)

    # --- what has tasks in it -----------------------------------------------------------------------------------

    def has_tasks(self, node: ast.Node) -> bool:
        known = self._with_tasks.get(id(node))
        if known is None:
            self._with_tasks[id(node)] = False  # of a recursive function while it is asked
            known = self._with_tasks[id(node)] = any(map(self._creates, node.walk()))
        return known

    def _creates(self, node: ast.Node) -> bool:
        if isinstance(node, DirectiveStmt):
            return makes_task(node.directive) or node.directive.name in ("taskwait", "taskgraph", "depobj")
        if isinstance(node, ast.Call):
            called = self._called(node)
            return called is not None and self.has_tasks(called.body)
        return False

    def _called(self, call: ast.Call) -> FunctionDef | None:
        name = bare(call.function)
        return self._callee(name.symbol) if isinstance(name, ast.Name) and name.symbol is not None else None

    # --- statements ---------------------------------------------------------------------------------------------

    def _statement(self, s: Stmt | None, f: Frame) -> End:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise self._here.fail(
                s.span if s is not None else Span(0, 0), f"following it takes more than {MOST_STEPS:,} steps"
            )
        match s:
            case None:
                return ""
            case ast.ExprStmt():
                if s.expr is not None:
                    self._expression(s.expr, f)
                return ""
            case ast.Compound():
                for item in s.items:
                    end = self._statement(item, f)
                    if end:
                        return end
                return ""
            case ast.DeclStmt():
                for d in s.decls:
                    self._declared(d, f)
                return ""
            case ast.Jump() if s.kind != "goto":
                return s.kind
        if not self.has_tasks(s):
            jump = self._leaving(s)
            if jump is None:
                self._forget(s, f)
                return ""
            if not isinstance(s, ast.If):
                raise self._here.fail(jump.span, f"whether this `{jump.kind}` is reached is not known when compiling")
            return self._statement(
                s.then if self._here.known(s.condition, f, f"whether this `{jump.kind}` is reached") else s.otherwise, f
            )
        match s:
            case DirectiveStmt():
                return self._directive(s, f)
            case ast.If():
                return self._statement(
                    s.then if self._here.known(s.condition, f, "whether this is reached") else s.otherwise, f
                )
            case ast.For() | ast.While() | ast.DoWhile():
                return self._loop(s, f)
        raise self._here.fail(
            s.span, "tasks in a `switch`, behind a label or in what was not understood are not followed"
        )

    @staticmethod
    def _leaving(s: Stmt) -> ast.Jump | None:
        """A jump out of a statement without tasks: what comes after it may not run."""
        if isinstance(s, DirectiveStmt):
            return None
        loop = isinstance(s, (ast.For, ast.While, ast.DoWhile, ast.Switch))
        inside = ("return", "goto") if loop else ("return", "goto", "break", "continue")
        return next((n for n in s.walk() if isinstance(n, ast.Jump) and n.kind in inside), None)

    def _declared(self, d: ast.VarDecl, f: Frame) -> None:
        try:
            if d.init is not None and not isinstance(d.init, ast.InitList):
                f[d.symbol] = self._here.values.value(d.init)(f)
        except UnknownValue as why:
            f[d.symbol] = why
            self._forget(d.init, f) if d.init is not None else None

    def _expression(self, e: Expr, f: Frame) -> None:
        run = self._plain.get(id(e))
        if run is None:
            run = self._plain[id(e)] = self._ready(bare(e))
        try:
            run(f)
        except UnknownValue as why:
            target = variable_changed_by(bare(e))
            self._forget(e, f)
            if target is not None:
                f[target] = why

    def _ready(self, e: Expr) -> Callable[[Frame], object]:
        """What an expression statement does."""
        if not self.has_tasks(e):
            return self._here.values.value(e)
        if isinstance(e, ast.Call):
            return partial(self._call, e)
        raise self._here.fail(e.span, "a call that creates tasks is followed where it is a statement of its own")

    def _forget(self, node: ast.Node, f: Frame) -> None:
        for symbol in assigned_in(node):
            f[symbol] = UnknownValue(symbol.name, "gets a value that is not followed")

    def _loop(self, s: ast.For | ast.While | ast.DoWhile, f: Frame) -> End:
        symbol = None
        if isinstance(s, ast.For):
            if isinstance(s.init, (ast.DeclStmt, ast.ExprStmt)):
                self._statement(s.init, f)
            symbol = variable_changed_by(bare(s.step)) if s.step is not None else None
        name = symbol.name if symbol is not None else "this loop"
        if symbol is not None:
            self._indices.append((name, symbol))
        what = f"the trip count of `{name}`" if symbol is not None else "how often this loop runs"
        end: End = ""
        step = s.step if isinstance(s, ast.For) else None
        goes_on = self._asked(s.condition, what)
        if isinstance(s, ast.DoWhile) or goes_on(f):
            while True:
                end = self._statement(s.body, f)
                if end in ("break", "return"):
                    break
                if step is not None:
                    self._expression(step, f)
                if not goes_on(f):
                    break
        if symbol is not None:
            self._indices.pop()
        return "return" if end == "return" else ""

    def _asked(self, condition: Expr | None, what: str) -> Callable[[Frame], object]:
        """Whether a loop goes on; raises NotStatic."""
        if condition is None:
            return lambda _: True
        here, asked, e = self._here, self._here.values.value(condition), condition

        def ask(f: Frame) -> object:
            try:
                return asked(f)
            except UnknownValue:
                return here.known(e, f, what)

        return ask

    def _call(self, call: ast.Call, f: Frame) -> None:
        called = self._called(call)
        if called is None:
            raise self._here.fail(call.span, "an argument creates tasks")
        if called in self._calls or len(self._calls) >= MOST_CALLS:
            raise self._here.fail(call.span, f"`{called.symbol.name}` calls itself")
        inner: Frame = {}
        for param, arg in zip(called.params, call.args, strict=False):
            try:
                inner[param] = self._here.values.value(arg)(f)
            except UnknownValue as why:
                inner[param] = why
        indices, self._indices = self._indices, []
        outer, here = self._at, self._here
        self._at = outer + self._now(indices, f)
        self._enter(called)
        self._statement(called.body, inner)
        self._calls.pop()
        self._here = here
        self._indices, self._at = indices, outer

    def _now(self, indices: list[tuple[str, Symbol]], f: Frame) -> tuple[tuple[str, int], ...]:
        return tuple([(name, v) for name, s in indices if isinstance(v := f.get(s), int)])

    # --- directives ---------------------------------------------------------------------------------------------

    def _directive(self, s: DirectiveStmt, f: Frame) -> End:
        d, function = s.directive, self._here.function
        if makes_task(d):
            self._task(s, f)
        elif d.name == "taskwait":
            self._taskwait(s, f)
        elif d.name == "barrier":
            self.order.wait("barrier", d.span, function)
        elif d.name == "depobj":
            self._depends.keep(d, self._here, f)
        elif groups_tasks(d) is not False:
            first = len(self.order.nodes)
            self._statement(s.body, f)
            self.order.wait(d.name, d.span, function, first)
        elif d.name == "taskgraph" or set(d.constructs) <= _PLAIN:
            self._statement(s.body, f)
            if d.constructs[0] in ("single", "scope") and not d.clause("nowait"):
                self.order.wait(d.name, d.span, function)
        else:
            raise self._here.fail(d.span, f"tasks that are created in `{d.name}` are not followed")
        return ""

    def _taskwait(self, s: DirectiveStmt, f: Frame) -> None:
        function = self._here.function
        depends = self._depends.of(s.directive, self._here, f)
        if not depends:
            self.order.wait("taskwait", s.directive.span, function)
            return
        node = Node(len(self.order.nodes), "taskwait", s.directive.span, function, (), (), waits=True)
        self.order.add(node, depends)
        if not s.directive.clause("nowait"):
            self.order.after(node.number)

    def _task(self, s: DirectiveStmt, f: Frame) -> None:
        if s.directive.constructs[0] == "taskloop":
            self._taskloop(s, f)
            return
        construct = self._construct(s)
        node = self._add(construct, f, ())
        if construct.is_undeferred(f):
            self.order.after(node.number)
        for symbol in construct.results:
            f[symbol] = UnknownValue(symbol.name, "is assigned by a task")

    def _construct(self, s: DirectiveStmt) -> Construct:
        made = self._constructs.get(id(s))
        if made is None:
            made = self._constructs[id(s)] = Construct(s, self._here, self._values_of, self._called)
        return made

    def _add(self, c: Construct, f: Frame, also: tuple[tuple[str, int], ...]) -> Node:
        s, d, number = c.stmt, c.stmt.directive, len(self.order.nodes)
        if number >= MOST_NODES:
            raise self._here.fail(d.span, f"it has more than {MOST_NODES:,} tasks")
        depends = c.depends(c.items, f) if c.items is not None else self._depends.of(d, self._here, f)
        if c.items and len(self._calls) == 1:
            self._said.append((c, depends))
        exclusive = frozenset([x[1] for x in depends if x[0] == "mutexinoutset"]) if c.exclusive else frozenset()
        at = self._at + self._now(self._indices, f) + also
        node = Node(
            number, d.name, d.span, self._here.function, at, (), False, c.maps(f), c.accesses(f), exclusive, s
        )  # fmt: skip
        self.order.add(node, depends)
        return node

    def _taskloop(self, s: DirectiveStmt, f: Frame) -> None:
        """One node for each task where `num_tasks` or `grainsize` says how many, else one for all: it is not said."""
        d, loop = s.directive, s.body
        first = len(self.order.nodes)
        trips = self._trips(loop, f) if isinstance(loop, ast.For) else []
        share = d.clause("num_tasks", "grainsize")
        number = 1
        if share is not None and share.args and len(trips) > 0 and not d.clause("collapse"):
            said = self._here.known(share.args[0], f, f"the number of tasks of `{d.name}`")
            if isinstance(said, int) and said > 0:
                number = min(said, len(trips)) if share.name == "num_tasks" else max(1, len(trips) // said)
        each, more = divmod(len(trips), number)
        at = 0
        for k in range(number):
            self._add(self._construct(s), f, (trips[at],) if number > 1 else ())
            at += each + (k < more)
        if not d.clause("nogroup"):
            self.order.wait("taskloop", d.span, self._here.function, first)

    def _trips(self, loop: ast.For, f: Frame) -> list[tuple[str, int]]:
        inner = dict(f)
        self._statement(loop.init, inner)
        symbol = variable_changed_by(bare(loop.step)) if loop.step is not None else None
        found: list[tuple[str, int]] = []
        while symbol is not None and loop.condition is not None and loop.step is not None:
            if not self._here.known(loop.condition, inner, f"the trip count of `{symbol.name}`"):
                break
            value = inner.get(symbol)
            found.append((symbol.name, value if isinstance(value, int) else len(found)))
            self._statement(None, inner)
            self._expression(loop.step, inner)
        return found
