"""The system's compilers behind a content-addressed cache.

An object is named by the hash of what goes into it: the compiler, its arguments, and the preprocessed source (or, for
files of ours, the files themselves).  A result is made in a private directory and moved into the cache, so a cache that
several builds share never holds half a file.  A cache that cannot be written is replaced by a temporary directory.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from .errors import BuildFailed, ToolMissing

JOBS = 2
PACKAGE = "build-essential"


@dataclass(frozen=True)
class Compile:
    """One source to one object.  `depends`: files whose contents stand for the preprocessed source (ours only)."""

    source: Path
    args: Tuple[str, ...] = ()
    compiler: str = "gcc"
    depends: Optional[Tuple[Path, ...]] = None
    label: str = ""


def cache_directory() -> Path:
    """OMPLS_CACHE_DIR, else ompls in the XDG cache."""
    chosen = os.environ.get("OMPLS_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "ompls"


def _writable(directory: Path) -> Optional[str]:
    """Why a directory cannot be written, or None."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=str(directory)):
            return None
    except OSError as error:
        return error.strerror or str(error)


class Toolchain:
    """Runs compilers; remembers results.  Use as a context manager: temporary files go at its end."""

    def __init__(self, cache: Optional[Path] = None, warn: Optional[Callable[[str], None]] = None) -> None:
        self._scratch = tempfile.mkdtemp(prefix="ompls-")
        self.scratch = Path(self._scratch)
        directory = cache or cache_directory()
        why = _writable(directory)
        if why is not None:
            text = "cannot write the cache {}: {}; using a temporary directory (see OMPLS_CACHE_DIR)".format(
                directory, why
            )
            (warn or _print_warning)(text)
            directory = self.scratch / "cache"
            directory.mkdir()
        self.cache = directory
        self._versions: Dict[str, str] = {}

    def __enter__(self) -> Toolchain:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)

    def run(self, command: Sequence[str], what: str, cwd: Optional[Path] = None) -> bytes:
        """Run a tool; its standard output.  Raises BuildFailed with what it said, or ToolMissing."""
        try:
            done = subprocess.run(
                list(command),
                cwd=None if cwd is None else str(cwd),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError as error:
            raise ToolMissing(command[0], "not found on PATH", "install it: apt-get install " + PACKAGE) from error
        except OSError as error:
            raise ToolMissing(command[0], error.strerror or str(error), "check its installation") from error
        said = done.stderr.decode("utf-8", "replace")
        if done.returncode != 0:
            raise BuildFailed(what, said, done.returncode)
        if said:
            sys.stderr.write(said)
        return done.stdout

    def version(self, compiler: str) -> str:
        """A compiler's identity: its version text."""
        if compiler not in self._versions:
            self._versions[compiler] = self.run([compiler, "--version"], compiler).decode("utf-8", "replace")
        return self._versions[compiler]

    def cached(self, parts: Sequence[bytes], suffix: str, make: Callable[[Path], None]) -> Path:
        """The file whose content is determined by `parts`: from the cache, or made by `make(path)`."""
        digest = hashlib.sha256()
        for part in parts:
            digest.update(str(len(part)).encode() + b":" + part)
        name = digest.hexdigest()
        target = self.cache / name[:2] / (name[2:] + suffix)
        if target.exists():
            return target
        private = Path(tempfile.mkdtemp(dir=self._scratch)) / ("made" + suffix)
        make(private)
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=str(target.parent))
        os.close(handle)
        shutil.copyfile(str(private), beside)
        shutil.copymode(str(private), beside)
        os.replace(beside, str(target))
        private.unlink()
        return target

    def object(self, job: Compile) -> Path:
        """Compile one source (see Compile).  Raises BuildFailed with the compiler's own messages."""
        what = "compiling " + (job.label or str(job.source))
        args = [job.compiler, *job.args]
        if job.depends is None:
            preprocessed = self.run([*args, "-E", str(job.source)], what)
            content = [preprocessed]
        else:
            content = [path.name.encode() + b"\0" + path.read_bytes() for path in job.depends]
            content.append(job.source.read_bytes())
        parts = [self.version(job.compiler).encode(), "\0".join(args).encode(), *content]

        def make(path: Path) -> None:
            self.run([*args, "-c", str(job.source), "-o", str(path)], what)

        return self.cached(parts, ".o", make)

    def objects(self, jobs: Sequence[Compile]) -> List[Path]:
        """Compile several sources side by side; the first failure in the order given is raised."""
        with ThreadPoolExecutor(max_workers=JOBS) as pool:
            return list(pool.map(self.object, jobs))

    def link(self, args: Sequence[str], inputs: Sequence[Path], suffix: str, what: str, compiler: str = "gcc") -> Path:
        """Link inputs (in order) with further arguments; cached by the inputs' contents."""
        parts = [self.version(compiler).encode(), "\0".join(args).encode(), *(path.read_bytes() for path in inputs)]

        def make(path: Path) -> None:
            self.run([compiler, *(str(i) for i in inputs), *args, "-o", str(path)], what)

        return self.cached(parts, suffix, make)


def _print_warning(text: str) -> None:
    sys.stderr.write("ompls: warning: {}\n".format(text))
