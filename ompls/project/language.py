"""The language of a file: what its flags say, else by its name, as gcc tells it (GCC manual, "Options Controlling the
Kind of Output"), and of a header by the project that it belongs to."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence

from ompls.project.files import read_regular
from ompls.project.gcc_options import language_of, values
from ompls.project.problem import FileProblem
from ompls.project.sourceflags import SourceFlags

_SUFFIXES = {
    "C++": ".cc .cp .cxx .cpp .CPP .c++ .C .ii .hh .H .hp .hxx .hpp .HPP .h++ .tcc",
    "Fortran": ".f .for .ftn .F .FOR .fpp .FPP .FTN .f90 .f95 .f03 .f08 .F90 .F95 .F03 .F08",
    "CUDA C++": ".cu .cuh",
}
_LANGUAGES = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_MOST = 100  # sources that are asked about a header
_LARGEST = 1 << 20  # bytes of a source that is asked
_LOOKED_AT = 1_000  # entries of a folder


def foreign(path: str, flags: Sequence[str] = ()) -> str:
    """The language that the file is in and that we do not understand; "" for C, and for what no name tells.

    flags -- that it is compiled with: the last -x among them counts more than the name
    """
    named = values(flags, "-x")
    language = language_of(named[-1]) if named else _LANGUAGES.get(os.path.splitext(path)[1], "")
    return "" if language == "C" else language


class Languages:
    """Which files of a workspace are not C; compile databases are read once."""

    def __init__(self, flags: SourceFlags) -> None:
        self._flags = flags

    def of_source(self, path: str) -> str:
        """As `foreign`, with the flags that the project has for the file."""
        return foreign(path, self._flags.flags(path))

    def of_header(self, path: str) -> str:
        """The language of the sources that include the header `path`, else of all around it: "" where one is C, or
        where there are none.  Sources are looked for up to the workspace's roots."""
        sources = self._around(path) if os.path.isabs(path) else []
        name = re.escape(os.fsencode(os.path.basename(path)))
        include = re.compile(rb'#[ \t]*include[ \t]*["<](?:[^">\n]*/)?' + name + rb'[">]')
        including = [source for source in sources if include.search(_text(source))]
        languages = [self.of_source(source) for source in including or sources]
        return languages[0] if languages and all(languages) else ""

    def _around(self, path: str) -> list[str]:
        """Some sources of the header's project: of the compile database, else of the nearest folder with some, in
        itself or just below."""
        folder = near = os.path.dirname(path)
        found = [source for source in self._flags.compiled(path) if _is_source(source)]
        while not found:
            found = _sources(folder) or [source for below in _folders(folder) for source in _sources(below)]
            if not any(folder.startswith(os.path.join(root, "")) for root in self._flags.roots):
                break
            folder = os.path.dirname(folder)
        return sorted(found, key=lambda source: (os.path.dirname(source) != near, source))[:_MOST]


def _is_source(name: str) -> bool:
    suffix = os.path.splitext(name)[1]
    return suffix == ".c" or (suffix in _LANGUAGES and not suffix.lower().startswith((".h", ".cuh")))


def _sources(folder: str) -> list[str]:
    return [entry.path for entry in _entries(folder) if _is_source(entry.name)]


def _folders(folder: str) -> list[str]:
    return [e.path for e in _entries(folder) if not e.name.startswith(".") and e.is_dir(follow_symlinks=False)]


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(itertools.islice(entries, _LOOKED_AT))
    except OSError:
        return []


def _text(path: str) -> bytes:
    try:
        return read_regular(path, _LARGEST)
    except FileProblem:
        return b""
