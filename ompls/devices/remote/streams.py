"""A far side at the other end of a process's standard streams: on a machine without MPI, or without Python.

The process is library/stream.c, which the command starts wherever it is.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import struct
import subprocess
from pathlib import Path
from typing import Any, Sequence

from ompls.runtime.build import CORE, CORE_FLAGS
from ompls.runtime.toolchain import Compile, Toolchain

from . import near
from .near import LIBRARY, Line, Unreachable

_GRACE = 5.0  # seconds for a process that was told to end
_ROOM = 256  # bytes of an ompls_stream_line


def build_program(tools: Toolchain) -> Path:
    """The program that serves there, for the machine of the tools.  Raises BuildFailed, ToolMissing."""
    headers = (*sorted(CORE.glob("*.h")), *near.inputs())
    sources = (LIBRARY / "stream.c", LIBRARY / "stream_line.c")
    jobs = [Compile(source, (*CORE_FLAGS, "-I" + str(CORE)), depends=headers) for source in sources]
    return tools.link(["-ldl"], tools.objects(jobs), "", "linking the program of a far side")


class Streams(Line):
    """A process whose standard input and output are the line; it gets the far side as the first thing it reads."""

    def __init__(self, machine: str, command: Sequence[str], image: memoryview) -> None:
        self.machine = machine
        self._image = image
        self._seconds, _ = near.patience()
        self._line = ctypes.create_string_buffer(_ROOM)
        self._ours, theirs = socket.socketpair()  # and no pipes: a broken one would end the program by SIGPIPE
        try:
            self._process = subprocess.Popen(
                list(command), stdin=theirs.fileno(), stdout=theirs.fileno(), start_new_session=True
            )
        except OSError as error:
            self._ours.close()
            raise Unreachable("{}: {}".format(command[0], error.strerror or error)) from None
        finally:
            theirs.close()

    def address(self, program: ctypes.CDLL) -> int:
        line, file = self._line, self._ours.fileno()
        program.ompls_stream_line_make(line, file, file, ctypes.c_double(self._seconds))
        size = struct.pack("<Q", len(self._image))
        parts: Sequence[Any] = (size, bytes(self._image))
        for part in parts:
            if program.ompls_stream_put(line, part, ctypes.c_uint64(len(part))) != 0:
                raise Unreachable(self._ended())
        return ctypes.addressof(line)

    def _ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(1.0)
            return "it ended with {}".format("signal {}".format(-code) if code < 0 else "code {}".format(code))
        self.end(True)
        return "it does not take what it is sent"

    def end(self, lost: bool) -> None:
        if lost:
            self._kill()
        self._ours.close()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, 9)
        self._process.wait()
