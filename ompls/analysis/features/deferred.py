"""Constructs that may not have ended at a place: those with `nowait`, until somebody waits for them (5.2 §13.8, §15.5).

The abstract machine takes each construct at once.  What a deferred one maps, or takes away, is possible only: the rows
as they are without it join those with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ompls.analysis.dataenv.machine.values import Site
from ompls.analysis.dataenv.machine.watch import Point
from ompls.analysis.features.present import Certainty, Fact, Row, in_order
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, walk_all
from ompls.analysis.model.grouped import groups_tasks
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Content

MOST = 4  # that are looked at

_WHY = "this construct is deferred (`nowait`): it may not have begun, or not have ended, before the next wait"
_MAPPING = ("target", "target enter data", "target exit data", "target update")
_JOINING = frozenset(("parallel", "for", "sections", "single", "scope", "workshare", "loop"))  # a barrier at the end


def pending(passed: Iterable[tuple[DirectiveStmt, bool]]) -> list[DirectiveStmt]:
    """The deferred constructs that nothing has waited for, of the directives up to a place (True: it is inside)."""
    found: list[DirectiveStmt] = []
    for stmt, inside in passed:
        directive = stmt.directive
        if inside:
            continue
        if _is_deferred(directive):
            found.append(stmt)
        else:
            found = [one for one in found if not _waits_for(stmt, one)]
    return found[-MOST:]


def _is_deferred(directive: Directive) -> bool:
    maps = directive.name in _MAPPING or directive.constructs[:1] == ("target",)
    return maps and directive.clause("nowait") is not None


def _waits_for(stmt: DirectiveStmt, deferred: DirectiveStmt) -> bool:
    directive = stmt.directive
    if directive.name in ("taskwait", "barrier"):
        return directive.clause("depend") is None or bool(_depends(directive) & _depends(deferred.directive))
    if groups_tasks(directive):
        return stmt.span.start <= deferred.span.start and deferred.span.end <= stmt.span.end
    if _JOINING & set(directive.constructs) and "target" not in directive.constructs:
        return directive.clause("nowait") is None
    return bool(_depends(directive) & _depends(deferred.directive))  # an undeferred task, which waits for these


def _depends(directive: Directive) -> set[str]:
    return {item.text for clause in directive.all("depend") for item in clause.items}


def with_deferred(
    known: Sequence[Row], content: Content, deferred: Sequence[DirectiveStmt], rows_at: Callable[[Point], list[Row]]
) -> list[Row]:
    """The rows at a place, where these constructs of the function may not have ended, or not begun.

    rows_at -- what is there at another place
    """
    found = {_key(row): row for row in known}
    for stmt in deferred:
        function = Point(content, stmt).function
        why = Fact(_WHY, Site(function, stmt.directive.span))
        for key, row in found.items():
            if _is_by(row, function, stmt):
                found[key] = _possible(row, why)
        names = {n.name for n in walk_all(stmt) if isinstance(n, ast.Name)}
        for row in [row for point in _meanwhile(content, stmt) for row in rows_at(point)]:
            if row.name not in names and not _is_by(row, function, stmt):
                continue
            now = found.get(_key(row))
            if now is None:
                found[_key(row)] = _possible(row, why)
            elif set(now.valid) != set(row.valid):
                valid = tuple(dict.fromkeys((*now.valid, *row.valid)))
                found[_key(row)] = replace(now, valid=valid, facts=_once(now, why))
    return in_order(found.values())


def _meanwhile(content: Content, stmt: DirectiveStmt) -> Iterator[Point]:
    """Places where all is as it is before the construct begins, and while it runs."""
    yield Point(content, stmt)
    inner = stmt.body
    while isinstance(inner, (ast.For, ast.While, ast.DoWhile)):
        inner = inner.body
    if inner is not None:
        yield Point(content, inner, end=isinstance(inner, ast.Compound) and bool(inner.items))


def _key(row: Row) -> tuple[object, ...]:
    return row.device, row.name, row.section, row.mapped


def _is_by(row: Row, function: str, stmt: DirectiveStmt) -> bool:
    """Whether a list item of the construct has made the copy."""
    span = stmt.directive.span
    site = row.mapped
    return site is not None and site.function == function and span.start <= site.span.start < span.end


def _possible(row: Row, why: Fact) -> Row:
    certainty: Certainty = "possible" if row.certainty == "certain" else row.certainty
    return replace(row, certainty=certainty, facts=_once(row, why))


def _once(row: Row, why: Fact) -> tuple[Fact, ...]:
    return tuple(dict.fromkeys((*row.facts, why)))
