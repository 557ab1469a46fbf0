"""How a target region will run: what in it is parallel, and what one thread does alone."""

from __future__ import annotations

from ompls.analysis.model.ast import Call, Compound, DirectiveStmt, Name, Node, Stmt
from ompls.analysis.model.tu import Content, Region
from ompls.analysis.rules.support.framework import Unit

# Constructs that give a region's code to more than one thread, or to the lanes of one.
PARALLEL = frozenset(("parallel", "simd", "loop", "task", "taskloop"))
_WITH_TEAMS = frozenset((*PARALLEL, "teams"))
_DEEPEST = 6  # calls


def chain(stmt: DirectiveStmt) -> tuple[list[DirectiveStmt], Stmt | None]:
    """The construct and those that are all of its body, one in the other; and what the innermost one holds."""
    found = [stmt]
    body = stmt.body
    while True:
        while isinstance(body, Compound) and len(body.items) == 1:
            body = body.items[0]
        if not isinstance(body, DirectiveStmt):
            return found, body
        found.append(body)
        body = body.body


def constructs_of(found: list[DirectiveStmt]) -> set[str]:
    """The leaf constructs of several directives."""
    return {c for s in found for c in s.directive.constructs}


def spreads(node: Node | None, unit: Unit, wanted: frozenset[str] = _WITH_TEAMS, depth: int = 0) -> bool:
    """Whether something below `node`, or in a function that it calls, may give work to more than one thread.

    A function that is not in the unit may, unless it is the C library's; so may an unknown or a variant directive.
    """
    if node is None:
        return False
    for n in node.walk():
        if isinstance(n, DirectiveStmt):
            d = n.directive
            if not d.known or "variant" in d.name or "metadirective" in d.name or not wanted.isdisjoint(d.constructs):
                return True
        elif isinstance(n, Call) and _callee_spreads(n, unit, wanted, depth):
            return True
    return False


def _callee_spreads(call: Call, unit: Unit, wanted: frozenset[str], depth: int) -> bool:
    symbol = call.function.symbol if isinstance(call.function, Name) else None
    if symbol is None:
        return True
    if symbol.from_system_header or symbol.name.startswith(("omp_", "__builtin_")):
        return False
    callee = unit.functions.get(symbol.name)
    return callee is None or depth >= _DEEPEST or spreads(callee.node, unit, wanted, depth + 1)


def trustworthy(content: Content | None, region: Region) -> bool:
    """Whether all of the region was understood."""
    return content is not None and not content.tainted and not region.tainted
