"""Frames over MPI, with functions in MPI's place that say what has come."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

from ompls.devices.remote.mpi import Functions
from ompls.devices.remote.near import LIBRARY

ADDRESS = ctypes.c_void_p
IRECV = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.c_int, ADDRESS, ctypes.c_int, ctypes.c_int, ADDRESS, ADDRESS)
TEST = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.POINTER(ctypes.c_int), ADDRESS)
COUNT = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ADDRESS, ctypes.POINTER(ctypes.c_int))
CANCEL = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS)
WAIT = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ADDRESS)


class Frames:
    """A communicator on which `left` frames of 8 bytes have come, and one request for the next."""

    def __init__(self, left: int) -> None:
        self.left, self.requested, self.cancelled = left, 0, 0
        self.calls = IRECV(self.irecv), TEST(self.test), COUNT(self.count), CANCEL(self.cancel), WAIT(lambda *_: 0)

    def irecv(self, *_: Any) -> int:
        self.requested += 1
        return 0

    def test(self, _request: int, flag: Any, _status: int) -> int:
        assert self.requested == 1
        flag[0] = self.left > 0
        self.left -= flag[0]
        self.requested -= flag[0]
        return 0

    def count(self, _status: int, _type: int, count: Any) -> int:
        count[0] = 8
        return 0

    def cancel(self, _request: int) -> int:
        self.cancelled += 1
        self.requested -= 1
        return 0

    def functions(self) -> Functions:
        irecv, test, count, cancel, wait = (ctypes.cast(call, ADDRESS).value for call in self.calls)
        return Functions(None, irecv, test, count, cancel, wait)


def test_a_line_that_ends_takes_what_has_come(tmp_path: Path) -> None:
    """UCX would write a warning of each frame that nobody took to the program's standard error."""
    built = tmp_path / "line.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", built, LIBRARY / "mpi_line.c"], check=True)
    library = ctypes.CDLL(str(built))
    line, frames = ctypes.create_string_buffer(1 << 17), Frames(3)
    functions, frame, length = frames.functions(), ctypes.create_string_buffer(1 << 16), ctypes.c_uint64()
    start = (ctypes.addressof(line) + 63) & ~63
    library.ompls_mpi_line_make(ADDRESS(start), ctypes.byref(functions), ADDRESS(1), 1, -1, ctypes.c_double(10), 0)
    get = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ADDRESS, ADDRESS)(ADDRESS.from_address(start).value or 0)
    assert get(start, ctypes.addressof(frame), ctypes.addressof(length)) == 0
    assert (length.value, frames.left) == (8, 2)
    library.ompls_mpi_line_end(ADDRESS(start))
    assert (frames.left, frames.requested, frames.cancelled) == (0, 0, 1)
