"""Directories that others cannot change: what lies there may be executed."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Optional


def refusal(directory: str) -> Optional[str]:
    """Why a directory is not trusted: who else may write there, or in one above it; None: it is."""
    if not os.path.isabs(directory):
        return "it is no absolute path"
    try:
        for path in (Path(directory), *Path(directory).parents):
            state = path.stat()
            if not stat.S_ISDIR(state.st_mode):
                return "it is no directory"
            if state.st_uid not in (0, os.getuid()):
                return "{} belongs to somebody else".format(path)
            if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not state.st_mode & stat.S_ISVTX:
                return "{} can be written by others".format(path)
    except OSError as error:
        return error.strerror or str(error)
    return None
