"""What MPI, and what it starts a node with, say: kept until it is known whether the node starts."""

from __future__ import annotations

import contextlib
import os
import re

from ompls.devices.remote.mpi import READY

_LINES, _WIDTH = 8, 160  # below an error
_MOST = 1 << 20  # bytes
# What MPICH's mpiexec says of a process that was killed: that it has ended is ours to say, and of which device.
_KILLED = re.compile(rb"\n?=+\n=   BAD TERMINATION .*?\n=+\n(YOUR APPLICATION .*?see the FAQ .*?\n)?", re.DOTALL)
# And of its own inner life, of which we tell when a node does not start.
_INNER = re.compile(rb"^\[(mpiexec@|proxy:)[^\n]*\n", re.MULTILINE)


def _without(text: bytes) -> bytes:
    return _KILLED.sub(b"", text.replace(READY, b""))


class Said:
    """A file in memory that is their standard output and error.  What is in there when the node runs, or ends, goes to
    the program's standard error; when it does not start, it is told below the error that says so.
    """

    def __init__(self) -> None:
        self.file = os.memfd_create("ompls-said")
        self._told = 0

    def pass_on(self) -> None:
        """What has not been told yet."""
        text = os.pread(self.file, _MOST, self._told)
        self._told += len(text)
        with contextlib.suppress(OSError):
            os.write(2, _INNER.sub(b"", _without(text)))

    def ready(self) -> bool:
        """Whether the node has said that it is."""
        return READY in os.pread(self.file, _MOST, 0)

    def lines(self) -> str:
        """The first ones."""
        text = _without(os.pread(self.file, _MOST, 0)).decode("utf-8", "replace")
        found = [line[:_WIDTH] for line in text.splitlines() if line.strip()]
        return "\n".join(found[:_LINES])
