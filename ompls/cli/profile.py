"""A trace by region as tables: `ompls run --profile` and `ompls report`."""

from __future__ import annotations

from ompls.cli.trace import table
from ompls.traces.regions import Region, advice
from ompls.traces.words import duration, size


def tables(regions: list[Region], whole: bool = True) -> str:
    """The table of regions, and the advice below it; `whole`: it is known what was for nothing."""
    total = sum(r.time for r in regions)
    head = (
        "region",
        "device",
        "launches",
        "teams",
        "threads",
        "kernels",
        "copies",
        "to",
        "from",
        "for nothing",
        "share",
    )
    rows = [
        (
            r.place, r.device, str(r.launches), r.grid, r.block, duration(r.kernel_time), duration(r.copy_time),
            size(r.to_bytes), size(r.from_bytes), size(r.redundant_bytes) if whole else "?", share(r, total),
        )
        for r in regions
    ]  # fmt: skip
    if not rows:
        return "No launch of a region was recorded."
    parts = [table(head, rows)]
    for r in regions:
        said = advice(r, total)
        if said:
            parts.append("\n".join([f"{r.place}:", *(f"  - {text}" for text in said)]))
    parts += [text] if whole and (text := looked_at(regions)) else []
    return "\n\n".join(parts)


def looked_at(regions: list[Region]) -> str:
    """How much of what was copied could be compared with the copy before."""
    seen, copied = (sum(r.seen_bytes for r in regions), sum(r.to_bytes + r.from_bytes for r in regions))
    if not copied or seen >= copied:
        return ""
    if not seen:
        return "Contents were not compared: `ompls run --profile` sees where the same data travel again."
    told = f"Of {size(copied)} that were copied, {size(seen)} were compared with the copy before"
    return f"{told}: all of them would cost the program time. More may have been for nothing."


def share(region: Region, total: int) -> str:
    """The region's part of the time of all regions."""
    return f"{100 * region.time / total:.0f} %" if total else ""
