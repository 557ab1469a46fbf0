"""Clauses that may not stand beside an earlier one of their directive (OpenMP 5.2, 3.2), and variables that two of them
list (5.4): nobody can tell which one counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Name, Symbol
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.spec import DIRECTIVES, clauses_of
from ompls.analysis.spec.clause_sets import ONCE
from ompls.analysis.spec.data_clauses import BELOW_TARGET, NOT_MAPPED, ON_DEVICE, SHARING

Listed = tuple[Clause, ListItem]


def repeats(directive: Directive) -> Iterator[tuple[Clause, Clause]]:
    """Each such clause, with the earlier one; of a directive that is not known, or is a choice of several, none."""
    if not directive.known or directive.name.endswith("metadirective"):
        return
    seen: dict[tuple[object, ...], Clause] = {}
    for clause in directive.clauses:
        if not _once(directive, clause) or clause.name not in clauses_of(directive.name):
            continue
        first = seen.setdefault(_key(clause), clause)
        if first is not clause:
            yield clause, first
        elif clause.name == "defaultmap":
            yield from ((clause, c) for c in _beside_all(clause, seen))


def categories(clause: Clause) -> tuple[str, ...]:
    """The variables that a `defaultmap` or a `default` is about."""
    return clause.modifiers or ("all",)


def _beside_all(clause: Clause, seen: dict[tuple[object, ...], Clause]) -> list[Clause]:
    """The first `defaultmap` that leaves nothing to this one, or to which this one leaves nothing."""
    others = (c for c in seen.values() if c is not clause and c.name == clause.name)
    return [c for c in others if "all" in (*categories(clause), *categories(c))][:1]


def _once(directive: Directive, clause: Clause) -> bool:
    """There is one source of an iteration, and one depend object in a `depobj`; `interop` may destroy several."""
    if clause.name in ("depend", "doacross"):
        return clause.keyword == "source"
    return clause.name in ONCE or (clause.name == "destroy" and directive.name == "depobj")


def _key(clause: Clause) -> tuple[object, ...]:
    """What clauses must differ in: the directive-name modifier (6.0: on each one), and the category of a default."""
    names = tuple(m for m in clause.modifiers if m in DIRECTIVES)
    if clause.name == "if":
        return ("if", clause.keyword, names)
    if clause.name in ("default", "defaultmap"):
        return (clause.name, categories(clause))
    return (clause.name, names)


def listed_twice(directive: Directive) -> Iterator[tuple[Symbol, Listed, Listed]]:
    """Each variable that two clauses share in different ways: where it is listed first, and where again."""
    first: dict[Symbol, list[Listed]] = {}
    for clause, item, symbol in listed(directive, SHARING | ON_DEVICE):
        others = first.setdefault(symbol, [])
        before = next((o for o in others if not _together(directive, o[0].name, clause.name)), None)
        if before is None:
            others.append((clause, item))
        else:
            yield symbol, before, (clause, item)
    # On a combined construct the two clauses may belong to different ones of its constructs.
    limited = NOT_MAPPED if directive.name == "target" else NOT_MAPPED & ON_DEVICE
    mapped = {symbol: (clause, item) for clause, item, symbol in listed(directive, frozenset(("map",)))}
    if "target" in directive.constructs:
        for clause, item, symbol in listed(directive, limited):
            if symbol in mapped:
                yield symbol, mapped[symbol], (clause, item)


def _together(directive: Directive, one: str, other: str) -> bool:
    """Whether a variable may stand in both: its copies below `target` are those of another construct."""
    if {one, other} == {"firstprivate", "lastprivate"}:
        return True
    below = {one, other} - ON_DEVICE
    return len(below) == 1 and below <= BELOW_TARGET and len(directive.constructs) > 1


def listed(directive: Directive, names: frozenset[str]) -> Iterator[tuple[Clause, ListItem, Symbol]]:
    """Variables as a whole in these clauses; 6.0's directive-name modifiers give a clause to one construct."""
    for clause in directive.clauses:
        if clause.name in names and not any(m in DIRECTIVES for m in clause.modifiers):
            for item in clause.items:
                if isinstance(item.expr, Name) and item.symbol is not None:
                    yield clause, item, item.symbol
