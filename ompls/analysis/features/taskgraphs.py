"""The task graphs of a unit with their places in files: what `ompls graph` and editors show."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ompls.analysis.graphs import MOST_STEPS, Found, Functions, Node, Shape, graphs, regions_of
from ompls.analysis.model.ast import FunctionDef, Span
from ompls.analysis.model.tu import TU, Content, Item
from ompls.analysis.source import Location

MOST_SHOWN = 400  # nodes, one by one
LONG = 100  # characters of a reason in a lens


class Reason(NamedTuple):
    """Why there is no graph, and where."""

    where: Location
    why: str


@dataclass(frozen=True, slots=True)
class GraphPlace:
    """id -- `function_0`; where -- its directive, or its first task's; whole -- all that was followed"""

    id: str
    where: Location
    whole: Location

    @property
    def start(self) -> int:
        return min(self.where.start, self.whole.start)


@dataclass(frozen=True, slots=True)
class TaskGraph(GraphPlace):
    """places -- of each node's directive; reason -- None: there is a graph"""

    function: str
    nodes: tuple[Node, ...]
    places: tuple[Location, ...]
    shape: Shape
    reason: Reason | None


class Group(NamedTuple):
    """Nodes of one construct and level, which are shown as one.

    key -- names the group while its function does not change
    column -- where it is shown: behind all that it waits for
    before -- the numbers of the groups that it waits for, with how many edges there are
    """

    nodes: tuple[Node, ...]
    key: str
    level: int
    column: int
    before: dict[int, int]


def task_graphs(tu: TU) -> list[TaskGraph]:
    """All of the unit, in the order of their beginnings."""
    asked = _Unit(tu)
    return [
        asked.placed(item, number, graph)
        for item in asked.items
        for number, graph in enumerate(graphs(item.content, asked.functions))
    ]


def task_graph(tu: TU, name: str) -> TaskGraph | None:
    """The one with this id."""
    asked = _Unit(tu)
    for item in asked.items:
        for number in range(len(regions_of(item.content)) if name.startswith(f"{_name(item)}_") else 0):
            if name == _id(item, number):
                return asked.placed(item, number, graphs(item.content, asked.functions)[number])
    return None


def graph_places(tu: TU) -> list[GraphPlace]:
    """Where there are graphs in the main file: none is followed for it."""
    return [
        place
        for item in _items(tu)
        for number, (where, whole) in enumerate(regions_of(item.content))
        if (place := _place(tu, item, number, where, whole)).where.path == tu.path == place.whole.path
    ]


def graph_near(tu: TU, offset: int) -> tuple[GraphPlace, bool] | None:
    """The smallest graph around byte `offset` of the main file, and True; else of the last one above, or of
    the first one, and False."""
    places = graph_places(tu)
    held = [place for place in places if place.start <= offset <= place.whole.end]
    if held:
        return min(held, key=lambda place: place.whole.end - place.start), True
    if not places:
        return None
    return max((p for p in places if p.start <= offset), key=lambda p: p.start, default=places[0]), False


def graph_lenses(tu: TU) -> Iterator[tuple[GraphPlace, str]]:
    """The graphs of the main file with what a lens says of each: `20 tasks, 10 levels`.

    All of them may take the steps that one may: of those behind these nothing is said.
    """
    items = _items(tu)
    functions = _functions(tu) if items else None
    left = MOST_STEPS
    for item in items:
        for number, (where, whole) in enumerate(regions_of(item.content)):
            place = _place(tu, item, number, where, whole)
            said = ""
            if functions is not None and left > 0:
                graph = graphs(item.content, functions)[number]
                left -= graph.steps
                said = f"not static ({_short(graph.reason.why)})" if graph.reason is not None else summary(graph.shape)
            if place.where.path == tu.path == place.whole.path:
                yield place, said


class _Unit:
    """The functions of a unit that may have graphs, and what these ask."""

    def __init__(self, tu: TU) -> None:
        self.tu, self.items, self.functions = tu, _items(tu), _functions(tu)
        self._named = {_name(i): i for i in tu.items if isinstance(i.content.node, FunctionDef)}

    def placed(self, item: Item, number: int, graph: Found) -> TaskGraph:
        tu, of, reason = self.tu, self._named, graph.reason
        places = {at: tu.locate(of[at[0]], at[1]) for at in {(n.function, n.span) for n in graph.nodes}}
        place = _place(tu, item, number, graph.span, graph.whole)
        return TaskGraph(
            place.id,
            place.where,
            place.whole,
            _name(item),
            graph.nodes,
            tuple([places[n.function, n.span] for n in graph.nodes]),
            graph.shape,
            Reason(tu.locate(of[reason.function], reason.span), reason.why) if reason is not None else None,
        )


def _items(tu: TU) -> list[Item]:
    """The definitions of functions that may have graphs."""
    found = [number for number, (_, group) in enumerate(tu.items.groups) if group.graphs]
    return [i for number in found for i in tu.items.of(number) if isinstance(i.content.node, FunctionDef)]


def _functions(tu: TU) -> Functions:
    contents: dict[str, Content] = {}
    for _, group in tu.items.groups:
        contents.update(group.functions)
    return Functions(contents, tu.model)


def _place(tu: TU, item: Item, number: int, where: Span, whole: Span) -> GraphPlace:
    return GraphPlace(_id(item, number), tu.locate(item, where), tu.locate(item, whole))


def _id(item: Item, number: int) -> str:
    return f"{_name(item)}_{number}"


def _name(item: Item) -> str:
    node = item.content.node
    return node.symbol.name if isinstance(node, FunctionDef) else ""


def _short(why: str) -> str:
    return why if len(why) <= LONG else why[: LONG - 1] + "…"


def folded(graph: TaskGraph, unfolded: Collection[str] = ()) -> list[Group]:
    """The nodes by construct and level; each alone where there are few, or where the key of their group is named."""
    alone, level = len(graph.nodes) <= MOST_SHOWN, graph.shape.level
    numbers: dict[object, int] = {}
    members: list[list[Node]] = []
    keys: list[str] = []
    of: list[int] = []
    column: list[int] = []
    for node in graph.nodes:
        column.append(1 + max([column[e.before] for e in node.edges], default=0))
        key = f"{node.function}:{node.span.start}:{level[node.number]}:{node.waits:d}"
        number = numbers.setdefault(node.number if alone or key in unfolded else key, len(members))
        if number == len(members):
            members.append([])
            keys.append(key)
        members[number].append(node)
        of.append(number)
    groups = []
    for number, nodes in enumerate(members):
        before: dict[int, int] = {}
        for edge in (e for n in nodes for e in n.edges if of[e.before] != number):
            before[of[edge.before]] = before.get(of[edge.before], 0) + 1
        at = max(column[n.number] for n in nodes)
        groups.append(Group(tuple(nodes), keys[number], level[nodes[0].number], at, before))
    return groups


def summary(shape: Shape) -> str:
    """`20 tasks, 10 levels`."""
    return f"{_count(shape.tasks, 'task')}, {_count(shape.levels, 'level')}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
