"""The loops that a loop directive takes, as far as they can be read (OpenMP 5.2 §4.4)."""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.model.ast import Compound, DirectiveStmt, ExprStmt, For, OtherStmt, Stmt
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive
from ompls.analysis.spec import DIRECTIVES
from ompls.analysis.spec.nesting import WITHOUT_REGION

_LISTS = {"tile": "sizes", "stripe": "sizes", "interchange": "permutation"}
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Nest:
    """What stands under a loop directive.

    wanted -- how many loops the directive takes; 0 when that cannot be told
    loops -- those found, outermost first
    between -- the first statement beside an inner loop (intervening code), if any
    instead -- what stands where a loop was expected, if any: nothing is known when it is None and loops are few
    """

    wanted: int
    loops: tuple[For, ...]
    between: Stmt | None = None
    instead: Stmt | None = None


def takes_loops(directive: Directive) -> bool:
    """Whether a `for` loop must follow; `fuse` takes a sequence of them."""
    spec = DIRECTIVES.get(directive.name)
    return spec is not None and spec.kind == "loop" and directive.name != "fuse"


def wanted(directive: Directive) -> int:
    """How many nested loops the directive takes; 0 when a count is no positive constant."""
    counts = [1]
    for clause in directive.all("collapse", "ordered"):
        if clause.args:
            value = fold(clause.args[0])
            if value is None or not 0 < value <= _DEEPEST:
                return 0
            counts.append(value)
    listed = directive.clause(_LISTS.get(directive.name, "-"))
    if listed is not None:
        counts.append(len(listed.args))
    elif directive.name == "interchange":
        counts.append(2)
    return max(counts)


def nest_of(stmt: DirectiveStmt) -> Nest:
    """The loops under a directive that takes some."""
    number = wanted(stmt.directive)
    loops: list[For] = []
    between: Stmt | None = None
    at: Stmt | None = stmt.body
    while at is not None:
        at, beside, instead = _loop_in(at)
        # In a block around the outermost loop anything beside it is a matter of versions: nothing is said.
        between = between or (beside if loops else None)
        if instead is not None:
            return Nest(number, tuple(loops), between, instead)
        if not isinstance(at, For):
            break
        loops.append(at)
        if len(loops) >= number:
            break
        at = at.body
    return Nest(number, tuple(loops), between)


def _loop_in(stmt: Stmt) -> tuple[Stmt | None, Stmt | None, Stmt | None]:
    """The loop that `stmt` is or holds, what stands beside it, and what stands in its place."""
    beside: Stmt | None = None
    while isinstance(stmt, Compound):
        items = [s for s in stmt.items if not (isinstance(s, ExprStmt) and s.expr is None)]
        if any(_unread(s) for s in items):
            return None, None, None
        loops = [s for s in items if isinstance(s, (For, Compound))]
        if len(items) > 1 and any(isinstance(s, Compound) for s in loops):
            loops = [s for s in loops if isinstance(s, For)]
        if len(loops) != 1:
            return None, None, loops[1] if len(loops) > 1 else stmt
        beside = beside or next((s for s in items if s is not loops[0]), None)
        stmt = loops[0]
    if isinstance(stmt, For):
        return stmt, beside, None
    return (None, None, None) if _unread(stmt) else (None, beside, stmt)


def _unread(stmt: Stmt) -> bool:
    """Not understood, or a transformation whose result is the loop."""
    return isinstance(stmt, OtherStmt) or (
        isinstance(stmt, DirectiveStmt) and (stmt.directive.name in WITHOUT_REGION or not stmt.directive.known)
    )
