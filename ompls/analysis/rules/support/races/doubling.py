"""Loops around a construct whose variable doubles or halves: `for (d = 1; d < n; d *= 2)`.

Such a variable is a positive number in all iterations but none in particular; when accesses are tried out, it is one that
it may well have.
"""

from __future__ import annotations

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.places import bare
from ompls.analysis.dataenv.symbolic import CHANGED, Atom, Opaque
from ompls.analysis.dataenv.walk import assigned_in
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.constants import fold

_UP, _DOWN = frozenset(("*=", "<<=")), frozenset(("/=", ">>="))


def pinned(access: Access, outer: int, free: list[Atom]) -> dict[Atom, int]:
    """Values for what is free in the subscripts of an access and such a variable of the loops around."""
    found: dict[Symbol, int] = {}
    for loop in access.loops[:outer]:
        known = _of(loop.stmt) if loop.symbol is None and isinstance(loop.stmt, ast.For) else None
        if known is not None:
            found[known[0]] = known[1]
    return {
        atom: found[atom.base]
        for atom in free
        if isinstance(atom, Opaque) and atom.op == CHANGED and atom.base is not None and atom.base in found
    }


def _of(loop: ast.For) -> tuple[Symbol, int] | None:
    """The variable, and its value in the second iteration: 2 when it comes down from a size."""
    step = bare(loop.step) if loop.step is not None else None
    target = bare(step.target) if isinstance(step, ast.Assign) and step.op in _UP | _DOWN else None
    if not isinstance(step, ast.Assign) or not isinstance(target, ast.Name) or target.symbol is None:
        return None
    factor = fold(step.value)
    if factor is None or factor < 1 or target.symbol in assigned_in(loop.body):
        return None
    if step.op in _DOWN:
        return target.symbol, 2
    start = _start(loop, target.symbol)
    if start is None or start < 1:
        return None
    return target.symbol, start * factor if step.op == "*=" else start << min(factor, 16)


def _start(loop: ast.For, symbol: Symbol) -> int | None:
    """What the loop's head sets the variable to, when that is a number."""
    nodes = list(loop.init.walk()) if loop.init is not None else []
    values = [n.init for n in nodes if isinstance(n, ast.VarDecl) and n.symbol is symbol and n.init is not None]
    for node in nodes:
        target = bare(node.target) if isinstance(node, ast.Assign) and node.op == "=" else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name) and target.symbol is symbol:
            values.append(node.value)
    return fold(values[0]) if len(values) == 1 else None
