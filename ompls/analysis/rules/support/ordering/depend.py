"""`depend` clauses: what they list, and whether they order two sibling tasks (OpenMP 5.2 §15.9.5)."""

from __future__ import annotations

from collections.abc import Container

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model.ast import Expr, Index, Name, Section, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import strip
from ompls.analysis.rules.support.ordering.model import Dependence, Unit

_READING = frozenset(("in",))
# Kinds that do not order two tasks of the same kind: those exclude each other, or run together on purpose.
_SET = frozenset(("inoutset", "mutexinoutset"))


def dependences(
    directive: Directive, others: Container[Symbol] = (), has_unread: bool = False
) -> tuple[Dependence, ...]:
    """The list items of the `depend` clauses, with their dependence types.

    others -- pointers that are other names for storage: which element they name is not followed
    has_unread -- there are more that are not looked at
    """
    found: list[Dependence] = []
    for clause in directive.all("depend"):
        known = clause.keyword in ("in", "out", "inout", "inoutset", "mutexinoutset") and not clause.modifiers
        for item in clause.items:
            base = root(item.expr)
            named = known and not clause.broken and base is not None
            named = named and (isinstance(item.expr, Name) or base not in others)
            found.append(Dependence(clause.keyword, item if named else None))
    if has_unread:
        found.append(Dependence("", None))
    return tuple(found)


def orders(first: Dependence, second: Dependence) -> bool | None:
    """Whether a task with `second` waits for an earlier sibling with `first`; None: not known (other elements)."""
    if first.item is None or second.item is None:
        return None
    if first.kind == second.kind and (first.kind in _READING or first.kind in _SET):
        return False
    return same_storage(first, second)


def same_storage(first: Dependence, second: Dependence) -> bool | None:
    """Whether two list items name the same storage; None: other elements of it, perhaps."""
    if first.item is None or second.item is None:
        return None
    if root(first.item.expr) is not root(second.item.expr):
        return False
    if first.item.text == second.item.text:
        return True
    # List items of siblings are the same storage or disjoint: with another start they are another section.
    starts = list(zip(_starts(first.item.expr), _starts(second.item.expr), strict=False))
    return False if any(x is not None and y is not None and x != y for x, y in starts) else None


def _starts(expr: Expr) -> list[int | None]:
    """The subscripts and the sections' lower bounds, from the array on: numbers as far as they are known."""
    found: list[int | None] = []
    at = strip(expr)
    while isinstance(at, (Index, Section)):
        start = at.index if isinstance(at, Index) else at.lower
        found.insert(0, fold(start) if start is not None else 0)
        at = strip(at.base)
    return found if isinstance(at, Name) else []


def excludes(one: Unit, two: Unit) -> bool:
    """Whether the clauses say that the two never run at the same time, or that it does no harm when they do."""
    return any(
        a.kind == b.kind and a.kind in _SET and same_storage(a, b) is not False
        for a in one.depends
        for b in two.depends
    )


def waits(later: tuple[Dependence, ...], earlier: Unit, moved: Symbol | None = None) -> bool:
    """Whether something with the dependences `later` may have to wait for `earlier`, directly.

    moved -- a loop's variable that certainly had another value when `earlier` was created
    """
    return any(orders(a, b) is not False and not _has_moved(a, b, moved) for a in earlier.depends for b in later)


def _has_moved(first: Dependence, second: Dependence, symbol: Symbol | None) -> bool:
    """Whether two list items are written alike, with a subscript that is `symbol`: `row[i]` of different iterations."""
    if symbol is None or first.item is None or second.item is None or first.item.text != second.item.text:
        return False
    at = strip(first.item.expr)
    found = False
    while isinstance(at, (Index, Section)):
        index = strip(at.index) if isinstance(at, Index) else None
        found = found or (isinstance(index, Name) and index.symbol is symbol)
        at = strip(at.base)
    return found and isinstance(at, Name)
