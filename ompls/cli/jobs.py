"""Many files, checked on several cores: what comes back does not depend on how many there are.

Each worker process has an engine of its own; header snapshots are shared through the cache on the disk.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from ompls.analysis.diagnostic import Diagnostic
from ompls.cli.engine import Engine, ForeignProblem, Options, report
from ompls.cli.problem import Problem
from ompls.project.devices import plans

FEW = 8  # files that are not worth a second process
_OBJECTS = 100_000  # about those of a file with a dozen regions
_CHUNK = 4  # files that a worker takes at once

Texts = Mapping[str, bytes]  # what stands for files on the disk, by absolute path


@dataclass(frozen=True)
class Outcome:
    """What came out of one file.

    source  -- its text, None when nothing is said about it
    warnings -- about the surroundings (no compiler, …)
    failure -- why it could not be checked, `WHAT: WHY; NEXT STEP`
    """

    name: str
    path: str = ""
    source: bytes | None = None
    found: tuple[Diagnostic, ...] = ()
    suppressed: tuple[Diagnostic, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str = ""


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_all(options: Options, names: Sequence[str], texts: Texts, jobs: int) -> Iterator[Outcome]:
    """The outcome of each file, in the order of `names`."""
    if jobs <= 1 or len(names) <= FEW:
        engine = Engine(options)
        _spare_looks()
        yield from (outcome(engine, name, texts) for name in names)
        return
    import ompls.analysis.model.builder
    import ompls.analysis.rules  # noqa: F401 -- before the processes are made: they share it

    tempfile.gettempdir()  # it tries directories out with a file, which a worker that is killed then would leave
    workers = min(jobs, -(-len(names) // _CHUNK))
    context = multiprocessing.get_context("fork")  # the others start a Python that imports from the current directory
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(options, os.getpid()))
    try:
        with _interrupts_held():  # the workers are made here, and are not deaf to Ctrl-C at once
            outcomes = pool.map(partial(_work, texts=texts), names, chunksize=_CHUNK)
        yield from outcomes
    except BrokenProcessPool as error:
        raise Problem("cannot go on: a worker process was ended (out of memory?); try --jobs 1") from error
    except BaseException:  # interrupted, or nobody reads on: what the workers have begun is of no use
        for worker in multiprocessing.active_children():
            worker.kill()
        raise
    finally:
        # The interpreter waits for it at its end anyway, and then writes to what may be closed by then (Python 3.11).
        pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C comes when the block has ended; to processes that are made in it, never."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def outcome(engine: Engine, name: str, texts: Texts) -> Outcome:
    """Of one file, whatever happens to it."""
    for path, text in texts.items():
        engine.workspace.open(path, text)
    try:
        unit = engine.unit(name)
    except Problem as problem:
        silence = ". Nothing was checked, so silence does not mean that it is correct"
        more = silence if isinstance(problem, ForeignProblem) else ""
        return Outcome(name, failure=f"{problem}{more}", warnings=_taken(engine))
    engine.warnings += plans(unit.tu.settings.devices)
    said = report(unit)
    source = unit.tu.source if said.diagnostics or said.suppressed else None
    return Outcome(name, unit.tu.path, source, tuple(said.diagnostics), tuple(said.suppressed), warnings=_taken(engine))


def _taken(engine: Engine) -> tuple[str, ...]:
    taken, engine.warnings = tuple(engine.warnings), []
    return taken


_engine: Engine | None = None


def _begin(options: Options, parent: int) -> None:
    """In a new worker.  Ctrl-C is the parent's, which ends the workers; they end with it, too, however it ends."""
    global _engine  # noqa: PLW0603 -- the only way to a pool's worker
    from ompls.runtime.processes import end_with

    end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _engine = Engine(options)
    _spare_looks()


def _spare_looks() -> None:
    """Look for garbage among what a few files left behind, not among what was imported nor within a file."""
    gc.freeze()
    gc.set_threshold(_OBJECTS, 10, 10)


def _work(name: str, texts: Texts) -> Outcome:
    assert _engine is not None
    return outcome(_engine, name, texts)
