"""Regions with `nowait` that need no thread which waits for them (core/begun.c), on far sides and on real nodes."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from thinned import thinned
from waiting import until

from .conftest import PROGRAMS, Built, environment, left_behind, run

CASES = {
    "same": "7 31 127 0\n",
    "chain": "1 5 15 25\n",
    "many": "0 wrong\n",
    "team": "2016\n",
    "end": "in the kernel\n",
}
DEVICES = ["away", "away(cudasim)", "host", "mpinode"]


def line_of(text: str, program: str = "soon") -> int:
    return [text in line for line in (PROGRAMS / f"{program}.c").read_text().splitlines()].index(True) + 1


def needs(device: str) -> None:
    if device == "mpinode":
        pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra mpi)")


# `same` is right where regions are done in the order in which they were met.
ALL = [(case, device) for device in DEVICES for case in CASES if (case, device) != ("same", "host")]


@pytest.mark.parametrize(("case", "device"), thinned(ALL, 8))
def test_they_end_where_they_are_waited_for(built: Built, case: str, device: str) -> None:
    needs(device)
    done = run(built("soon", device), case, OMPLS_DEVICES=f"{device}:1", OMP_TARGET_OFFLOAD="mandatory")
    assert (done.returncode, done.stdout, done.stderr) == (3, CASES[case], "")


def test_each_is_one_message_there_and_one_back_and_no_thread(built: Built, tmp_path: Path) -> None:
    counts = []
    for steps in (10, 30):
        log = tmp_path / str(steps)
        command = f"{sys.executable} {Path(__file__).parent / 'counted.py'} {log}"
        done = run(built("soon", "away"), "steps", str(steps), AWAY_COMMAND=command)
        assert (done.returncode, done.stdout) == (3, f"{steps * (steps + 1) // 2}, 0 more threads, gone\n")
        counts.append([log.read_text().count(way) for way in "+-"])
    assert [more - fewer for fewer, more in zip(*counts, strict=True)] == [20, 20]


def test_small_updates_are_as_well(built: Built, tmp_path: Path) -> None:
    """Of each step: the update there, the region, and the update back."""
    counts = []
    for steps in (10, 30):
        log = tmp_path / str(steps)
        command = f"{sys.executable} {Path(__file__).parent / 'counted.py'} {log}"
        done = run(built("soon", "away"), "updates", str(steps), AWAY_COMMAND=command)
        assert (done.returncode, done.stderr) == (3, "")
        assert done.stdout == f"{steps * (steps + 3) // 2}, 0 more threads, 9 7 gone\n"
        counts.append([log.read_text().count(way) for way in "+-"])
    assert [more - fewer for fewer, more in zip(*counts, strict=True)] == [60, 60]


@pytest.mark.parametrize("device", thinned(["away(cudasim)", "host", "mpinode", "away"], 2))
def test_small_updates_are_right_everywhere(built: Built, device: str) -> None:
    needs(device)
    done = run(built("soon", device), "updates", "9", OMPLS_DEVICES=f"{device}:1", OMP_TARGET_OFFLOAD="mandatory")
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.startswith("54, ")
    assert done.stdout.endswith(" more threads, 9 7 gone\n")


@pytest.mark.parametrize("device", ["away", "mpinode"])
def test_several_devices_work_at_the_same_time(built: Built, tmp_path: Path, device: str) -> None:
    needs(device)
    done = run(built("apart", device), str(tmp_path), OMPLS_DEVICES=f"{device}:2")
    assert (done.returncode, done.stdout, done.stderr) == (3, "11\n", "")


def test_a_tracer_sees_them_as_it_did(built: Built, tmp_path: Path) -> None:
    """One after the other, each by the worker that has it."""
    trace = tmp_path / "trace"
    done = run(built("soon", "away"), "steps", "3", OMPLS_TRACE=str(trace))
    assert done.returncode == 3
    kinds = [line.split('"kind": "')[1].split('"')[0] for line in trace.read_text().splitlines() if '"kind": "' in line]
    assert kinds.count("launch") == 4
    assert kinds.count("copy") == 4


@pytest.mark.parametrize("device", ["away", pytest.param("mpinode", marks=pytest.mark.thorough)])
def test_an_error_names_its_region_whoever_hears_of_it(built: Built, device: str) -> None:
    needs(device)
    done = run(built("soon", device), "fault", OMP_TARGET_OFFLOAD="mandatory")
    assert done.returncode == 125
    assert f"soon.c:{line_of('*null = 1;')}: region on {device}:0" in done.stderr
    assert "a null pointer" in done.stderr


def test_an_item_that_is_not_there_is_told(built: Built) -> None:
    done = run(built("soon", "away"), "unmapped")
    assert done.returncode == 125
    assert f"soon.c:{line_of('map(present, tofrom: x)')}: region on away:0" in done.stderr


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("device", ["away", pytest.param("mpinode", marks=pytest.mark.thorough)])
def test_a_far_side_that_dies_or_hangs_meanwhile_is_an_error(built: Built, device: str, sign: signal.Signals) -> None:
    needs(device)
    mark = f"soon{sign}-{os.getpid()}"
    more = environment(AWAY_MARK=mark, OMPLS_REMOTE_TIMEOUT="2")
    done = run(built("apart", device), str(int(sign)), **more)
    assert done.returncode == 125
    assert f"apart.c:{line_of('nowait firstprivate(sign)', 'apart')}: region on {device}:0" in done.stderr
    assert until(lambda: not left_behind(mark))
