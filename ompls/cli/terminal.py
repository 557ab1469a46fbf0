"""The standard streams: that they take every text, and what only people on a terminal see.

That is colours, and a word about what takes more than a second.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_CODES = {"error": "1;31", "warning": "1;35", "hint": "1;36", "note": "1;36", "strong": "1", "mark": "1;32"}
_CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def harmless(text: str) -> str:
    """What others wrote (files, their names, settings), as long as it was: without what commands a terminal."""
    return text.translate(_CONTROLS)


class Style:
    """Paints words when `stream` is a terminal and NO_COLOR (https://no-color.org) is not set, unless `plain`."""

    def __init__(self, stream: TextIO, *, plain: bool = False) -> None:
        self.on = not plain and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def __call__(self, kind: str, text: str) -> str:
        return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if self.on and kind in _CODES else text


UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # what a standard stream may say


def prepare_streams() -> None:
    """Make stdout and stderr take every text.

    A closed one becomes the null device, which also keeps files that are opened later from getting its number.  What
    the encoding cannot say is written as the bytes it came from (names that are not UTF-8), else as an escape.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 -- for the life of the process
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
    codecs.register_error("ompls", _raw_or_escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="ompls")


def _raw_or_escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeError:
        return codecs.lookup_error("backslashreplace")(error)


def give_up(stream: TextIO) -> None:
    """Nothing that is written to `stream` arrives any more; Python must not complain about the rest of it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def progress(what: str, delay: float = 1.0) -> Iterator[None]:
    """Say `what` on stderr when the block takes longer than `delay` seconds; nothing when stderr is not a terminal."""
    stream = sys.stderr
    if not stream.isatty():
        yield
        return
    timer = threading.Timer(delay, lambda: print(f"ompls: {what}…", file=stream, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class Progress:
    """How far a run over many files is, on one line of stderr that goes away; nothing when that is no terminal.

    Not for less than a second, and no thread, because the run makes processes.
    """

    def __init__(self, total: int, delay: float = 1.0, *, quiet: bool = False) -> None:
        self._total, self._done, self._shown = total, 0, False
        self._next = time.monotonic() + delay
        self._on = total > 1 and not quiet and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def step(self) -> None:
        """One more file is done."""
        self._done += 1
        if self._on and time.monotonic() >= self._next:
            self._next, self._shown = time.monotonic() + 0.1, True
            print(f"\rompls: {self._done} of {self._total} files checked…", end="", file=sys.stderr, flush=True)

    def __exit__(self, *what: object) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
