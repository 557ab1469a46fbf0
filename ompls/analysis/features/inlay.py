"""Inlay hints: what a target construct maps and copies although no clause says so, at the end of its pragma."""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.features.pragmas import pragmas_between
from ompls.analysis.model.tu import TU, Content, Region, Variable

_MOST = 8  # names in one hint; the rest is counted


@dataclass(frozen=True, slots=True)
class Inlay:
    """`label` at byte `offset` of the main file; `why` has a line of Markdown for each variable."""

    offset: int
    label: str
    why: str


def inlays(tu: TU, start: int = 0, end: int | None = None) -> list[Inlay]:
    """The hints for constructs whose pragma ends within bytes [start, end] of the main file."""
    stop = len(tu.source) if end is None else end
    found = []
    lines = {p.start: p.end for p in pragmas_between(tu, start, stop)}
    first, last = tu.map.expanded(tu.path, start), tu.map.expanded(tu.path, stop)
    for item in tu.items.between(first, last):
        if not item.content.regions:
            continue
        for region, label, why in _labels(item.content):
            where = tu.locate(item, region.directive.span)
            at = lines.get(where.start) if where.path == tu.path else None
            if at is not None and start <= at <= stop:  # None: a macro made it, there is no line to write to
                found.append(Inlay(at, label, why))
    return found


def _labels(content: Content) -> list[tuple[Region, str, str]]:
    """Not kept: they are made in no time, and all of a large file's are megabytes."""
    made = ((region, *_label(region)) for region in content.regions)
    return [entry for entry in made if entry[1]]


def _label(region: Region) -> tuple[str, str]:
    """The clauses that would say what is implied, the longest lists cut; a line on each variable."""
    said = [v for v in region.variables if _is_implied(v)]
    why = [f"`{v.symbol.name}`: {v.why} (OpenMP §{v.section})" for v in said]
    return " ".join(implied(said, _MOST)), "\n\n".join(why)


def implied(variables: list[Variable], most: int | None = None) -> list[str]:
    """The clauses that say what is implied for these variables, with at most so many names in each."""
    groups: dict[str, list[str]] = {}
    for variable in variables:
        if _is_implied(variable):
            groups.setdefault(_group(variable), []).append(_item(variable))
    clauses = []
    for group, names in groups.items():
        shown = names if most is None or len(names) <= most else [*names[:most], f"… {len(names) - most} more"]
        clauses.append(f"{group}{', '.join(shown)})")
    return clauses


def _is_implied(variable: Variable) -> bool:
    return variable.implicit and variable.sharing in ("mapped", "firstprivate")


def _group(variable: Variable) -> str:
    if variable.sharing == "firstprivate":
        return "firstprivate("
    item = variable.maps[0]
    if item.zero_length:
        return "map("  # nothing is copied, whatever the type
    return f"map({''.join(f'{m}, ' for m in item.modifiers)}{item.map_type}: "


def _item(variable: Variable) -> str:
    zero = variable.sharing == "mapped" and variable.maps[0].zero_length
    return variable.symbol.name + ("[:0]" if zero else "")
