"""The part of a construct's statement that its threads, lanes or tasks run."""

from __future__ import annotations

from ompls.analysis.dataenv.private import LOOP_CONSTRUCTS
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Stmt
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive


def run_by(directive: Directive, body: Stmt) -> Stmt | None:
    """What runs on the copies from their beginning: the body of the construct's innermost loop, or its block."""
    if not LOOP_CONSTRUCTS & set(directive.constructs):
        return body
    counts = [fold(c.args[0]) or 1 for c in directive.all("collapse", "ordered") if c.args]
    found: Stmt | None = body
    for _ in range(max(counts, default=1)):
        while isinstance(found, (ast.Compound, ast.DirectiveStmt)):
            found = (
                found.body
                if isinstance(found, ast.DirectiveStmt)
                else found.items[0]
                if len(found.items) == 1
                else None
            )
        if not isinstance(found, ast.For):
            return None
        found = found.body
    return found
