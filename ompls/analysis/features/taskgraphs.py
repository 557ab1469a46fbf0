"""The task graphs of a unit with their places in files: what `ompls graph` and editors show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ompls.analysis.graphs import Found, Functions, Node, Shape, graphs, shape_of
from ompls.analysis.model.ast import FunctionDef
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.source import Location

MOST_SHOWN = 400  # nodes, one by one


class Reason(NamedTuple):
    """Why there is no graph, and where."""

    where: Location
    why: str


@dataclass(frozen=True, slots=True)
class TaskGraph:
    """places -- of each node's directive; whole -- of all that was followed; reason -- None: there is a graph"""

    function: str
    where: Location
    whole: Location
    nodes: tuple[Node, ...]
    places: tuple[Location, ...]
    shape: Shape
    reason: Reason | None


class Group(NamedTuple):
    """Nodes of one construct and level, which are shown as one; `before` are the numbers of the groups they wait for,
    with how many edges there are."""

    nodes: tuple[Node, ...]
    level: int
    before: dict[int, int]


def task_graphs(tu: TU) -> list[TaskGraph]:
    """All of the unit, in the order of their beginnings."""
    found = {i.content.node.symbol.name: i for i in tu.items if isinstance(i.content.node, FunctionDef)}
    functions = Functions({name: item.content for name, item in found.items()}, tu.model)
    return [_placed(tu, found, item, graph) for item in found.values() for graph in graphs(item.content, functions)]


def _placed(tu: TU, items: dict[str, Item], item: Item, graph: Found) -> TaskGraph:
    reason = graph.reason
    return TaskGraph(
        _name(item),
        tu.locate(item, graph.span),
        tu.locate(item, graph.whole),
        graph.nodes,
        tuple([tu.locate(items[n.function], n.span) for n in graph.nodes]),
        shape_of(graph.nodes),
        Reason(tu.locate(items[reason.function], reason.span), reason.why) if reason is not None else None,
    )


def _name(item: Item) -> str:
    node = item.content.node
    return node.symbol.name if isinstance(node, FunctionDef) else ""


def folded(graph: TaskGraph) -> list[Group]:
    """The nodes by construct and level; each alone where there are few."""
    alone = len(graph.nodes) <= MOST_SHOWN
    numbers: dict[object, int] = {}
    members: list[list[Node]] = []
    of: list[int] = []
    for node in graph.nodes:
        key = node.number if alone else (node.function, node.span, graph.shape.level[node.number], node.waits)
        number = numbers.setdefault(key, len(members))
        if number == len(members):
            members.append([])
        members[number].append(node)
        of.append(number)
    groups = []
    for nodes in members:
        before: dict[int, int] = {}
        for edge in (e for n in nodes for e in n.edges):
            before[of[edge.before]] = before.get(of[edge.before], 0) + 1
        groups.append(Group(tuple(nodes), graph.shape.level[nodes[0].number], before))
    return groups


def summary(shape: Shape) -> str:
    """`20 tasks, 10 levels`."""
    return f"{_count(shape.tasks, 'task')}, {_count(shape.levels, 'level')}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
