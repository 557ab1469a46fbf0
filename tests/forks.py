"""`-n N`: tests side by side, in N forks of the one process that has collected them.

To collect thousands of tests takes as long as hundreds of them, and workers that start anew do it each.  A fork has
them, and all that they import.  Each begins with its share of the tests, in their order; one that is done takes over
half of what another has most of, from the beginning of a file where there is one: then what its tests share is made
once.
"""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
from bisect import bisect_left
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from typing import Any

import pytest

_forks = multiprocessing.get_context("fork")
_GRACE = 10.0  # seconds in which a worker that is interrupted undoes what its tests have made


def pytest_addoption(parser: pytest.Parser) -> None:
    add = parser.getgroup("forks")._addoption  # pytest keeps small letters to itself
    add("-n", type=int, default=0, dest="forks", metavar="N", help="run N tests side by side")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("forks"):
        config.pluginmanager.register(Forks(config.getoption("forks")))


class Shares:
    """Which tests are whose: from a number on, before another, for each worker; on a page that all of them see."""

    def __init__(self, tests: int, workers: int, begins: list[int], lock: Path) -> None:
        self.begins = begins  # numbers of the first tests of files, ascending
        self.lock = lock
        self.first = RawArray("I", [tests * number // workers for number in range(workers)])
        self.end = RawArray("I", [tests * (number + 1) // workers for number in range(workers)])

    def take(self, worker: int) -> int | None:
        """The number of a worker's next test; None when nothing is left."""
        with self._locked():
            if self._left(worker) == 0:
                most = max(range(len(self.first)), key=self._left)
                self.end[worker] = self.end[most]
                self.first[worker] = self.end[most] = self._cut(self.first[most], self.end[most])
            if self._left(worker) == 0:
                return None
            self.first[worker] += 1
            return self.first[worker] - 1

    def give_back(self, worker: int) -> None:
        """The last test that a worker took."""
        with self._locked():
            self.first[worker] -= 1

    def stop(self) -> None:
        """Nothing is left any more."""
        with self._locked():
            self.end[:] = self.first[:]

    def _cut(self, first: int, end: int) -> int:
        middle = (first + end) // 2
        begin = next(iter(self.begins[bisect_left(self.begins, middle) :]), end)
        return begin if begin < end else middle

    def _left(self, worker: int) -> int:
        return self.end[worker] - self.first[worker]

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with open(self.lock, "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # not a semaphore: whoever is killed gives it back
            yield


class Told:
    """What a worker tells of its tests; the plugin in it."""

    def __init__(self, config: pytest.Config, line: Connection) -> None:
        self.config = config
        self.line = line

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.line.send(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))


class Forks:
    """The plugin in the process that collects and reports."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed or session.config.option.collectonly or not session.items:
            return None  # pytest's own loop knows what to do
        files = [item.path for item in session.items]
        begins = [number for number, file in enumerate(files) if number == 0 or file != files[number - 1]]
        lock = session.config._tmp_path_factory.getbasetemp() / ".shares"
        shares = Shares(len(files), min(self.workers, len(files)), begins, lock)
        workers = [Worker(session, shares, number) for number in range(len(shares.first))]
        try:
            while going := [worker for worker in workers if worker.goes_on]:
                wait([worker.line for worker in going], 1.0)
                workers += [worker.replaced() for worker in going if not worker.heard() and worker.has]
                if session.shouldfail or session.shouldstop:
                    shares.stop()
        finally:
            shares.stop()
            for worker in workers:
                worker.end()
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        return True


class Worker:
    """A fork, and what it has told."""

    def __init__(self, session: pytest.Session, shares: Shares, number: int) -> None:
        self.session, self.shares, self.number = session, shares, number
        self.goes_on = True
        self.has: list[int] = []  # the numbers of the test that it runs, and of the next
        self.line, told = _forks.Pipe(duplex=False)
        self.process = _forks.Process(target=_work, args=(session, shares, number, told))
        self.process.start()
        told.close()

    def heard(self) -> bool:
        """Report what it has told meanwhile; whether it goes on."""
        ended = self.process.exitcode is not None  # asked first: it may tell and end
        with contextlib.suppress(EOFError):
            while self.line.poll():
                self._report(self.line.recv())
            if not ended:
                return True
        self.process.join()
        self.line.close()
        self.goes_on = False
        return False

    def replaced(self) -> Worker:
        """Another worker, in place of one that ended in a test."""
        item = self.session.items[self.has[0]]
        said = f"the process ended ({self.process.exitcode}) that ran {item.nodeid}"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
        self.session.config.hook.pytest_runtest_logreport(report=report)
        if self.has[1:]:
            self.shares.give_back(self.number)
        return Worker(self.session, self.shares, self.number)

    def end(self) -> None:
        """Interrupted, it may undo what its tests have made."""
        self.process.join(_GRACE)
        self.process.kill()
        self.process.join()

    def _report(self, told: list[int] | dict[str, Any]) -> None:
        if isinstance(told, list):
            self.has = told
            return
        hook = self.session.config.hook
        report = hook.pytest_report_from_serializable(config=self.session.config, data=told)
        hook.pytest_runtest_logreport(report=report)


def _work(session: pytest.Session, shares: Shares, number: int, line: Connection) -> None:
    """In the fork."""
    config = session.config
    config.get_terminal_writer()._file = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end
    config.pluginmanager.register(Told(config, line))
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()  # into files that all forks have
    capture.start_global_capturing()
    capture.suspend_global_capture()
    temporary = config._tmp_path_factory
    temporary._basetemp = temporary.getbasetemp() / str(number)
    temporary._basetemp.mkdir(exist_ok=True)
    try:
        this = shares.take(number)
        while this is not None and not session.shouldfail and not session.shouldstop:
            following = shares.take(number)  # what the two have in common stays
            line.send([this] if following is None else [this, following])
            item, next_item = session.items[this], None if following is None else session.items[following]
            config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
            this = following
        line.send([])
    finally:
        session._setupstate.teardown_exact(None)
