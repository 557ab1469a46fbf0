"""Where each directive of a declaration stands: the constructs around it, and the statement that holds it.

What follows a metadirective may be under any of its directives, so that nothing is known of what is around it: its
`around` ends in the metadirective, and rules that ask for a construct further out get no answer (`opaque`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from ompls.analysis.model.ast import Compound, DirectiveStmt, Expr, FunctionDef, Node, Stmt
from ompls.analysis.rules.support.framework import Scene

_KEY = "nesting"
# Constructs that begin a new team (or an initial task): what is closely nested in something ends at them.
_NEW_TEAM = frozenset(("parallel", "target", "teams"))


@dataclass(frozen=True, slots=True)
class Placed:
    """A directive at its place.

    around -- the enclosing directives, innermost first
    holder -- the node whose direct child the statement is
    """

    stmt: DirectiveStmt
    around: tuple[DirectiveStmt, ...]
    holder: Node

    @property
    def name(self) -> str:
        return self.stmt.directive.name

    @property
    def parent(self) -> DirectiveStmt | None:
        """The innermost enclosing construct; None when there is none, or when a metadirective hides it."""
        return self.around[0] if self.around and not _hides(self.around[0]) else None

    @property
    def opaque(self) -> bool:
        """Whether a metadirective stands between the directive and the function."""
        return any(_hides(s) for s in self.around)


def placed(scene: Scene) -> list[Placed]:
    """The directives of the function in source order (without those in what was not understood)."""
    content, function = scene.content, scene.function
    if content is None or function is None or not content.directives:
        return []
    found: list[Placed] | None = content.memo.get(_KEY)
    if found is None:
        found = content.memo[_KEY] = list(_places(function, sorted(s.span.start for s in content.directives)))
    return found


def constructs_around(place: Placed) -> Iterator[tuple[str, DirectiveStmt]]:
    """The leaf constructs around a directive that it is closely nested in, innermost first.

    Ends after the first that begins a team of its own (that one included), and before a metadirective.
    """
    for stmt in place.around:
        if _hides(stmt):
            return
        for construct in reversed(stmt.directive.constructs):
            yield construct, stmt
            if construct in _NEW_TEAM:
                return


def _places(function: FunctionDef, starts: list[int]) -> Iterator[Placed]:
    """`starts`: where directives stand, in order."""
    stack: list[tuple[Node, tuple[DirectiveStmt, ...], Node]] = [(function.body, (), function)]
    while stack:
        node, around, holder = stack.pop()
        if isinstance(node, DirectiveStmt):
            yield Placed(node, around, holder)
            around = (node, *around)
        if isinstance(node, Expr):
            first = bisect_left(starts, node.span.start)
            if first == len(starts) or starts[first] >= node.span.end:
                continue  # only a statement in it could hold one
        if isinstance(node, Compound):
            stack += [(child, outer, node) for child, outer in reversed(list(_items(node, around)))]
        else:
            stack += [(child, around, node) for child in reversed(node.children())]


def _items(node: Compound, around: tuple[DirectiveStmt, ...]) -> Iterator[tuple[Node, tuple[DirectiveStmt, ...]]]:
    under: DirectiveStmt | None = None  # a metadirective that the next statement may belong to
    begun: DirectiveStmt | None = None
    for item in node.items:
        hidden = begun or under
        yield item, (hidden, *around) if hidden is not None else around
        under = _metadirective(item)
        if under is not None and under.directive.name == "begin metadirective":
            begun, under = under, None
        elif isinstance(item, DirectiveStmt) and item.directive.name == "end metadirective":
            begun = None


def _metadirective(stmt: Stmt) -> DirectiveStmt | None:
    """The metadirective that `stmt` is or ends in."""
    inner: Stmt | None = stmt
    while isinstance(inner, DirectiveStmt):
        if _hides(inner) and inner.body is None:
            return inner
        inner = inner.body
    return None


def _hides(stmt: DirectiveStmt) -> bool:
    directive = stmt.directive
    return not directive.decided or directive.name in ("metadirective", "begin metadirective") or not directive.known
