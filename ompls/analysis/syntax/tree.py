"""The grammar's tree of a text."""

from __future__ import annotations

import tree_sitter_c
from tree_sitter import Language, Node, Parser

from ompls.analysis.syntax.mask import mask

_PARSER = Parser(Language(tree_sitter_c.language()))  # keeps nothing of a text; threads wait for each other in `parse`


def parse_once(text: bytes) -> Node:
    """The root of `text`; spellings that the grammar does not know are masked first."""
    return _PARSER.parse(mask(text)).root_node
