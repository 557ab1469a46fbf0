"""What called functions do: with variables, and with what goes on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ompls.analysis.dataenv.called import known_of
from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.paths import is_address, root
from ompls.analysis.dataenv.symbolic import LoopRange, Poly, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import FunctionDef, Symbol
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.peel import indexed, strip
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Scene
from ompls.analysis.rules.support.framework import Unit as Program
from ompls.analysis.rules.support.ordering.accesses import may_outlive
from ompls.analysis.rules.support.ordering.constructs import Constructs
from ompls.analysis.rules.support.ordering.contexts import sequential
from ompls.analysis.rules.support.ordering.model import Clash, Entry, Touch
from ompls.analysis.rules.support.ordering.touches import path_of, resolved

_KEY = "ordering"
# Constructs that run beside something without any task: of interest where they do not make up a whole parallel region.
_PIECES = frozenset(("single", "masked", "master", "sections", "for", "distribute", "loop", "scope"))
_PREFIXES = ("omp_get_", "omp_set_", "omp_is_", "omp_in_", "omp_target_", "omp_init_", "omp_destroy_", "omp_unset_",
             "__builtin_", "mm_malloc", "_mm_")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the walk over one function gives.

    exposed -- its accesses before it first waits for something; waits -- whether it may wait
    left -- what may still be going on when it returns
    """

    clashes: tuple[Clash, ...] = ()
    exposed: tuple[Touch, ...] = ()
    waits: bool = False
    left: tuple[Entry, ...] = ()


_NOTHING = Outcome()


class Walk(Constructs):
    """The whole walk: statements, constructs and calls.

    itself -- what the function does when it calls itself
    """

    def __init__(self, content: Content, function: FunctionDef, program: Program, itself: Outcome = _NOTHING) -> None:
        super().__init__(function, program)
        self.content, self.text = content, content.text
        self.enclosing, self.inside, self.copied = [], {}, {}
        self.present = set()
        self.shared_memory = "unified_shared_memory" in program.told.requires
        self.regions = {id(r.stmt): r for r in content.regions}
        self.itself = itself
        self.called: dict[tuple[int, int], ast.Stmt] = {}
        self.conditions: dict[tuple[ast.Call, Guard], Guard] = {}

    def run(self) -> Outcome:
        self.stmt(self.function.body)
        ends = [*self.returned, *([] if self.dead else [self.live])]
        left = [e for end in ends for es in end.values() for e in es if e.unit is not None]
        for entry in left:
            self._outlives(entry)
        visible = tuple([e for e in dict.fromkeys(left) if is_visible(e.touch, self.function)])
        exposed = self.touched[: self.exposed] if self.exposed is not None else self.touched
        seen = tuple([t for t in exposed if is_visible(t, self.function)])
        signals = {s for c in (self.content, *_callees(self.content, self.program)) for s in _signals(c)}
        clashes = tuple(c for c in self.clashes.values() if c.two.symbol not in signals) if self.followed else ()
        return Outcome(clashes, seen, self.exposed is not None, visible)

    def _outlives(self, entry: Entry) -> None:
        """A variable of the function ends with it; the unit that uses it does not."""
        symbol = entry.touch.symbol
        local = symbol.level != "file" and symbol.storage not in ("static", "extern")
        if local and may_outlive(entry) and self.function.symbol.name != "main":
            end = replace(entry.touch, node=self.function, freed=True)
            self.clashes.setdefault(("scope", id(entry.unit), symbol), Clash("scope", entry, end))

    def call(self, call: ast.Call) -> None:
        name = call.function.name if isinstance(call.function, ast.Name) else ""
        content = self.program.functions.get(name)
        symbol = call.function.symbol if isinstance(call.function, ast.Name) else None
        if content is None or not isinstance(content.node, FunctionDef):
            row = known_of(call)
            known = name.startswith(_PREFIXES) or (symbol is not None and symbol.from_system_header)
            if row.meets if row is not None else not known:
                self.weaken()
            return
        below = content is self.content or content in _callees(self.content, self.program)
        if not below or (content is not self.content and self.content in _callees(content, self.program)):
            self.weaken()  # it is declared later, or they call each other
            return
        outcome: Outcome = content.memo[_KEY][1] if content is not self.content else self.itself
        for touch in outcome.exposed:
            bound = self.bind(touch, call, content.node)
            if bound is not None:
                self.touch(bound)
        if outcome.waits:
            self.forget()
        for entry in outcome.left:
            if self.is_alone() and entry.unit is not None and not entry.unit.device:
                continue
            bound = self.bind(entry.touch, call, content.node)
            if bound is not None:
                self.keep(replace(entry, touch=bound, agent=self.agent))

    def bind(self, touch: Touch, call: ast.Call, callee: FunctionDef) -> Touch | None:
        """An access of a called function in terms of the caller's variables."""
        known: dict[Any, Poly] = {}
        for param, arg in zip(callee.params, call.args, strict=False):
            value = poly_of(arg, self.place.known)
            if value is not None:
                known[param] = value
        symbol, depth, subs = touch.symbol, touch.depth, touch.subs
        node: ast.Node = call
        start: tuple[Poly | None, ...] = ()
        if symbol in callee.params:
            index = callee.params.index(symbol)
            given = call.args[index] if index < len(call.args) else None
            target = _argument(given) if given is not None else None
            if given is None or target is None or depth < 1:
                return None
            symbol, itself = target
            depth -= 1 if itself else 0
            before, start = self.start(given, symbol)
            if start:
                touch = replace(touch, way=before + touch.way, certain=touch.certain and bool(subs) and not touch.whole)
            elif itself and not isinstance(symbol.type, Array):
                subs = subs[1:] if subs else subs
            node = given
        own = {o.symbol for o in touch.loops}
        loops = tuple([_bound_loop(o, known, self.anew(o, call), own) for o in touch.loops])
        values = tuple([_bound(s, known, own) for s in subs])
        if start:
            first, last = start[-1], values[0] if values else None
            values = (*start[:-1], first + last if first is not None and last is not None else None, *values[1:])
            if None in values:  # somewhere beyond there: `memcpy` of what lies before does not meet it
                touch = replace(touch, certain=False)
        tested = tuple([self.passed(g, call, known, own) for g in touch.guards])
        held, guards = touch.held | self.place.held, (*self.place.guards, *tested)
        made = replace(touch, symbol=symbol, depth=depth, node=node, subs=values, loops=(*self.place.loops, *loops),
                       held=held, guards=guards)  # fmt: skip
        return resolved(made, self.place)

    def passed(self, guard: Guard, call: ast.Call, known: dict[Any, Poly], own: set[Symbol | None]) -> Guard:
        """A condition of a called function in terms of the caller's variables."""
        made = self.conditions.get((call, guard))
        if made is None:
            facts = tuple([(p, op) for old, op in guard.facts if (p := _bound(old, known, own)) is not None])
            made = self.conditions[call, guard] = replace(guard, facts=facts, passed=True)
        return made

    def anew(self, loop: LoopRange, call: ast.Call) -> ast.Stmt:
        """What stands for a loop of a called function: that of another call has iterations of its own."""
        return self.called.setdefault((id(call), id(loop.stmt)), ast.Stmt(loop.stmt.span))

    def start(self, arg: ast.Expr, symbol: Symbol) -> tuple[str, tuple[Poly | None, ...]]:
        """The way to the element of `symbol` that a pointer argument points to; nothing when it is the first one."""
        arg = strip(arg)
        if isinstance(arg, ast.Name) or (isinstance(arg, ast.Unary) and isinstance(strip(arg.operand), ast.Name)):
            return "", ()
        if isinstance(arg, ast.Unary):
            return path_of(arg.operand, self.place)
        offset = arg.right if isinstance(arg, ast.Binary) and root(arg.left) is symbol else None
        return "", (poly_of(offset, self.place.known) if offset is not None else None,)


def _argument(arg: ast.Expr) -> tuple[Symbol, bool] | None:
    """What a pointer argument points to: a variable itself (True), or what a pointer variable points to."""
    arg = strip(arg)
    if isinstance(arg, ast.Unary) and arg.op == "&":
        inner = strip(arg.operand)
        named = isinstance(inner, ast.Name) and inner.symbol is not None and inner.symbol.kind in ("var", "param")
        if named and isinstance(inner, ast.Name) and inner.symbol is not None:
            return inner.symbol, True
        return _argument(_array(inner)) if isinstance(inner, ast.Index) else None
    if isinstance(arg, ast.Binary) and arg.op == "+" and is_address(arg.left.type):
        left = strip(arg.left)
        return _argument(left) if isinstance(left, ast.Name) else None
    if isinstance(arg, ast.Name) and arg.symbol is not None and arg.symbol.kind in ("var", "param"):
        if isinstance(arg.type, Array):
            return arg.symbol, True
        if isinstance(arg.type, Pointer):
            return arg.symbol, False
    return None


def _array(element: ast.Expr) -> ast.Expr:
    """`a` of `a[i][j]`, when all that lies between is arrays; the element itself when not."""
    at = element
    while isinstance(at, ast.Index):
        at = strip(indexed(at))
        if not isinstance(at.type, Array) and not isinstance(at, ast.Name):
            return element
    return at


def _bound(sub: Poly | None, known: dict[Any, Poly], own: set[Symbol | None]) -> Poly | None:
    # In a function that calls itself the same names mean the variables of another call.
    if sub is None or not all(s.level == "file" or s in own or s in known for s in sub.symbols()):
        return None
    return sub.substitute(known)


def _bound_loop(loop: LoopRange, known: dict[Any, Poly], stmt: ast.Stmt, own: set[Symbol | None]) -> LoopRange:
    lower, upper = _bound(loop.lower, known, own), _bound(loop.upper, known, own)
    return loop._replace(lower=lower, upper=upper, stmt=stmt)


def _signals(content: Content) -> frozenset[Symbol]:
    """Variables with which the program makes an order of its own: by atomic reads and writes, and flushes of them."""
    found: frozenset[Symbol] | None = content.memo.get(f"{_KEY}-signals")
    if found is None:
        symbols: set[Symbol | None] = set()
        for stmt in content.directives:
            directive = stmt.directive
            if directive.name == "flush":
                symbols.update(i.symbol for i in directive.args)
            elif directive.name == "atomic" and directive.clause("read", "write", "capture") and stmt.body is not None:
                symbols.update(n.symbol for n in stmt.body.walk() if isinstance(n, ast.Name))
        found = content.memo[f"{_KEY}-signals"] = frozenset(s for s in symbols if s is not None)
    return found


def is_visible(touch: Touch, function: FunctionDef) -> bool:
    """Whether callers can tell which storage it is: a variable of the file, or what a parameter points to."""
    symbol = touch.symbol
    return symbol.level == "file" or (symbol in function.params and touch.depth > 0)


def outcome_of(content: Content, program: Program) -> Outcome:
    """What a function does and leaves going; kept with its text until something that it calls changes.

    What it calls is looked at first, so that no walk starts another.
    """
    done: set[Content] = program.summaries.setdefault(f"{_KEY}-done", set())
    for one in (*_callees(content, program), content):
        if one in done:
            continue
        done.add(one)
        key = _key(one, program)
        kept = one.memo.get(_KEY)
        if (kept is None or kept[0] != key) and isinstance(one.node, FunctionDef):
            found = Walk(one, one.node, program).run()
            if one.node.symbol in one.calls and creates(one):  # what it did so far is what the calls in it do
                found = Walk(one, one.node, program, found).run()
            one.memo[_KEY] = (key, found)
    outcome: Outcome = content.memo[_KEY][1] if _KEY in content.memo else _NOTHING
    return outcome


def _callees(content: Content, program: Program) -> tuple[Content, ...]:
    """The functions of the unit that this one calls, and those that they call, the innermost first."""
    known: dict[Content, tuple[Content, ...]] = program.summaries.setdefault(_KEY, {})
    made = known.get(content)
    if made is None:
        done: dict[Content, None] = {}
        begun = {content}
        waiting = [(content, iter(content.calls))]
        while waiting:
            at, calls = waiting[-1]
            symbol = next(calls, None)
            if symbol is None:
                waiting.pop()
                done[at] = None
            elif (called := program.functions.get(symbol.name)) is not None and called not in begun:
                begun.add(called)
                waiting.append((called, iter(called.calls)))
        made = known[content] = tuple([c for c in done if c is not content])
    return made


def _key(content: Content, program: Program) -> tuple[object, ...]:
    """All that the outcome for a function depends on besides its text."""
    alone = sequential(program)
    callees = _callees(content, program)
    names = (c.node.symbol.name for c in (content, *callees) if isinstance(c.node, FunctionDef))
    return (
        callees,
        program.told.threadprivate,
        program.told.requires,
        frozenset(alone.intersection(names)) if alone else alone,
    )


def creates(content: Content) -> bool:
    """Whether a function itself creates something that may run later."""
    found: bool | None = content.memo.get(f"{_KEY}-creates")
    if found is None:
        found = any(
            {"task", "taskloop"} & set(s.directive.constructs) or s.directive.clause("nowait") is not None
            for s in content.directives
        )
        content.memo[f"{_KEY}-creates"] = found
    return found


def _has_pieces(content: Content) -> bool:
    """Whether something may go on beside something else without any task."""
    first = {s.directive.constructs[0] for s in content.directives if s.directive.constructs}
    sections = any("sections" in s.directive.constructs for s in content.directives)
    return bool(first & _PIECES) or sections or ("parallel" in first and any(n.startswith("target") for n in first))


def clashes_of(scene: Scene) -> tuple[Clash, ...]:
    """Every pair of accesses in a function that nothing orders, those through the functions that it calls included."""
    content = scene.content
    if content is None or scene.function is None:
        return ()
    if not _has_pieces(content) and not creates(content) and not any(creates(c) for c in _callees(content, scene.unit)):
        return ()
    return outcome_of(content, scene.unit).clashes
