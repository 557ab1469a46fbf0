"""What a task certainly reads and writes, whatever the data are: for each instance, as places.

Certain is what stands in its block under no condition, the first iteration of a loop that has one, and what functions
of the unit do so to what their parameters point to.  A block with a directive, or with a call of a function that is not
known, says nothing: it may take a lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace

from ompls.analysis.dataenv.called import known_of
from ompls.analysis.dataenv.private import WITHOUT_VALUE, private_copies
from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.graphs.evaluated import Address, Frame, UnknownValue, Value, Values
from ompls.analysis.graphs.order import Access
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import DirectiveStmt, Expr, FunctionDef, Stmt, Symbol
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.peel import bare

Step = Callable[[Frame, list[Access]], None]
ValuesOf = Callable[[FunctionDef], Values]
Callee = Callable[[ast.Call], FunctionDef | None]

DEEP = 3  # calls in calls
MOST = 60  # steps of one construct
_ASKING = (ast.Conditional, ast.StatementExpr, ast.OtherExpr)


def touching(s: DirectiveStmt, values: Values, values_of: ValuesOf, callee: Callee) -> list[Step]:
    """What each instance of a `task` or target task does, to be asked in the frame that it is created in."""
    d, on_device = s.directive, s.directive.constructs[:1] == ("target",)
    if s.body is None or not (on_device or d.constructs == ("task",)) or not _is_calm(s.body, callee, set()):
        return []
    if on_device and d.clause("device", "if") is not None:
        return []
    private = private_copies(d, s.body)
    mapped = {i.symbol for c in d.all("map") for i in c.items} if on_device else None
    unset = {i.symbol for c in d.clauses if c.name in WITHOUT_VALUE for i in c.items if i.symbol is not None}
    body = _Body(
        values, values_of, callee, private, frozenset(assigned_in(s.body) | unset), mapped, frozenset(), [MOST]
    )
    return body.steps(s.body)


def _is_calm(node: ast.Node, callee: Callee, seen: set[FunctionDef]) -> bool:
    """Whether no lock is taken, nothing waited for and no task created in it."""
    for n in node.walk():
        if isinstance(n, DirectiveStmt):
            return False
        if isinstance(n, ast.Call):
            called, known = callee(n), known_of(n)
            if called is None and (known is None or known.lock or known.meets or known.ends or known.may_end):
                return False
            if called is not None and called not in seen:
                seen.add(called)
                if not _is_calm(called.body, callee, seen):
                    return False
    return True


@dataclass(frozen=True, slots=True)
class _Body:
    """A block of code.

    private -- variables that are copies in it
    changed -- variables that it gives values which are not followed
    mapped -- in a target region: the variables that are mapped
    params -- in a function that is called: the parameters
    left -- how many steps there may still be, of the whole construct
    """

    values: Values
    values_of: ValuesOf
    callee: Callee
    private: Set[Symbol]
    changed: frozenset[Symbol]
    mapped: Set[Symbol | None] | None
    params: frozenset[Symbol]
    left: list[int]
    depth: int = 0

    def steps(self, s: Stmt | None) -> list[Step]:
        found = []
        for step in self._each(s):
            found.append(step)
            self.left[0] -= 1
            if self.left[0] <= 0:
                break
        return found

    def _each(self, s: Stmt | None) -> Iterator[Step]:
        for part in _straight(s):
            if isinstance(part, ast.For):
                yield from self._loop(part)
            elif isinstance(part, ast.ExprStmt) and part.expr is not None and not _asks(part.expr):
                yield from self._expression(part.expr)

    def _expression(self, e: Expr) -> Iterator[Step]:
        for call in (n for n in e.walk() if isinstance(n, ast.Call)):
            called = self.callee(call)
            if called is not None and self.depth < DEEP:
                yield self._call(call, called)
        for use in uses(e):
            node = use.node
            if isinstance(node, Expr) and self._is_shared(use) and self._is_followed(node, use):
                for write, done in ((False, use.read), (True, use.write)):
                    if done:
                        yield self._access(node, write)

    def _is_shared(self, use: Use) -> bool:
        symbol = use.symbol
        if (
            not use.certain
            or use.escapes
            or symbol in self.private
            or isinstance(getattr(use.node, "type", None), Array)
        ):
            return False
        if use.depth == 1 and isinstance(symbol.type, Pointer):
            return symbol in self.params if self.depth else symbol.kind in ("var", "param")
        shared = symbol.kind == "var" and symbol.level == "file" and not symbol.thread_local and not self.depth
        return shared and (self.mapped is None or symbol in self.mapped)

    def _is_followed(self, e: Expr, use: Use) -> bool:
        """Whether all that chooses the storage has the values that it has in the frame."""
        names = {n.symbol for n in e.walk() if isinstance(n, ast.Name)}
        if use.depth == 0:
            names.discard(use.symbol)
        return self.changed.isdisjoint(names)

    def _access(self, e: Expr, write: bool) -> Step:
        place, device = self.values.place(e), self.mapped is not None

        def step(f: Frame, found: list[Access]) -> None:
            there = place(f)
            found.append(Access(Address((*there[0], "device"), there[1]) if device else there, write, e))

        return step

    def _loop(self, s: ast.For) -> Iterator[Step]:
        """The first iteration."""
        variable = _begun(s)
        if variable is None or s.condition is None or variable[0] in assigned_in(s.body):
            return
        symbol, first = variable
        inner = replace(self, changed=self.changed - {symbol}, private=self.private - {symbol})
        if not self.changed.isdisjoint(_names(first)) or not inner.changed.isdisjoint(_names(s.condition)):
            return
        value, goes, steps = self.values.value(first), self.values.value(s.condition), inner.steps(s.body)

        def step(f: Frame, found: list[Access]) -> None:
            inside = {**f, symbol: value(f)}
            if goes(inside):
                _run(steps, inside, found)

        yield step

    def _call(self, call: ast.Call, called: FunctionDef) -> Step:
        values = self.values_of(called)
        params, changed = frozenset(called.params), frozenset(assigned_in(called.body))
        body = _Body(
            values, self.values_of, self.callee, frozenset(), changed, self.mapped, params, self.left, self.depth + 1
        )
        steps = body.steps(called.body)
        args = [
            (p, a, self.values.value(a)) for p, a in zip(called.params, call.args, strict=False) if self._is_given(a)
        ]

        def step(f: Frame, found: list[Access]) -> None:
            inside: Frame = {p: UnknownValue(p.name, "is not followed") for p in called.params}
            for param, _, value in args:
                try:
                    given = value(f)
                except UnknownValue:
                    continue
                if given.__class__ is int or _is_everybodys(given):
                    inside[param] = given
            done: list[Access] = []
            _run(steps, inside, done)
            by = {p: a for p, a, _ in args}
            for access in done:
                arg = next((by[n] for n in _names(access.expr) if n in by and isinstance(n.type, Pointer)), None)
                if arg is not None:
                    found.append(Access(access.place, access.write, arg, called=True))

        return step

    def _is_given(self, arg: Expr) -> bool:
        names = _names(arg)
        own = any(isinstance(n, ast.Unary) and n.op == "&" for n in arg.walk()) and not self.private.isdisjoint(names)
        return self.changed.isdisjoint(names) and not own


def run(steps: list[Step], f: Frame) -> tuple[Access, ...]:
    found: list[Access] = []
    _run(steps, f, found)
    return tuple(found)


def _run(steps: list[Step], f: Frame, found: list[Access]) -> None:
    for step in steps:
        try:
            step(f, found)
        except UnknownValue:
            continue


def _is_everybodys(given: Value) -> bool:
    """Whether each task means the same storage.  A local array may be a copy of each, with other pointers in it."""
    if not isinstance(given, Address):
        return False
    whole, is_pointer = given.object, len(given.object) == 2
    while isinstance(whole[0], tuple):  # what a pointer in memory leads to
        whole, is_pointer = whole[0], False
    return is_pointer or (isinstance(whole[0], Symbol) and whole[0].level == "file")


def _begun(s: ast.For) -> tuple[Symbol, Expr] | None:
    """The variable that a loop begins with, and its first value."""
    if isinstance(s.init, ast.DeclStmt) and len(s.init.decls) == 1:
        declared = s.init.decls[0]
        return (declared.symbol, declared.init) if isinstance(declared.init, Expr) else None
    e = bare(s.init.expr) if isinstance(s.init, ast.ExprStmt) else None
    target = bare(e.target) if isinstance(e, ast.Assign) and e.op == "=" else None
    if isinstance(e, ast.Assign) and isinstance(target, ast.Name) and target.symbol is not None:
        return target.symbol, e.value
    return None


def _names(e: Expr) -> set[Symbol | None]:
    return {n.symbol for n in e.walk() if isinstance(n, ast.Name)}


def _straight(s: ast.Stmt | None) -> Iterator[Stmt]:
    """The statements that are come to, whatever happens."""
    if isinstance(s, ast.Compound):
        for item in s.items:
            yield from _straight(item)
            if isinstance(item, ast.For):
                if any(isinstance(n, ast.Jump) and n.kind in ("return", "goto") for n in item.walk()):
                    return
            elif not isinstance(item, (ast.ExprStmt, ast.DeclStmt, ast.Compound)):
                return  # it may leave the block
    elif isinstance(s, (ast.ExprStmt, ast.For)):
        yield s


def _asks(e: ast.Node) -> bool:
    return any(isinstance(n, _ASKING) or (isinstance(n, ast.Binary) and n.op in ("&&", "||")) for n in e.walk())
