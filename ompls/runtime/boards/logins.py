"""How the last login on each board went: nobody logs in to list devices, so who does keeps that here.

A file a board in the cache directory; what cannot be read or written is as if nobody had tried.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..cache import cache_directory, not_ours
from ..errors import one_line
from ..folders import make_private
from .registered import Board

_MOST = 4096  # bytes of such a file
_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))


@dataclass(frozen=True)
class Login:
    """at -- seconds since the epoch; problem -- why it failed, "": it did not."""

    at: float
    problem: str = ""

    @property
    def told(self) -> str:
        """For people."""
        when = _ago(time.time() - self.at)
        return "login failed {}: {}".format(when, self.problem) if self.problem else "reached {}".format(when)


def keep(board: Board, problem: str = "") -> None:
    """There was a login on the board just now."""
    path = _file(board)
    text = json.dumps({"address": board.address, "at": time.time(), "problem": one_line(problem)[:400]})
    with contextlib.suppress(OSError):
        if not_ours(path) is not None:
            return
        make_private(path.parent)
        handle, beside = tempfile.mkstemp(dir=str(path.parent), prefix=".ompls-")
        with open(handle, "w", encoding="utf-8") as opened:
            opened.write(text)
        os.replace(beside, str(path))


def last(board: Board) -> Optional[Login]:
    """The last login at its address; None: nobody has tried, as far as is known."""
    try:
        if not_ours(_file(board)) is not None:
            return None
        with open(str(_file(board)), "rb") as opened:
            said = json.loads(opened.read(_MOST).decode("utf-8"))
        if said["address"] != board.address:
            return None
        return Login(float(said["at"]), one_line(str(said["problem"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _file(board: Board) -> Path:
    return cache_directory() / "logins" / (board.name + ".json")


def _ago(seconds: float) -> str:
    for unit, size in _UNITS:
        count = int(seconds // size)
        if count > 0:
            return "{} {}{} ago".format(count, unit, "" if count == 1 else "s")
    return "just now"
