"""No wait of a command is deaf to Ctrl-C for more than a second, whatever it waits for.

Python handles a signal when the main thread runs Python again, and a system call that waits ends early for that.  But
the signal may come after Python has looked for the last time and before the call has begun, or the kernel may give it
to another thread: then the main thread waits on, maybe for ever, and nobody ends what it waits for.  So an alarm wakes
it every second: each wait ends early, Python looks for signals, and waits on.
"""

from __future__ import annotations

import contextlib
import signal
from typing import Iterator

SECONDS = 1.0


@contextlib.contextmanager
def awake() -> Iterator[None]:
    """For the main thread of a process of ours.  A timer that was there before us is somebody's limit, and stays."""
    if signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
