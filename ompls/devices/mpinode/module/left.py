"""Ends what a program leaves behind: the launchers of its nodes, and what they have started.  A process of its own.

A line of its standard input is a launcher, as a process and when that began; it ends with the program.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import Set

from ompls.devices.remote.mpi import memory_files
from ompls.runtime.processes import descendants

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
    """And all below it, with the memory files of nodes that have not taken their names yet."""
    files: Set[str] = set()
    for one in (*descendants(process), process):
        with contextlib.suppress(OSError):
            files |= memory_files(str(one))
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    for name in files:
        with contextlib.suppress(OSError):
            os.unlink(name)


def main() -> int:
    """Wait for the program's end, then kill those of these processes that go on, and all below them."""
    told = [line.split() for line in sys.stdin]
    left = {int(words[0]): words[1] for words in told if len(words) > 1}
    limit = time.monotonic() + _GRACE
    while True:
        left = {process: when for process, when in left.items() if born(process) == when}
        if not left or time.monotonic() > limit:
            break
        time.sleep(0.05)
    for process in left:
        kill(process)
    return 0


if __name__ == "__main__":
    sys.exit(main())
