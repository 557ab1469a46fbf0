"""The files that a command line means: as they are named, and the C files in directories.  And which others have target
regions, so that nobody takes silence about them for a result."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from ompls.analysis.patterns import later
from ompls.cli.engine import Engine
from ompls.cli.problem import Problem

_REGION = later(rb"^[ \t]*(?:#[ \t]*pragma|[!cC*]\$)[ \t]*omp\b(?:[^\n\\&]|\\\r?\n)*?\btarget\b", re.I | re.M)
_LARGEST = 1 << 26  # bytes of a file that is looked through here


def expand(names: Iterable[str], engine: Engine, others: list[str] | None = None) -> list[str]:
    """The names, each directory replaced by the C files in it (in order, hidden and excluded ones left out).

    A file that is named is checked even if it is excluded.  One that others in its directory include is checked with
    these: by itself it may lack what they declare.  A directory that cannot be read stands for itself.  The
    files in the directories that are in other languages join `others`.  Raises Problem for a directory without C files.
    """
    found: list[str] = []
    for name in names:
        if name in engine.options.aliases or not os.path.isdir(name):
            found.append(name)
            continue
        inside = []
        for path in _below(name, engine):
            if not engine.language(path):
                inside.append(path)
            elif others is not None:
                others.append(path)
        if not inside:
            raise Problem(f"cannot check {name}: no C files are in it; name another directory, or files")
        found += _units(inside, engine)
    return list(dict.fromkeys(found))


def first_region(path: str) -> int | None:
    """The line of the first target region of a file that is not C; None: it has none, or cannot be read."""
    from ompls.project.files import read_regular
    from ompls.project.problem import FileProblem

    try:
        text = read_regular(path, _LARGEST)
    except FileProblem:
        return None
    found = _REGION.search(text)
    return text.count(b"\n", 0, found.start()) + 1 if found is not None else None


def _units(paths: list[str], engine: Engine) -> list[str]:
    """Those that no other one includes, and those that the compile database names."""
    from ompls.project.units import parts_of

    parts = parts_of(paths)
    return [p for p in paths if (real := os.path.realpath(p)) not in parts or real in engine.workspace.compiled(p)]


def _below(directory: str, engine: Engine) -> Iterator[str]:
    """The sources, in C and in other languages, and the directories that cannot be read."""
    from ompls.project.language import foreign
    from ompls.project.layers import meant_from

    here = os.getcwd()
    asked = [meant_from(here, glob) for glob in engine.options.exclude]
    globs = (*engine.settings(directory).diagnostics.exclude, *asked)
    closed: list[str] = []  # who reads them says why they cannot be read
    for parent, folders, files in os.walk(directory, onerror=lambda error: closed.append(error.filename)):
        kept = [f for f in folders if not f.startswith(".")]
        folders[:] = sorted(f for f in kept if not _any(globs, os.path.join(parent, f)))
        for file in sorted(files):
            path = os.path.join(parent, file)
            if (file.endswith(".c") or foreign(file)) and not file.startswith(".") and not _any(globs, path):
                yield path
    yield from closed


def _any(globs: Iterable[str], path: str) -> bool:
    from ompls.project.globs import matches

    absolute = os.path.abspath(path)
    return any(matches(glob, absolute) for glob in globs)
