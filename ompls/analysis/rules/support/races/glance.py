"""Functions without a race, seen at a glance: each iteration of their parallel loops writes elements of its own.

    for (int i = 0; i < n; i++)    whatever is written here stands nowhere in the loop but as `y[i]`, is declared in
        y[i] = a * x[i] + y[i];    the loop, or is in a clause that makes a copy of it

Most kernels are such, and need no walk that follows values and no pairs of accesses.  False says nothing: what is less
plain (a subscript that is computed, a pointer that is set, a function of the unit, …) is for `pairs.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.machine.facts import Facts, facts_of
from ompls.analysis.dataenv.paths import is_address
from ompls.analysis.dataenv.private import COPYING
from ompls.analysis.dataenv.symbolic import loop_range
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Expr, Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.peel import bare, strip
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Unit
from ompls.analysis.rules.support.loopnest import nest_of

_LOOPS = frozenset(("target", "teams", "distribute", "parallel", "for", "simd"))
_TRANSFERS = frozenset(("target data", "target enter data", "target exit data", "target update"))
_PLAIN = frozenset((
    ast.DirectiveStmt, ast.Compound, ast.ExprStmt, ast.DeclStmt, ast.VarDecl, ast.If, ast.For, ast.While, ast.DoWhile,
    ast.Jump, ast.Name, ast.IntLiteral, ast.FloatLiteral, ast.CharLiteral, ast.Paren, ast.Unary, ast.Binary, ast.Assign,
    ast.Conditional, ast.Call, ast.Index, ast.Member, ast.Cast, ast.SizeOf, ast.InitList,
))  # fmt: skip


def without_races(content: Content, unit: Unit) -> bool:
    """Whether it is plain that no construct of the function has a race."""
    facts = facts_of(content)
    constructs = [s for s in content.directives if s.directive.name not in _TRANSFERS]
    return all(_is_parallel_loop(s) and _is_apart(s, unit, facts) for s in constructs)


def _is_parallel_loop(stmt: DirectiveStmt) -> bool:
    directive = stmt.directive
    parts = set(directive.constructs)
    return directive.known and directive.decided and parts <= _LOOPS and {"parallel", "for"} <= parts


def _is_apart(stmt: DirectiveStmt, unit: Unit, facts: Facts) -> bool:
    """Whether the iterations of a parallel loop write what no other one touches."""
    nest = nest_of(stmt)
    if not nest.wanted or len(nest.loops) != nest.wanted or stmt.kinds() - _PLAIN:
        return False
    ranges = [loop_range(loop) for loop in nest.loops]
    own = [r.symbol for r in ranges if r is not None and r.symbol is not None]
    if len(own) != len(ranges) or len(stmt.nodes(DirectiveStmt)) > 1 or not _is_harmless(stmt, unit):
        return False
    declared = {decl.symbol for decl in stmt.nodes(ast.VarDecl)}
    if any(s.storage == "static" or isinstance(s.type, Pointer) for s in declared):
        return False
    copied = {
        i.symbol for c in stmt.directive.clauses if c.name in COPYING for i in c.items if isinstance(i.expr, ast.Name)
    }
    heads = {id(n) for loop in nest.loops for part in (loop.init, loop.step) if part is not None for n in part.walk()}
    written: set[Symbol] = set()
    for target in _written(stmt, heads):
        if isinstance(target, ast.Name):
            if target.symbol in own or (target.symbol not in declared and target.symbol not in copied):
                return False
            continue
        base, subscripts = _element(target)
        if base is None or base.symbol is None:
            return False
        if base.symbol not in declared:
            if subscripts != own or not _is_itself(base.symbol, facts):
                return False
            written.add(base.symbol)
    same = {id(base) for base, subscripts in map(_element, stmt.nodes(ast.Index)) if subscripts == own}
    return all(id(n) in same for n in stmt.nodes(ast.Name) if n.symbol in written) and all(
        _is_itself(n.symbol, facts) for n in stmt.nodes(ast.Name) if n.symbol is not None
    )


def _is_harmless(stmt: DirectiveStmt, unit: Unit) -> bool:
    """Whether nothing is called that gets at the variables, and no address is taken."""
    for call in stmt.nodes(ast.Call):
        name = call.function.name if isinstance(call.function, ast.Name) else ""
        if not name or name in unit.functions or any(is_address(arg.type) for arg in call.args):
            return False
    return not any(n.op == "&" for n in stmt.nodes(ast.Unary))


def _written(stmt: DirectiveStmt, heads: set[int]) -> Iterator[Expr]:
    """The lvalues that are written, without what the heads of the associated loops do."""
    for assign in stmt.nodes(ast.Assign):
        if id(assign) not in heads:
            yield bare(assign.target)
    for unary in stmt.nodes(ast.Unary):
        if unary.op in ("++", "--") and id(unary) not in heads:
            yield bare(unary.operand)


def _element(expr: Expr) -> tuple[ast.Name | None, list[Symbol | None]]:
    """`a` and [i, j] of `a[i][j].x`; (None, …) for what starts from no variable.  A subscript that is not a variable is
    None."""
    subscripts: list[Symbol | None] = []
    while True:
        if isinstance(expr, ast.Paren):
            expr = expr.inner
        elif isinstance(expr, ast.Member) and not expr.arrow and not subscripts:
            expr = expr.base
        elif isinstance(expr, ast.Index):
            at = bare(expr.index)
            subscripts.insert(0, at.symbol if isinstance(at, ast.Name) else None)
            expr = expr.base
        else:
            return (expr if isinstance(expr, ast.Name) else None), subscripts


def _is_itself(symbol: Symbol, facts: Facts) -> bool:
    """Whether a pointer holds in the whole function what no other one is made of: it is never set, or allocated once."""
    if not isinstance(symbol.type, Pointer):
        return True
    times = sum(s is symbol for _, s in facts.written)
    made = strip(symbol.init) if symbol.init is not None else None
    return times == 0 or (times == 1 and symbol.level == "block" and isinstance(made, ast.Call))
