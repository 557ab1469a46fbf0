"""A directory of results by the hash of what they were made from: shared between builds, bounded, never half written.

A result is made elsewhere and moved in.  Its length and checksum lie beside it: a disk that was full or lost its power,
or a user, may have damaged it since, and then it is as if it were not there.  So it is where anybody but we and root
could have changed it (folders.py): what is here is executed, linked and believed.  What was used least recently goes
when there is too much, but nothing of the last hour: another build may be at work with it.  Who deletes all waits for
the builds, which hold a lock.

All that we keep is kept here: objects, precompiled headers, kernels, images and programs (toolchain.py), and what the
compiler said about headers (project/cache.py).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, List, Optional, Set, Tuple, Union

from .errors import one_line
from .folders import changed_by_others, make_private, way
from .home import home

MEBIBYTES = 1024  # unless OMPLS_CACHE_SIZE says otherwise
RECENT = 3600.0  # seconds
# What reading an entry raises that another process takes away, or that has another form: it is as good as none.
WRONG = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError)
SUM = ".sum"  # what the name of a file's length and checksum ends in
# What is ours: somebody may have chosen a directory with files of his own.
_FOLDER, _FILE = re.compile(r"[0-9a-f]{2}\Z"), re.compile(r"(?:[0-9a-f]{62}(?:\..*)?|\.ompls-\w{8})\Z")


def cache_directory() -> Path:
    """OMPLS_CACHE_DIR, else ompls in the XDG cache.

    What is not absolute does not count: it would be another directory everywhere, in somebody else's too, and programs
    come from it.
    """
    # without a home nothing can be written there, and whoever would says so
    base = os.environ.get("XDG_CACHE_HOME", "")
    usual = Path(base if os.path.isabs(base) else os.path.join(home() or os.devnull, ".cache")) / "ompls"
    chosen = os.environ.get("OMPLS_CACHE_DIR")
    if chosen and not os.path.isabs(chosen):
        _tell_of_relative(one_line(chosen), str(usual))
    return Path(chosen) if chosen and os.path.isabs(chosen) else usual


@functools.lru_cache(maxsize=None)
def _tell_of_relative(chosen: str, usual: str) -> None:
    """Once."""
    told = "ompls: warning: OMPLS_CACHE_DIR: '{}' is not an absolute path; {} is used\n"
    sys.stderr.write(told.format(chosen, usual))


def put_file(source: Path, target: Path) -> None:
    """Copy a file with its mode so that `target` is never seen half written, even while its old content runs.

    Raises OSError; then `target` is as before.
    """
    target = Path(os.path.realpath(str(target)))
    if target.exists() and not target.is_file():  # /dev/null, say
        raise OSError(errno.EINVAL, "not a regular file")
    with _replacing(target) as beside:
        shutil.copyfile(str(source), beside)
        shutil.copymode(str(source), beside)


@contextmanager
def _replacing(target: Path) -> Iterator[str]:
    """A file to write, which takes the place of `target` when the block ends.  Raises OSError."""
    handle, beside = tempfile.mkstemp(dir=str(target.parent), prefix=".ompls-")
    os.close(handle)
    try:
        yield beside
        os.replace(beside, str(target))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _clear(path: str) -> None:
    """Delete what lies there: a file, or a directory that somebody put in its place.  Raises OSError."""
    if stat.S_ISDIR(os.lstat(path).st_mode):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def not_ours(path: Path) -> Optional[str]:
    """Who else can change what lies there, which is then neither executed nor believed; None: nobody can."""
    return changed_by_others(way(str(path)))


def _summary(path: Path) -> bytes:
    """Length and checksum of a file.  Raises OSError."""
    data = path.read_bytes()
    return "{} {:08x}\n".format(len(data), zlib.crc32(data)).encode()


def _is_whole(path: Path, beside: Path) -> bool:
    """Whether a file is as its `_summary` in `beside` says.  Raises OSError."""
    with beside.open("rb") as stream:  # it has a few bytes, unless it was damaged: then it may be large
        told = stream.read(64)
    return told.startswith(b"%d " % path.stat().st_size) and told == _summary(path)


def _limit() -> int:
    """Bytes that may stay."""
    try:
        return int(os.environ.get("OMPLS_CACHE_SIZE", MEBIBYTES)) << 20
    except ValueError:
        return MEBIBYTES << 20


_told: Set[Path] = set()  # the directories that somebody was told of


def unusable(directory: Path, why: str) -> Tuple[str, str, str]:
    """What is said, in one wording: what is affected, why, and the next step."""
    _told.add(directory)
    return "cannot use the cache {}".format(directory), why, "nothing is kept (see OMPLS_CACHE_DIR)"


def is_told(directory: Path) -> bool:
    """Whether `unusable` has said it in this process."""
    return directory in _told


class Cache:
    """One such directory; `installed`: it is a part of us, and trusted as we are."""

    def __init__(self, directory: Path, installed: bool = False) -> None:
        self.directory = directory
        self._installed = installed
        self._ours = False  # the directory is there, and nobody else can change it
        self._added = False

    def problem(self) -> Optional[str]:
        """Why the directory cannot be used, or None."""
        try:
            self._make(self.directory)
            with tempfile.TemporaryFile(dir=str(self.directory)):
                return None
        except OSError as error:
            return error.strerror or str(error)

    def _make(self, place: Path) -> None:
        """The directory, or one in it.  Raises OSError, also where others can change what is there."""
        why = self._refusal()
        if why is None:
            make_private(place, 0o755 if self._installed else 0o700)  # an installation is for all users
            why = self._refusal(place)  # somebody may have been faster
        if why is not None:
            raise PermissionError(errno.EPERM, why + ", and programs come from here: make it yours alone")

    def _refusal(self, *places: Path) -> Optional[str]:
        """Who else can change the directory, or these places in it; None: nobody can."""
        if self._installed:
            return None
        if not self._ours:
            there = self.directory.is_dir()  # somebody may make it after it was looked at
            why = not_ours(self.directory) or changed_by_others([os.path.realpath(str(self.directory))], sticky=False)
            if why is not None:
                return why
            self._ours = there
        return changed_by_others(map(str, places), sticky=False)

    def _is_kept(self, place: Path, beside: Path) -> bool:
        """Whether an entry is there, and is as we left it.  Raises OSError."""
        modes = [os.lstat(str(path)).st_mode for path in (place.parent, place, beside)]
        if not stat.S_ISDIR(modes[0]) or not all(map(stat.S_ISREG, modes[1:])):  # a link leads where nobody has looked
            return False
        return self._refusal(place.parent, place, beside) is None and _is_whole(place, beside)

    @contextmanager
    def held(self, alone: bool = False) -> Iterator[None]:
        """While the block runs nobody deletes all that is here; or, alone, nobody is at work with it.  Waits.

        Where there are no locks (some network file systems) nobody waits.
        """
        try:
            handle = os.open(str(self.directory), os.O_RDONLY)
        except OSError:  # it is not there
            handle = None
        try:
            if handle is not None:
                with contextlib.suppress(OSError):
                    fcntl.flock(handle, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield
        finally:
            if handle is not None:
                os.close(handle)

    def _place(self, name: str, suffix: str) -> Path:
        return self.directory / name[:2] / (name[2:] + suffix)

    def get(self, name: str, suffix: str) -> Optional[Path]:
        """The file of that hash; None when there is none, or it is not as it was put there."""
        place, beside = self._place(name, suffix), self._place(name, suffix + SUM)
        try:
            whole = self._is_kept(place, beside)
        except OSError:
            whole = False
        for path in (place, beside) if whole else ():
            with contextlib.suppress(OSError):  # it is somebody else's
                os.utime(str(path))  # used just now
        return place if whole else None

    def put(self, name: str, suffix: str, made: Union[Path, bytes]) -> Path:
        """Keep a copy of a file, or these bytes; the place.  Raises OSError where nothing can be kept."""
        place, beside = self._place(name, suffix), self._place(name, suffix + SUM)
        self._make(place.parent)
        with self.held():
            for path in (place, beside):
                if os.path.lexists(str(path)) and (path.is_symlink() or not path.is_file()):
                    _clear(str(path))
            with _replacing(place) as written:
                if isinstance(made, bytes):
                    Path(written).write_bytes(made)
                else:
                    shutil.copyfile(str(made), written)
                    os.chmod(written, made.stat().st_mode & 0o755)
                summary = _summary(Path(written))
            with _replacing(beside) as written:
                Path(written).write_bytes(summary)
                if self._installed:
                    os.chmod(written, 0o644)
        self._added = True
        return place

    def _files(self) -> List[Tuple[float, int, str]]:
        """Last use, bytes and path of every file, the oldest first."""
        found = []
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
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
                    _clear(path)

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
                _clear(path)
                left -= size
