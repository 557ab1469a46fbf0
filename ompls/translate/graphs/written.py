"""The recorded task graphs of one host file: what stands for their constructs, their descriptions, their functions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import Item
from ompls.translate.clauses import Fallback
from ompls.translate.graphs import fill
from ompls.translate.graphs.recordable import Graph, Node, graph_of, is_of_graph
from ompls.translate.hosttasks import Dependences, dependences
from ompls.translate.needs import Index
from ompls.translate.output import OutLine, Places

Written = tuple[list[str], Fallback | None, str]  # statements before the construct, its pragma, statements behind it


@dataclass(frozen=True)
class Deferred:
    """saved -- statements that save what is recorded
    what -- the arguments that say what is recorded
    call -- what defers it, but for the dependences; "": what defers it elsewhere
    """

    saved: list[str]
    what: str
    call: str

    def lines(self, depend: Dependences) -> list[str]:
        """Statements before the call."""
        return self.saved if self.call else [f"ompls_graph_task({self.what}, {depend.arguments});"]


@dataclass
class Graphs:
    """graphs -- the `taskgraph`s: (name, file, line)
    recorded -- the constructs in them
    functions -- what replays these
    """

    index: Index
    places: Places
    graphs: list[tuple[str, str, int]] = field(default_factory=list)
    recorded: list[fill.Recorded] = field(default_factory=list)
    functions: list[OutLine] = field(default_factory=list)
    _known: dict[int, tuple[Graph, str]] = field(default_factory=dict)  # by the statements in them

    def construct(self, item: Item, stmt: DirectiveStmt, name: str) -> Written | None:
        """A host construct that is, or belongs to, a graph that is recorded; None: it does not.  Raises Problem."""
        if stmt.directive.name == "taskgraph":
            return self._graph(item, stmt, name)
        graph, of = self._known.get(id(stmt), (None, ""))
        if graph is None:
            return None
        if id(stmt) in graph.waits:
            return [f"ompls_graph_taskwait({fill.recording(of)});"], as_it_is(stmt), ""
        depend = dependences(self.index.tu, item, stmt.directive, name)
        lines, what = self._record(item, stmt, name)
        lines = [*depend.lines, *lines, f"ompls_graph_task({what}, {depend.arguments});"]
        node = graph.nodes[id(stmt)]
        if node.replayed:
            self._function(graph, node, name, fill.body_of(item, self.places, node))
        return lines, as_it_is(stmt), ""

    def target(self, item: Item, stmt: DirectiveStmt, name: str, filled: list[str], arguments: str) -> Deferred | None:
        """A deferred target region whose `arguments` are `filled` in; None: it belongs to no graph."""
        graph, _ = self._known.get(id(stmt), (None, ""))
        if graph is None:
            return None
        node = graph.nodes[id(stmt)]
        lines, what = self._record(item, stmt, name, region=name)
        if not node.replayed:
            return Deferred(lines, what, "")
        text = fill.reached(" ".join([*filled, f"ompls_graph_target(&__ompls_r_{name}, {arguments});"]), node)
        self._function(graph, node, name, [OutLine(text, *self.places.line(item, stmt.span.start))])
        return Deferred(lines, what, f"ompls_graph_nowait({what}, {arguments}")

    def _record(self, item: Item, stmt: DirectiveStmt, name: str, region: str = "") -> tuple[list[str], str]:
        """What is said of a task to the run time: statements, and the first arguments of a call."""
        graph, of = self._known[id(stmt)]
        node = graph.nodes[id(stmt)]
        path, line = self.places.line(item, stmt.span.start)
        made = fill.Recorded(name, of, path, line, fill.size_of(self.index.tu, node), region)
        if node.replayed:
            self.recorded.append(made)
        return fill.what_is_recorded(self.index.tu, made, node)

    def _graph(self, item: Item, stmt: DirectiveStmt, name: str) -> Written:
        graph = graph_of(self.index.tu, item, stmt)
        assert graph is not None, "the others have become a taskgroup"
        self.graphs.append((name, *self.places.line(item, stmt.span.start)))
        for known in (*graph.nodes, *graph.waits):
            self._known[known] = (graph, name)
        lines = [f"const unsigned long long __ompls_g_{name} = ompls_taskgroup_begin();"]
        lines += fill.begin(self.index.tu, item, graph, name)
        group = Fallback(replace(stmt.directive, name="taskgroup"), (), ())
        return lines, group, f"ompls_taskgroup_end(__ompls_g_{name}); {fill.end(name)}"

    def _function(self, graph: Graph, node: Node, name: str, body: list[OutLine]) -> None:
        self.functions += fill.function(self.index, graph, node, name, body)


def as_it_is(stmt: DirectiveStmt) -> Fallback:
    """A construct without what only a graph knows."""
    d = stmt.directive
    saved = [i.text for c in d.clauses if is_of_graph(c) for i in c.items]
    kept: tuple[Clause, ...] = tuple(c for c in d.clauses if not is_of_graph(c))
    return Fallback(d, kept, (f"firstprivate({', '.join(saved)})",) if saved else ())
