"""Forward data flow over one function's statements: a state goes in, joined states come out.

A state maps keys to sets of what may hold for them; joining is union.  Loops run until nothing changes, `goto` reaches
its label in the next round.  A rule derives from `Flow` and says what expressions and directives do to a state; it is
called again for the same node with larger and larger states, so the last call for a node is the one that counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

from ompls.analysis.dataenv.private import PRIVATISING, private_copies
from ompls.analysis.dataenv.uses import list_item_operands
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Stmt, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.peel import bare
from ompls.analysis.spec.runtime import NO_RETURN

State = dict[Hashable, frozenset[Any]]
_ROUNDS = 8  # of a loop; each adds at least one fact about one key, and few keys change in a loop


class Flow(ABC):
    """Runs over a body with `run`; the hooks are `default`, `expr`, `declare` and `directive`."""

    def __init__(self) -> None:
        self.breaks: list[list[State]] = []
        self.continues: list[list[State]] = []
        self.switches: list[State] = []
        self.labels: dict[str, State] = {}
        self.returns: list[State] = []
        self.private: list[set[Symbol]] = []  # variables that stand for private copies where the analysis is

    # --- hooks

    @abstractmethod
    def default(self, key: Hashable) -> frozenset[Any]:
        """What holds for a key that no state mentions."""

    @abstractmethod
    def expr(self, expr: Expr, state: State) -> State:
        """The state after evaluating `expr` (a whole expression of a statement)."""

    def declare(self, decl: ast.VarDecl, state: State) -> State:
        """The state after a declaration; its initialiser is still to be evaluated."""
        return self.expr(decl.init, state) if decl.init is not None else state

    def directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        """The state after a directive and its body; this one treats it as its body with its private copies."""
        return self.construct(stmt, state)

    # --- the engine

    def run(self, body: Stmt, state: State) -> State | None:
        """The state at the end of the function; None when the end is never reached.  `returns` has the others."""
        end: State | None = None
        for _ in range(4):
            before = dict(self.labels)
            self.returns = []
            end = self.stmt(body, state)
            if self.labels == before:
                break
        return end

    def join(self, a: State | None, b: State | None) -> State | None:
        if a is None or b is None:
            return b if a is None else a
        if a == b:
            return a
        keys = a.keys() | b.keys()
        return {k: (a[k] if k in a else self.default(k)) | (b[k] if k in b else self.default(k)) for k in keys}

    def stmt(self, stmt: Stmt | None, state: State | None) -> State | None:
        if stmt is None:
            return state
        if isinstance(stmt, ast.Labeled):
            return self.stmt(stmt.body, self.join(state, self.labels.get(stmt.name)))
        if state is None and not any(isinstance(n, (ast.Labeled, ast.Case)) for n in stmt.walk()):
            return None
        match stmt:
            case ast.Compound():
                for s in stmt.items:
                    state = self.stmt(s, state)
                return state
            case ast.ExprStmt():
                return self._expression(stmt.expr, state)
            case ast.DeclStmt():
                for decl in stmt.decls:
                    state = self.declare(decl, state) if state is not None else None
                return state
            case ast.If():
                return self._if(stmt, state)
            case ast.While() | ast.DoWhile() | ast.For():
                return self._loop(stmt, state)
            case ast.Switch():
                return self._switch(stmt, state)
            case ast.Case():
                if self.switches:
                    state = self.join(state, self.switches[-1])
                return self.stmt(stmt.body, state)
            case ast.Jump():
                return self._jump(stmt, state)
            case ast.DirectiveStmt():
                return self.directive(stmt, state) if state is not None else None
            case _:
                for child in stmt.children():
                    if isinstance(child, Expr):
                        state = self._expression(child, state)
                    elif isinstance(child, Stmt):
                        state = self.stmt(child, state)
                return state

    def _expression(self, expr: Expr | None, state: State | None) -> State | None:
        if expr is None or state is None:
            return state
        state = self.expr(expr, state)
        inner = bare(expr)
        if isinstance(inner, ast.Call) and isinstance(inner.function, ast.Name) and inner.function.name in NO_RETURN:
            return None
        return state

    def _if(self, stmt: ast.If, state: State | None) -> State | None:
        """A ladder of `else if` is walked without recursion over its length."""
        ends: list[State | None] = []
        at: Stmt | None = stmt
        while isinstance(at, ast.If):
            state = self._expression(at.condition, state)
            known = fold(at.condition)
            ends.append(self.stmt(at.then, state if known != 0 else None))
            state, at = (state if not known else None), at.otherwise
        end = self.stmt(at, state)
        for then in reversed(ends):
            end = self.join(then, end)
        return end

    def _loop(self, stmt: ast.While | ast.DoWhile | ast.For, state: State | None) -> State | None:
        condition, step = stmt.condition, None
        if isinstance(stmt, ast.For):
            state, step = self.stmt(stmt.init, state), stmt.step
        endless = condition is None or bool(fold(condition))
        done: State | None = None
        for _ in range(_ROUNDS):
            self.breaks.append([])
            self.continues.append([])
            at_test = state if isinstance(stmt, ast.DoWhile) else self._expression(condition, state)
            end = self.stmt(stmt.body, at_test)
            for other in self.continues.pop():
                end = self.join(end, other)
            if isinstance(stmt, ast.DoWhile):
                end = at_test = self._expression(condition, end)
            end = self._expression(step, end)
            done = None if endless else at_test
            for other in self.breaks.pop():
                done = self.join(done, other)
            again = None if isinstance(stmt, ast.DoWhile) and fold(condition) == 0 else end
            grown = self.join(state, again)
            if grown == state:
                break
            state = grown
        return done

    def _switch(self, stmt: ast.Switch, state: State | None) -> State | None:
        state = self._expression(stmt.condition, state)
        self.switches = [*self.switches, state if state is not None else {}]
        self.breaks.append([])
        end = self.stmt(stmt.body, None)
        self.switches = self.switches[:-1]
        for other in self.breaks.pop():
            end = self.join(end, other)
        has_default = any(isinstance(n, ast.Case) and n.value is None for n in stmt.body.walk())
        return end if has_default else self.join(end, state)

    def _jump(self, stmt: ast.Jump, state: State | None) -> State | None:
        if state is None:
            return None
        if stmt.kind == "return":
            state = self.expr(stmt.value, state) if stmt.value is not None else state
            self.returns.append(state)
        elif stmt.kind == "goto":
            joined = self.join(self.labels.get(stmt.label), state)
            self.labels[stmt.label] = joined if joined is not None else state
        else:
            stack = self.breaks if stmt.kind == "break" else self.continues
            if stack:
                stack[-1].append(state)
        return None

    # --- constructs

    def construct(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        """Clauses' expressions, reads of originals, the body over private copies, values that go back."""
        directive = stmt.directive
        for clause in directive.clauses:
            for arg in clause.args:
                state = self.expr(arg, state)
            for item in clause.items:
                for use in list_item_operands(item.expr):
                    state = self.expr(use.node, state) if isinstance(use.node, Expr) else state
                if PRIVATISING.get(clause.name, (False, False))[0]:
                    state = self.original(item.expr, state, False)
        self.private.append(private_copies(directive, stmt.body))
        end = self.stmt(stmt.body, state)
        self.private.pop()
        for clause in directive.clauses:
            if end is not None and PRIVATISING.get(clause.name, (False, False))[1]:
                for item in clause.items:
                    end = self.original(item.expr, end, True)
        return end

    def original(self, expr: Expr, state: State, write: bool) -> State:
        """A construct reads or writes the original variable of a private copy."""
        return state

    def is_private(self, symbol: Symbol | None) -> bool:
        return symbol is not None and any(symbol in s for s in self.private)
