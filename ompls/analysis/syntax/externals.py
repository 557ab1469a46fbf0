"""The external declarations of a tree, and the places where the grammar could not read the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ompls.analysis.syntax.tree import SyntaxTree

# A line that begins a function (or another declaration) for every reader: at the margin, a type before the name.
_HEAD = re.compile(
    rb"^(?!(?:return|else|goto|case|if|for|while|do|switch|default|sizeof)\b)"
    rb"(?:[A-Za-z_]\w*[ \t]+|[A-Za-z_]\w*[ \t]*\*+[ \t]*)+[*A-Za-z_]\w*[ \t]*\([^;{\n]*(?:\{[^\n]*)?$",
    re.M,
)
_COMPLETE = frozenset(("function_definition", "declaration", "type_definition"))


class Piece(NamedTuple):
    """One external declaration (one node), or what is left of a broken one (several).  Offsets of the expanded text."""

    start: int
    end: int
    nodes: list[Node]


def externals(tree: SyntaxTree, root: Node, text: bytes) -> Iterator[Piece]:
    """The external declarations of `root`, the tree of `text`, in order.

    An unclosed brace or parenthesis makes everything after it one error.  So where an erroneous stretch holds lines
    that look like the head of a function, each stretch from one head to the next is read on its own: a function that
    is being typed does not take those below it along.
    """
    broken: list[Node] = []
    for n in root.children:
        if n.type == "comment" or _empty(n):
            continue
        if n.has_error:
            broken.append(n)
            continue
        yield from _stretch(tree, broken, text)
        broken = []
        yield Piece(n.start_byte, n.end_byte, [n])
    yield from _stretch(tree, broken, text)


def _stretch(tree: SyntaxTree, broken: list[Node], text: bytes) -> Iterator[Piece]:
    """The declarations in consecutive erroneous nodes."""
    if not broken:
        return
    start, end = broken[0].start_byte, broken[-1].end_byte
    heads = [m.start() for m in _HEAD.finditer(text, start + 1, end)]
    if not heads:
        yield from _pieces(broken)
        return
    for a, b in zip([start, *heads], [*heads, end], strict=True):
        yield from _pieces(tree.part(a, b).children)


def _pieces(nodes: Iterable[Node]) -> Iterator[Piece]:
    """Inside an error at file scope, what the grammar could complete is a declaration of its own; what lies between
    two of these is one broken piece."""
    for n in nodes:
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
        if not n.has_error or _unnamed_bit_field(n):
            continue
        if n.is_missing:
            out.append((n.start_byte, n.end_byte, f"expected '{n.type}'"))
        elif n.is_error:
            out.append((n.start_byte, n.end_byte, "syntax error"))
        else:
            stack.extend(reversed(n.children))
    return out


def _unnamed_bit_field(n: Node) -> bool:
    """`int : 3;` is C, which the grammar does not know: it invents a name or skips the width."""
    if n.is_missing:
        return n.type == "field_identifier"
    parent = n.parent if n.is_error and n.child_count == 2 else None
    return parent is not None and parent.type == "field_declaration" and n.children[0].type == ":"
