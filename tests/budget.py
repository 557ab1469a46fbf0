"""How many processes the tests of each folder start, against what budget.toml allows: that is what tests cost.

`--starts` counts, prints and holds it.  Tests that `make test` leaves out (`thorough`) do not count.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import starts

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ALLOWED = Path(__file__).with_suffix(".toml")
_LOG = "TEST_STARTS"  # names the file in which a run counts


def over(counted: Counter[str], allowed: dict[str, int]) -> list[str]:
    """A line for each folder that starts more than it may."""
    return [
        f"tests/{folder} starts {count} processes, and {ALLOWED.name} allows {allowed.get(folder, 0)}: "
        "share what is built, put several kernels or programs into one"
        for folder, count in sorted(counted.items())
        if count > allowed.get(folder, 0)
    ]


class Budget:
    """The plugin; with xdist, in each of its processes."""

    def __init__(self, config: pytest.Config) -> None:
        self.counts = not hasattr(config, "workerinput")  # else the one that has started us does
        if self.counts:
            place = config.rootpath / ".cache"
            place.mkdir(exist_ok=True)
            os.environ[_LOG] = str(place / f"starts-{os.getpid()}")
            Path(os.environ[_LOG]).write_bytes(b"")
        self.log = os.environ[_LOG]
        self.counted: Counter[str] = Counter()
        self.allowed: dict[str, int] = tomllib.loads(ALLOWED.read_text())
        starts.watch(self.log)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        thorough = item.get_closest_marker("thorough") is not None
        starts.watch(self.log, "" if thorough else item.nodeid.split("/")[1])
        try:
            return (yield)
        finally:
            starts.watch(self.log)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.counts:
            return
        self.counted = starts.counted(Path(self.log).read_text())
        Path(self.log).unlink()
        if session.exitstatus == pytest.ExitCode.OK and over(self.counted, self.allowed):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.counted:
            each = [f"{folder} {n} of {self.allowed.get(folder, 0)}" for folder, n in self.counted.most_common()]
            terminalreporter.write_line(f"process starts: {self.counted.total()} ({', '.join(each)})")
        for line in over(self.counted, self.allowed):
            terminalreporter.write_line(f"ERROR: {line}", red=True)
