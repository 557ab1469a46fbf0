"""`#pragma pack` as gcc reads it: the greatest alignment of members, and the stack that `push` and `pop` work on."""

from __future__ import annotations

import re

Pack = tuple[int, ...]  # the alignments in force, in bytes (0: each member's own); the last one counts, others wait

NATURAL: Pack = (0,)
_PRAGMA = re.compile(rb"\s*#\s*pragma\s+pack\s*\(([^)]*)\)\s*$")
_SIZES = ("1", "2", "4", "8", "16")


def packed_after(pack: Pack, pragma: bytes) -> Pack:
    """What is in force behind a pragma line; any other line, and what gcc would ignore, changes nothing."""
    found = _PRAGMA.match(pragma)
    if found is None:
        return pack
    words = [w.strip() for w in found[1].decode("utf-8", "replace").split(",")]
    if words[0] == "pop":
        return pack[:-1] or pack
    if words[0] == "push":
        return (*pack, int(words[-1]) if words[-1] in _SIZES else pack[-1])
    if words == [""] or words[0] in _SIZES:
        return (*pack[:-1], int(words[0] or 0))
    return pack
