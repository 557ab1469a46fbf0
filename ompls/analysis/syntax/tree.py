"""The grammar's tree of a text."""

from __future__ import annotations

import tree_sitter_c
from tree_sitter import Language, Node, Parser

from ompls.analysis.syntax.mask import mask

_LANGUAGE = Language(tree_sitter_c.language())


def parse_once(text: bytes) -> Node:
    """The root of `text`; spellings that the grammar does not know are masked first."""
    return Parser(_LANGUAGE).parse(mask(text)).root_node
