"""Updates of elements that data choose, of which two iterations choose the same: the nearest of k centres, which are the
same k for all points; both ends of an edge, which other edges have, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access, Walk
from ompls.analysis.dataenv.symbolic import CHANGED, LoopRange, Poly, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in, variable_changed_by
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.races.computed import Functions
from ompls.analysis.rules.support.races.levels import Level

_NEARBY = 16  # elements that neighbours are apart


def is_chosen(access: Access, level: Level, functions: Functions) -> bool:
    """Whether it updates an element that an iteration chooses among those that all iterations choose among.

    `for (c = 0; c < k; c++) if (near(c)) best = c; count[best]++`: the index gets nothing but constants and the variable
    of an inner loop that is the same loop for all.
    """
    by = access.by
    target = by.target if isinstance(by, ast.Assign) else by.operand if isinstance(by, ast.Unary) else None
    if target is None or not (access.read and access.write) or access.inner is not None:
        return False
    choice = _Choice(level.stmt, functions)
    if level.bound >= 0:  # what a thread has worked out before its share of the iterations is its own
        choice.assigned = assigned_in(access.directives[level.bound])
    found = False
    for index in _indices(target):
        if isinstance(index, ast.Name) and index.symbol is not None and choice.chooses(index.symbol):
            found = True
        elif not choice.is_alike(index):
            return False
    return found


class _Choice:
    """What is the same for all iterations of a construct (for all calls of a function), and what is chosen among that."""

    def __init__(self, node: Node, functions: Functions) -> None:
        self.node, self.functions = node, functions
        self.assigned = assigned_in(node)
        self.declared = {n.symbol for n in node.walk() if isinstance(n, ast.VarDecl)}

    def chooses(self, symbol: Symbol) -> bool:
        """Whether a variable of each iteration's own gets nothing but numbers that all may get."""
        if symbol not in self.declared or symbol.storage == "static":
            return False
        heads = {id(n) for f in self.node.walk() if isinstance(f, ast.For) for n in _head(f)}
        values: list[Expr] = [symbol.init] if symbol.init is not None else []
        for n in self.node.walk():
            if isinstance(n, ast.VarDecl) or variable_changed_by(n) is not symbol:
                continue
            if not isinstance(n, ast.Assign) or n.op != "=" or id(n) in heads:
                return False
            values.append(n.value)
        return any(fold(v) is None for v in values) and all(fold(v) is not None or self._gives(v) for v in values)

    def _gives(self, value: Expr) -> bool:
        """Whether a value is the variable of an inner loop that is alike for all, or a function has chosen it so."""
        value = bare(value)
        if isinstance(value, ast.Name) and value.symbol is not None:
            return self.counts(value.symbol)
        name = value.function.name if isinstance(value, ast.Call) and isinstance(value.function, ast.Name) else ""
        called = self.functions.get(name)
        if not isinstance(value, ast.Call) or called is None or not isinstance(called.node, ast.FunctionDef):
            return False
        inside = _Choice(called.node.body, {})
        returned = [bare(n.value) for n in called.node.body.walk() if isinstance(n, ast.Jump) and n.value is not None]
        given = zip(called.node.params, value.args, strict=False)
        unlike = {param for param, arg in given if not self.is_alike(arg)}
        inside.assigned |= unlike
        return len(returned) == 1 and isinstance(one := returned[0], ast.Name) and (
            one.symbol is not None and inside.chooses(one.symbol)
        )  # fmt: skip

    def counts(self, symbol: Symbol) -> bool:
        """Whether it is the variable of one inner loop, whose head says the same for all."""
        loops = [
            n
            for n in self.node.walk()
            if isinstance(n, ast.For) and n.init is not None and symbol in assigned_in(n.init)
        ]
        if len(loops) != 1 or symbol in assigned_in(loops[0].body):
            return False
        names = (n.symbol for n in _head(loops[0]) if isinstance(n, ast.Name))
        return all(s is symbol or s is None or s not in self.assigned for s in names)

    def is_alike(self, index: Expr) -> bool:
        """Whether all iterations have the same values for it."""
        for n in index.walk():
            if isinstance(n, (ast.Call, ast.Index, ast.Assign)):
                return False
            symbol = n.symbol if isinstance(n, ast.Name) else None
            if symbol is not None and symbol in self.assigned and not self.counts(symbol):
                return False
        return True


def _head(loop: ast.For) -> Iterator[Node]:
    for part in (loop.init, loop.condition, loop.step):
        if part is not None:
            yield from part.walk()


def _indices(target: Expr) -> Iterator[Expr]:
    """The subscripts of an lvalue."""
    at = bare(target)
    while isinstance(at, (ast.Index, ast.Member, ast.Unary)):
        if isinstance(at, ast.Index):
            yield bare(at.index)
        at = bare(at.operand) if isinstance(at, ast.Unary) else bare(at.base)


def is_exchange(a: Access, b: Access, level: Level, in_main: bool, walk: Walk) -> bool:
    """Whether one iteration updates two elements of an array, of which its data choose one at least: `u[e[i].from] -= f`
    and `u[e[i].to] += f`, `f[i] += x` and `f[near[i][k]] -= x`.

    That no two iterations meet takes an order of the data that the program goes through part by part: then the loop's
    bounds come from memory or from a loop around, or a caller gives them.  Or the data are pairs that have nothing in
    common, which a program fills in by a rule: `left[i] = 2*i`.
    """
    if a is b or not all(x.read and x.write and x.inner is None and not x.held for x in (a, b)):
        return False
    outer = walk.starts[level.stmt].loops
    loops = [r for r in a.loops[outer:] if any(r.stmt is f for f in level.loops)]
    around = {r.symbol for r in a.loops[:outer]} - {None}
    for loop in loops:
        for bound in (loop.lower, loop.upper):
            if bound is None or bound.symbols() & around or any(o.base is not None for o in bound.opaques()):
                return False
    fixed = all(r.trips is not None and r.trips.constant is not None for r in loops)
    if not loops or not (in_main or fixed):
        return False
    loads = {o.base for x in (a, b) for s in x.subscripts if s is not None for o in s.opaques() if o.base is not None}
    return (
        all(_is_element_of(x, loops) for x in (a, b))
        and a.subscripts != b.subscripts
        and not any(_may_be_pairs(index, walk) for index in loads)
    )


def _is_element_of(access: Access, loops: list[LoopRange]) -> bool:
    """Whether it is `x[i]` or `x[index[i]]`, `x[edge[i].from]`: what is loaded is loaded from where the loops lead."""
    own = {r.symbol for r in access.loops} - {None}
    for p in access.subscripts:
        loads = [o for o in p.opaques() if o.base is not None] if p is not None else []
        if p is None or len(loads) > 1 or any(o.op == CHANGED for o in loads):
            return False
        if loads and (p != Poly.of(loads[0]) or not own & p.symbols()):
            return False
    return bool(loops)


def _may_be_pairs(index: Symbol, walk: Walk) -> bool:
    """Whether the function fills an index array by a rule that may give each number once: `2*i`, `i + half`, every
    second `i`; neighbours, `i` and `i + 1` of each `i`, have one in common."""
    stored = [(x, x.by.value) for x in walk.accesses if x.symbol is index and x.write and isinstance(x.by, ast.Assign)]
    values = [(x, p) for x, value in stored for part in _parts(value) if (p := poly_of(part)) is not None]
    ruled = [(x, p) for x, p in values if p.plain and p.symbols()]
    return bool(ruled) and not all(_goes_on(p, x.loops) for x, p in ruled)


def _parts(value: Expr) -> list[Expr]:
    """A value that is stored, or those of the members of `(struct edge){i, j}`."""
    value = bare(value)
    return value.init.elements if isinstance(value, ast.CompoundLiteral) else [value]


def _goes_on(p: Poly, loops: tuple[LoopRange, ...]) -> bool:
    """Whether it is the variable of a loop of single steps, or a number nearby."""
    apart = [(p - Poly.of(r.symbol)).constant for r in loops if r.symbol is not None and abs(r.step) == 1]
    return any(d is not None and abs(d) < _NEARBY for d in apart)
