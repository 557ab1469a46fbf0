"""How commands that build end when they are asked to."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Asked(KeyboardInterrupt):
    """To end, by a signal.  What others wrote may raise SystemExit, which is a fault of theirs; this is ours."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def tidy_end() -> Iterator[None]:
    """Being asked to end while we build ends us as Ctrl-C does: private files go, nothing is left half done."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Asked(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN]  # nohup stays so
    old = {number: signal.signal(number, end) for number in ours}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
