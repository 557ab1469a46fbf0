"""Sizes and times as people read them."""

from __future__ import annotations


def size_of_grid(value: object) -> str:
    """A grid or block as people write it: [64, 1, 1] is 64, [8, 4, 1] is 8x4."""
    parts = [str(part) for part in value] if isinstance(value, list) else [str(value or "")]
    while len(parts) > 1 and parts[-1] == "1":
        parts.pop()
    return "x".join(parts)


def geometry(grid: object, block: object) -> str:
    """Of a launch: `64 × 128`, or `(8 × 4) × (1 × 128)` where there are several dimensions."""
    sides = (size_of_grid(value).split("x") for value in (grid, block))
    return " × ".join(side[0] if len(side) == 1 else f"({' × '.join(side)})" for side in sides)


def size(count: int) -> str:
    """Bytes for people: powers of 1024."""
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def duration(nanoseconds: int) -> str:
    for limit, unit, scale in ((1_000, "ns", 1), (1_000_000, "µs", 1_000), (1_000_000_000, "ms", 1_000_000)):
        if nanoseconds < limit:
            return f"{nanoseconds} ns" if scale == 1 else f"{nanoseconds / scale:.1f} {unit}"
    return f"{nanoseconds / 1e9:.2f} s"
