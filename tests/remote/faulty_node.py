"""A node with a fault: `python faulty_node.py "WHO SIGNAL WHEN" -c TEXT` runs TEXT as Python does, and sends a signal.

WHO -- node, proxy, mpiexec; WHEN -- a function of the text, before it is called; or `after`: some time up to 0.3 s
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any


def parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def main() -> None:
    who, name, when = sys.argv[1].split()
    target = os.getpid()
    for _ in range(("node", "proxy", "mpiexec").index(who)):
        target = parent(target)

    def strike() -> None:
        os.kill(target, signal.Signals[f"SIG{name}"])

    def called(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == when:
            sys.setprofile(None)
            strike()

    if when == "after":
        if os.fork() == 0:
            time.sleep(os.getpid() * 37 % 300 / 1000)
            strike()
            os._exit(0)
    else:
        sys.setprofile(called)
    exec(sys.argv[3], {"__name__": "__main__"})


if __name__ == "__main__":
    main()
