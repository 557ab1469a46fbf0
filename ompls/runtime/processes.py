"""Processes below this one, found through /proc, and ending them, however they detached themselves."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from typing import Collection, Dict, Optional, Set

SECONDS = 5.0  # how long to go on killing
PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None  # found here: `end_with` is called after a fork


def end_with(parent: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Get the signal `how` when `parent`, the process that started this one, ends.  Only Linux knows that."""
    if _prctl is not None:
        _prctl(PR_SET_PDEATHSIG, int(how))
        if os.getppid() != parent:  # it ended before we asked
            os.kill(os.getpid(), how)


def children() -> Dict[int, Set[int]]:
    """Process id to its children, of everything that runs."""
    found: Dict[int, Set[int]] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/{}/stat".format(name), "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        # A zombie with threads is still ending: its first thread is done before the others.
        if fields[0] != b"Z" or int(fields[17]) > 1:
            found.setdefault(int(fields[1]), set()).add(int(name))
    return found


def descendants(root: int, keep: Collection[int] = ()) -> Set[int]:
    """All processes below `root`, but for `keep` and what is below those."""
    below = children()
    found: Set[int] = set()
    waiting = [pid for pid in below.get(root, set()) if pid not in keep]
    while waiting:
        pid = waiting.pop()
        found.add(pid)
        waiting += [child for child in below.get(pid, set()) if child not in found]
    return found


def _kill(pids: Collection[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def kill_all(keep: Collection[int], leader: Optional[int] = None) -> None:
    """Kill every descendant of this process that is not in `keep` (or below it), until none is left.

    All are reaped but `leader`, whom somebody else waits for.
    """
    deadline = time.monotonic() + SECONDS
    killed: Set[int] = set()
    while time.monotonic() < deadline:
        left = descendants(os.getpid(), keep)
        _kill(left)
        killed |= left
        for pid in killed - {leader}:
            with contextlib.suppress(ChildProcessError):  # reaped before, or by its own parent
                os.waitpid(pid, os.WNOHANG)
        if not left:
            return
        time.sleep(0.01)
