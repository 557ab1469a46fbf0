"""The files that a command line means: as they are named, and the C files in directories."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from ompls.cli.engine import Engine
from ompls.cli.problem import Problem


def expand(names: Iterable[str], engine: Engine) -> list[str]:
    """The names, each directory replaced by the C files in it (in order, hidden and excluded ones left out).

    A file that is named is checked even if it is excluded.  A directory that cannot be read stands for itself.  Raises
    Problem for a directory without C files.
    """
    found: list[str] = []
    for name in names:
        if name in engine.options.aliases or not os.path.isdir(name):
            found.append(name)
            continue
        inside = list(_below(name, engine))
        if not inside:
            raise Problem(f"cannot check {name}: no C files are in it; name another directory, or files")
        found += inside
    return list(dict.fromkeys(found))


def _below(directory: str, engine: Engine) -> Iterator[str]:
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
            if file.endswith(".c") and not file.startswith(".") and not _any(globs, path):
                yield path
    yield from closed


def _any(globs: Iterable[str], path: str) -> bool:
    from ompls.project.globs import matches

    absolute = os.path.abspath(path)
    return any(matches(glob, absolute) for glob in globs)
