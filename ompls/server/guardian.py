"""`python -m ompls.server.guardian COMMAND…`: become COMMAND, and be told to stop when the parent dies.

A program that was started from an editor must not outlive the server, not even one that is killed with -9.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent = int(os.environ.pop("OMPLS_PARENT", "0"))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if parent and os.getppid() != parent:  # it died before we asked
        sys.exit(143)
    os.execv(sys.argv[1], sys.argv[1:])  # noqa: S606 - an argument list of our own making


if __name__ == "__main__":
    main()
