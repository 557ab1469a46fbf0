"""What belongs to a team: `groupprivate` variables (OpenMP 6.0 §7.14), and routines that may be called there since 6.0.

A groupprivate variable is private to each teams construct (to a target construct without one) that uses it.
"""

from __future__ import annotations

from ompls.analysis.dataenv.abilities import ROUTINE
from ompls.analysis.model.ast import Call, DirectiveStmt, FunctionDef, Name, Span, Symbol
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import FileDirective, Item
from ompls.translate.lowering.round import Round, directive_text, pragma, with_outer

_IN_TEAMS = frozenset(("omp_get_num_teams", "omp_get_team_num"))  # all that gcc 12 accepts directly in a teams region


def lower(work: Round) -> None:
    if work.target.openmp:
        for item in work.tu.items:
            if b"omp_" in item.content.text and any(s.directive.has("teams") for s in item.content.directives):
                _calls(work, item)
    found: list[tuple[Item | FileDirective, Directive]] = [
        (f, f.directive) for f in work.tu.directives if f.directive.name == "groupprivate"
    ]
    found += [(item, s.directive) for item, s in work.statements() if s.directive.name == "groupprivate"]
    for at, d in found:
        done = [_private(work, item, s) for s in {i.symbol for i in d.args} if s is not None for item in work.tu.items]
        if all(done) and not work.problems:
            work.replace(at, (d.span, ""))


def _calls(work: Round, item: Item) -> None:
    """gcc 12 refuses calls of other routines strictly nested in a teams region; it does not see those by a pointer."""
    for node, outer in with_outer(item.content.node):
        if not (isinstance(node, Call) and isinstance(node.function, Name) and outer):
            continue
        name = node.function.name
        if name.startswith("omp_") and name not in _IN_TEAMS and outer[-1].constructs[-1] == "teams":
            pointer = f"({{ __typeof__({name}) *{ROUTINE} = {name}; {ROUTINE}; }})"
            work.replace(item, (node.function.span, pointer))


def _private(work: Round, item: Item, symbol: Symbol) -> bool:
    """Make `symbol` private to the teams of the constructs in `item` that use it; whether nothing is left to do."""
    constructs: dict[int, DirectiveStmt] = {}
    by_directive = {id(s.directive): s for s in item.content.directives}
    for node, outer in with_outer(item.content.node):
        if not (isinstance(node, Name) and node.symbol is symbol):
            continue
        team = next((d for d in reversed(outer) if d.has("teams")), None)
        team = team or next((d for d in outer if d.has("target")), None)
        if team is not None:
            constructs[id(team)] = by_directive[id(team)]
        elif isinstance(item.content.node, FunctionDef) and item.content.node.symbol.declare_target:
            what, why = f"'groupprivate({symbol.name})'", "a device function uses it; hand it over by its address"
            work.refuse(item, node.span, what, why)
            return False
    added = [_added(work, item, s, symbol) for s in constructs.values()]
    return all(added)


def _added(work: Round, item: Item, stmt: DirectiveStmt, symbol: Symbol) -> bool:
    d = stmt.directive
    if any(i.symbol is symbol for c in d.all("private") for i in c.items):
        return True
    if {"parallel", "simd", "loop"} & set(d.constructs):
        what = f"'groupprivate({symbol.name})'"
        work.refuse(item, d.name_span, what, "the construct is teams and parallel at once; write them one in the other")
        return False
    text = f"{directive_text(work.tu, item, d)} private({symbol.name})"
    return work.replace(item, (Span(d.span.start, d.span.end), pragma(text)))
