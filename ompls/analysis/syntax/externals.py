"""The external declarations in a chunk of text, and the places where the grammar could not read it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ompls.analysis.syntax.split import HEAD
from ompls.analysis.syntax.tree import parse_once

_COMPLETE = frozenset(("function_definition", "declaration", "type_definition"))


class Piece(NamedTuple):
    """One external declaration, or what is left of a broken one.

    start, end -- offsets of the chunk
    shift -- makes a node's offset one of the chunk
    errors -- (start, end, message), offsets of the chunk
    """

    start: int
    end: int
    shift: int
    errors: tuple[tuple[int, int, str], ...]


_Read = tuple[Piece, list[Node]]  # with its nodes: one, or several of a broken declaration
_TAGS = frozenset(("struct_specifier", "union_specifier", "enum_specifier"))


class Chunks:
    """The external declarations of chunks; remembers those of a text's last versions.

    The grammar's trees are larger than all that is made of them and are needed once, so only the last one is kept.
    """

    def __init__(self) -> None:
        self._last: tuple[bytes, list[_Read]] = (b"", [])
        self._known: dict[bytes, tuple[Piece, ...]] = {}
        self._same: dict[tuple[Piece, ...], tuple[Piece, ...]] = {}  # equal ones of `_known` are one object

    def keep_only(self, texts: Collection[bytes]) -> None:
        """Forget other chunks."""
        self._known = {text: pieces for text, pieces in self._known.items() if text in texts}
        self._same = {pieces: pieces for pieces in self._known.values()}

    def pieces(self, text: bytes) -> tuple[Piece, ...]:
        """The external declarations of the chunk `text`, in order."""
        found = self._known.get(text)
        if found is None:
            found = tuple([piece for piece, _ in self._read(text)])
            found = self._known[text] = self._same.setdefault(found, found)
        return found

    def nodes(self, text: bytes, number: int) -> list[Node]:
        """The grammar's nodes of piece `number` of the chunk `text`."""
        return self._read(text)[number][1]

    def _read(self, text: bytes) -> list[_Read]:
        if self._last[0] != text:
            self._last = (text, _read(text))
        return self._last[1]


def _read(text: bytes) -> list[_Read]:
    """The grammar makes everything after a mistake one error.  So a broken chunk that holds lines that look like the
    head of a function is read in parts: a declaration that is being typed does not take the next one along."""
    root = parse_once(text)
    heads = [m.start() for m in HEAD.finditer(text) if m.start()] if root.has_error else []
    if not heads:
        return _pieces(root, 0)
    parts = zip([0, *heads], [*heads, len(text)], strict=True)
    return [read for a, b in parts for read in _pieces(parse_once(text[a:b]), a)]


def _piece(nodes: list[Node], shift: int) -> _Read:
    """A type that is defined goes on to its semicolon: attributes stand there, which the grammar does not see."""
    found = errors(nodes) if any(n.has_error for n in nodes) else []
    wrong = tuple((a + shift, b + shift, message) for a, b, message in found)
    end, after = nodes[-1].end_byte, nodes[-1].next_sibling if nodes[-1].type in _TAGS else None
    if after is not None and after.type == ";":
        end = after.start_byte
    return Piece(nodes[0].start_byte + shift, end + shift, shift, wrong), nodes


def _pieces(root: Node, shift: int) -> list[_Read]:
    """The declarations below `root`; if something is wrong with it, at least one of them says so."""
    found = list(_declarations(root.children, shift))
    if root.has_error and found and not any(piece.errors for piece, _ in found):
        wrong = tuple((a + shift, b + shift, message) for a, b, message in errors([root], 1))
        found[0] = (found[0][0]._replace(errors=wrong), found[0][1])
    return found


def _declarations(nodes: Iterable[Node], shift: int) -> Iterator[_Read]:
    """Inside an error at file scope, what the grammar could complete is a declaration of its own; what lies between
    two of these is one broken piece."""
    for n in nodes:
        if n.type == "comment" or _empty(n):
            continue
        if n.type != "ERROR":
            yield _piece([n], shift)
            continue
        if not n.children:
            yield _piece([n], shift)
        loose: list[Node] = []
        for c in n.children:
            if c.type not in _COMPLETE:
                if c.type != "comment":
                    loose.append(c)
                continue
            if loose:
                yield _piece(loose, shift)
                loose = []
            yield _piece([c], shift)
        if loose:
            yield _piece(loose, shift)


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
