"""Compiler flags of a file: what compile_commands.json or compile_flags.txt say, as far as it is harmless.

A workspace is not trusted: its files choose macros and include directories, never a program, a plug-in or a file of
further arguments.  So flags pass an allow-list; everything else is dropped in silence, the command's own program first.
"""

from __future__ import annotations

import itertools
import json
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ompls.analysis.encoding import decoded
from ompls.analysis.patterns import later
from ompls.analysis.source import OPENMP_DATES, OpenMPVersion
from ompls.project.files import read_regular
from ompls.project.gcc_options import (
    DIRECTORIES,
    MACROS,
    PREPROCESSOR,
    SAME,
    SYSROOT,
    has_value,
    language_of,
    words_of,
)
from ompls.project.problem import EnvironmentProblem, FileProblem

_WITH_PATH = (*DIRECTORIES, "-include")  # the value is a path
_GLUED = ("-I", *MACROS)  # one word in what comes out; the others are two
_OF_A_PART = ("-Xclang", PREPROCESSOR)  # their value is an option for a part of the compiler
_ALLOWED = later(
    r"-std=[a-z0-9:]+|-ansi|-f(no-)?openmp(-simd)?"
    r"|-m(32|64|x32)|-m(arch|tune|cpu|fpu|abi|float-abi)=[A-Za-z0-9_.+=-]+|-m(no-)?(sse|avx|fma|bmi|popcnt)[a-z0-9.-]*"
    r"|-pthread|-f(un)?signed-char|-fshort-(enums|wchar)"
)
DATABASE = "compile_commands.json"
FLAGS_FILE = "compile_flags.txt"
# What compiles C as C++ (GCC manual, "Compiling C++ Programs"), also behind `ccache`.
_CPP_COMPILER = later(r"(?:.*[/\\-])?(?:g|clang|c|mpic)\+\+(?:-[0-9.]+)?(?:\.exe)?|(?:.*/)?(?:mpicxx|icpc|icpx)")
_C_NAMES = (".c", ".h", ".i")
_MOST = 64 << 20  # bytes that are read of either


def allowed(arguments: Iterable[str], directory: str) -> tuple[str, ...]:
    """The flags among `arguments` that matter here and are harmless; paths made absolute from `directory`."""
    result: list[str] = []
    # `-Wp,-DN=5` is `-DN=5` for the preprocessor, which gcc and we have in one
    parts = (w for a in arguments for w in (a.split(",")[1:] if a.startswith("-Wp,") else (a,)))
    for word in words_of(w for w in parts if w not in _OF_A_PART):
        name, value = SAME.get(word.option, word.option), word.value
        if name.startswith(SYSROOT):
            if value := value or name[len(SYSROOT) + 1 :]:
                result.append(f"{SYSROOT}={os.path.normpath(os.path.join(directory, value))}")
            continue
        if name in (*_WITH_PATH, *MACROS, "-x"):
            if value.startswith("@") or (name in _WITH_PATH and value.startswith("-")):
                continue
            if name == "-x" and not language_of(value):
                continue
            if name in _WITH_PATH and not (name == "-include" and "/" not in value):
                value = os.path.normpath(os.path.join(directory, value))
            result.extend((name + value,) if name in _GLUED else (name, value))
        elif name.startswith("-fopenmp="):  # the library's name
            result.append("-fopenmp")
        elif _ALLOWED.fullmatch(name):
            result.append(name)
    return tuple(result)


def version_flags(openmp: OpenMPVersion, flags: Sequence[str] = ()) -> tuple[str, ...]:
    """What stands before `flags` for `_OPENMP` to be that of a version; nothing where they turn OpenMP off."""
    last = next((flag for flag in reversed(flags) if flag.startswith(("-fopenmp", "-fno-openmp"))), "")
    off = last in ("-fno-openmp", "-fopenmp-simd")
    return () if off else ("-U_OPENMP", f"-D_OPENMP={OPENMP_DATES[openmp]}")


class CompileFlags:
    """Finds the flags of files; remembers the databases by their modification times.

    problems -- where it says, by the path, which of them cannot be used and why
    directory -- the only one that is looked into; without one those of the files and upwards are
    """

    def __init__(self, problems: dict[str, EnvironmentProblem], directory: str | None = None) -> None:
        self._problems = problems
        self._directory = directory
        self._read: dict[str, tuple[int, dict[str, tuple[str, ...]]]] = {}
        self.looked_for: set[str] = set()  # paths, whether or not something is there

    def of(self, path: str) -> tuple[str, ...]:
        """The flags for `path` from the nearest database or flags file upwards; () when there is none."""
        return self.found(path)[0]

    def found(self, path: str) -> tuple[tuple[str, ...], str]:
        """(the flags for `path`, the file that they come from: "" when there is none)."""
        real = os.path.realpath(path)
        for directory in self._places(path):
            for database in _databases(directory):
                found = self._database(database)
                if found is not None and real in found:
                    return found[real], database
            flags = self._flags_file(os.path.join(directory, FLAGS_FILE))
            if flags is not None:
                return flags, os.path.join(directory, FLAGS_FILE)
        return (), ""

    def files(self, path: str) -> tuple[str, ...]:
        """What the nearest compile database upwards of `path` has flags for."""
        databases = (database for directory in self._places(path) for database in _databases(directory))
        return next((tuple(found) for database in databases if (found := self._database(database))), ())

    def _places(self, path: str) -> Iterable[str]:
        return (self._directory,) if self._directory else _upwards(path)

    def _fresh(self, path: str) -> tuple[int | None, dict[str, tuple[str, ...]] | None]:
        """(modification time, what is known for it); (None, None) when there is no such file."""
        self.looked_for.add(path)
        try:
            stamp = os.stat(path).st_mtime_ns
        except OSError:
            return None, None
        known = self._read.get(path)
        return stamp, known[1] if known is not None and known[0] == stamp else None

    def _database(self, path: str) -> dict[str, tuple[str, ...]] | None:
        stamp, known = self._fresh(path)
        if stamp is None or known is not None:
            return known
        found: dict[str, tuple[str, ...]] = {}
        for entry in self._entries(path):
            file, flags = _entry(entry, os.path.dirname(path))
            if file:
                found.setdefault(file, flags)
        self._read[path] = (stamp, found)
        return found

    def _entries(self, path: str) -> list[Any]:
        """What the database has; nothing, and a problem, when it cannot be read."""
        self._problems.pop(path, None)
        try:
            entries = json.loads(read_regular(path, _MOST))
        except FileProblem as problem:
            self._problems[path] = problem
            return []
        except json.JSONDecodeError as problem:
            why = f"is not JSON ({problem.msg}: line {problem.lineno})"
        except (ValueError, RecursionError):
            why = "is not JSON"
        else:
            if isinstance(entries, list):
                return entries
            why = "is no list of commands"
        self._problems[path] = FileProblem(path, why, "have your build system write it again")
        return []

    def _flags_file(self, path: str) -> tuple[str, ...] | None:
        stamp, known = self._fresh(path)
        if stamp is None:
            return None
        if known is None:
            try:
                lines = decoded(read_regular(path, _MOST)).removeprefix("\ufeff").splitlines()
                self._problems.pop(path, None)
            except FileProblem as problem:
                self._problems[path] = problem
                lines = []
            arguments = [part for line in lines for part in _words(line)]
            known = {"": allowed(arguments, os.path.dirname(path))}
            self._read[path] = (stamp, known)
        return known[""]


def _upwards(path: str) -> Iterator[str]:
    """The directory of a file, and those that it is in."""
    directory, below = os.path.dirname(os.path.abspath(path)), ""
    while directory != below:
        yield directory
        directory, below = os.path.dirname(directory), directory


def _databases(directory: str) -> tuple[str, str]:
    return os.path.join(directory, DATABASE), os.path.join(directory, "build", DATABASE)


def _words(line: str) -> list[str]:
    """A line of compile_flags.txt: one argument, as clangd reads it, or an option and its operand."""
    line = line.strip()
    if not line or line.startswith("#"):
        return []
    first, _, rest = line.partition(" ")
    return [first, rest.strip()] if rest and has_value(first) else [line]


def _entry(entry: Any, base: str) -> tuple[str, tuple[str, ...]]:
    """(file, flags) of one entry of a compile database; ('', ()) when it is malformed."""
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        return "", ()
    directory = entry.get("directory")
    directory = os.path.join(base, directory) if isinstance(directory, str) else base
    arguments = entry.get("arguments")
    if not isinstance(arguments, list):
        try:
            arguments = shlex.split(entry.get("command") or "")
        except (ValueError, AttributeError, TypeError):
            arguments = []
    arguments = [a for a in arguments if isinstance(a, str)]
    programs = itertools.takewhile(lambda word: not word.startswith("-"), arguments)
    cpp = entry["file"].endswith(_C_NAMES) and any(map(_CPP_COMPILER.fullmatch, programs))
    arguments = [*(("-x", "c++") if cpp else ()), *arguments[1:]]
    return os.path.realpath(os.path.join(directory, entry["file"])), allowed(arguments, directory)
