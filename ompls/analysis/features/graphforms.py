"""A task graph as text and as a picture: what `ompls graph` writes and editors show.

What is folded (`taskgraphs.folded`) says how many tasks it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from ompls.analysis.amount import amount
from ompls.analysis.features.taskgraphs import Group, TaskGraph, folded, summary
from ompls.analysis.graphs.shape import indices
from ompls.analysis.source import Location

LineOf = Callable[[Location], int]  # counted from 1

_WIDE, _HIGH, _GAP_X, _GAP_Y, _EDGE = 150, 34, 60, 12, 20  # of a box, between boxes, around all, in pixels
_COLOURS = {"target": "#f4b6b0", "task": "#bcd4f6", "taskloop": "#cbe8c2"}  # others wait


def headline(graph: TaskGraph) -> str:
    """`cholesky: 20 tasks, 10 levels, 30 edges, 6 in the largest`."""
    shape = graph.shape
    there = f", {amount(shape.bytes)} mapped at once" if shape.bytes else ""
    return f"{graph.function}: {summary(shape)}, {shape.edges:,} edges, {shape.width:,} in the largest{there}"


def rows(graph: TaskGraph, line_of: LineOf) -> Iterator[tuple[str, Location]]:
    """A line for each task, or for those that are shown as one, with the place of its directive."""
    longest, groups = set(graph.shape.critical), folded(graph)
    for number, group in enumerate(groups):
        star = "*" if longest.intersection(n.number for n in group.nodes) else " "
        after = _items(group) if len(groups) == len(graph.nodes) else ", ".join(map(str, group.before))
        after = f"  after {after}" if after else ""
        text = f" {star} level {group.level}  {number}: {label(graph, group, line_of)}{after}"
        yield text, graph.places[group.nodes[0].number]


def _items(group: Group) -> str:
    return ", ".join(f"{e.before} ({e.item})" if e.item else str(e.before) for e in group.nodes[0].edges)


def label(graph: TaskGraph, group: Group, line_of: LineOf) -> str:
    """`19 × task, line 11 [k=0 i=1…19]`."""
    first = group.nodes[0]
    many = f"{len(group.nodes)} × " if len(group.nodes) > 1 else ""
    at = indices(group.nodes)
    return f"{many}{first.kind}, line {line_of(graph.places[first.number])}{f' [{at}]' if at else ''}"


def colour(group: Group) -> str:
    return _COLOURS.get(group.nodes[0].kind.split()[0], "#dddddd") if not group.nodes[0].waits else "#eeeeee"


def svg(graph: TaskGraph, groups: Sequence[Group], line_of: LineOf) -> str:
    """Boxes in columns, each behind all that it waits for, and the edges between them.

    For who makes the picture live a box says which line of the graph's file it is of, and a folded one its key.
    """
    where = _placed(groups)
    wide = max((x for x, _ in where), default=0) + _WIDE + _EDGE
    high = max((y for _, y in where), default=0) + _HIGH + _EDGE
    longest = set(graph.shape.critical)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif" font-size="11">',
        f"<title>{escape(f'{graph.function}: {summary(graph.shape)}')}</title>",
    ]
    on_way = [any(n.number in longest for n in group.nodes) for group in groups]
    for number, ((x, y), group) in enumerate(zip(where, groups, strict=True)):
        for before in group.before:
            from_x, from_y = where[before][0] + _WIDE, where[before][1] + _HIGH // 2
            to_y, bend = y + _HIGH // 2, _GAP_X // 2
            curve = f"M{from_x} {from_y}C{from_x + bend} {from_y} {x - bend} {to_y} {x} {to_y}"
            stroke = "#555" if on_way[number] and on_way[before] else "#aaa"
            parts.append(f'<path d="{curve}" fill="none" stroke="{stroke}"/>')
    for number, ((x, y), group) in enumerate(zip(where, groups, strict=True)):
        kind, _, at = label(graph, group, line_of).partition(" [")
        place = graph.places[group.nodes[0].number]
        live = f' data-line="{line_of(place)}"' if place.path == graph.where.path else ""
        live += f' data-fold="{escape(group.key)}"' if len(group.nodes) > 1 else ""
        width = 2 if on_way[number] else 1
        parts.append(
            f'<g{live}><rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="4" fill="{colour(group)}" '
            f'stroke="#555" stroke-width="{width}"/><text x="{x + 6}" y="{y + 14}">{escape(kind)}</text>'
            + (f'<text x="{x + 6}" y="{y + 28}">{escape(at.rstrip("]"))}</text>' if at else "")
            + "</g>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _placed(groups: Sequence[Group]) -> list[tuple[int, int]]:
    """Where each box is: in a column by the mean height of what it waits for, so that fewer edges cross."""
    columns: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        columns.setdefault(group.column, []).append(number)
    row = [0.0] * len(groups)
    where = [(0, 0)] * len(groups)
    for column in sorted(columns):
        numbers = columns[column]
        wanted = {n: sum(row[b] for b in groups[n].before) / len(groups[n].before) for n in numbers if groups[n].before}
        for at, number in enumerate(sorted(numbers, key=lambda n: (wanted.get(n, 0.0), n))):
            row[number] = at
            where[number] = (_EDGE + (column - 1) * (_WIDE + _GAP_X), _EDGE + at * (_HIGH + _GAP_Y))
    return where
