"""Private copies: which clauses and loops make a construct work on a variable of its own."""

from __future__ import annotations

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive

# Clauses that make a new variable of each list item: (reads the original, writes it back).
PRIVATISING = {
    "private": (False, False), "firstprivate": (True, False), "lastprivate": (False, True), "linear": (True, True),
    "reduction": (True, True), "in_reduction": (True, True), "task_reduction": (True, True), "induction": (True, True),
    "copyprivate": (False, False),
}  # fmt: skip
# Those by which whoever runs the body has copies: the others are about tasks in it, and about its end.
COPYING = tuple([name for name in PRIVATISING if name not in ("task_reduction", "copyprivate")])
WRITTEN_BACK = tuple([name for name in COPYING if PRIVATISING[name][1]])
WITHOUT_VALUE = frozenset(PRIVATISING).difference(("firstprivate", "copyprivate"))  # the copy has not the original's
LOOP_CONSTRUCTS = frozenset(("for", "distribute", "simd", "loop", "taskloop"))


def loop_variables(directive: Directive, body: ast.Stmt | None) -> list[Symbol]:
    """Iteration variables of the associated loops that are declared outside them (predetermined, 5.2 §5.1.1)."""
    if not LOOP_CONSTRUCTS & set(directive.constructs):
        return []
    count = 1
    for clause in directive.all("collapse", "ordered"):
        if clause.args:
            count = max(count, min(fold(clause.args[0]) or 1, 16))
    found: list[Symbol] = []
    while body is not None and count > 0:
        if isinstance(body, ast.Compound):
            loops = [s for s in body.items if isinstance(s, (ast.For, ast.DirectiveStmt, ast.Compound))]
            body = loops[0] if loops else None
        elif isinstance(body, ast.DirectiveStmt):
            body = body.body
        elif isinstance(body, ast.For):
            init = body.init.expr if isinstance(body.init, ast.ExprStmt) else None
            if isinstance(init, ast.Assign) and (symbol := root(init.target)) is not None:
                found.append(symbol)
            body, count = body.body, count - 1
        else:
            body = None
    return found


def private_copies(directive: Directive, body: ast.Stmt | None) -> set[Symbol]:
    """Variables of which the construct makes private copies, iteration variables included."""
    found = {s for c in directive.clauses if c.name in PRIVATISING for i in c.items if (s := i.symbol or root(i.expr))}
    return found | set(loop_variables(directive, body))
