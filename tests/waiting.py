"""Waiting for a state, never for a time: the limit only keeps a broken test from lasting for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

LIMIT = 60.0  # seconds
State = TypeVar("State")


def until(state: Callable[[], State]) -> State:
    """What `state` says as soon as it is true of something; what it says at the end of the limit otherwise."""
    end = time.monotonic() + LIMIT
    while not (found := state()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


def children(process: int) -> list[int]:
    """The processes that it has started and that are still there."""
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def worked(process: int) -> int:
    """Hundredths of a second that it has spent on a processor (proc(5), utime); 0 when it is gone."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11])
    except OSError:
        return 0


def has_loaded(process: int, name: str) -> bool:
    """Whether a file whose path contains `name` is in its memory."""
    try:
        return name in Path(f"/proc/{process}/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
