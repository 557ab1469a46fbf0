"""Reductions of arrays that a team adds up in shared memory, instead of in an array of each thread."""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol, nodes
from ompls.analysis.model.ctype import CType, Integer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.peel import bare
from ompls.translate.loops import Nest
from ompls.translate.transformations.gpu.atomics import gathered
from ompls.translate.transformations.gpu.emitter import Emitter
from ompls.translate.uses import names_in

# Operators whose result does not depend on the order, and what may be done to an element.
_OPERATIONS = {"+": "+-", "-": "+-", "&": "&", "|": "|", "^": "^"}
_WORDS = (4, 8)  # bytes that the hardware's atomic operations take
_TEAM_MEMORY = 36 * 1024  # bytes of a team for what its threads share, where no device has a limit of its own
_SHARE = 4  # of it, a fourth for an array: several blocks are to fit onto a multiprocessor


def gathers(  # noqa: PLR0917 - all of them are what one clause item is
    e: Emitter, s: Symbol, operator: str, element: CType, count: int | None, nest: Nest
) -> bool:
    """Turn updates of an array in a loop into those of the team's part in shared memory; False where that cannot be.

    Floating-point sums depend on the order, which is to be the same each time; and the iterations must do nothing else
    with the array than update it by the operator, as nobody has a part of his own.
    """
    size = element.size if isinstance(element, Integer) else 0
    room = (e.plan.team_memory if e.plan is not None else 0) or _TEAM_MEMORY
    room -= sum(sizeof(x.type, e.tu.model) or 0 for x in e.team_shared) + e.gathered
    if operator not in _OPERATIONS or size not in _WORDS or count is None or count * size * _SHARE > room:
        return False
    edits: list[tuple[ast.ExprStmt, str]] = []
    seen = 0
    for node in nodes(nest.body):
        if isinstance(node, ast.ExprStmt) and node.expr is not None and (times := _times(s, node)):
            call = gathered(e, node.expr, _OPERATIONS[operator]) if _is_update(s, node.expr, times) else None
            if call is None:
                return False
            edits.append((node, f"{call};"))
            seen += times
    heads = [x for loop in nest.loops for x in (loop.lower, loop.bound, loop.step) if x is not None]
    if seen != sum(_times(s, x) for x in (nest.body, *heads)):
        return False
    for node, text in edits:
        e.replace(node.span, text)
    e.gathered += count * size
    return True


def _times(s: Symbol, node: ast.Node) -> int:
    return sum(n.symbol is s for n in names_in(node))


def _is_update(s: Symbol, e: ast.Expr, times: int) -> bool:
    """Whether `e`, in which the array stands so many times, assigns to one of its elements, and stays as it is."""
    e = bare(e)
    target = e.target if isinstance(e, ast.Assign) else e.operand if isinstance(e, ast.Unary) else None
    base = bare(target) if target is not None else None
    indexed = isinstance(base, ast.Index)
    while isinstance(base, ast.Index):
        base = bare(base.base)
    wanted = 2 if isinstance(e, ast.Assign) and e.op == "=" else 1
    named = isinstance(base, ast.Name) and base.symbol is s
    return indexed and named and times == wanted and not any(map(_is_rewritten, e.walk()))


def _is_rewritten(n: ast.Node) -> bool:
    """Whether it may become something else, later than the statement that it stands in."""
    if isinstance(n, ast.Call):
        return not isinstance(n.function, ast.Name) or n.function.name.startswith("omp_")
    return isinstance(n, ast.StatementExpr)
