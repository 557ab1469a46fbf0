"""Counts the processes that tests start (budget.py); forks import it, so it imports nothing that is large.

Counted is what the tests' own processes start, and their forks, such as the commands and servers of command.py; not
what a compiler or another program starts in turn.  What the cache spares a folder counts once, too: so the number is
the same with an empty cache and a full one, whichever folder comes first.
"""

from __future__ import annotations

import functools
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Made = TypeVar("Made")

# What Python starts processes with.  A hook for its audit events would be told of each `id()`, too.
_STARTS = ((subprocess.Popen, "_execute_child"), (os, "fork"), (os, "forkpty"), (os, "posix_spawn"))

_log = ""  # all processes of a run count in this file: a line for each start, with its test's folder
_folder = ""  # of the test that runs in this process


def watched() -> tuple[str, str]:
    """What a process that a test has made by a fork gives to `watch`."""
    return _log, _folder


def watch(log: str, folder: str = "") -> None:
    """Count what this process and its forks start from now on; without a folder, nothing."""
    global _log, _folder
    first, _log, _folder = bool(log and not _log), log, folder
    if not first:
        return
    for owner, name in _STARTS:
        setattr(owner, name, _counting(getattr(owner, name)))
    from ompls.runtime.cache import Cache

    get, put = Cache.get, Cache.put

    def got(self: Cache, name: str, suffix: str) -> Path | None:
        found = get(self, name, suffix)
        if found is not None:
            _count(f"+{name}{suffix}")
        return found

    def made(self: Cache, name: str, suffix: str, file: Path) -> Path:
        _count(f"-{name}{suffix}")
        return put(self, name, suffix, file)

    Cache.get, Cache.put = got, made  # type: ignore[method-assign]


def _counting(start: Callable[..., Made]) -> Callable[..., Made]:
    @functools.wraps(start)
    def counted(*args: object, **named: object) -> Made:
        _count()
        return start(*args, **named)

    return counted


def _count(kept: str = "") -> None:
    if _folder:
        written = os.open(_log, os.O_WRONLY | os.O_APPEND)
        os.write(written, f"{_folder}\t{kept}\n".encode())
        os.close(written)


def counted(log: str) -> Counter[str]:
    """How many processes each folder has started, or would have if others had left nothing in the cache."""
    found: Counter[str] = Counter()
    kept, made = set(), set()
    for line in log.splitlines():
        folder, _, what = line.partition("\t")
        if what:
            (kept if what.startswith("+") else made).add((folder, what[1:]))
        else:
            found[folder] += 1
    return found + Counter(folder for folder, _ in kept - made)
