"""Which task waits for which (OpenMP 5.2 §15.9.5): nodes and edges, while a region is followed in order.

For each storage location there is the group of tasks that named it last, and the group before that one.  A task of the
same kind joins the group (`in`, `mutexinoutset`, `inoutset`) and waits for the one before; any other waits for the
group, and begins one.  What the encountering task waits for (`taskwait`, the end of a `taskgroup`, a task that is not
deferred) comes before all that is created later.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from ompls.analysis.graphs.evaluated import Address
from ompls.analysis.model.ast import DirectiveStmt, Expr, Span

_TOGETHER = frozenset(("in", "mutexinoutset", "inoutset"))  # tasks of these kinds do not wait for their like
ALL_MEMORY = Address(("omp_all_memory",), 0)


class Edge(NamedTuple):
    """before -- the number of the node that comes first
    item -- the list item of the later node that says so; '' where the encountering task waited
    """

    before: int
    item: str


Depend = tuple[str, Address, str]  # kind, place, the list item as it is written
_edge = partial(tuple.__new__, Edge)


class Access(NamedTuple):
    """What a task certainly does to storage: to one element, with no condition in the way.

    called -- a function does it, to what its argument `expr` points to
    """

    place: Address
    write: bool
    expr: Expr
    called: bool = False


@dataclass(slots=True, eq=False)
class Node:
    """A task, or a place where the encountering task waits for several.

    indices -- the induction variables of the loops around it with their values, outermost first
    span -- of the directive, in the external declaration that is followed
    waits -- it is no task: `kind` says what waits there
    bytes -- of each object that a target task maps, by its place
    exclusive -- the places of its `mutexinoutset` items
    """

    number: int
    kind: str
    span: Span
    function: str
    indices: tuple[tuple[str, int], ...]
    edges: tuple[Edge, ...]
    waits: bool = False
    bytes: tuple[tuple[Address, int], ...] = ()
    accesses: tuple[Access, ...] = ()
    exclusive: frozenset[Address] = frozenset()
    stmt: DirectiveStmt | None = None


@dataclass(slots=True)
class _Last:
    """The tasks that named a location last, and those before them."""

    kind: str
    group: list[int]
    before: list[int] = field(default_factory=list)


class Order:
    """The nodes so far."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._last: dict[Address, _Last] = {}
        self._all: _Last | None = None  # of omp_all_memory
        self._after: tuple[int, ...] = ()  # all that comes now is after these
        self._since = 0  # the nodes from here on are
        self._open: set[int] = set()  # nodes that no other one waits for

    def add(self, node: Node, depends: Iterable[Depend]) -> None:
        """The next task; its edges are made here."""
        edges: dict[int, str] = {}
        number = node.number
        for kind, place, item in depends:
            for before in self._named(kind, place, number):
                if before != number and before not in edges:
                    edges[before] = item
        if self._after and (not edges or max(edges) < self._since):
            for before in self._after:
                edges.setdefault(before, "")
        node.edges = tuple(map(_edge, edges.items()))
        self._open.difference_update(edges)
        self._open.add(number)
        self.nodes.append(node)

    def _named(self, kind: str, place: Address, number: int) -> list[int]:
        """The nodes that one which names this location has to wait for."""
        kind = "inout" if kind == "out" else kind
        if place is ALL_MEMORY:
            waiting = sorted(self._open)
            self._last.clear()
            self._all = _Last("inout", [number])
            return waiting
        last = self._last.get(place)
        if last is None:
            begun = list(self._all.group) if self._all is not None else []
            self._last[place] = _Last(kind, [number], begun)
            return begun
        if kind == last.kind and kind in _TOGETHER:
            if last.group[-1] != number:
                last.group.append(number)
            return last.before
        if last.group == [number]:  # it names the location twice: the stronger word holds
            last.kind = "inout"
            return last.before
        if last.group[-1] == number:
            last.group.pop()
        self._last[place] = _Last(kind, [number], last.group)
        return last.group

    def wait(self, kind: str, span: Span, function: str, first: int = 0) -> None:
        """All that comes now is after the nodes from number `first` on."""
        waited = sorted(n for n in self._open if n >= first)
        if not waited:
            return
        if len(waited) > 1:
            join = Node(len(self.nodes), kind, span, function, (), tuple(Edge(n, "") for n in waited), waits=True)
            self.nodes.append(join)
            self._open.difference_update(waited)
            self._open.add(join.number)
            waited = [join.number]
        self.after(waited[0])

    def after(self, number: int) -> None:
        """The encountering task waited for this node."""
        self._after, self._since = (number,), number + 1

    def idle(self) -> set[Address]:
        """The locations for whose sake no task waits: one task alone names them, or all only read them."""
        return {
            place
            for place, last in self._last.items()
            if not last.before and not (last.kind == "mutexinoutset" and len(last.group) > 1)
        }
