"""Private temporary directories that do not pile up: what a killed process left is removed by the next one.

A file in the directory is locked for as long as its process lives; the kernel unlocks it, however that ends.  A
directory is ours if all of it is as we make it: its name and mode, its owner, and that file, which is empty.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import Iterator

from .errors import RuntimeProblem

PREFIX = "ompls-"
_NAME = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9_]{8}\Z")  # as tempfile.mkdtemp completes it, or that of C
LOCK = "ompls.lock"
YOUNG = 60.0  # seconds in which a file that is not locked may be one that is just being made


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A new private directory, removed at the end.  Raises RuntimeProblem."""
    _remove_abandoned(tempfile.gettempdir())
    try:
        path = tempfile.mkdtemp(prefix=PREFIX)
        descriptor = os.open(os.path.join(path, LOCK), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        why = error.strerror or str(error)
        raise RuntimeProblem("cannot make a temporary directory", why, "free some space or set TMPDIR") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield Path(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(descriptor)


def _remove_abandoned(directory: str) -> None:
    """Remove our own directories whose process has ended."""
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if _NAME.match(entry.name) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(entry.path)


def _remove_if_abandoned(path: str) -> None:
    folder = os.lstat(path)
    descriptor = os.open(os.path.join(path, LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        made = stat.S_IMODE(folder.st_mode) == 0o700 and stat.S_ISREG(status.st_mode)
        ours = folder.st_uid == status.st_uid == os.geteuid() and (status.st_size, status.st_nlink) == (0, 1)
        if made and ours and time.time() - status.st_mtime > YOUNG:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(descriptor)
