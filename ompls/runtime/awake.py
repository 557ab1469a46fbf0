"""No wait of a command is deaf to Ctrl-C for more than a second, whatever it waits for.

Python handles a signal when the main thread runs Python again, and a system call that waits ends early for that.  But
the signal may come after Python has looked for the last time and before the call has begun, or the kernel may give it
to another thread: then the main thread waits on, maybe for ever, and nobody ends what it waits for.  So an alarm wakes
it every second: each wait ends early, Python looks for signals, and waits on.

And whoever handles a Ctrl-C decides the exit code.  Python itself ends by SIGINT in the end, whatever was handled, if
the interrupt left an `exec` of a text, which is how dataclasses are made; but only if it is a KeyboardInterrupt and
no class of its own.
"""

from __future__ import annotations

import contextlib
import signal
from types import FrameType
from typing import Iterator, Optional

SECONDS = 1.0


class Interrupted(KeyboardInterrupt):
    """By Ctrl-C."""


def _interrupt(_number: int, _frame: Optional[FrameType]) -> None:
    raise Interrupted


@contextlib.contextmanager
def awake() -> Iterator[None]:
    """For the main thread of a process of ours.  What was there before us is somebody's, and stays."""
    with contextlib.ExitStack() as undo:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            undo.callback(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, _interrupt))
        if signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and not signal.getitimer(signal.ITIMER_REAL)[0]:
            undo.callback(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, lambda *_: None))
            undo.callback(signal.setitimer, signal.ITIMER_REAL, 0)  # first
            signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)
        yield
