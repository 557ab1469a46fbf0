"""Where a graph begins: at a `taskgraph`, or at the block whose `task`s and `target nowait`s have `depend` clauses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ompls.analysis.encoding import decoded
from ompls.analysis.graphs.evaluated import Values
from ompls.analysis.graphs.expansion import Expansion, is_deferred, makes_task
from ompls.analysis.graphs.here import NotStatic
from ompls.analysis.graphs.order import Node
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import DirectiveStmt, Expr, FunctionDef, Span, Stmt, Symbol
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.tu import Content

# Blocks that one thread runs: the tasks in one of them are siblings.
_BLOCKS = frozenset(("single", "masked", "master", "taskgroup", "section", "task", "teams"))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The graph of a region of `content`, or why there is none.

    span -- of its directive, or of its first task's
    whole -- of what was followed
    """

    content: Content
    span: Span
    whole: Span
    nodes: tuple[Node, ...]
    reason: NotStatic | None


class Functions:
    """The definitions of a unit, by name, as graphs ask for them."""

    def __init__(self, contents: dict[str, Content], model: DataModel, *, whole: bool = True) -> None:
        """whole -- what all functions do may be asked; else only functions that are called are looked at."""
        self.contents, self.model, self._whole = contents, model, whole
        self._values: dict[str, Values] = {}
        self._assigned: set[Symbol] | None = None

    def named(self, symbol: Symbol) -> FunctionDef | None:
        content = self.contents.get(symbol.name)
        return content.node if content is not None and isinstance(content.node, FunctionDef) else None

    def values(self, function: FunctionDef) -> Values:
        name = function.symbol.name
        if name not in self._values:
            text = partial(_text, self.contents[name].text)
            self._values[name] = Values(function, self.model, text, self._kept)
        return self._values[name]

    def _kept(self, symbol: Symbol) -> Expr | None:
        """The initializer of a variable with static storage that has its value for good."""
        if "const" in symbol.type.quals:
            return symbol.init
        if symbol.storage != "static" or symbol.init is None or not self._whole:
            return None
        if self._assigned is None:
            self._assigned = set().union(*(assigned_in(c.node) for c in self.contents.values()))
        return None if symbol in self._assigned else symbol.init


def _text(text: bytes, e: Expr) -> str:
    return " ".join(decoded(text[e.span.start : e.span.end]).split())


def graphs(content: Content, functions: Functions) -> list[Found]:
    """The graphs of one function, in the order of their beginnings."""
    node = content.node
    if not isinstance(node, FunctionDef) or content.tainted:
        return []
    return [_followed(content, node, functions, span, statements) for span, statements in _regions(content, node)]


def _followed(
    content: Content, node: FunctionDef, functions: Functions, span: Span, statements: tuple[Stmt, ...]
) -> Found:
    whole = Span(statements[0].span.start, statements[-1].span.end)
    try:
        nodes = Expansion(functions.values, functions.named).run(node, statements)
    except NotStatic as reason:
        return Found(content, span, whole, (), reason)
    except RecursionError:  # an expression of thousands of operators
        return Found(content, span, whole, (), NotStatic(span, "its expressions are too deep", node.symbol.name))
    return Found(content, span, whole, tuple(nodes), None)


def graph_at(found: list[Found], offset: int) -> Found | None:
    """The graph whose region holds byte `offset` of its declaration, the smallest first."""
    holding = [g for g in found if min(g.span.start, g.whole.start) <= offset <= g.whole.end]
    return min(holding, key=lambda g: g.whole.end - g.whole.start, default=None)


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
