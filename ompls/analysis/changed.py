"""Where two versions of a text differ: what an edit left as it was need not be searched again at each key."""

from __future__ import annotations

_STEPS = (4096, 512, 64, 8, 1)


def changed(old: bytes, new: bytes) -> tuple[int, int]:
    """(how many bytes at the beginning are the same, how many behind these are at the end)."""
    most = min(len(old), len(new))
    before = after = 0
    for step in _STEPS:
        while before + step <= most and old[before : before + step] == new[before : before + step]:
            before += step
    most -= before
    stop, end = len(old), len(new)
    for step in _STEPS:
        while after + step <= most and old[stop - after - step : stop - after] == new[end - after - step : end - after]:
            after += step
    return before, after
