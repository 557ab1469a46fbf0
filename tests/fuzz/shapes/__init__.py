"""Texts that are wide or deep in one production of C, OpenMP or the preprocessor, of any size.

SHAPES -- by name: the size as the tests take it, and the text of size n, which grows in proportion to n
BOUNDED -- what grows without end up to a limit, at a size that is beyond it
HEADERS -- the files that a text may include
"""

from . import code, constructs, text, types
from .text import HEADERS

SHAPES = {**text.SHAPES, **types.SHAPES, **code.SHAPES, **constructs.SHAPES}
BOUNDED = {**text.BOUNDED, **code.BOUNDED, **constructs.BOUNDED}

__all__ = ["BOUNDED", "HEADERS", "SHAPES"]
