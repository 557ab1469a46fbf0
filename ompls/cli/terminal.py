"""What people see on a terminal and programs do not: colours, and a word about what takes more than a second."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_CODES = {"error": "1;31", "warning": "1;35", "hint": "1;36", "note": "1;36", "strong": "1", "mark": "1;32"}


class Style:
    """Paints words when `stream` is a terminal and NO_COLOR (https://no-color.org) is not set."""

    def __init__(self, stream: TextIO) -> None:
        self.on = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def __call__(self, kind: str, text: str) -> str:
        return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if self.on and kind in _CODES else text


@contextmanager
def progress(what: str, delay: float = 1.0) -> Iterator[None]:
    """Say `what` on stderr when the block takes longer than `delay` seconds; nothing when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(delay, lambda: print(f"ompls: {what}…", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
