"""The folders of devices: ours (`ompls/devices/`), and those in the directories of OMPLS_DEVICE_PATH.

A folder `NAME/` with a `device.toml` is a device.  Its code may be executed, so directories are absolute, and nobody
but we and root may write there, in what is above them, or in the folder: the others are left out.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Tuple

OURS = Path(__file__).resolve().parent.parent / "devices"
FILE = "device.toml"
VARIABLE = "OMPLS_DEVICE_PATH"
AUTO = "auto"  # as the name of a device: whatever this machine has
# What lists, shells and C strings take as it is.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}\Z")


def folders() -> Tuple[Dict[str, Path], List[Tuple[str, str]]]:
    """(the folders by the names of their devices; what is left out: the path, and why)."""
    found = {folder.name: folder for folder in sorted(OURS.glob("*")) if (folder / FILE).is_file()}
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
    real = os.path.realpath(directory)
    if not os.path.isdir(real):
        return "there is no such directory"
    places = [Path(p) for path in (directory, real) for p in (path, *map(str, Path(path).parents))]
    return _changed_by_others(dict.fromkeys(places))


def _refusal_of_folder(folder: Path, taken: Dict[str, Path]) -> Optional[str]:
    if not _NAME.match(folder.name):
        return "its name is not made of letters, digits, '_', '-' and '.'"
    if folder.name == AUTO or folder.name in taken:
        return "that name is taken"
    files = [Path(root) / name for root, _, names in os.walk(str(folder)) for name in (".", *names)]
    return refusal(str(folder)) or _changed_by_others(files)


def _changed_by_others(places: Iterable[Path]) -> Optional[str]:
    """Who may change one of these files or directories, besides us and root."""
    for path in places:
        try:
            state = path.stat()
        except OSError:  # a link to nowhere: it says why when it is opened
            continue
        if state.st_uid not in (0, os.getuid()):
            return "{} belongs to somebody else".format(path)
        if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not state.st_mode & stat.S_ISVTX:
            return "{} can be written by others".format(path)
    return None
