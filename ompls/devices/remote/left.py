"""Ends what a program leaves behind: the launchers of its nodes, what they have started, and the memory files of nodes
that died before they could take the names of these.  A process of its own.

A line of its standard input is a launcher: the process, when that began, and the time.  It ends with the program.  It
is no part of the device `mpinode`, whose module would take it 50 ms to import: each program with nodes starts one.
"""

from __future__ import annotations

import contextlib
import glob
import os
import signal
import sys
import time
from typing import Callable, Set

from ompls.devices.remote.mpi import MEMORY
from ompls.runtime.processes import descendants, end_with

_GRACE = 2.0  # seconds in which they may end by themselves


def born(process: int) -> str:
    """When it began (proc(5): starttime), which differs of a later process with its number.  "": it has ended."""
    try:
        with open("/proc/{}/stat".format(process), "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == b"Z" else fields[19].decode()


def kill(process: int) -> None:
    """And all below it."""
    for one in (*descendants(process), process):
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


def swept(since: float) -> bool:
    """Remove the memory files of this user that were made since then and that no process has: each was its maker's, who
    has it as long as it lives.  Whether none is left.

    Who shares /dev/shm with us but not our processes (a container may) opens one only as a job of several ranks begins.
    """
    named = {name for name in glob.glob(MEMORY + "*") if _is_ours(name, since)}
    had = _had() if named else set()
    for name in named - had:
        with contextlib.suppress(OSError):
            os.unlink(name)
    return not named & had


def _is_ours(name: str, since: float) -> bool:
    with contextlib.suppress(OSError):
        file = os.stat(name)
        return file.st_uid == os.geteuid() and file.st_mtime >= since
    return False


def _had() -> Set[str]:
    """The files that processes of this user have open or mapped: in that order, as who maps one has it open."""
    found: Set[str] = set()
    for process in filter(str.isdigit, os.listdir("/proc")):
        place = "/proc/{}/".format(process)
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            for file in os.listdir(place + "fd"):
                with contextlib.suppress(OSError):
                    found.add(os.readlink(place + "fd/" + file))
            with open(place + "maps", encoding="utf-8", errors="surrogateescape") as maps:
                found.update(line.rstrip("\n").split(None, 5)[-1] for line in maps if MEMORY in line)
    return found


def _in_time(state: Callable[[], bool]) -> None:
    limit = time.monotonic() + _GRACE
    while not state() and time.monotonic() < limit:
        time.sleep(0.05)


def main() -> int:
    """Wait for the program's end, then kill those of these processes that go on, and all below them."""
    end_with(os.getppid(), signal.SIGCONT)  # who has stopped us does not stop what is to be done then
    told = [line.split() for line in sys.stdin]
    launchers = {int(words[0]): words[1] for words in told if len(words) > 2}  # others had ended when we were told
    since = min((float(words[-1]) for words in told), default=time.time())

    def ended() -> bool:
        return all(born(process) != when for process, when in launchers.items())

    _in_time(lambda: ended() and swept(since))
    if not ended():
        for process, when in launchers.items():
            if born(process) == when:
                kill(process)
        _in_time(lambda: swept(since))
    return 0


if __name__ == "__main__":
    sys.exit(main())
