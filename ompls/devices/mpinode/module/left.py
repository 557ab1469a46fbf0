"""Ends what a program leaves behind: processes that wait for a node which does not answer.  A process of its own.

Its arguments are processes; its standard input ends with the program.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from ompls.runtime.processes import descendants

_GRACE = 2.0  # seconds in which they may end by themselves


def _born(process: int) -> bytes:
    """When it began (proc(5): starttime), which differs of a later process with its number.  b"": it is not there."""
    try:
        with open("/proc/{}/stat".format(process), "rb") as file:
            return file.read().rpartition(b")")[2].split()[19]
    except OSError:
        return b""


def main() -> int:
    """Wait for the program's end, then kill those of these processes that go on, and all below them."""
    born = {process: _born(process) for process in map(int, sys.argv[1:])}
    sys.stdin.buffer.read()
    limit = time.monotonic() + _GRACE
    while any(map(_born, born)) and time.monotonic() < limit:
        time.sleep(0.05)
    for process, when in born.items():
        if not when or _born(process) != when:
            continue
        for one in (process, *descendants(process)):
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                continue
    return 0


if __name__ == "__main__":
    sys.exit(main())
