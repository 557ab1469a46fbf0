"""`make rare`: which tests of starts, threads and nodes fail once in 200 times on a loaded machine?

    tools/rare.py [TEST…] [--times N] [--load N] [--place DIRECTORY] [--counts]

TEST…: files, directories or tests, as for pytest; without any, those of tests/rare.txt, slow ones (`thorough`), too.
Each is run --times times in all, ten at a time, so that all of them are tried before one is tried often.  Beside them
a load of our own keeps the machine busy: --load processes for each core, of which every second one starts processes
all the time, as a compiler's driver does.

DIRECTORY (.cache/rare) keeps counts.json, how often each test passed and failed, so a run can be stopped and goes on
later, with those that ran least; and what each failure said, in failures/.  Remove it to begin anew, as after a
change.  The exit code is 1 when a test has failed.  A failure is not tried again and not excused: look for its cause
in the program first.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ompls.runtime.awake import awake
from ompls.runtime.contained import Contained

ROOT = Path(__file__).resolve().parents[1]
LISTED = ROOT / "tests/rare.txt"
AT_A_TIME = 10
_TURN = re.compile(r"-?turn\d+(?=\])")
_LOADS = ("while :; do :; done", "while :; do /bin/true; done")


class Counts:
    """How often each test passed and failed; written at once."""

    def __init__(self, place: Path) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self.place, self.file = place, place / "counts.json"
        self.found: dict[str, list[int]] = json.loads(self.file.read_text()) if self.file.exists() else {}

    def of(self, test: str) -> int:
        return sum(self.found.get(test, (0, 0)))

    def add(self, test: str, report: str) -> None:
        """`report` is what a failure said, '' for none."""
        counted = self.found.setdefault(test, [0, 0])
        counted[bool(report)] += 1
        if report:
            failures = self.place / "failures"
            failures.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"\W+", "-", test.removeprefix("tests/"))[:150]
            (failures / f"{name}-{sum(counted)}.txt").write_text(f"{test}, turn {sum(counted)}\n\n{report}\n")
        beside = self.file.with_suffix(".new")
        beside.write_text(json.dumps(self.found, indent=0))
        beside.replace(self.file)

    def __str__(self) -> str:
        failed = {test: counted for test, counted in sorted(self.found.items()) if counted[1]}
        lines = [f"{bad} of {good + bad}: {test}" for test, (good, bad) in failed.items()]
        runs = sum(map(sum, self.found.values()))
        fewest = min(map(sum, self.found.values()), default=0)
        lines.append(f"{len(self.found)} tests ran {runs} times, each at least {fewest}; {len(failed)} of them failed")
        return "\n".join(lines)


class Turns:
    """A plugin: each test in turns, and what comes out."""

    def __init__(self, counts: Counts, times: int) -> None:
        self.counts, self.times, self.failed = counts, times, ""

    @pytest.hookimpl(trylast=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        metafunc.fixturenames.append("turn")
        metafunc.parametrize("turn", range(AT_A_TIME), ids=lambda turn: f"turn{turn}")

    @pytest.fixture
    def turn(self, request: pytest.FixtureRequest) -> int:
        return int(request.param)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        ran = {item: self.counts.of(test_of(item.nodeid)) for item in items}
        items[:] = sorted((item for item in items if ran[item] < self.times), key=ran.__getitem__)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "setup":
            self.failed = ""
        if report.failed:
            self.failed += f"{report.when}:\n{report.longreprtext}\n" + "\n".join(map("\n".join, report.sections))
        if report.when == "teardown" and not report.skipped:
            self.counts.add(test_of(report.nodeid), self.failed)


def test_of(turn: str) -> str:
    """The test without its turn."""
    return _TURN.sub("", turn).removesuffix("[]")


@contextlib.contextmanager
def load(processes: int) -> Iterator[None]:
    """Keeps the machine busy."""
    with contextlib.ExitStack() as busy:
        for number in range(processes):
            busy.enter_context(Contained(["/bin/sh", "-c", _LOADS[number % 2]], stderr=subprocess.DEVNULL))
        yield


def tests(named: Sequence[str]) -> list[str]:
    """Those that are named, or those of the list."""
    listed = LISTED.read_text(encoding="utf-8").splitlines()
    return list(named) or [line for line in listed if line and not line.startswith("#")]


def here(named: Sequence[str], counts: Counts, times: int) -> int:
    """Ten turns of each test that has not had enough, in this process; pytest's exit code."""
    files = counts.place / "tests"
    shutil.rmtree(files, ignore_errors=True)  # pytest would do it in the time of the first test
    words = ["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "-m", "not exhaustive"]
    words += [f"--basetemp={files}", "-o", "tmp_path_retention_policy=failed"]
    return int(pytest.main([*words, *named], [Turns(counts, times)]))


def main() -> int:
    parser = argparse.ArgumentParser(description="which tests fail rarely, on a loaded machine")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="files, directories, tests (default: tests/rare.txt)")
    parser.add_argument("--times", type=int, default=200, metavar="N", help="how often each is run in all (200)")
    parser.add_argument("--load", type=int, default=4, metavar="N", help="busy processes for each core (4)")
    parser.add_argument("--place", type=Path, default=ROOT / ".cache/rare", metavar="DIRECTORY", help=".cache/rare")
    parser.add_argument("--counts", action="store_true", help="print what was counted, and run nothing")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    place = chosen.place.absolute()
    if chosen.here:
        return here(chosen.tests, Counts(place), chosen.times)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    if not chosen.counts:
        words = [
            sys.executable,
            __file__,
            *tests(chosen.tests),
            "--times",
            str(chosen.times),
            "--place",
            place,
            "--here",
        ]
        with contextlib.suppress(KeyboardInterrupt), awake(), load(chosen.load * (os.cpu_count() or 1)):
            while True:
                with Contained([str(word) for word in words], cwd=ROOT) as turn:
                    if turn.wait() in (pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR):
                        break
    counts = Counts(place)
    print(counts)
    return int(any(bad for _, bad in counts.found.values()))


if __name__ == "__main__":
    sys.exit(main())
