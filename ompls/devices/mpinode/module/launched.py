"""Commands that start nodes: each in a session of its own, watched, and gone when the program is, however that ends."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import socket
import subprocess
import time
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from ompls.devices.remote.left import born, kill
from ompls.runtime.start import NOWHERE, command

from .library import for_nodes

_PIDFD_OPEN = 434  # the number is the same on every architecture; Python knows the call from 3.9 on
_SILENT: Dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def _begun(words: Sequence[str], **how: Any) -> "tuple[subprocess.Popen[bytes], socket.socket]":
    """A process, and our end of its standard input: a socket, as a broken pipe would end the program by SIGPIPE."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(words, stdin=theirs.fileno(), cwd=NOWHERE, start_new_session=True, **how)
    return process, ours


class _Keeper:
    """The process that ends what the program leaves behind (left.py)."""

    def __init__(self) -> None:
        self._line: Optional[socket.socket] = None

    def tell(self, process: int, when: float) -> None:
        with contextlib.suppress(OSError):  # it was killed, or there is none: most end by themselves
            if self._line is None:
                _, self._line = _begun(command("ompls.devices.remote.left"), **_SILENT)
            self._line.send("{} {} {}\n".format(process, born(process), when).encode(), socket.MSG_NOSIGNAL)


_KEEPER = _Keeper()


class Launched:
    """A running command.  Its standard input stays open as long as we are there.

    said -- a descriptor, where its output and errors go
    ended -- a descriptor that is readable once it has ended; -1: this system has none (Linux before 5.3)
    """

    def __init__(self, words: Sequence[str], alone: bool, said: int) -> None:
        when = time.time()
        self._process, self._line = _begun(words, env=for_nodes(alone), stdout=said, stderr=said)
        self.ended = _watched(self._process.pid)
        _KEEPER.tell(self._process.pid, when)

    def tell(self, text: bytes) -> None:
        """On its standard input."""
        with contextlib.suppress(OSError):
            self._line.send(text, socket.MSG_NOSIGNAL)

    def wait(self, seconds: float) -> Optional[int]:
        """Its exit code; None: it goes on after so many seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self.ended < 0 or select.select([self.ended], [], [], seconds)[0]:
                return self._process.wait(seconds)
        return None

    def kill(self) -> None:
        """It, and all that it has started on this machine; elsewhere processes end with the line to them."""
        if self._process.poll() is None:
            kill(self._process.pid)
            self._process.wait()


class Met(NamedTuple):
    """A node that has started: one process of a communicator, another one of which are we.

    part -- leaves the communicator, when the other one does; launched -- by what, where it is our own
    """

    communicator: Any
    peer: int
    part: Callable[[], object]
    launched: Optional[Launched] = None


def _watched(process: int) -> int:
    with contextlib.suppress(OSError):
        if hasattr(os, "pidfd_open"):
            return os.pidfd_open(process)
        return int(ctypes.CDLL(None).syscall(_PIDFD_OPEN, process, 0))
    return -1
