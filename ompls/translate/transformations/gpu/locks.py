"""Where code holds a lock of the OpenMP API from one statement of a block to a later one of the same block.

Before sm_70 a lane that spins for a lock keeps the lanes of its warp waiting, the holder among them.  Such a stretch
therefore becomes the body of `ompls_with_lock`, whose loop every lane leaves by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.translate.ctext import strip
from ompls.translate.uses import leaves, names_in


def held(block: ast.Compound, text: Callable[[Span], str]) -> list[tuple[ast.Stmt, ast.Stmt, str]]:
    """(statement that sets a lock, statement that unsets it, the lock's address) of the stretches in `block`."""
    found: list[tuple[ast.Stmt, ast.Stmt, str]] = []
    begun: tuple[int, str] | None = None
    for k, item in enumerate(block.items):
        lock = _argument(item, "omp_set_lock", text)
        if begun is None and lock:
            begun = (k, lock)
        elif begun is not None and _argument(item, "omp_unset_lock", text) == begun[1]:
            first, lock = begun
            if _is_closed(block.items[first + 1 : k], block.items[k + 1 :]):
                found.append((block.items[first], item, lock))
            begun = None
    return found


def _argument(item: ast.Stmt, function: str, text: Callable[[Span], str]) -> str:
    """The argument when the statement is a call of `function`, else ""."""
    call = strip(item.expr) if isinstance(item, ast.ExprStmt) and item.expr is not None else None
    if not isinstance(call, ast.Call) or not isinstance(call.function, ast.Name) or len(call.args) != 1:
        return ""
    return text(call.args[0].span) if call.function.name == function else ""


def _is_closed(inside: Sequence[ast.Stmt], after: Sequence[ast.Stmt]) -> bool:
    """Whether the statements may be a function: control stays inside, nothing that they declare is used later."""
    declared = {d.symbol for s in inside if isinstance(s, ast.DeclStmt) for d in s.decls}
    used = {n.symbol for s in after for n in names_in(s)}
    return not (declared & used) and not any(leaves(s) for s in inside)
