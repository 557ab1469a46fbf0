"""The project as the analysis needs it: texts (unsaved buffers first), flags, header snapshots.

All input and output that analysis depends on goes through here.  Safe to use from several threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from ompls.analysis.source import HeaderSnapshot, HeaderUnit, OpenMPVersion
from ompls.analysis.syntax.preprocess import again_key
from ompls.project import compiler, skeleton
from ompls.project.cache import DiskCache, key_of, stamps
from ompls.project.compiler import Preprocessed
from ompls.project.files import read_source
from ompls.project.flags import allowed, version_flags
from ompls.project.problem import EnvironmentProblem, FileProblem
from ompls.project.sourceflags import SourceFlags
from ompls.runtime.machine import HERE, Machine


class Workspace(SourceFlags):
    """A set of root directories and the buffers that are open in them.

    roots, flags, database, problems -- as in `SourceFlags`
    machine -- whose compiler tells what comes from headers
    refused -- the flags that the compiler does not take, by the file that they are for
    """

    def __init__(
        self,
        roots: Sequence[str],
        flags: Sequence[str] = (),
        cache: DiskCache | None = None,
        database: str | None = None,
        machine: Machine = HERE,
    ) -> None:
        super().__init__(roots, flags, database)
        self._machine = machine
        self.refused: dict[str, frozenset[str]] = {}
        self._overlays: dict[str, bytes] = {}
        self._cache = cache or DiskCache()
        self._directives = skeleton.Directives()
        self._preprocessed: dict[str, tuple[dict[str, tuple[int, int]], Preprocessed]] = {}
        self._snapshots: dict[str, HeaderSnapshot] = {}
        self._disk: dict[str, tuple[tuple[int, int], bytes]] = {}
        self._read: set[str] = set()
        self._lock = threading.Lock()  # of the overlays: never held for long; `_working` is that of everything else

    # -- texts -----------------------------------------------------------------------------------------------------

    def open(self, path: str, data: bytes) -> None:
        """`data` stands for the file until `close`; again for every change."""
        with self._lock:
            self._overlays[self._absolute(path)] = data

    def close(self, path: str) -> None:
        with self._lock:
            self._overlays.pop(self._absolute(path), None)

    def read(self, path: str) -> bytes:
        """The bytes of a file, or of the buffer that is open on it.  Raises FileProblem."""
        with self._lock:
            self._read.add(self._absolute(path))
            found = self._overlays.get(self._absolute(path))
        return found if found is not None else read_source(path)

    def _header(self, path: str) -> bytes | None:
        """The text of a project header; None when it cannot be read."""
        with self._lock:
            self._read.add(path)
            found = self._overlays.get(path)
        if found is not None:
            return found
        try:
            status = os.stat(path)
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._disk.get(path)
            if known is None or known[0] != stamp:
                known = self._disk[path] = (stamp, read_source(path))
        except (OSError, ValueError, FileProblem):
            return None
        return known[1]

    def looked_for(self) -> frozenset[str]:
        """Whatever decides what is known of the files that were asked about: paths of files and directories, also of
        what is not there."""
        read = (path for known, _ in self._preprocessed.values() for path in known)
        with self._lock:
            return frozenset((*self._read, *super().looked_for(), *read))

    # -- headers ---------------------------------------------------------------------------------------------------

    def snapshot(
        self, path: str, source: bytes, flags: Sequence[str] = (), openmp: OpenMPVersion = "5.2"
    ) -> HeaderSnapshot:
        """Everything that comes to `source` from headers.  Never raises: see `problems`.

        openmp -- what `_OPENMP` says

        The same object is returned as long as nothing in it has changed.
        """
        path = self._absolute(path)
        directory = os.path.dirname(path)
        flags = allowed(flags, directory)
        flags = (*version_flags(openmp, flags), *flags)
        search = skeleton.SearchPath.of(flags, self.roots or (directory,))
        with self._working:
            needed = skeleton.build(path, source, search, self._header, self._directives)
            missing = dict(needed.refused)
            try:
                key, found = self._preprocess(needed, flags, directory)
                self.problems.pop("system headers", None)
                self._tell_of_flags(path, found.refused)
            except EnvironmentProblem as problem:
                self.problems[problem.what] = problem
                key, found = "none", Preprocessed()
                missing = dict.fromkeys(needed.operands, problem.reason)
            return self._joined(path, key, needed, found, missing)

    def compiler_errors(
        self, path: str, source: bytes, flags: Sequence[str] = (), openmp: OpenMPVersion = "5.2"
    ) -> dict[int, str] | None:
        """What the compiler says about the lines (from 1) of `source`; None when it cannot be asked."""
        directory = os.path.dirname(self._absolute(path))
        flags = allowed(flags, directory)
        try:
            gcc = compiler.find_compiler(self._machine)
            return compiler.errors(gcc, source, (*version_flags(openmp, flags), *flags), directory)
        except EnvironmentProblem:
            return None

    def _preprocess(
        self, needed: skeleton.Skeleton, flags: tuple[str, ...], directory: str
    ) -> tuple[str, Preprocessed]:
        gcc = compiler.find_compiler(self._machine)
        quoted = any(operand.startswith('"') for operand in (*needed.operands, *needed.asked))
        key = key_of(compiler.identity(gcc), needed.text, directory if quoted else "", *flags)  # else it is not asked
        known = self._preprocessed.get(key)
        if known is not None and known[0] == stamps(list(known[0])):
            return key, known[1]
        found = self._cache.load(key)
        if found is None:
            found = compiler.preprocess(gcc, needed.text, flags, directory)
            absent = [needed.operands[n] for n in found.missing]
            absent += [operand for n, operand in enumerate(needed.asked) if n not in found.exists]
            found.read += skeleton.watched(absent, flags)
            self._cache.store(key, found)
            self._warn_of_cache()
        if len(self._preprocessed) > 50:
            self._preprocessed.clear()
        self._preprocessed[key] = (stamps(found.read), found)
        return key, found

    def _tell_of_flags(self, path: str, refused: list[str]) -> None:
        self.problems.pop("compiler flags", None)
        self.refused[path] = frozenset(refused)
        if refused:
            why = f"gcc does not take {' '.join(refused)}: left out"
            self.problems["compiler flags"] = EnvironmentProblem(
                "compiler flags", why, "check the flags of the project"
            )

    def _warn_of_cache(self) -> None:
        if self._cache.problem is not None:
            self.problems["header cache"] = self._cache.problem

    def _joined(
        self, path: str, key: str, needed: skeleton.Skeleton, found: Preprocessed, missing: dict[str, str]
    ) -> HeaderSnapshot:
        system: dict[str, HeaderUnit] = {}
        times: dict[str, int] = {}
        for number, operand in enumerate(needed.operands):
            if number in found.missing:
                missing.setdefault(operand, "no such file")
            elif number in found.units:
                unit = found.units[number]
                time = times[operand] = times.get(operand, -1) + 1
                if not time or unit.ops or unit.text:
                    system[again_key(operand, time)] = unit
        for number in found.exists:
            system.setdefault(needed.asked[number], HeaderUnit((), ""))
        parts = [part for k, (p, data) in sorted(needed.texts.items()) for part in (k, p, data.decode("latin-1"))]
        whole = key_of(key, *parts, *sorted(missing), *needed.first)
        before = self._snapshots.get(path)
        if before is not None and before.key == whole and before.predefined is found.predefined:
            return before
        if len(self._snapshots) > 500:
            self._snapshots.clear()
        self._snapshots[path] = HeaderSnapshot(whole, found.predefined, system, needed.texts, missing, needed.first)
        return self._snapshots[path]
