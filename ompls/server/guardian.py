"""`PARENT DIRECTORY MODULE ARGUMENTS`: become a process of ours that is told to stop when PARENT dies.

A program that was started from an editor must not outlive the server, not even one that is killed with -9.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from ompls.runtime import start

PR_SET_PDEATHSIG = 1


def main() -> int:
    parent, directory, module, *arguments = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(parent):  # it died before we asked
        return 143
    return start.become(module, *arguments, directory=directory)
