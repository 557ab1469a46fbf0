"""A directory of results by the hash of what they were made from: shared between builds, bounded, never half written.

A result is made elsewhere and moved in, so what lies here under a hash is whole.  What was used least recently goes
when there is too much, but nothing of the last hour: another build may be at work with it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import List, Optional, Tuple

MEBIBYTES = 1024  # unless OMPLS_CACHE_SIZE says otherwise
RECENT = 3600.0  # seconds
# What is ours: somebody may have chosen a directory with files of his own.
_FOLDER, _FILE = re.compile(r"[0-9a-f]{2}\Z"), re.compile(r"(?:[0-9a-f]{62}(?:\..*)?|\.ompls-\w{8})\Z")


def cache_directory() -> Path:
    """OMPLS_CACHE_DIR, else ompls in the XDG cache."""
    chosen = os.environ.get("OMPLS_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "ompls"


def put_file(source: Path, target: Path) -> None:
    """Copy a file with its mode so that `target` is never seen half written, even while its old content runs.

    Raises OSError; then `target` is as before.
    """
    target = Path(os.path.realpath(str(target)))
    if target.exists() and not target.is_file():  # /dev/null, say
        raise OSError(errno.EINVAL, "not a regular file")
    handle, beside = tempfile.mkstemp(dir=str(target.parent), prefix=".ompls-")
    os.close(handle)
    try:
        shutil.copyfile(str(source), beside)
        shutil.copymode(str(source), beside)
        os.replace(beside, str(target))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _limit() -> int:
    """Bytes that may stay."""
    try:
        return int(os.environ.get("OMPLS_CACHE_SIZE", MEBIBYTES)) << 20
    except ValueError:
        return MEBIBYTES << 20


class Cache:
    """One such directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._added = False

    def problem(self) -> Optional[str]:
        """Why the directory cannot be written, or None."""
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)  # programs come from here
            with tempfile.TemporaryFile(dir=str(self.directory)):
                return None
        except OSError as error:
            return error.strerror or str(error)

    def _place(self, name: str, suffix: str) -> Path:
        return self.directory / name[:2] / (name[2:] + suffix)

    def get(self, name: str, suffix: str) -> Optional[Path]:
        """The file of that hash, or None."""
        place = self._place(name, suffix)
        try:
            os.utime(str(place))  # used just now
        except FileNotFoundError:
            return None
        except OSError:  # it is somebody else's
            return place if place.exists() else None
        return place

    def put(self, name: str, suffix: str, made: Path) -> Path:
        """Copy a result in; its place.  Raises OSError, with nothing changed, when there is no room."""
        place = self._place(name, suffix)
        place.parent.mkdir(parents=True, exist_ok=True)
        put_file(made, place)
        self._added = True
        return place

    def _files(self) -> List[Tuple[float, int, str]]:
        """Last use, bytes and path of every file, the oldest first."""
        found = []
        with contextlib.suppress(FileNotFoundError):
            for folder in os.scandir(str(self.directory)):
                if _FOLDER.match(folder.name) and folder.is_dir(follow_symlinks=False):
                    for file in os.scandir(folder.path):
                        with contextlib.suppress(OSError):
                            state = file.stat(follow_symlinks=False)
                            if _FILE.match(file.name):
                                found.append((state.st_mtime, state.st_size, file.path))
        return sorted(found)

    def sizes(self) -> List[int]:
        """Bytes of every file."""
        return [size for _, size, _ in self._files()]

    def drop(self, before: float) -> None:
        """Delete what was last used before a time (seconds since the epoch)."""
        for used, _, path in self._files():
            if used < before:
                with contextlib.suppress(OSError):
                    os.unlink(path)

    def trim(self) -> None:
        """Bring the directory back under its bound, if something was added."""
        if not self._added:
            return
        with contextlib.suppress(OSError):
            files = self._files()
            left, recent = sum(size for _, size, _ in files), time.time() - RECENT
            for used, size, path in files:
                if left <= _limit() or used > recent:
                    return
                os.unlink(path)
                left -= size
