"""A task graph as text, for Graphviz, as JSON and as a picture of our own: each level is a column."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from ompls.analysis.amount import amount
from ompls.analysis.features.taskgraphs import folded, summary
from ompls.analysis.graphs.shape import indices
from ompls.cli.places import Places, readable, shown

if TYPE_CHECKING:
    from ompls.analysis.features.taskgraphs import Group, TaskGraph

_WIDE, _HIGH, _GAP_X, _GAP_Y, _EDGE = 150, 34, 60, 12, 20  # of a box, between boxes, around all, in pixels
_COLOURS = {"target": "#f4b6b0", "task": "#bcd4f6", "taskloop": "#cbe8c2"}  # others wait


def _text(graphs: Sequence[TaskGraph], places: Places) -> str:
    return "".join(line + "\n" for graph in graphs if graph.reason is None for line in _lines(graph, places))


def _lines(graph: TaskGraph, places: Places) -> Iterator[str]:
    shape = graph.shape
    at = f"{shown(graph.where.path)}:{places.range(graph.where).start_line}"
    there = f", {amount(shape.bytes)} mapped at once" if shape.bytes else ""
    yield f"{at}: {graph.function}: {summary(shape)}, {shape.edges:,} edges, {shape.width:,} in the largest{there}"
    longest, groups = set(shape.critical), folded(graph)
    for number, group in enumerate(groups):
        star = "*" if longest.intersection(n.number for n in group.nodes) else " "
        after = _items(group) if len(groups) == len(graph.nodes) else ", ".join(map(str, group.before))
        after = f"  after {after}" if after else ""
        yield f" {star} level {group.level}  {number}: {_label(graph, group, places)}{after}"


def _items(group: Group) -> str:
    return ", ".join(f"{e.before} ({e.item})" if e.item else str(e.before) for e in group.nodes[0].edges)


def _label(graph: TaskGraph, group: Group, places: Places) -> str:
    first = group.nodes[0]
    many = f"{len(group.nodes)} × " if len(group.nodes) > 1 else ""
    at = indices(group.nodes)
    line = places.range(graph.places[first.number]).start_line
    return f"{many}{first.kind}, line {line}{f' [{at}]' if at else ''}"


def _dot(graphs: Sequence[TaskGraph], places: Places) -> str:
    lines = ["digraph tasks {", "  rankdir=LR; node [shape=box, style=filled, fontname=sans];"]
    for k, graph in enumerate(g for g in graphs if g.reason is None):
        for number, group in enumerate(folded(graph)):
            label = _label(graph, group, places).replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  g{k}n{number} [label="{label}", fillcolor="{_colour(group)}"];')
            lines += [f"  g{k}n{before} -> g{k}n{number};" for before in group.before]
    return "\n".join([*lines, "}", ""])


def _colour(group: Group) -> str:
    return _COLOURS.get(group.nodes[0].kind.split()[0], "#dddddd") if not group.nodes[0].waits else "#eeeeee"


def _json(graphs: Sequence[TaskGraph], places: Places) -> str:
    return json.dumps({"graphs": [_object(graph, places) for graph in graphs]}) + "\n"


def _object(graph: TaskGraph, places: Places) -> dict[str, object]:
    shape, at = graph.shape, places.range(graph.where)
    said: dict[str, object] = {"function": graph.function, "file": readable(graph.where.path), "line": at.start_line}
    if graph.reason is not None:
        why = places.range(graph.reason.where)
        reason = {"file": readable(graph.reason.where.path), "line": why.start_line, "column": why.start_column}
        return said | {"static": False, "reason": reason | {"message": graph.reason.why}}
    nodes = [
        {
            "id": n.number, "kind": n.kind, "waits": n.waits, "level": shape.level[n.number],
            "file": readable(graph.places[n.number].path), "line": places.range(graph.places[n.number]).start_line,
            "function": n.function, "indices": dict(n.indices), "bytes": sum(size for _, size in n.bytes),
        }
        for n in graph.nodes
    ]  # fmt: skip
    edges = [{"from": e.before, "to": n.number, "item": e.item} for n in graph.nodes for e in n.edges]
    counts = {"tasks": shape.tasks, "levels": shape.levels, "width": shape.width, "bytes": shape.bytes}
    return said | {"static": True} | counts | {"critical": list(shape.critical), "nodes": nodes, "edges": edges}


def _svg(graphs: Sequence[TaskGraph], places: Places) -> str:
    """Boxes in columns by level, in the order of creation, and the edges between them."""
    graph = next((g for g in graphs if g.reason is None), None)
    if graph is None:
        return ""
    groups = folded(graph)
    filled: dict[int, int] = {}
    where: list[tuple[int, int]] = []
    for group in groups:
        row = filled.setdefault(group.level, 0)
        filled[group.level] = row + 1
        where.append((_EDGE + max(group.level - 1, 0) * (_WIDE + _GAP_X), _EDGE + row * (_HIGH + _GAP_Y)))
    wide = max(x for x, _ in where) + _WIDE + _EDGE
    high = max(y for _, y in where) + _HIGH + _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif" font-size="11">',
        f"<title>{escape(f'{graph.function}: {summary(graph.shape)}')}</title>",
    ]
    for (x, y), group in zip(where, groups, strict=True):
        for before in group.before:
            from_x, from_y = where[before][0] + _WIDE, where[before][1] + _HIGH // 2
            to_y, bend = y + _HIGH // 2, _GAP_X // 2
            curve = f"M{from_x} {from_y}C{from_x + bend} {from_y} {x - bend} {to_y} {x} {to_y}"
            parts.append(f'<path d="{curve}" fill="none" stroke="#888"/>')
    for (x, y), group in zip(where, groups, strict=True):
        kind, _, at = _label(graph, group, places).partition(" [")
        box = f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="4" fill="{_colour(group)}" stroke="#555"/>'
        second = f'<text x="{x + 6}" y="{y + 28}">{escape(at.rstrip("]"))}</text>' if at else ""
        parts.append(f'{box}<text x="{x + 6}" y="{y + 14}">{escape(kind)}</text>{second}')
    return "\n".join([*parts, "</svg>", ""])


FORMS: dict[str, Callable[[Sequence[TaskGraph], Places], str]] = {
    "text": _text, "dot": _dot, "json": _json, "svg": _svg,
}  # fmt: skip
