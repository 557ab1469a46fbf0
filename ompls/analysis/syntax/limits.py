"""How deep and how long the C may be that is read, and what is said of more.

Readers of the tree recurse over what nests.  Over what stands in a row they do not (`ast.chain`), but what they keep of
each part grows with the parts before it.

C promises 127 blocks in each other and 63 parentheses (C17 §5.2.4.1); `if (x) {` is two levels here, and so is `(a + `.
"""

from __future__ import annotations

import sys

MAX_DEPTH = 300  # levels of parentheses, blocks, calls, …
_FRAMES = 10  # of Python's, for each level
MAX_STACKED = 32  # directives on one statement
MAX_CHAIN = 2_000  # terms of a sum, `else if`s of a ladder
TOO_DEEP = f"it is nested more than {MAX_DEPTH} levels deep: give its inner part a name or a function of its own"
TOO_LONG = f"it has more than {MAX_CHAIN} parts in a row: make several of it"

sys.setrecursionlimit(max(sys.getrecursionlimit(), 1000 + _FRAMES * MAX_DEPTH))
