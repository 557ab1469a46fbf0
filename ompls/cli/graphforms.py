"""A task graph as text, for Graphviz, as JSON and as a picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ompls.analysis.features import graphforms
from ompls.analysis.features.taskgraphs import folded
from ompls.cli.places import Places, readable, shown

if TYPE_CHECKING:
    from ompls.analysis.features.taskgraphs import TaskGraph


def _text(graphs: Sequence[TaskGraph], places: Places) -> str:
    lines = []
    for graph in (g for g in graphs if g.reason is None):
        lines.append(f"{shown(graph.where.path)}:{places.start_line(graph.where)}: {graphforms.headline(graph)}\n")
        lines += [f"{text}\n" for text, _ in graphforms.rows(graph, places.start_line)]
    return "".join(lines)


def _dot(graphs: Sequence[TaskGraph], places: Places) -> str:
    lines = ["digraph tasks {", "  rankdir=LR; node [shape=box, style=filled, fontname=sans];"]
    for k, graph in enumerate(g for g in graphs if g.reason is None):
        for number, group in enumerate(folded(graph)):
            label = graphforms.label(graph, group, places.start_line).replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  g{k}n{number} [label="{label}", fillcolor="{graphforms.colour(group)}"];')
            lines += [f"  g{k}n{before} -> g{k}n{number};" for before in group.before]
    return "\n".join([*lines, "}", ""])


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
            "file": readable(graph.places[n.number].path), "line": places.start_line(graph.places[n.number]),
            "function": n.function, "indices": dict(n.indices), "bytes": sum(size for _, size in n.bytes),
        }
        for n in graph.nodes
    ]  # fmt: skip
    edges = [{"from": e.before, "to": n.number, "item": e.item} for n in graph.nodes for e in n.edges]
    counts = {"tasks": shape.tasks, "levels": shape.levels, "width": shape.width, "bytes": shape.bytes}
    return said | {"static": True} | counts | {"critical": list(shape.critical), "nodes": nodes, "edges": edges}


def _svg(graphs: Sequence[TaskGraph], places: Places) -> str:
    known = [g for g in graphs if g.reason is None]
    return graphforms.svg(known[0], folded(known[0]), places.start_line) if known else ""


FORMS: dict[str, Callable[[Sequence[TaskGraph], Places], str]] = {
    "text": _text, "dot": _dot, "json": _json, "svg": _svg,
}  # fmt: skip
