"""Streams of a GPU: each host thread has its own, so that it waits for its own work only."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Tuple

from ompls.devices.cuda.module.staging import Staging


@dataclass
class Lane:
    """What one host thread has started on a GPU."""

    stream: Any
    event: Any
    mark: int  # its place in the list of lanes, plus 1
    staging: Optional[Staging] = None


class Lease:
    """A lane, for as long as its thread lives; then another thread may have it."""

    def __init__(self, lane: Lane, free: List[Lane]) -> None:
        self.lane, self._free = lane, free

    def __del__(self) -> None:
        self._free.append(self.lane)


class Lanes:
    """The lanes of one GPU; `make` gives a new stream and event."""

    def __init__(self, make: Callable[[], Tuple[Any, Any]]) -> None:
        self._make = make
        self._all: List[Lane] = []
        self._free: List[Lane] = []
        self._taking = threading.Lock()
        self._thread = threading.local()

    def mine(self) -> Lane:
        """The calling thread's.  Raises what `make` raises."""
        lease = getattr(self._thread, "lease", None)
        if lease is None:
            lease = self._thread.lease = Lease(self._take(), self._free)
        lane: Lane = lease.lane
        return lane

    def _take(self) -> Lane:
        with self._taking:
            if self._free:
                return self._free.pop()
            stream, event = self._make()
            self._all.append(Lane(stream, event, len(self._all) + 1))
            return self._all[-1]

    def marked(self, mark: int) -> Lane:
        """The lane that gave a mark."""
        return self._all[mark - 1]

    def forget(self) -> None:
        """Their streams end; in the GPU's context."""
        self._thread = threading.local()
        self._all.clear()
        self._free.clear()
