"""`#pragma pack` as gcc reads it: the greatest alignment of members, and the stack that `push` and `pop` work on."""

from __future__ import annotations

import re

# The name that a `push` gave ("": none), and the alignment in force behind it in bytes (0: each member's own).  The
# last counts, the others wait.
Pack = tuple[tuple[str, int], ...]

NATURAL: Pack = (("", 0),)
_PRAGMA = re.compile(rb"\s*#\s*pragma\s+pack\s*\(([^)]*)\)\s*$")
_SIZES = ("1", "2", "4", "8", "16")


def packed_after(pack: Pack, pragma: bytes) -> Pack:
    """What is in force behind a pragma line; any other line, and what gcc would ignore, changes nothing."""
    found = _PRAGMA.match(pragma)
    if found is None:
        return pack
    words = [w.strip() for w in found[1].decode("utf-8", "replace").split(",")]
    (name, now), sizes = pack[-1], [w for w in words if w in _SIZES]
    if words[0] == "pop":
        if len(pack) == 1 or sizes:
            return pack
        named = [k for k in range(1, len(pack)) if words[1:] == [pack[k][0]]]
        return pack[: named[-1] if named else -1]  # gcc warns of a name that nobody pushed, and pops all the same
    if words[0] == "push":
        names = [w for w in words[1:] if w not in _SIZES]
        return (*pack, (names[0] if names else "", int(sizes[-1]) if sizes else now))
    if words == [""] or words[0] in _SIZES:
        return (*pack[:-1], (name, int(words[0] or 0)))
    return pack
