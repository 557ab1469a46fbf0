"""How deep and how long the C may be that is read, and what is said of more.

Readers of the tree recurse over what nests.  Over what stands in a row they do not (`ast.chain`), but what they keep of
each part grows with the parts before it.
"""

from __future__ import annotations

MAX_DEPTH = 120  # levels of parentheses, blocks, calls, …
MAX_CHAIN = 2_000  # terms of a sum, `else if`s of a ladder
TOO_DEEP = f"it is nested more than {MAX_DEPTH} levels deep: give its inner part a name or a function of its own"
TOO_LONG = f"it has more than {MAX_CHAIN} parts in a row: make several of it"
