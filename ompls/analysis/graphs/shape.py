"""What follows from a graph's nodes and edges: levels, the longest way through it, how many may run at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ompls.analysis.graphs.evaluated import Address
from ompls.analysis.graphs.order import Node


@dataclass(frozen=True, slots=True)
class Shape:
    """tasks, edges -- how many; what waits in the encountering task is no task
    level -- of each node, from 1; a task's is one more than the highest of those it waits for
    critical -- the numbers of the tasks on one longest way, first to last
    width -- tasks of the level that has most
    bytes -- of the objects that the target tasks of one level map, at most
    """

    tasks: int
    edges: int
    level: tuple[int, ...]
    critical: tuple[int, ...]
    width: int
    bytes: int

    @property
    def levels(self) -> int:
        return len(self.critical)


def shape_of(nodes: Sequence[Node]) -> Shape:
    level: list[int] = []
    behind: list[int] = []  # the node on the longest way before each; -1: none
    for node in nodes:
        longest = max(node.edges, key=lambda e: level[e.before], default=None)
        behind.append(-1 if longest is None else longest.before)
        level.append((0 if longest is None else level[longest.before]) + (not node.waits))
    at = max(range(len(nodes)), key=level.__getitem__, default=-1)
    way = []
    while at >= 0:
        if not nodes[at].waits:
            way.append(at)
        at = behind[at]
    tasks = [n for n in nodes if not n.waits]
    sizes = Counter(level[n.number] for n in tasks)
    there: dict[int, dict[Address, int]] = {}
    for n in tasks:
        mapped = there.setdefault(level[n.number], {})
        for place, size in n.bytes:
            mapped[place] = max(size, mapped.get(place, 0))
    return Shape(
        len(tasks),
        sum(len(n.edges) for n in nodes),
        tuple(level),
        tuple(reversed(way)),
        max(sizes.values(), default=0),
        max((sum(mapped.values()) for mapped in there.values()), default=0),
    )


def indices(nodes: Sequence[Node]) -> str:
    """`k=0 i=1`, of several nodes `k=0 i=1…19`; '' outside of loops."""
    return " ".join(_ranges(nodes))


def _ranges(nodes: Sequence[Node]) -> Iterator[str]:
    for place, (name, _) in enumerate(nodes[0].indices):
        values = [n.indices[place][1] for n in nodes if place < len(n.indices)]
        least, most = min(values), max(values)
        yield f"{name}={least}" if least == most else f"{name}={least}…{most}"


def unordered(nodes: Sequence[Node]) -> list[tuple[Node, Node, int, int]]:
    """Pairs of tasks that touch the same storage, one of them writing, and that nothing orders.

    Each with the numbers of the accesses.  Of what was done to a place before only the last is looked at: where that is
    in order, so is what came before it.
    """
    earlier: list[int] = []  # as bits: all nodes that come before each
    writer: dict[Address, tuple[int, int]] = {}
    readers: dict[Address, list[tuple[int, int]]] = {}
    found = []
    for node in nodes:
        known = 0
        for edge in node.edges:
            known |= earlier[edge.before] | (1 << edge.before)
        earlier.append(known)
        for i, access in enumerate(node.accesses):
            before = [writer[access.place]] if access.place in writer else []
            if access.write:
                before += readers.get(access.place, [])
            for n, k in before:
                if n != node.number and not known >> n & 1 and not nodes[n].exclusive & node.exclusive:
                    found.append((nodes[n], node, k, i))
        for i, access in enumerate(node.accesses):
            if access.write:
                writer[access.place] = (node.number, i)
                readers.pop(access.place, None)
            else:
                readers.setdefault(access.place, []).append((node.number, i))
    return found
