"""A node of the syntax tree: its place, its children, and walks over what is below it.

What the nodes are stands in `ast`.  Every rule walks over every tree, so walks look nothing up twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, NamedTuple


class _Span(NamedTuple):
    start: int
    end: int


class Span(_Span):
    """Bytes [start, end).  A tree is half made of these, and the same few are in all functions: equal ones are one
    object, as long as there are not too many."""

    __slots__ = ()

    def __new__(cls, start: int, end: int) -> Span:
        found = _SPANS.get((start, end))
        if found is None:
            found = super().__new__(cls, start, end)
            if len(_SPANS) < _MOST_SPANS:
                _SPANS[found] = found
        return found


_SPANS: dict[tuple[int, int], Span] = {}
_MOST_SPANS = 50_000


@dataclass(slots=True, eq=False)
class Node:
    span: Span

    def children(self) -> list[Node]:
        """Direct children in source order."""
        cls = type(self)
        below = _BELOW.get(cls) or _below(cls)
        return below(self)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in source order."""
        stack: list[Node] = [self]
        while stack:
            n = stack.pop()
            yield n
            cls = type(n)
            if cls not in LEAVES:
                below = (_BELOW.get(cls) or _below(cls))(n)
                below.reverse()
                stack += below


def walk_down_to(node: Node, closed: Callable[[Node], bool]) -> Iterator[Node]:
    """As `node.walk()`, but not below the nodes that are `closed`."""
    waiting = [node]
    while waiting:
        n = waiting.pop()
        yield n
        if not closed(n):
            waiting += reversed(n.children())


@lru_cache(maxsize=64)
def nodes(node: Node) -> tuple[Node, ...]:
    """What `node.walk()` yields, remembered: for who looks at one statement for many things, one after the other."""
    return tuple(node.walk())


Below = Callable[[Any], "list[Node]"]
_BELOW: dict[type, Below] = {}  # per class: the children of a node of it
LEAVES: set[type] = set()  # classes whose nodes have no children, as most nodes; known once one was asked for its own
_MANY = ("list", "tuple")
_NODE_TYPE = re.compile(r"\b(?:Node|Expr|Stmt|Compound|InitList|VarDecl|DeclStmt|ExprStmt)\b")


def _below(cls: type[Node]) -> Below:
    """How the children of a node of `cls` are found.  Every rule walks over every tree: nothing is looked up twice, and
    as in `dataclasses` the function is written out, without a loop over fields."""
    held = [(f.name, str(f.type)) for f in fields(cls) if _NODE_TYPE.search(str(f.type))]
    if not held:
        LEAVES.add(cls)
    lines = ["below = []"]
    for name, kind in held:
        if kind.startswith(_MANY):
            lines.append(f"below += node.{name}")
        elif "None" in kind:
            lines.append(f"if node.{name} is not None: below.append(node.{name})")
        else:
            lines.append(f"below.append(node.{name})")
    if not any(kind.startswith(_MANY) or "None" in kind for _, kind in held):
        lines = [f"below = [{', '.join(f'node.{name}' for name, _ in held)}]"]
    made: dict[str, Below] = {}
    exec("def below_of(node):\n " + "\n ".join([*lines, "return below"]), made)  # noqa: S102 -- of names of fields alone
    _BELOW[cls] = made["below_of"]
    return _BELOW[cls]
