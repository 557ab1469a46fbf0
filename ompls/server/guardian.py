"""`PARENT DIRECTORY MODULE ARGUMENTS`: become a process of ours that is told to stop when PARENT dies.

A program that was started from an editor must not outlive the server, not even one that is killed with -9.
"""

from __future__ import annotations

import signal
import sys

from ompls.runtime import start
from ompls.runtime.processes import end_with


def main() -> int:
    parent, directory, module, *arguments = sys.argv[1:]
    end_with(int(parent), signal.SIGTERM)
    return start.become(module, *arguments, directory=directory)
