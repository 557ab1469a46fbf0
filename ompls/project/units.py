"""Which C files others include: these are checked with them, as by themselves they may lack what they use."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache

from ompls.analysis.patterns import later
from ompls.project.files import read_regular
from ompls.project.problem import FileProblem

_INCLUDE = later(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+\.c)"', re.M)
_LARGEST = 1 << 26  # bytes of a file that is looked through here


def parts_of(paths: Iterable[str]) -> frozenset[str]:
    """The real paths of what others among these include, by names that are meant from their directories; those that
    include each other are no parts."""
    included = {real: _included(real) for real in map(os.path.realpath, paths)}
    pairs = [(real, part) for real, found in included.items() for part in found if part != real]
    return frozenset(part for real, part in pairs if real not in included.get(part, ()))


def _included(path: str) -> frozenset[str]:
    try:
        status = os.stat(path)
        return _read(path, status.st_mtime_ns, status.st_size)
    except (FileProblem, OSError):
        return frozenset()


@lru_cache(maxsize=4096)
def _read(path: str, changed: int, size: int) -> frozenset[str]:
    text = read_regular(path, _LARGEST)
    names = [os.fsdecode(name) for name in _INCLUDE.findall(text)] if b'.c"' in text else []
    return frozenset(os.path.realpath(os.path.join(os.path.dirname(path), name)) for name in names)
