"""Whether a construct may work on copies of a variable that it shares now: each unit's own value must be all that is used.

A private copy is right where every read inside follows a write by the same thread (or in the same iteration), and nobody
reads the variable behind the construct.  Where somebody does, `lastprivate` is right if each iteration assigns it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ompls.analysis.dataenv.uses import uses
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Stmt, Symbol, walk_all
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.bodies import run_by
from ompls.analysis.rules.support.flow import Flow, State

_SET: frozenset[Any] = frozenset(("set",))
_UNSET: frozenset[Any] = frozenset(("unset",))
_RESULT: frozenset[Any] = frozenset(("result",))
# Not every thread runs what these contain: what it assigns is no other thread's copy.
_SHARED_OUT = frozenset(("single", "master", "masked", "sections", "section", "task", "for", "loop", "taskloop"))
_TAKES_LAST = frozenset(("for", "distribute", "taskloop", "simd"))


class _Own(Flow):
    """Whether a copy that starts without a value has one at every read."""

    def __init__(self, symbol: Symbol) -> None:
        super().__init__()
        self.symbol = symbol
        self.enough = True

    def default(self, key: Hashable) -> frozenset[Any]:
        return _UNSET

    def expr(self, expr: Expr, state: State) -> State:
        for use in uses(expr):
            if use.symbol is self.symbol and not self.is_private(use.symbol):
                self.enough &= not use.read or state.get(use.symbol) == _SET
                state = {**state, use.symbol: _SET} if use.write and use.certain else state
        return state

    def original(self, expr: Expr, state: State, write: bool) -> State:
        if not isinstance(expr, ast.Name) or expr.symbol is not self.symbol or self.is_private(expr.symbol):
            return state
        self.enough &= write or state.get(self.symbol) == _SET
        return {**state, self.symbol: _SET} if write else state

    def directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        end = self.construct(stmt, state)
        return self.join(state, end) if _SHARED_OUT & set(stmt.directive.constructs) else end


class _After(Flow):
    """Whether a value that a construct left in a variable is read behind it, also when a loop comes to it again."""

    def __init__(self, symbol: Symbol, stmt: ast.DirectiveStmt) -> None:
        super().__init__()
        self.symbol = symbol
        self.made_by = stmt
        self.read: Node | None = None  # the first such read

    def default(self, key: Hashable) -> frozenset[Any]:
        return frozenset()

    def expr(self, expr: Expr, state: State) -> State:
        for use in uses(expr):
            if use.symbol is self.symbol and not self.is_private(use.symbol):
                state = self._use(state, use.node if use.read else None, replaced=use.write and use.certain)
        return state

    def original(self, expr: Expr, state: State, write: bool) -> State:
        if not isinstance(expr, ast.Name) or expr.symbol is not self.symbol or self.is_private(expr.symbol):
            return state
        return self._use(state, None if write else expr, replaced=write)

    def _use(self, state: State, read: Node | None, *, replaced: bool) -> State:
        if read is not None and state.get(self.symbol) and (self.read is None or read.span < self.read.span):
            self.read = read
        return {**state, self.symbol: frozenset()} if replaced else state

    def directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        """What a construct assigns may be a copy that ends with it: the value from before may still be there."""
        if stmt is self.made_by:
            self.construct(stmt, {**state, self.symbol: frozenset()})
            return {**state, self.symbol: _RESULT}
        return self.join(state, self.construct(stmt, state))


def read_behind(function: ast.FunctionDef, stmt: ast.DirectiveStmt, symbol: Symbol) -> Node | None:
    """Where the value is read that the variable has after a construct, before it gets another one."""
    after = _After(symbol, stmt)
    after.run(function.body, {})
    return after.read


def private_clause(content: Content | None, stmt: ast.DirectiveStmt, symbol: Symbol) -> str:
    """`private` or `lastprivate`, where the program then does what it does without threads; else nothing."""
    function = content.node if content is not None else None
    if content is None or content.tainted or not isinstance(function, ast.FunctionDef) or stmt.body is None:
        return ""
    if symbol.level == "file" or symbol.storage in ("static", "extern"):
        return ""  # other functions may read it, or its next call
    body = run_by(stmt.directive, stmt.body)
    if body is None or any(isinstance(n, (ast.OtherStmt, ast.OtherExpr)) for n in walk_all(function.body)):
        return ""
    if any(u.escapes for u in uses(function.body) if u.symbol is symbol) or _kept_on_device(content, symbol):
        return ""
    inside = [u for u in uses(stmt.body) if u.symbol is symbol]
    if any(not body.span.start <= u.node.span.start < body.span.end for u in inside):
        return ""  # the loop's own bounds
    own = _Own(symbol)
    end = own.run(body, {symbol: _UNSET})
    if not own.enough:
        return ""
    if read_behind(function, stmt, symbol) is None:
        return "private"
    last = _TAKES_LAST & set(stmt.directive.constructs) and end is not None and end.get(symbol) == _SET
    return "lastprivate" if last and not _leaves_early(body) else ""


def _kept_on_device(content: Content, symbol: Symbol) -> bool:
    """Whether directives of their own move the variable: its copies hold values that its name does not tell."""
    moving = ("target data", "target enter data", "target exit data", "target update")
    listed = [c for s in content.directives if s.directive.name in moving for c in s.directive.clauses]
    return any(item.symbol is symbol for clause in listed for item in clause.items)


def _leaves_early(body: Stmt) -> bool:
    return any(isinstance(n, ast.Jump) and n.kind in ("continue", "goto") for n in walk_all(body))
