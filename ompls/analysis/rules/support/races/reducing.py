"""The quick fix of updates that get lost: a `reduction` clause, or `atomic`."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ast import walk_all
from ompls.analysis.model.peel import strip
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.rules.support.edits import sharing
from ompls.analysis.rules.support.framework import Change, Scene
from ompls.analysis.rules.support.races.atomically import atomically
from ompls.analysis.rules.support.races.report import Report, only_scalar, reports

_REDUCING = frozenset(("parallel", "for", "sections", "teams", "simd", "loop", "taskloop"))


def reduced_by_region(scene: Scene, region: Region, variable: Variable) -> tuple[Change, ...]:
    """The `reduction` clause of a region's own construct for a variable that its iterations update at once.

    Since OpenMP 5.0 it maps the variable, too (5.2 §5.8.1); a map alone would leave the race.
    """
    if scene.unit.settings.openmp < "5.0":
        return ()
    found = [r for r in reports(scene, "reduction") if r.race.first.symbol is variable.symbol]
    mine = [r for r in found if r.race.level.stmt is region.stmt and only_scalar(r)]
    return reducing(scene, mine[0]) if len(mine) == 1 else ()


def reducing(scene: Scene, report: Report) -> tuple[Change, ...]:
    """The `reduction` clause, when the construct takes one and does nothing but update the variable; else `atomic`, of an
    element."""
    race = report.race
    directive = race.level.stmt.directive
    if not only_scalar(report):
        return atomically(scene, report.writes, safe=race.certain)
    if not _REDUCING & set(directive.constructs):
        return ()
    if len(_statements(report)) != 1 or is_asked(report):
        return ()
    clause = f"reduction({report.operator}: {report.name})"
    return (sharing(directive, race.first.symbol, clause, safe=race.certain),)


def is_asked(report: Report) -> bool:
    """Whether the construct uses the value of the scalar, too: copies of it, as a reduction makes, have others."""
    construct, symbol = report.race.level.stmt, report.race.first.symbol
    # It still has to come back, and is no longer shared.
    mapped = {id(i.expr) for c in construct.directive.all("map", "shared") for i in c.items}
    inside = {id(n) for n in walk_all(construct) if isinstance(n, ast.Name) and n.symbol is symbol}
    updates = _statements(report)
    made = [node for by in updates for node in (_choice(construct, by, report.operator), by)]
    known = {id(n) for part in made for n in part.walk() if isinstance(n, ast.Name) and n.symbol is symbol}
    idle = {id(e) for n in walk_all(construct) for e in _for_effect(n)}
    return inside - mapped != known or any(id(by) not in idle for by in updates)


def _for_effect(node: ast.Node) -> Iterator[ast.Expr]:
    """The expressions of a statement whose values nobody uses."""
    waiting = [node.expr] if isinstance(node, ast.ExprStmt) else [node.step] if isinstance(node, ast.For) else []
    while waiting:
        e = waiting.pop()
        if e is None:
            continue
        yield (e := strip(e))
        if isinstance(e, ast.Binary) and e.op in (",", "&&", "||"):
            waiting += [e.right, e.left] if e.op == "," else [e.right]
        elif isinstance(e, ast.Conditional):
            waiting += [e.then, e.otherwise]


def _choice(construct: ast.Stmt, by: ast.Node, operator: str) -> ast.Node:
    """The whole `if (e > x) x = e;` of a maximum that does nothing else; otherwise `by`, the assignment."""
    choices = (n for n in walk_all(construct) if isinstance(n, ast.If) and n.otherwise is None)
    if operator not in ("min", "max"):
        return by
    return next((choice for choice in choices if _is_only(choice.then, by)), by)


def _is_only(stmt: ast.Stmt, by: ast.Node) -> bool:
    """Whether a statement is an expression and nothing else, in braces or not."""
    while isinstance(stmt, ast.Compound) and len(stmt.items) == 1:
        stmt = stmt.items[0]
    return isinstance(stmt, ast.ExprStmt) and stmt.expr is by


def _statements(report: Report) -> list[ast.Node]:
    return list({id(r.first.by): r.first.by for r in report.all if r.first.by is not None}.values())
