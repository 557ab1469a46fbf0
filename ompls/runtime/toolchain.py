"""The system's compilers behind a content-addressed cache.

An object is named by the hash of what goes into it: the compiler, its arguments, and the preprocessed source (or, for
files of ours, the files themselves).  A cache that cannot be written is replaced by a temporary directory.  No tool
runs for ever (OMPLS_COMPILE_TIMEOUT is in seconds), and none runs on when we are interrupted or gone (contained.py).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, TypeVar

from .cache import Cache, cache_directory, is_told, unusable
from .contained import Contained
from .errors import BuildFailed, RuntimeProblem, ToolMissing
from .folders import make_private
from .machine import HERE, Machine, installed
from .scratch import scratch

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
JOBS = min(16, CORES)  # compilers at a time
SECONDS = 600.0
RUNTIME = Path(__file__).resolve().parent
PREPARED = RUNTIME / "prepared"  # what all programs share, where `ompls devices --prepare` has compiled it


# What makes a text depend on more than itself and the options: other files, the time, a word broken into two lines.
_READS_MORE = re.compile(rb"include|import|embed|__has_|__DATE__|__TIME|\\\s*\n|\?\?/")
_READ_FIRST = ("-include", "-imacros", "--include", "--imacros", "-specs", "--specs", "@")


@dataclass(frozen=True)
class Compile:
    """One source to one object.

    depends -- files whose contents stand for the preprocessed source (ours only)
    header  -- a header that the source includes first, by the name it has there: precompiled, it is not read each time
    directory -- where it is compiled, which debug information holds; "", or if it is gone: wherever we are
    """

    source: Path
    args: Tuple[str, ...] = ()
    compiler: str = "gcc"  # or "g++": the machine's
    depends: Optional[Tuple[Path, ...]] = None
    label: str = ""
    header: str = ""
    directory: str = ""


def debug_flags(flags: Sequence[str]) -> List[str]:
    """-g and the level of optimization, when gcc's options ask for what a debugger needs: the last of each counts."""
    asked = [flag for flag in flags if re.match(r"-g(\d|gdb|dwarf|$)", flag)]
    level = next((flag for flag in reversed(flags) if flag.startswith("-O")), "-O0")
    return ["-g", level] if asked and asked[-1] not in ("-g0", "-ggdb0") else []


Work = TypeVar("Work")
Made = TypeVar("Made")


class Toolchain:
    """Runs the compilers of a machine; remembers results.  Use as a context manager: temporary files go at its end."""

    def __init__(
        self, cache: Optional[Path] = None, warn: Optional[Callable[[str], None]] = None, machine: Machine = HERE
    ) -> None:
        self.machine = machine
        self._ending = ExitStack()
        self.scratch = self._ending.enter_context(scratch())
        self._warn = warn or _print_warning
        self._cache = Cache(cache or cache_directory(), installed=cache == PREPARED)
        self._further = [Cache(PREPARED, installed=True)] if cache is None else []  # only read
        why_not = self._cache.problem()
        if why_not is not None:
            if not is_told(self._cache.directory):
                self._warn("{}: {}; {}".format(*unusable(self._cache.directory, why_not)))
            self._cache = Cache(self.scratch / "cache")
            make_private(self._cache.directory)
        self._ending.enter_context(self._cache.held())
        self._full = False  # the user knows that the cache takes no more
        self._made: Dict[Compile, Path] = {}
        self._versions: Dict[str, str] = {}
        self._digests: Dict[Tuple[Path, ...], bytes] = {}
        self._precompiling = Lock()
        self._saying = Lock()
        self._starting = Lock()
        self._running: Optional[Set[Contained]] = set()  # None: no more is started
        self._said = False  # that something is compiled that all programs share

    def __enter__(self) -> Toolchain:
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()
        self._cache.trim()

    @property
    def lasting(self) -> bool:
        """Whether results outlive this object."""
        return self.scratch not in self._cache.directory.parents

    def has(self, made: Path) -> bool:
        """Whether it is a file that was made."""
        return made.is_file()

    def image(self, make: Callable[[Toolchain], Path]) -> Path:
        """The image of a device that `make` makes with these tools, or with others that serve."""
        return make(self)

    def run(self, command: Sequence[str], what: str, cwd: Optional[Path] = None) -> bytes:
        """Run a tool; its standard output.  Raises BuildFailed with what it said, or ToolMissing."""
        out, said = self.ask(command, what, cwd)
        sys.stderr.write(said)
        return out

    def ask(self, command: Sequence[str], what: str, cwd: Optional[Path] = None) -> Tuple[bytes, str]:
        """The same, for (its standard output, what it said)."""
        try:
            tool = self._start(command, cwd)
        except FileNotFoundError as error:
            raise ToolMissing(
                command[0],
                "not found on PATH",
                self.machine.where_from(os.path.basename(command[0]).rpartition("-")[2]),
            ) from error
        except OSError as error:
            raise ToolMissing(command[0], error.strerror or str(error), "check its installation") from error
        with tool:
            try:
                out, err = tool.process.communicate(timeout=_seconds())
            except subprocess.TimeoutExpired as error:
                why = "{} was still running after {:g} s".format(command[0], error.timeout)
                raise RuntimeProblem(
                    what, why, "look for what it cannot finish, or raise OMPLS_COMPILE_TIMEOUT"
                ) from error
            finally:
                with self._starting:
                    if self._running is not None:
                        self._running.discard(tool)
        said = err.decode("utf-8", "replace")
        if tool.process.returncode != 0:
            raise BuildFailed(what, said, tool.process.returncode)
        return out, said

    def _start(self, command: Sequence[str], cwd: Optional[Path]) -> Contained:
        with self._starting:
            if self._running is None:
                raise RuntimeProblem(command[0], "the build was interrupted", "start it again")
            tool = Contained(
                command,
                cwd=None if cwd is None else str(cwd),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "TMPDIR": str(self.scratch)},  # what a killed compiler leaves goes with the rest
            )
            self._running.add(tool)
            return tool

    @contextmanager
    def threads(self, number: int) -> Iterator[ThreadPoolExecutor]:
        """Threads that run tools.  When the block is interrupted the tools are killed: the threads are waited for."""
        with ThreadPoolExecutor(max_workers=number) as pool:
            try:
                yield pool
            except KeyboardInterrupt:
                with self._starting:
                    running, self._running = self._running, None
                for tool in running or ():
                    tool.kill()
                raise

    def version(self, compiler: str) -> str:
        """The identity of the machine's gcc or g++: its name, and which file that is or what it says of itself."""
        if compiler not in self._versions:
            name = self.machine.tool(compiler)
            what = installed(shutil.which(name) or "") or self.run([name, "--version"], name).decode("utf-8", "replace")
            self._versions[compiler] = name + "\n" + what
        return self._versions[compiler]

    def predefined(self, flags: Sequence[str]) -> Dict[str, str]:
        """What the machine's gcc defines of itself, with those of its options that make other types."""
        words = [
            flag
            for flag in flags
            if flag.startswith(("-m", "-fshort-", "-funsigned-", "-fno-signed-", "-fsigned-", "-fno-unsigned-"))
        ]
        command = [self.machine.tool("gcc"), *words, "-dM", "-E", "-x", "c", os.devnull]

        def make(path: Path) -> None:
            path.write_bytes(self.run(command, "asking the compiler about its types"))

        made = self.cached([self.version("gcc").encode(), os.fsencode("\0".join(words))], ".macros", make)
        lines = (line.split(" ", 2) for line in made.read_text(encoding="utf-8", errors="replace").splitlines())
        return {line[1]: "".join(line[2:]) for line in lines}

    def cached(self, parts: Sequence[bytes], suffix: str, make: Callable[[Path], None]) -> Path:
        """The file whose content is determined by `parts`: from the cache, or made by `make(path)`."""
        name = _digest(parts)
        for place in (self._cache, *self._further):
            found = place.get(name, suffix)
            if found is not None:
                return found
        private = Path(tempfile.mkdtemp(dir=str(self.scratch))) / ("made" + suffix)
        make(private)
        try:
            return self._cache.put(name, suffix, private)
        except OSError as error:
            if not self._full:
                self._warn("cannot write the cache {}: {}".format(self._cache.directory, error.strerror or error))
            self._full = True
            return private

    def object(self, job: Compile) -> Path:
        """Compile one source (see Compile).  Raises BuildFailed with the compiler's own messages."""
        if job not in self._made:
            self._made[job] = self._object(job)
        return self._made[job]

    def _object(self, job: Compile) -> Path:
        what = "compiling " + (job.label or str(job.source))
        args = [self.machine.tool(job.compiler), *job.args]
        place = Path(job.directory) if job.directory and os.path.isdir(job.directory) else None
        if job.depends is None:
            content = [self._preprocessed(job, args, what, place)]
        else:
            content = [self._read(job.depends), job.source.read_bytes()]
        parts = [self.version(job.compiler).encode(), os.fsencode("\0".join(args)), *content]
        parts += [os.fsencode(place)] if place is not None else []

        def make(path: Path) -> None:
            if RUNTIME.parent in job.source.parents:
                self._say_once()
            begin = self._precompiled(job) if job.header else ()
            self.run([args[0], *begin, *job.args, "-c", str(job.source), "-o", str(path)], what, place)
            if not path.exists():  # gcc leaves it to the linker, which is not asked
                why = "{} does not know the language of a file '{}'".format(args[0], job.source.suffix)
                raise RuntimeProblem(what, why, "compile it with -x LANGUAGE")

        return self.cached(parts, ".o", make)

    def _read(self, files: Tuple[Path, ...]) -> bytes:
        """A hash of these files of ours, which many sources have in common."""
        if files not in self._digests:
            each = [path.name.encode() + b"\0" + path.read_bytes() for path in files]
            self._digests[files] = _digest(each).encode()
        return self._digests[files]

    def _preprocessed(self, job: Compile, args: Sequence[str], what: str, place: Optional[Path]) -> bytes:
        """What stands for the source: as the preprocessor writes it, or as it is where that adds nothing."""
        text = job.source.read_bytes()
        if not _READS_MORE.search(text) and not any(word.startswith(_READ_FIRST) for word in args):
            return b"as it is\0" + os.fsencode(job.source.name) + b"\0" + text
        preprocessed = self.run([*args, "-E", str(job.source)], what, place)
        # Where the file lies does not matter: a bundle is in another directory each time.
        return preprocessed.replace(os.fsencode(str(job.source.parent)), b"")

    def _say_once(self) -> None:
        """Tell somebody who waits why it takes longer than the next time; build systems take words for a warning."""
        with self._saying:
            if not self._said and sys.stderr.isatty():
                sys.stderr.write("ompls: compiling the runtime, once for all programs\n")
            self._said = True

    def objects(self, jobs: Sequence[Compile]) -> List[Path]:
        """Compile several sources side by side; the first failure in the order given is raised."""
        return self.each(self.object, jobs)

    def together(self, jobs: Sequence[Compile], what: str) -> List[Path]:
        """One object of several sources of ours: it is found again at once, and the linker has one file to read."""
        parts = [self.version("gcc").encode(), b"together"]
        for job in jobs:
            parts += [os.fsencode("\0".join(job.args)), self._read(job.depends or ()), job.source.read_bytes()]

        def make(path: Path) -> None:
            objects = map(str, self.objects(jobs))
            self.run([self.machine.tool("gcc"), "-r", "-nostdlib", *objects, "-o", str(path)], what)

        return [self.cached(parts, ".o", make)]

    def each(self, make: Callable[[Work], Made], jobs: Iterable[Work]) -> List[Made]:
        """`make` of every job, side by side on the cores; the first failure in the order given is raised."""
        with self.threads(JOBS) as pool:
            return list(pool.map(make, jobs))

    def _precompiled(self, job: Compile) -> Tuple[str, ...]:
        """The arguments with which gcc takes the job's header in one piece (GCC manual, "Using Precompiled Headers").

        `#pragma once` in the header keeps it from being read again where the source includes it.
        """
        with self._precompiling:  # once, by whoever comes first
            text = '#include "{}"\n'.format(job.header).encode()
            language = "c++-header" if job.compiler == "g++" else "c-header"
            args = [self.machine.tool(job.compiler), *job.args, "-x", language]
            others = self._read(tuple(path for path in job.depends or () if path != job.source))
            parts = [self.version(job.compiler).encode(), os.fsencode("\0".join(args)), text, others]

            def write(path: Path) -> None:
                path.write_bytes(text)

            def make(path: Path) -> None:
                self.run([*args, "-c", str(plain), "-o", str(path)], "precompiling " + job.header)

            plain = self.cached(parts, ".h", write)
            made = self.cached(parts, ".h.gch", make)
            if made != Path(str(plain) + ".gch"):  # gcc looks for it beside the plain one: nobody else's may lie there
                apart = Path(tempfile.mkdtemp(dir=str(self.scratch))) / "made.h"
                plain, made = apart, Path(shutil.copyfile(str(made), str(apart) + ".gch"))
                write(plain)
        return ("-include", str(plain))

    def link(self, args: Sequence[str], inputs: Sequence[Path], suffix: str, what: str, compiler: str = "gcc") -> Path:
        """Link inputs (in order) with further arguments; cached by the inputs' contents."""
        parts = [self.version(compiler).encode(), os.fsencode("\0".join(args)), *(path.read_bytes() for path in inputs)]

        def make(path: Path) -> None:
            self.run([self.machine.tool(compiler), *(str(i) for i in inputs), *args, "-o", str(path)], what)

        return self.cached(parts, suffix, make)


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest()


def c_string(text: str) -> str:
    """A name as a string of C or C++, whatever bytes it has."""
    return '"' + "".join("\\{:03o}".format(byte) for byte in os.fsencode(text)) + '"'


def _seconds() -> float:
    try:
        return float(os.environ.get("OMPLS_COMPILE_TIMEOUT", SECONDS))
    except ValueError:
        return SECONDS


def _print_warning(text: str) -> None:
    sys.stderr.write("ompls: warning: {}\n".format(text))
