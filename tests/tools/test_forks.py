"""Tests that run side by side (tests/forks.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from forks import Shares

TESTS = """
import os, time
import pytest

@pytest.fixture(scope="module", params=["a", "b"])
def made(request):
    yield request.param
    with open("undone", "a") as file:
        file.write(request.param)

@pytest.mark.parametrize("number", range(20))
def test_good(made, number, tmp_path):
    assert (tmp_path.parent.parent / "0").is_dir()

def test_bad():
    print("what it said")
    assert 1 == 2

def test_left_out():
    pytest.skip("a reason")

@pytest.mark.timeout(0.1)
def test_hangs():
    time.sleep(100)

def test_dies():
    os._exit(3)
"""


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (place / "conftest.py").write_text("pytest_plugins = ['forks']\n")
    (place / "pytest.ini").touch()
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:xdist", f"--basetemp={place / 'tmp'}", *words]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, check=False)


def test_what_forks_tell_is_reported(tmp_path: Path) -> None:
    (tmp_path / "test_all.py").write_text(TESTS)
    done = run(tmp_path, "-n", "3")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 failed, 40 passed, 1 skipped" in done.stdout
    assert "the process ended (3) that ran test_all.py::test_dies" in done.stdout
    assert "what it said" in done.stdout
    assert "Timeout" in done.stdout
    assert "a reason" in done.stdout
    assert set((tmp_path / "undone").read_text()) == {"a", "b"}  # what a file's tests share is undone


def test_the_first_failure_can_be_the_last(tmp_path: Path) -> None:
    tests = "".join(f"def test_{number}(): assert {number}\n" for number in range(2000))
    (tmp_path / "test_all.py").write_text(tests)
    done = run(tmp_path, "-n", "2", "-x")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "stopping after 1 failures" in done.stdout
    assert "2000" not in done.stdout


@pytest.mark.parametrize("order", [[0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [1] * 11])
def test_each_test_is_one_workers(tmp_path: Path, order: list[int]) -> None:
    shares = Shares(10, 2, [0, 3, 8], tmp_path / "lock")
    taken = [(worker, shares.take(worker)) for _ in range(20) for worker in order]
    numbers = [number for _, number in taken if number is not None]
    assert sorted(numbers) == list(range(10))


def test_work_is_taken_over_from_the_beginning_of_a_file(tmp_path: Path) -> None:
    shares = Shares(16, 2, [0, 8, 13], tmp_path / "lock")
    assert [shares.take(0) for _ in range(9)] == [*range(8), 13]
    assert [shares.take(1) for _ in range(6)] == [8, 9, 10, 11, 12, 15]
    shares.stop()
    assert shares.take(0) is None
