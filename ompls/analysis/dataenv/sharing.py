"""Which variables a construct gives each of its threads, tasks or lanes for itself, clauses and defaults together.

OpenMP 5.2 §5.1.1: what no clause lists is shared in `parallel` and `teams`; in a task it is firstprivate, unless it is
shared in all constructs around it up to the innermost `parallel`.
"""

from __future__ import annotations

from collections.abc import Callable

from ompls.analysis.dataenv.paths import root
from ompls.analysis.dataenv.private import PRIVATISING, private_copies
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol, walk_all
from ompls.analysis.model.omp import Directive

_TASKS = frozenset(("task", "taskloop"))
# Clauses that make a variable of its own without the value of the original.


def started_anew(directive: Directive, body: ast.Stmt | None) -> set[Symbol]:
    """Private copies that do not begin with the original's value (iteration variables included)."""
    kept = {i.symbol for c in directive.all("firstprivate") for i in c.items}
    return {s for s in private_copies(directive, body) if s not in kept}


def private_in(
    stmt: DirectiveStmt, around: tuple[DirectiveStmt, ...], owner: Callable[[Symbol], DirectiveStmt | None]
) -> set[Symbol]:
    """Variables of which each thread (task, lane) of the construct has its own.

    around -- the enclosing directives, outermost first; owner -- which of them has a private copy of a variable
    """
    directive = stmt.directive
    found = private_copies(directive, stmt.body)
    found -= {i.symbol for c in directive.all("copyprivate") for i in c.items if i.symbol is not None}
    default = directive.clause("default")
    kind = default.keyword if default is not None else ""
    listed = {i.symbol for c in directive.all("shared", "reduction", "in_reduction") for i in c.items}
    if kind in ("private", "firstprivate"):
        found |= {s for s in _used(stmt) if s not in listed and is_automatic(s)}
    elif _TASKS & set(directive.constructs) and kind != "shared" and "parallel" not in directive.constructs:
        team = next((i for i in range(len(around) - 1, -1, -1) if "parallel" in around[i].directive.constructs), None)
        for symbol in _used(stmt):
            if symbol in found or symbol in listed or not is_automatic(symbol):
                continue
            holder = owner(symbol)
            if team is None or (holder is not None and holder in around[team:]):
                found.add(symbol)
    return found


def private_targets(directive: Directive) -> set[Symbol]:
    """Pointers of which the construct makes private what they point to: those with a section in `reduction`."""
    items = (i for c in directive.clauses if c.name in PRIVATISING for i in c.items)
    return {s for i in items if isinstance(i.expr, (ast.Section, ast.Index)) and (s := i.symbol or root(i.expr))}


def _used(stmt: DirectiveStmt) -> set[Symbol]:
    names = (n.symbol for n in walk_all(stmt) if isinstance(n, ast.Name))
    return {s for s in names if s is not None and s.kind in ("var", "param")}


def is_automatic(symbol: Symbol) -> bool:
    return symbol.level != "file" and symbol.storage not in ("static", "extern")
