"""A far side at the other end of a process's standard streams: on a machine without MPI, or without Python.

The far side is a program then (library/stream.c has its `main`), which somebody starts wherever it is.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
from typing import Any, List, Tuple

from . import near
from .near import Line

_GRACE = 5.0  # seconds for a process that was told to end
_ROOM = 256  # bytes of an ompls_stream_line


class Streams(Line):
    """A process whose standard input and output are the other end of `link`: a socket, as a broken pipe would end the
    program by SIGPIPE.  Raises Unreachable."""

    def __init__(self, machine: str, process: subprocess.Popen[bytes], link: socket.socket) -> None:
        self.machine = machine
        self._process, self._link = process, link
        self._seconds, _ = near.patience()
        self._line = ctypes.create_string_buffer(_ROOM)

    def address(self, program: ctypes.CDLL) -> int:
        line, file = self._line, self._link.fileno()
        program.ompls_stream_line_make(line, file, file, ctypes.c_double(self._seconds))
        return ctypes.addressof(line)

    def end(self, lost: bool) -> None:
        if lost:
            self._kill()
        self._link.close()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(OSError):
            leads = os.getpgid(self._process.pid) == self._process.pid  # a group of its own
            (os.killpg if leads else os.kill)(self._process.pid, signal.SIGKILL)
        self._process.wait()


def begun(command: List[str], **how: Any) -> Tuple[subprocess.Popen[bytes], socket.socket]:
    """A process with these words, and our end of its standard streams.  Raises OSError."""
    ours, theirs = socket.socketpair()
    try:
        return subprocess.Popen(command, stdin=theirs.fileno(), stdout=theirs.fileno(), **how), ours
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
