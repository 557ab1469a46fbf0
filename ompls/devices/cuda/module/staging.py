"""Large copies of the device `cuda` through pinned memory, in pieces: the GPU copies one, the host fills the other.

The driver does much the same for memory that is not pinned; which of the two is faster is a matter of the machine, so
this is used where OMPLS_CUDA_STAGING says so (bench/gpu measures both).  `driver` is pycuda.driver.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Iterator, Tuple

PIECE = 4 << 20  # bytes: long against the microseconds that a piece costs, short against what is to overlap


def smallest() -> int:
    """Bytes from which on copies are staged: OMPLS_CUDA_STAGING in MiB; without it, none."""
    text = os.environ.get("OMPLS_CUDA_STAGING", "")
    return int(text) << 20 if text.isdigit() else 1 << 63


class Staging:
    """The two buffers of a stream.  Made, used and dropped with the GPU's context current."""

    def __init__(self, driver: Any, stream: Any) -> None:
        self._driver, self._stream = driver, stream
        self._numpy = importlib.import_module("numpy")  # pycuda needs it, too
        flags = driver.event_flags.DISABLE_TIMING
        self._slots = [(driver.pagelocked_empty(PIECE, "u1"), driver.Event(flags)) for _ in range(2)]

    def _pieces(self, size: int) -> Iterator[Tuple[int, Any, Any]]:
        for number, at in enumerate(range(0, size, PIECE)):
            buffer, event = self._slots[number % 2]
            yield at, buffer[: min(PIECE, size - at)], event

    def start_in(self, to: int, data: memoryview) -> None:
        """To the GPU; returns when the last piece is on its way."""
        source = self._numpy.frombuffer(data, "u1")
        for at, buffer, event in self._pieces(len(source)):
            event.synchronize()  # what was in the buffer has left it
            buffer[:] = source[at : at + len(buffer)]
            self._driver.memcpy_htod_async(to + at, buffer, self._stream)
            event.record(self._stream)

    def copy_out(self, into: memoryview, address: int) -> None:
        """From the GPU; returns when it is there."""
        result = self._numpy.frombuffer(into, "u1")
        arriving = None
        for at, buffer, event in self._pieces(len(result)):
            event.synchronize()
            self._driver.memcpy_dtoh_async(buffer, address + at, self._stream)
            event.record(self._stream)
            if arriving is not None:
                self._take(result, *arriving)
            arriving = (at, buffer, event)
        if arriving is not None:
            self._take(result, *arriving)

    @staticmethod
    def _take(result: Any, at: int, buffer: Any, event: Any) -> None:
        event.synchronize()
        result[at : at + len(buffer)] = buffer
