"""How a node starts with Open MPI: it is spawned.  There a dead machine is an error, which harms nobody else."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, List, Optional

from ompls.devices.remote.near import TIMEOUT, Unreachable

from .hosts import is_here
from .launched import Met
from .library import itself, node
from .said import Said

# Of a program that `mpiexec` has started: MPI does not say whether that was the cause.
_SLOTS = "a node takes a slot of the job: give mpiexec --oversubscribe, or a slot more for each node"
_LOOK = 0.05  # seconds between looks
_STUCK: List[str] = []  # the machine whose process MPI still waits for


class _Spawn(threading.Thread):
    """A start that may never come back."""

    def __init__(self, program: Any, library: Any, host: str, said: Said) -> None:
        super().__init__(daemon=True)
        self._program, self._library, self._host, self._said = program, library, host, said
        self.met: Optional[Met] = None
        self.error: Optional[Exception] = None
        self.start()

    def run(self) -> None:
        library, host = self._library, self._host
        try:
            here, info = not host or is_here(host), library.Info.Create()
            if not here:
                info.Set("host", host)
                info.Set("PMIX_ADD_HOST" if "Open MPI v5" in library.Get_library_version() else "add-host", host)
            self._program.ompls_mpi_starts(self._said.file)
            program, *words = node("spawned()", here)
            between = itself(library).Spawn(program, words, 1, info)
            both = between.Merge(False)
            both.Set_errhandler(library.ERRORS_RETURN)
            self.met = Met(both, 1, lambda: (both.Free(), between.Disconnect()))
        except library.Exception as error:
            self.error = error


def spawned(program: Any, library: Any, host: str, said: Said, seconds: float) -> Met:
    """A new node; "" is this machine.  Raises Unreachable."""
    if _STUCK:
        raise Unreachable("MPI waits for {} and does nothing else".format(_STUCK[0]))
    spawn = _Spawn(program, library, host, said)
    limit = time.monotonic() + seconds
    while spawn.is_alive() and time.monotonic() < limit:
        spawn.join(_LOOK)
    if spawn.is_alive():  # MPI itself waits for ever
        _STUCK.append(host or "this machine")
        raise Unreachable("no process starts there within {:g} s ({})".format(seconds, TIMEOUT), said.lines())
    if spawn.met is None:
        hint = _SLOTS if "PMIX_RANK" in os.environ else ""
        raise Unreachable("MPI cannot start a process there ({})".format(spawn.error), said.lines(), hint)
    return spawn.met
