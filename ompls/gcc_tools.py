"""The scripts `ompls-gcc-ar` and `ompls-gcc-ranlib`, which are gcc's own.

To CMake `ompls-cc` is the cc of a toolchain `ompls-`, whose other tools lie beside it: those that know LTO objects.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def ar() -> NoReturn:
    _become("gcc-ar")


def ranlib() -> NoReturn:
    _become("gcc-ranlib")


def _become(tool: str) -> NoReturn:
    try:
        os.execvp(tool, [tool, *sys.argv[1:]])  # noqa: S606 - gcc's, from PATH
    except OSError as error:
        sys.exit(f"ompls: error: cannot run {tool}: {error.strerror}; install gcc: apt-get install gcc")
