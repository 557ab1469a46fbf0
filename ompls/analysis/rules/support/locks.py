"""Which locks a function certainly holds where: a walk over its statements, with calls inside of the unit.

A lock is known by its expression, when that names the same lock all along: a variable, a member, an element with a constant
subscript.  Locks that the function only tries to take are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by
from ompls.analysis.model.ast import Expr, FunctionDef, Node, Stmt, Symbol, walk_all
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.peel import bare, strip
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Unit

_KEY = "locks"
Lock = tuple[Symbol, str]  # the variable at its base, the way to it
Held = dict[Lock, ast.Call]  # with the call that took it
# Constructs whose threads or tasks hold none of their creator's locks.
_APART = frozenset(("parallel", "teams", "target", "task", "taskloop"))
# Constructs that perhaps another thread runs.
_OTHERS = frozenset(("single", "masked", "master", "sections", "section", "for", "distribute", "loop", "scope"))


@dataclass(slots=True)
class Locking:
    """What a walk finds out.

    twice -- (the call that waits for ever, the call that took the lock, whether in an iteration before)
    left -- (the `return`, the lock, the call that took it) where a lock is held
    ends -- the locks held at each `return`, and where the function's body ends
    first -- for each lock whether the function takes it before it releases it
    """

    twice: list[tuple[ast.Call, ast.Call, bool]] = field(default_factory=list)
    left: list[tuple[ast.Jump, Lock, ast.Call]] = field(default_factory=list)
    ends: list[Held] = field(default_factory=list)
    first: dict[Lock, bool] = field(default_factory=dict)
    released: set[Lock] = field(default_factory=set)


def lock_call(node: Node) -> tuple[str, ast.Call, Expr] | None:
    """('set', 'unset', 'test', 'init' or 'destroy', the call, the lock's expression) of a call of a lock routine."""
    if not isinstance(node, ast.Call) or not isinstance(node.function, ast.Name) or not node.args:
        return None
    name = node.function.name
    if not name.startswith("omp_") or not name.endswith(("_lock", "_lock_with_hint")):
        return None
    arg = strip(node.args[0])
    target = arg.operand if isinstance(arg, ast.Unary) and arg.op == "&" else arg
    return name.split("_")[1], node, strip(target)


def lock_of(expr: Expr) -> Lock | None:
    """The lock that an expression names, when it is the same all along."""
    way = ""
    at = strip(expr)
    while not isinstance(at, ast.Name):
        if isinstance(at, ast.Member):
            way, at = f".{at.field}{way}", strip(at.base)
        elif isinstance(at, ast.Index) and (number := fold(at.index)) is not None:
            way, at = f"[{number}]{way}", strip(at.base)
        else:
            return None
    symbol = root(at)
    return (symbol, way) if symbol is not None else None


def locking_of(content: Content, unit: Unit) -> Locking | None:
    """What the function of `content` does with locks; None when it has none, or jumps about."""
    function = content.node
    if not isinstance(function, FunctionDef) or b"omp_set_" not in content.text:
        return None
    if any(isinstance(n, ast.Labeled) for n in function.body.walk()):
        return None
    walk = _Walk(function, unit)
    end = walk.stmt(function.body, {})
    walk.found.ends += [end] if end is not None else []
    return walk.found


def taken_by(content: Content) -> tuple[Lock, ...]:
    """Locks (no nestable ones) that a function takes first thing, on all ways."""
    kept: tuple[Lock, ...] | None = content.memo.get(_KEY)
    if kept is None:
        kept = content.memo[_KEY] = tuple(_first_taken(content))
    return kept


def _first_taken(content: Content) -> Iterator[Lock]:
    body = content.node.body if isinstance(content.node, FunctionDef) else None
    for item in body.items if body is not None else ():
        call = lock_call(item.expr) if isinstance(item, ast.ExprStmt) and item.expr is not None else None
        if call is None:
            if any(isinstance(n, (ast.Call, ast.Jump, ast.DirectiveStmt)) for n in item.walk()):
                return
            continue
        lock = lock_of(call[2])
        if call[0] != "set" or "nest" in _name(call[1]) or lock is None:
            return
        yield lock


def _name(call: ast.Call) -> str:
    return call.function.name if isinstance(call.function, ast.Name) else ""


class _Walk:
    def __init__(self, function: FunctionDef, unit: Unit) -> None:
        self.function, self.unit = function, unit
        self.found = Locking()
        self.breaks: list[list[Held]] = []
        self.again = False
        # Locks behind variables that change, and those that are only tried, are nobody's matter.
        self.unknown = _unfollowed(function)

    def stmt(self, stmt: Stmt | None, held: Held | None) -> Held | None:
        """The locks certainly held after a statement; None: it is not reached."""
        if stmt is None or held is None:
            return held
        match stmt:
            case ast.Compound():
                for item in stmt.items:
                    held = self.stmt(item, held)
                return held
            case ast.If():
                return self._if(stmt, held)
            case ast.For() | ast.While() | ast.DoWhile():
                return self._loop(stmt, held)
            case ast.Switch():
                self.breaks.append([])
                self.stmt(stmt.body, None)
                self.breaks.pop()
                touched = {lock for n in stmt.walk() if (c := lock_call(n)) and (lock := lock_of(c[2]))}
                return {k: v for k, v in held.items() if k not in touched}
            case ast.Jump():
                return self._jump(stmt, held)
            case ast.DirectiveStmt():
                return self._directive(stmt, held)
            case _:
                return self.expr(stmt, held)

    def _if(self, stmt: ast.If, held: Held) -> Held | None:
        ends: list[Held | None] = []
        at: Stmt | None = stmt
        while isinstance(at, ast.If):
            held = self.expr(at.condition, held)
            ends.append(self.stmt(at.then, held))
            at = at.otherwise
        end = self.stmt(at, held)
        for then in reversed(ends):
            end = _both(then, end)
        return end

    def _loop(self, stmt: ast.For | ast.While | ast.DoWhile, held: Held) -> Held | None:
        if isinstance(stmt, ast.For):
            held = self.stmt(stmt.init, held) or {}
        start = self.expr(stmt.condition, held) if stmt.condition is not None else held
        self.breaks.append([])
        end = self.stmt(stmt.body, start)
        if end is not None and not self.again and any(k not in start for k in end):
            self.again = True
            self.stmt(stmt.body, end)
            self.again = False
        out: Held | None = None if stmt.condition is None or fold(stmt.condition) else start
        for other in self.breaks.pop():
            out = _both(out, other)
        return _both(out, end) if stmt.condition is not None and not fold(stmt.condition) else out

    def _jump(self, stmt: ast.Jump, held: Held) -> Held | None:
        if stmt.value is not None:
            held = self.expr(stmt.value, held)
        if stmt.kind == "return":
            self.found.ends.append(held)
            self.found.left += [(stmt, lock, call) for lock, call in held.items()]
        elif stmt.kind == "break" and self.breaks:
            self.breaks[-1].append(held)
        return None

    def _directive(self, stmt: ast.DirectiveStmt, held: Held) -> Held | None:
        constructs = set(stmt.directive.constructs)
        if constructs & _APART:
            self.stmt(stmt.body, {})
            return held
        end = self.stmt(stmt.body, held)
        return _both(end, held) if constructs & _OTHERS else end

    def expr(self, node: Node, held: Held) -> Held:
        """The locks held after the calls in an expression or a declaration."""
        for call in (n for n in walk_all(node) if isinstance(n, ast.Call)):
            routine = lock_call(call)
            held = self._routine(routine, held) if routine is not None else self._call(call, held)
        return held

    def _routine(self, routine: tuple[str, ast.Call, Expr], held: Held) -> Held:
        what, call, expr = routine
        lock = lock_of(expr)
        if what == "unset" and lock not in held:  # one that is held, by another name?
            held = {k: v for k, v in held.items() if not (lock is None or _is_pointer(lock) or _is_pointer(k))}
        if lock is None or lock[0] in self.unknown:
            return held
        self.found.first.setdefault(lock, what == "set")
        if what == "set" and "nest" not in _name(call):
            if lock in held:
                self.found.twice.append((call, held[lock], self.again))
            return {**held, lock: call}
        if what in ("unset", "destroy", "init"):
            self.found.released.add(lock)
            return {k: v for k, v in held.items() if k != lock}
        return held

    def _call(self, call: ast.Call, held: Held) -> Held:
        """A function that takes a lock again; any function that is not known to leave locks alone ends what is known."""
        content = self.unit.functions.get(_name(call))
        if content is None:
            given = {root(strip(a)) for a in call.args}
            harmless = call.function.symbol if isinstance(call.function, ast.Name) else None
            mine = harmless is None or not (harmless.from_system_header or _name(call).startswith(("omp_", "print")))
            return {k: v for k, v in held.items() if k[0] not in given and not (mine and k[0].level == "file")}
        for lock in taken_by(content):
            mine_lock = self._bound(lock, call, content)
            if mine_lock is not None and mine_lock in held:
                self.found.twice.append((call, held[mine_lock], self.again))
        return {} if _locks_below(content, self.unit) else held

    def _bound(self, lock: Lock, call: ast.Call, content: Content) -> Lock | None:
        """A lock of a called function as the caller names it."""
        symbol, way = lock
        params = content.node.params if isinstance(content.node, FunctionDef) else []
        if symbol not in params:
            return lock if symbol.level == "file" else None
        index = params.index(symbol)
        if index >= len(call.args):
            return None
        arg = strip(call.args[index])
        inner = lock_of(arg.operand if isinstance(arg, ast.Unary) and arg.op == "&" else arg)
        return (inner[0], inner[1] + way) if inner is not None else None


def _is_pointer(lock: Lock) -> bool:
    return isinstance(lock[0].type, Pointer)


def _both(a: Held | None, b: Held | None) -> Held | None:
    if a is None or b is None:
        return b if a is None else a
    return {k: v for k, v in a.items() if k in b}


def _unfollowed(function: FunctionDef) -> set[Symbol]:
    found: set[Symbol] = set()
    for node in walk_all(function.body):
        routine = lock_call(node)
        if routine is not None and routine[0] == "test" and (symbol := root(routine[2])) is not None:
            found.add(symbol)
        target = bare(assigned_by(node))
        if isinstance(target, ast.Name) and target.symbol is not None:
            found.add(target.symbol)
    return found


def _locks_below(content: Content, unit: Unit) -> bool:
    """Whether a function may do anything with locks, itself or through others."""
    seen, waiting = {content}, [content]
    while waiting:
        at = waiting.pop()
        for symbol in at.calls:
            called = unit.functions.get(symbol.name)
            if symbol.name.startswith("omp_") and symbol.name.endswith("_lock"):
                return True
            if called is not None and called not in seen:
                seen.add(called)
                waiting.append(called)
    return False
