"""The grammar's tree of a text, kept up to date by edits.

The tree of a version is the same whatever was parsed before it: where the text has syntax errors, the grammar's
recovery may depend on the old tree, so then the text is parsed afresh.
"""

from __future__ import annotations

import tree_sitter_c
from tree_sitter import Language, Node, Parser, Point, Range, Tree

from ompls.analysis.syntax.mask import mask

_LANGUAGE = Language(tree_sitter_c.language())


class SyntaxTree:
    """One open text.  `update` takes the next version and gives its root node.

    text -- what the grammar saw
    """

    def __init__(self) -> None:
        self._parser = Parser(_LANGUAGE)
        self.text = b""
        self._tree: Tree | None = None

    def update(self, parse_text: bytes) -> Node:
        """The root of `parse_text` (spellings the grammar does not know are masked here)."""
        text = mask(parse_text)
        old = self._tree
        if old is not None and text == self.text:
            return old.root_node
        if old is None:
            tree = self._parser.parse(text)
        else:
            _edit(old, self.text, text)
            tree = self._parser.parse(text, old)
            if tree.root_node.has_error:
                tree = self._parser.parse(text)
        self.text, self._tree = text, tree
        return tree.root_node

    def part(self, start: int, end: int) -> Node:
        """The root of bytes [start, end) of the current text, parsed on their own; offsets stay the text's."""
        text = self.text
        where = Range(Point(*_point(text, start)), Point(*_point(text, end)), start, end)
        return Parser(_LANGUAGE, included_ranges=[where]).parse(text).root_node


def parse_once(text: bytes) -> Node:
    """The root of a text that is not kept."""
    return Parser(_LANGUAGE).parse(mask(text)).root_node


def _edit(tree: Tree, old: bytes, new: bytes) -> None:
    """Tell `tree` what changed: everything between the common prefix and the common suffix."""
    start = common_prefix(old, new)
    tail = common_prefix(old[start:][::-1], new[start:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    tree.edit(start, old_end, new_end, _point(old, start), _point(old, old_end), _point(new, new_end))


def common_prefix(a: bytes, b: bytes) -> int:
    """The length of the longest common prefix, found with few comparisons of large slices."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _point(text: bytes, at: int) -> tuple[int, int]:
    return text.count(b"\n", 0, at), at - (text.rfind(b"\n", 0, at) + 1)
