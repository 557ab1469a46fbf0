"""The flags of a map item: what clauses and modifiers mean as bits of `ompls_item_desc.flags` (core/ompls.h)."""

from __future__ import annotations

from collections.abc import Iterable

FLAGS = {
    "alloc": (), "storage": (), "to": ("TO",), "from": ("FROM",), "tofrom": ("TO", "FROM"), "release": ("RELEASE",),
    "delete": ("DELETE",), "always": ("ALWAYS",), "present": ("PRESENT",), "close": ("CLOSE",), "ompx_hold": ("HOLD",),
    "ompx_local": ("LOCAL",),
}  # fmt: skip
FLAG_BITS = {
    "TO": 1, "FROM": 2, "ALWAYS": 4, "DELETE": 8, "PRESENT": 16, "CLOSE": 32, "RELEASE": 64, "IMPLICIT": 128,
    "ZERO_LENGTH": 256, "HOLD": 512, "ATTACH": 1024, "VALUE": 2048, "PART": 4096, "LIST": 8192, "ROWS": 16384,
    "PLAIN": 32768, "LOCAL": 65536, "JOINED": 131072,
}  # fmt: skip
MOTION = 1 << 31  # only between constructs and the functions of mappers: `target update`


def bits(flags: Iterable[str]) -> int:
    """The flags as one number."""
    return sum(FLAG_BITS[f] for f in dict.fromkeys(flags))
