"""The external declarations of a tree, and the places where the grammar could not read the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

_COMPLETE = frozenset(("function_definition", "declaration", "type_definition"))


class Piece(NamedTuple):
    """One external declaration (one node), or what is left of a broken one (several).  Offsets of the expanded text."""

    start: int
    end: int
    nodes: list[Node]


def externals(root: Node) -> Iterator[Piece]:
    """The external declarations in order.

    Inside an error at file scope, what the grammar could complete is a declaration of its own; what lies between two
    of these is one broken piece.
    """
    for n in root.children:
        if n.type == "comment" or _empty(n):
            continue
        if n.type != "ERROR":
            yield Piece(n.start_byte, n.end_byte, [n])
            continue
        loose: list[Node] = []
        for c in n.children:
            if c.type not in _COMPLETE:
                if c.type != "comment":
                    loose.append(c)
                continue
            if loose:
                yield Piece(loose[0].start_byte, loose[-1].end_byte, loose)
                loose = []
            yield Piece(c.start_byte, c.end_byte, [c])
        if loose:
            yield Piece(loose[0].start_byte, loose[-1].end_byte, loose)


def _empty(n: Node) -> bool:
    return n.type == ";" or (n.type == "expression_statement" and not n.named_children)


def errors(nodes: Iterable[Node], limit: int = 20) -> list[tuple[int, int, str]]:
    """(start, end, message) where the grammar skipped or invented something; at most `limit`."""
    out: list[tuple[int, int, str]] = []
    stack = list(reversed(list(nodes)))
    while stack and len(out) < limit:
        n = stack.pop()
        if n.is_missing:
            out.append((n.start_byte, n.end_byte, f"expected '{n.type}'"))
        elif n.is_error:
            out.append((n.start_byte, n.end_byte, "syntax error"))
        elif n.has_error:
            stack.extend(reversed(n.children))
    return out
