"""Scalars that a target region assigns in a copy of its own: which of them the host reads afterwards, and where.

For the rule that reports them, and for the refactoring that maps them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ompls.analysis.dataenv.paths import depth_of
from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.tu import Content, Region, Variable
from ompls.analysis.rules.support.flow import Flow, State

_REPLACED = "replaced"  # the host has assigned the variable since a region did


class _Stale(Flow):
    """For each scalar, the regions whose assignment to it did not come back and was not overwritten since."""

    def __init__(self, regions: list[Region]) -> None:
        super().__init__()
        self.regions = {id(r.stmt): r for r in regions}
        self.read_after: dict[tuple[int, Symbol], Node] = {}  # the first read of the lost value
        self.within: list[int] = []  # the region where the analysis is
        self.next_time: dict[tuple[int, Symbol], Node] = {}  # reads of the region itself, when it runs again

    def default(self, key: Hashable) -> frozenset[Any]:
        return frozenset()

    def expr(self, expr: Expr, state: State) -> State:
        for use in uses(expr):
            if use.depth == 0 and not self.is_private(use.symbol):
                state = self._use(use, state)
        return state

    def declare(self, decl: ast.VarDecl, state: State) -> State:
        state = super().declare(decl, state)
        return {**state, decl.symbol: frozenset()} if decl.symbol in state else state

    def original(self, expr: Expr, state: State, write: bool) -> State:
        if not isinstance(expr, ast.Name) or expr.symbol is None or self.is_private(expr.symbol):
            return state
        return self._use(Use(expr.symbol, expr, 0, not write, write), state)

    def _use(self, use: Use, state: State) -> State:
        stale = state.get(use.symbol)
        if not stale:
            return state
        if use.read and use.certain:
            for region in stale - {_REPLACED}:
                # `count += …` goes on with the old value; after `if (…) last = i;` it is perhaps not meant.  Nor is it
                # when the host assigns the variable on another way from the region to here.
                again = (region in self.within and not use.write) or _REPLACED in stale
                kept = self.next_time if again else self.read_after
                known = kept.get((region, use.symbol))
                if known is None or use.node.span < known.span:
                    kept[region, use.symbol] = use.node
        if use.write or not use.certain:
            return {**state, use.symbol: frozenset((_REPLACED,))}
        return state

    def directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        region = self.regions.get(id(stmt))
        if region is None:
            return self._host_directive(stmt, state)
        self.within.append(id(stmt))
        end = self.construct(stmt, state)
        self.within.pop()
        after = dict(state if end is None else end)
        for variable in region.variables:
            if loses(variable):
                after[variable.symbol] = (state.get(variable.symbol, frozenset()) - {_REPLACED}) | {id(stmt)}
        return after

    def _host_directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        """`target update to(x)` and `map(to: x)` read x; `from` overwrites it."""
        for clause in stmt.directive.all("map", "to", "from"):
            kind = clause.keyword if clause.name == "map" else clause.name
            for item in clause.items:
                if kind in ("to", "tofrom", "") or kind == "from":
                    state = self.original(item.expr, state, kind == "from")
        return self.construct(stmt, state)


def lost(content: Content) -> Iterator[tuple[Region, Variable, Node, bool]]:
    """(region, scalar, where its old value is read, whether the region itself reads it, when it runs again)."""
    function = content.node
    if not isinstance(function, ast.FunctionDef):
        return
    regions = [r for r in content.regions if any(loses(v) for v in r.variables) and not r.wants_copies]
    if not regions:
        return
    flow = _Stale(regions)
    flow.run(function.body, {})
    for region in regions:
        for variable in region.variables:
            key = (id(region.stmt), variable.symbol)
            read, again = flow.read_after.get(key), flow.next_time.get(key)
            first = read if read is not None else again
            if first is not None and loses(variable):
                yield region, variable, first, read is None


def loses(variable: Variable) -> bool:
    """Whether the region assigns its own copy of an implicitly firstprivate scalar."""
    return variable.copied_by_default and bool(assignments(variable))


def assignments(variable: Variable) -> list[Node]:
    """Writes of the variable itself, not of what it points to, nor by who gets its address."""
    addresses = [n for n in variable.writes if isinstance(n, ast.Unary) and n.op == "&"]
    # A pointer whose value goes on (`q = p`) is there for what it points to, at the same node that reads it.
    copied = {id(n) for n in variable.reads} if isinstance(variable.symbol.type, Pointer) else set()
    found = [n for n in variable.writes if n not in addresses and isinstance(n, Expr) and depth_of(n) == 0]
    return [n for n in found if id(n) not in copied]


def is_expected(function: ast.FunctionDef, symbol: Symbol, read: Node) -> bool:
    """Whether the read is a comparison with what the variable had before: the program expects the old value.

    That is a constant that the host has given it, or a variable that it was copied to.
    """
    given: set[object] = set()
    compared: list[Expr] = []
    for n in function.body.walk():
        if isinstance(n, ast.VarDecl) and n.symbol is symbol:
            given.add(_constant(n.init))
        elif isinstance(n, ast.Assign) and isinstance(n.target, ast.Name):
            if n.target.symbol is symbol:
                given.add(_constant(n.value))
            elif isinstance(n.value, ast.Name) and n.value.symbol is symbol:
                given.add(n.target.symbol)
        elif isinstance(n, ast.Binary) and n.op in ("==", "!=", "-") and read in (n.left, n.right):
            compared.append(n.right if n.left is read else n.left)
    found = {*map(_constant, compared), *(e.symbol for e in compared if isinstance(e, ast.Name))}
    return bool((found & given) - {None})


def _constant(expr: Expr | None) -> object:
    """The value of a constant; None for anything else."""
    return float(expr.text.rstrip("fFlL")) if isinstance(expr, ast.FloatLiteral) else fold(expr)
