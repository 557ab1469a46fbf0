"""Reference counts at `target enter data` and `target exit data`, as the abstract machine counts them: `x 1→2`.

Only what was found when the rules looked at the unit: nothing is analysed here.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.machine.analysis import counts_of
from ompls.analysis.dataenv.machine.values import Site
from ompls.analysis.encoding import decoded
from ompls.analysis.features.inlay import Inlay
from ompls.analysis.features.pragmas import pragmas_between
from ompls.analysis.model import ast
from ompls.analysis.model.omp import Directive, ListItem
from ompls.analysis.model.peel import peel
from ompls.analysis.model.tu import TU, Item

_DIRECTIVES = ("target enter data", "target exit data")
_MOST = 2  # pairs of counts that are shown for one list item
_WHY = """\
How often the device's data environment is referred to before and after: an item is copied to the device when its count
leaves 0, and back (`from`) when it reaches 0 (OpenMP §5.8.3)."""


def counts(tu: TU, start: int, end: int) -> list[Inlay]:
    """The hints for the directives whose pragma ends within bytes [start, end] of the main file."""
    places = list(_places(tu, start, end))
    if not places:
        return []
    known = _known(tu)
    lines = {p.start: p.end for p in pragmas_between(tu, start, end)}
    found = []
    for item, directive in places:
        where = tu.locate(item, directive.span)
        label = _label(item, directive, known)
        if label and where.path == tu.path and where.start in lines and start <= lines[where.start] <= end:
            found.append(Inlay(lines[where.start], label, _WHY))
    return found


def counts_wanted(tu: TU, start: int, end: int) -> bool:
    """Whether there is a directive to show them at."""
    return any(True for _ in _places(tu, start, end))


def _places(tu: TU, start: int, end: int) -> Iterator[tuple[Item, Directive]]:
    first, last = tu.map.expanded(tu.path, start), tu.map.expanded(tu.path, end)
    for item in tu.items.between(first, last):
        for stmt in item.content.directives:
            if stmt.directive.name in _DIRECTIVES and isinstance(item.content.node, ast.FunctionDef):
                yield item, stmt.directive


def _known(tu: TU) -> dict[Site, set[tuple[int, int]] | None]:
    """What all walks of the unit say together."""
    found: dict[Site, set[tuple[int, int]] | None] = {}
    for _, group in tu.items.groups:
        for counted in counts_of(group):
            for site, pairs in counted.items():
                before = found.get(site, set())
                found[site] = None if before is None or pairs is None else before | pairs
    return found


def _label(item: Item, directive: Directive, known: dict[Site, set[tuple[int, int]] | None]) -> str:
    node = item.content.node
    assert isinstance(node, ast.FunctionDef)
    parts = []
    for clause in directive.all("map"):
        for listed in clause.items:
            pairs = known.get(Site(node.symbol.name, listed.span)) or set()
            if 0 < len(pairs) <= _MOST:
                parts.append(
                    f"{_name(item, listed)} " + " or ".join(f"{before}→{after}" for before, after in sorted(pairs))
                )
    return ", ".join(parts)


def _name(item: Item, listed: ListItem) -> str:
    """What is counted, without its section: `p->x` of `p->x[0:n]`."""
    expr = peel(listed.expr, ast.Section, ast.Index)
    if isinstance(expr, ast.Name):
        return expr.name
    return decoded(item.content.text[slice(*expr.span)])
