"""What a program is called on a board, as long as nothing that decides it has changed: then nothing is translated.

That is: the command line, the directory, the board and what is known of it, variables of the environment, ompls itself,
and every file that was looked for, whether or not it was there.  A file is as it was if its inode, size and times are
(that of the last change cannot be set back).  What changed after we began, or as the clock ticked, is not remembered;
nor is a program of which there was something to say, so that it is said again.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from ompls.runtime.boards.registered import Board
from ompls.runtime.cache import WRONG, Cache, cache_directory
from ompls.runtime.folders import VARIABLE

_PACKAGE = Path(__file__).resolve().parents[1]
_DERIVED = ("__pycache__", "prepared")  # of what we are made of: made from the rest, and touched where it is used
_SUFFIX = ".there"
_TICK = 0.1  # seconds, at most, that two changes of a file may have the same time
_DECIDES = ("remote", "files", "flags", "openmp", "database", "tool_prefix")  # of our options
# Of the environment, besides what is ours: where tools and headers are, and what a misspelt pragma is.
_VARIABLES = ("PATH", "HOME", "CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "OMP_TARGET_OFFLOAD")
_Stamp = list[int]


class Remembered:
    """For one run.

    program -- what it is called there (see `there.Kept`); None: it is not known
    """

    def __init__(self, arguments: argparse.Namespace, board: Board, spec: str) -> None:
        self._began = time.time()
        self._cache = Cache(cache_directory())
        self._said = False
        decides = [getattr(arguments, name) for name in _DECIDES]
        own = {name: text for name, text in os.environ.items() if name.startswith("OMPLS_") or name in _VARIABLES}
        told = [os.getcwd(), decides, spec, asdict(board), sorted(own.items()), sorted(_ours(_PACKAGE))]
        self._key = hashlib.sha256(json.dumps(told).encode("ascii")).hexdigest()
        self.program = None if os.environ.get(VARIABLE) else self._known()

    def _known(self) -> str | None:
        found = self._cache.get(self._key, _SUFFIX)
        try:
            said: Any = json.loads(found.read_bytes()) if found is not None else None
            if said is None or any(_stamp(path) != stamp for path, stamp in said["looked for"].items()):
                return None
            return str(said["program"])
        except WRONG:
            return None

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Notices when something is said in the block."""
        ears = _Ears(sys.stderr)
        with contextlib.redirect_stderr(ears):
            yield
        self._said = ears.heard

    def keep(self, program: str, looked_for: Iterable[str]) -> None:
        """The program has this name from now on; a cache that cannot be written costs time, nothing else."""
        stamps = {path: _stamp(path) for path in sorted(looked_for)}
        newest = max((max(stamp[2:]) for stamp in stamps.values() if stamp), default=0)
        if self._said or os.environ.get(VARIABLE) or newest / 1e9 > self._began - _TICK:
            return
        with contextlib.suppress(OSError, ValueError):
            told = json.dumps({"program": program, "looked for": stamps})
            self._cache.put(self._key, _SUFFIX, told.encode("ascii"))


class _Ears:
    """A stream that remembers whether something was written on it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self.heard = stream, False

    def write(self, text: str) -> int:
        self.heard = True
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _stamp(path: str) -> _Stamp:
    """Inode, size, and the times (ns) of the last writing and the last change; nothing of what is not there."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return []
    return [state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns]


def _ours(directory: Path) -> Iterator[tuple[str, int, int]]:
    """The files that we are made of: path, size, and time of the last writing."""
    for entry in os.scandir(directory):
        if entry.is_dir():
            if entry.name not in _DERIVED:
                yield from _ours(Path(entry.path))
        else:
            state = entry.stat()
            yield entry.path, state.st_size, state.st_mtime_ns
