"""Where a graph begins: at a `taskgraph`, or at the block whose `task`s and `target nowait`s have `depend` clauses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

from ompls.analysis.encoding import decoded
from ompls.analysis.graphs.construct import is_deferred, makes_task
from ompls.analysis.graphs.evaluated import Values
from ompls.analysis.graphs.expansion import Expansion
from ompls.analysis.graphs.here import NotStatic
from ompls.analysis.graphs.order import Node
from ompls.analysis.graphs.shape import Shape, shape_of
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import DirectiveStmt, Expr, FunctionDef, Span, Stmt, Symbol
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Content

NOT_UNDERSTOOD = "a part of this function was not understood"
# Blocks that one thread runs: the tasks in one of them are siblings.
_BLOCKS = frozenset(("single", "masked", "master", "taskgroup", "section", "task", "teams"))


@dataclass(frozen=True, eq=False)
class Found:
    """The graph of a region of `content`, or why there is none.

    span -- of its directive, or of its first task's
    whole -- of what was followed
    steps -- how many it took
    idle -- the constructs whose `depend` clauses make no task wait
    """

    content: Content
    span: Span
    whole: Span
    nodes: tuple[Node, ...]
    reason: NotStatic | None
    steps: int
    idle: tuple[Directive, ...]

    @cached_property
    def shape(self) -> Shape:
        return shape_of(self.nodes)


class Functions:
    """The definitions of a unit, by name, as graphs ask for them.

    whole -- what all functions do may be asked; else only functions that are called are looked at
    """

    def __init__(self, contents: Mapping[str, Content], model: DataModel, *, whole: bool = True) -> None:
        self.contents, self.model, self.whole = contents, model, whole

    def serial(self, name: str) -> int:
        """What is another number for another definition; -1: there is none."""
        content = self.contents.get(name)
        return -1 if content is None else content.serial

    def keeps(self, symbol: Symbol) -> bool:
        """Whether it is known that nothing assigns a variable of the file."""
        return self.whole and not any(symbol in _assigned(content) for content in self.contents.values())


def _assigned(content: Content) -> frozenset[Symbol]:
    """The variables of the file that a function assigns."""
    known: frozenset[Symbol] | None = content.memo.get("graphs, assigned")
    if known is None:
        known = frozenset([s for s in assigned_in(content.node) if s.storage == "static"])
        content.memo["graphs, assigned"] = known
    return known


class _Heard(NamedTuple):
    """What the graphs of one function have asked of the others, and heard: while that is the same, so are they.

    called -- by name: which definition it was; kept -- by variable of the file: whether nothing assigns it
    """

    model: DataModel
    called: dict[str, int]
    kept: dict[Symbol, bool]

    def holds(self, functions: Functions) -> bool:
        return (
            functions.model == self.model
            and all(functions.serial(name) == serial for name, serial in self.called.items())
            and all(functions.keeps(symbol) == kept for symbol, kept in self.kept.items())
        )


class _Asking:
    """The functions of a unit, for the graphs of one function; what is asked is written down."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._values: dict[str, Values] = {}
        self.heard = _Heard(functions.model, {}, {})

    def named(self, symbol: Symbol) -> FunctionDef | None:
        content = self._functions.contents.get(symbol.name)
        self.heard.called[symbol.name] = self._functions.serial(symbol.name)
        return content.node if content is not None and isinstance(content.node, FunctionDef) else None

    def values(self, function: FunctionDef) -> Values:
        name = function.symbol.name
        if name not in self._values:
            text = partial(_text, self._functions.contents[name].text)
            self._values[name] = Values(function, self._functions.model, text, self._value)
        return self._values[name]

    def _value(self, symbol: Symbol) -> Expr | None:
        """The initializer of a variable with static storage that has its value for good."""
        if "const" in symbol.type.quals:
            return symbol.init
        if symbol.storage != "static" or symbol.init is None:
            return None
        if symbol not in self.heard.kept:
            self.heard.kept[symbol] = self._functions.keeps(symbol)
        return symbol.init if self.heard.kept[symbol] else None


def _text(text: bytes, e: Expr) -> str:
    return " ".join(decoded(text[e.span.start : e.span.end]).split())


def graphs(content: Content, functions: Functions) -> list[Found]:
    """The graphs of one function, in the order of their beginnings; kept while what they depend on is the same."""
    node = content.node
    if not isinstance(node, FunctionDef):
        return []
    kept: list[tuple[_Heard, list[Found]]] = content.memo.setdefault("graphs", [])
    for heard, found in kept:
        if heard.holds(functions):
            return found
    asking = _Asking(functions)
    found = [_followed(content, node, asking, span, statements) for span, statements in _regions(content, node)]
    kept[:] = [
        (asking.heard, found),
        *kept[:1],
    ]  # of rules, which ask of functions that are called only, and of the others
    return found


def regions_of(content: Content) -> list[tuple[Span, Span]]:
    """Where graphs begin in a function, and what would be followed for each: `span` and `whole` of `graphs`."""
    node = content.node
    if not isinstance(node, FunctionDef):
        return []
    return [(span, _whole(statements)) for span, statements in _regions(content, node)]


def _whole(statements: tuple[Stmt, ...]) -> Span:
    return Span(statements[0].span.start, statements[-1].span.end)


def _followed(content: Content, node: FunctionDef, asking: _Asking, span: Span, statements: tuple[Stmt, ...]) -> Found:
    reason: NotStatic | None = None
    nodes: list[Node] = []
    expansion = Expansion(asking.values, asking.named)
    try:
        if content.tainted:
            raise NotStatic(span, NOT_UNDERSTOOD, node.symbol.name)
        nodes = expansion.run(node, statements)
    except NotStatic as why:
        reason = why
    except RecursionError:  # an expression of thousands of operators
        reason = NotStatic(span, "its expressions are too deep", node.symbol.name)
    idle = expansion.idle() if reason is None else ()
    return Found(content, span, _whole(statements), tuple(nodes), reason, expansion.steps, idle)


def _regions(content: Content, node: FunctionDef) -> Iterator[tuple[Span, tuple[Stmt, ...]]]:
    graphs = [s for s in content.directives if s.directive.name == "taskgraph" and s.directive.known]
    starts = [
        s for s in content.directives
        if makes_task(s.directive) and is_deferred(s.directive) and s.directive.clause("depend") is not None
    ]  # fmt: skip
    outermost: list[DirectiveStmt] = []
    for s in graphs:
        if not any(o.span.start <= s.span.start < o.span.end for o in outermost):
            outermost.append(s)
            yield s.directive.span, (s,)
    done = [s.span for s in outermost]
    for s in starts:
        if not any(span.start <= s.span.start < span.end for span in done):
            statements = _block_of(node, s)
            done.append(Span(statements[0].span.start, statements[-1].span.end))
            yield s.directive.span, statements


def _block_of(node: FunctionDef, task: DirectiveStmt) -> tuple[Stmt, ...]:
    """The statements that create the task and its siblings: the body of the block that one thread runs; without one the
    outermost statements of the function from the first to the last that has tasks."""
    block: Stmt = node.body
    at: ast.Node = node.body
    while True:
        below = next((n for n in at.children() if n.span.start <= task.span.start < n.span.end), None)
        if below is None or below is task:
            break
        if isinstance(below, DirectiveStmt) and below.body is not None and _BLOCKS & set(below.directive.constructs):
            block = below.body
        at = below
    if block is not node.body or not isinstance(block, ast.Compound):
        return (block,)
    having = [k for k, s in enumerate(block.items) if _creates(s)]
    return block.items[having[0] : having[-1] + 1] if having else (block,)


def _creates(s: Stmt) -> bool:
    found = (n.directive for n in s.walk() if isinstance(n, DirectiveStmt))
    return any(makes_task(d) or d.name in ("taskwait", "depobj") for d in found)
