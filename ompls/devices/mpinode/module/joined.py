"""How a node starts with MPICH, and with what is made from it: by an `mpiexec` of its own; then it connects to us.

MPI_Comm_spawn will not do: a program has one `mpiexec` for all that it spawns, which a dead machine ends; a node that
dies in it blocks it for good; and one that dies later takes all others with it.  Here they share nothing.

It is the node that connects: MPI_Comm_accept ends after a time that can be said, while MPICH crashes after a
MPI_Comm_connect that has ended like this.  Both are begun when the node has said that its MPI is there, and take a
moment: so one that dies as it starts is not met at all, and each port is for one node.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any, Callable, List, Optional, Tuple

from ompls.devices.remote.near import TIMEOUT, Unreachable

from .hosts import is_here
from .launched import Launched, Met
from .library import MORE_MEMORY, itself, launcher, node
from .said import Said

_STUCK: List[str] = []  # the machine that MPI waits for
_LATER = 1.0  # seconds: MPI counts whole ones
_NO_MEMORY = (signal.SIGBUS, 128 + signal.SIGBUS)  # mpiexec's exit codes
_LOOK = 0.002  # seconds between looks
# An `mpiexec` that starts nobody elsewhere, whatever a batch system or a file of the user's says.
_HERE = ("-launcher", "fork", "-hosts", "localhost")


def joined(library: Any, host: str, alone: bool, said: Said, seconds: float) -> Met:
    """A new node; "" is this machine.  Raises Unreachable."""
    if _STUCK:
        raise Unreachable("MPI waits for {} and meets nobody else".format(_STUCK[0]))
    here, limit = not host or is_here(host), time.monotonic() + seconds
    words = node("join()", here)
    launched = Launched([launcher(), *(_HERE if here else ("-hosts", host)), "-n", "1", *words], alone, said.file)
    try:
        if not _waited(said.ready, launched, limit):
            why, hint = _why(launched.wait(0), seconds)
            raise Unreachable(why, said.lines(), hint)
        port = library.Open_port()
        accept = _Accept(library, port, max(1, int(limit - time.monotonic())))
        launched.tell(b"\0".join([port.encode(), _directory(), b""]))
        accept.join(limit + _LATER - time.monotonic())
        if accept.is_alive():
            _STUCK.append(host or "a process of this machine")
        if accept.between is None:
            detail = "\n".join([said.lines(), str(accept.error or "")]).strip()
            raise Unreachable("the process there has not connected", detail)
    except BaseException:
        launched.kill()
        raise
    library.Close_port(port)
    return Met(accept.between, 0, accept.between.Disconnect, launched)


def _waited(state: Callable[[], bool], launched: Launched, limit: float) -> bool:
    """Whether it has come."""
    while not state():
        if launched.wait(_LOOK) is not None or time.monotonic() > limit:
            return state()
    return True


def _directory() -> bytes:
    try:
        return os.getcwdb()
    except OSError:
        return b"/"


def _why(code: Optional[int], seconds: float) -> Tuple[str, str]:
    """And what to do, where that is known."""
    if code is None:
        return "no process starts there within {:g} s ({})".format(seconds, TIMEOUT), ""
    if code == 255:
        return "mpiexec could start no process there", ""
    if code in _NO_MEMORY:
        return "MPI has no room in /dev/shm there", MORE_MEMORY
    return "the process there ended as it started (exit code {} of mpiexec)".format(code), ""


class _Accept(threading.Thread):
    """MPI waits for a process that connects, so many seconds at most."""

    def __init__(self, library: Any, port: str, seconds: int) -> None:
        super().__init__(daemon=True)
        self._library, self._port, self._seconds = library, port, seconds
        self.between: Any = None
        self.error: Optional[Exception] = None
        self.start()

    def run(self) -> None:
        try:
            info = self._library.Info.Create()
            info.Set("timeout", str(self._seconds))
            between = itself(self._library).Accept(self._port, info)
            between.Set_errhandler(self._library.ERRORS_RETURN)
            self.between = between
        except self._library.Exception as error:
            self.error = error
