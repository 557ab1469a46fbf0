"""The processes that many files are checked by, side by side; a few are checked without any of this (`jobs.py`)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial

import ompls.analysis.model.builder
import ompls.analysis.rules  # noqa: F401 -- before the processes are made: they share it
from ompls.cli.engine import Engine, Options
from ompls.cli.outcomes import Outcome, Texts, outcome, spare_looks
from ompls.cli.problem import Problem
from ompls.runtime.processes import end_with

_CHUNK = 4  # files that a worker takes at once


def outcomes(options: Options, names: Sequence[str], texts: Texts, jobs: int) -> Iterator[Outcome]:
    """The outcome of each file, in the order of `names`."""
    tempfile.gettempdir()  # it tries directories out with a file, which a worker that is killed then would leave
    workers = min(jobs, -(-len(names) // _CHUNK))
    context = multiprocessing.get_context("fork")  # the others start a Python that imports from the current directory
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(options, os.getpid()))
    try:
        with _interrupts_held():  # the workers are made here, and are not deaf to Ctrl-C at once
            found = pool.map(partial(_work, texts=texts), names, chunksize=_CHUNK)
        yield from found
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


_engine: Engine | None = None


def _begin(options: Options, parent: int) -> None:
    """In a new worker.  Ctrl-C is the parent's, which ends the workers; they end with it, too, however it ends."""
    global _engine  # noqa: PLW0603 -- the only way to a pool's worker
    end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _engine = Engine(options, one_by_one=True)
    spare_looks()


def _work(name: str, texts: Texts) -> Outcome:
    assert _engine is not None
    return outcome(_engine, name, texts)
