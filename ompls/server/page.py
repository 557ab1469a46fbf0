"""What workers do at the moment, where the server sees it without being told: memory that all of its processes share.

A worker begins several things at each key, and nobody wants to know of them unless one takes too long.  So they are no
messages, each of which would wake the server; it looks here when it is time for that (`watch.py`).
"""

from __future__ import annotations

import mmap
import struct
import time
from collections import deque
from typing import NamedTuple

_ENTRY = struct.Struct("=dd48s")  # what is being written comes into sight from its beginning on
_COUNT = 1024
_memory = mmap.mmap(-1, _COUNT * _ENTRY.size)
_free = deque(range(_COUNT))  # the one that was used last comes last: its process may not have ended yet


class Begun(NamedTuple):
    """since -- time.monotonic
    seconds -- that it should take
    what    -- "": nothing is done
    """

    since: float
    seconds: float
    what: str


def take() -> int | None:
    """The place of a new worker; None: there are too many, and this one has to send messages."""
    if not _free:
        return None
    place = _free.popleft()
    write(place, "", 0.0)
    return place


def give_back(place: int | None) -> None:
    if place is not None:
        _free.append(place)


def write(place: int, what: str, seconds: float) -> None:
    """Something begins that should take so long."""
    _ENTRY.pack_into(_memory, place * _ENTRY.size, time.monotonic(), seconds, what.encode())


def read(place: int | None) -> Begun:
    if place is None:
        return Begun(0.0, 0.0, "")
    since, seconds, what = _ENTRY.unpack_from(_memory, place * _ENTRY.size)
    return Begun(since, seconds, what.rstrip(b"\0").decode("ascii", "replace"))
