"""The folders of devices: ours (`ompls/devices/`), and those in the directories of OMPLS_DEVICE_PATH.

A folder `NAME/` with a `device.toml` is a device.  Its code may be executed, so directories are absolute, and nobody
but we and root may write there, in what is above them, in the folder, or where links lead: the others are left out.
Links in a folder stay in it, so that what is looked through is all that there is.
"""

from __future__ import annotations

import errno
import functools
import grp
import os
import pwd
import re
import stat
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

OURS = Path(__file__).resolve().parent.parent / "devices"
FILE = "device.toml"
VARIABLE = "OMPLS_DEVICE_PATH"
_PARTS = ("module", "target")  # what is executed
_MOST_LINKS = 40  # as Linux has it: path_resolution(7)
AUTO = "auto"  # as the name of a device: whatever this machine has
PREFERENCE = ("cuda", "cudasim", "host")  # in which `auto` chooses; a device that is not listed comes after these
# What lists, shells and C strings take as it is.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}\Z")


def folders() -> Tuple[Dict[str, Path], List[Tuple[str, str]]]:
    """(the folders by the names of their devices; what is left out: the path, and why)."""
    ours = str(OURS)  # as texts: at each key the server looks whether all are as they were
    found = {n: OURS / n for n in sorted(os.listdir(ours)) if os.path.isfile(os.path.join(ours, n, FILE))}
    left_out: List[Tuple[str, str]] = []
    for directory in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        why = refusal(directory)
        if why is None and os.path.lexists(os.path.join(directory, FILE)):
            why = "it is the folder of a device: name the directory that it is in"
        if why is not None:
            left_out.append((directory, why))
            continue
        for folder in sorted(Path(os.path.realpath(directory)).iterdir()):
            if not os.path.lexists(str(folder / FILE)) or folder in found.values():
                continue
            why = _refusal_of_folder(folder, found)
            if why is None:
                found[folder.name] = folder
            else:
                left_out.append((str(folder), why))
    return found, left_out


def refusal(directory: str) -> Optional[str]:
    """Why a directory is not trusted: who else may write there, or in one above it; None: it is."""
    if not os.path.isabs(directory):
        return "it is no absolute path"
    if not os.path.isdir(directory):
        return "there is no such directory"
    if not os.access(directory, os.R_OK | os.X_OK):
        return "it cannot be read"
    return changed_by_others(way(directory))


def way(path: str) -> Iterator[str]:
    """What the system passes on its way to an absolute path: directories, links, and last what they lead to."""
    at, left, links = "/", path.split("/")[::-1], 0
    yield at
    while left:
        part = left.pop()
        if part in ("", ".", ".."):
            at = os.path.dirname(at) if part == ".." else at
            continue
        passed = os.path.join(at, part)
        yield passed
        if not os.path.islink(passed) or links == _MOST_LINKS:
            at = passed
            continue
        links += 1
        text = os.readlink(passed)
        left += text.split("/")[::-1]
        at = "/" if text.startswith("/") else at


def _refusal_of_folder(folder: Path, taken: Dict[str, Path]) -> Optional[str]:
    if not _NAME.match(folder.name):
        return "its name is not made of letters, digits, '_', '-' and '.'"
    if folder.name == AUTO or folder.name in taken:
        return "that name is taken"
    try:
        return refusal(str(folder)) or _refusal_of_content(folder)
    except OSError as error:
        return "{} cannot be read: {}".format(error.filename, error.strerror)


def _refusal_of_content(folder: Path) -> Optional[str]:
    """Raises OSError for a directory that cannot be read: nobody knows what is in it."""
    real = os.path.realpath(str(folder))
    for root, directories, files in os.walk(real, onerror=_raise):
        for path in [os.path.join(root, name) for name in (*directories, *files)]:
            linked = os.path.islink(path)
            if linked and os.path.commonpath((real, os.path.realpath(path))) != real:
                return "{} leads out of the folder".format(path)
            why = changed_by_others(way(path) if linked else (path,))
            if why is not None:
                return why
    for part in _PARTS:
        code = folder / part / "__init__.py"
        if os.path.lexists(str(code)) and not code.is_file():
            return "{} is no regular file".format(code)
    return None


def _raise(error: OSError) -> None:
    raise error


def make_private(directory: Path, mode: int = 0o700) -> None:
    """Make a directory, and those above it that are missing, each for us alone, whatever the umask.  Raises OSError."""
    try:
        directory.mkdir(mode)
    except FileNotFoundError:
        make_private(directory.parent, mode)
        directory.mkdir(mode, exist_ok=True)
    except OSError as error:  # EEXIST comes after others in some systems
        if directory.is_dir():
            return
        if isinstance(error, FileExistsError):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(directory)) from None
        raise


def changed_by_others(places: Iterable[str], sticky: bool = True) -> Optional[str]:
    """Who may change one of these files, directories and links, besides us and root.

    sticky -- a directory may be one where others can put what is theirs, but not replace what is ours

    Where nobody may, neither can anybody later, until it is used: what has been looked at stays what it is.
    """
    root = os.lstat("/").st_uid  # not 0 where a container has other numbers; who has it can change all
    for path in places:
        try:
            state = os.lstat(path)
        except OSError:  # it is not there: who opens it says so
            continue
        if state.st_uid not in (0, root, os.getuid()):
            return "{} belongs to somebody else".format(path)
        if stat.S_ISLNK(state.st_mode) or (sticky and stat.S_ISDIR(state.st_mode) and state.st_mode & stat.S_ISVTX):
            continue
        if state.st_mode & stat.S_IWOTH or (state.st_mode & stat.S_IWGRP and not _written_by_us(path, state.st_gid)):
            return "{} can be written by others".format(path)
    return None


def _written_by_us(path: str, group: int) -> bool:
    """Whether what its group can write only we can: many systems give each user a group, and a umask of 002."""
    try:
        lists = "system.posix_acl_access" in os.listxattr(path)  # then these bits are not the group's alone
    except OSError:
        lists = False
    return _is_only_ours(group) and not lists


@functools.lru_cache(maxsize=None)
def _is_only_ours(group: int) -> bool:
    """As `is_ours_alone` in boards/board.sh.  The name counts because not every system lists all its users."""
    try:
        we, its = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    others = [user for user in pwd.getpwall() if user.pw_uid != we.pw_uid]
    named = group == we.pw_gid and its.gr_name == we.pw_name and set(its.gr_mem) <= {we.pw_name}
    return named and all(user.pw_gid != group for user in others)
