"""A board as a device: the program is here, its regions are there."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import ompls
from waiting import until, worked

from .conftest import Sshd, cut

STREAMS = Path(__file__).parent / "programs/streams.c"
REMOTE = Path(__file__).parents[1] / "remote/programs"


@pytest.fixture(scope="module")
def streams(board: Sshd, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """programs/streams.c for the board's device."""
    program = tmp_path_factory.mktemp("regions") / "streams"
    done = board.ompls("cc", "-fopenmp", "-fopenmp-targets=nano", "-o", program, STREAMS)
    assert done.returncode == 0, done.stderr
    return program


@contextlib.contextmanager
def running(board: Sshd, program: Path, mode: str) -> Iterator[subprocess.Popen[str]]:
    """A program whose kernel or copy has lasted for a moment; it ends with the block."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    with subprocess.Popen([program, mode], env=board.environment, text=True, **pipes) as run:  # type: ignore[call-overload]
        try:
            assert run.stdout.readline() in ("spinning\n", "copying\n")
            assert mode == "copy" or until(lambda: any(worked(process) > 20 for process in far_sides(board)))
            yield run
        finally:
            run.kill()


def far_sides(board: Sshd) -> list[int]:
    """Processes on the board whose program is the far side of a device."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (place / "exe").readlink().is_relative_to(board.directory / "far"):
                found.append(int(place.name))
    return found


def test_everything_is_as_on_the_host(board: Sshd, tmp_path: Path) -> None:
    words = ("run", "--trace", tmp_path / "trace", "--device")
    here = board.ompls(*words, "host", REMOTE / "everything.c")
    there = board.ompls(*words, "nano:2", REMOTE / "everything.c")
    assert (there.returncode, there.stdout, there.stderr) == (7, 2 * here.stdout, "")
    assert '"nano:1"' in (tmp_path / "trace").read_text()
    assert until(board.is_clean)


def test_a_fault_names_the_board_and_the_variable(board: Sshd) -> None:
    done = board.ompls("run", "--device", "nano", REMOTE / "faults.c", "--", "read")
    assert (done.returncode, done.stdout) == (125, "before\nin the kernel\n")
    assert "region on nano:0 (nano) read host address" in done.stderr
    assert "(variable 'pointer', not mapped)" in done.stderr
    assert until(board.is_clean)


THREADS = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int threads = 0, other = 0;
    #pragma omp target map(from: threads, other)
    {
        #pragma omp parallel
        #pragma omp single
        threads = omp_get_num_threads();
        other = getenv("BOARD_OTHER") != NULL;
    }
    printf("%d %d\\n", threads, other);
    return 0;
}
"""


def test_the_far_side_has_the_programs_settings(board: Sshd, tmp_path: Path) -> None:
    source = tmp_path / "threads.c"
    source.write_text(THREADS)
    said = Sshd(board.place, {**board.environment, "OMP_NUM_THREADS": "3", "BOARD_OTHER": "1"})
    done = said.ompls("run", "--device", "nano", source)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3 0\n", "")


@pytest.mark.parametrize("mode", ["spin", "copy"])
def test_a_cut_connection_is_told(board: Sshd, streams: Path, mode: str) -> None:
    with running(board, streams, mode) as run:
        told = cut(run)
    assert "streams.c:" in told
    assert "on nano:0 (nano)" in told
    assert "the line to it is broken" in told
    assert until(board.is_clean)


@pytest.mark.parametrize("mode", ["spin", "copy"])
def test_a_killed_program_leaves_nothing_on_either_side(board: Sshd, streams: Path, mode: str) -> None:
    with running(board, streams, mode) as run:
        tasks = Path(f"/proc/{run.pid}/task").glob("*/children")
        helpers = [int(number) for listed in tasks for number in listed.read_text().split()]
        assert helpers
        run.kill()
    assert until(board.is_clean)
    assert until(lambda: not any(Path(f"/proc/{helper}").exists() for helper in helpers))


@pytest.mark.thorough
def test_a_program_that_a_debugger_stops_keeps_its_board(board: Sshd, streams: Path) -> None:
    with running(board, streams, "spin") as run:
        run.send_signal(signal.SIGSTOP)
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(20)  # longer than a board waits for a sign of life
        assert far_sides(board)


def test_a_login_that_is_lost_before_a_region_is_made_again(board: Sshd, streams: Path, tmp_path: Path) -> None:
    """The first one ends when something is asked over it; nobody lost anything by that."""
    calls, login = tmp_path / "calls", '"$(head -n 1 "$calls")"'
    lines = f'calls={calls}; echo $$ >>"$calls"; [ "$(wc -l <"$calls")" -ne 2 ] || kill -KILL {login}'
    wrapper = tmp_path / "ssh"
    wrapper.write_text((board.place / "bin/ssh").read_text().replace("#!/bin/sh\n", f"#!/bin/sh\n{lines}\n"))
    wrapper.chmod(0o700)
    path = f"{tmp_path}:{board.environment['PATH']}"
    environment = {**board.environment, "PATH": path, "OMP_TARGET_OFFLOAD": "mandatory"}
    done = subprocess.run([streams], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("499500\n", "an error's text\n", 7)
    assert len(calls.read_text().splitlines()) > 3
    assert until(board.is_clean)


def test_a_board_that_cannot_be_reached_leaves_its_regions_to_the_host(board: Sshd, streams: Path) -> None:
    environment = {**board.environment, "PATH": "/usr/bin:/bin"}  # without the client's configuration
    done = subprocess.run([streams], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (7, "499500\n")
    assert "device nano:0 cannot be opened" in done.stderr
    assert "Could not resolve hostname" in done.stderr


def test_a_board_is_checked_for_as_the_device_on_it(board: Sshd, tmp_path: Path) -> None:
    source = tmp_path / "plain.c"
    source.write_text("int main(void) {\n  int x = 0;\n#pragma omp target map(x)\n  x = 1;\n  return !x;\n}\n")
    assert board.ompls("check", "--device", "nano", source).returncode == 0
    assert f"available (over SSH: board; {os.uname().machine}; " in board.ompls("devices").stdout
    done = ompls("check", "--device", "nano", source)  # where nobody has added it
    assert "unknown device 'nano'" in done.stderr
    config = tmp_path / "ompls"
    config.mkdir()
    known = json.loads((Path(board.environment["XDG_CONFIG_HOME"]) / "ompls/remotes.json").read_text())
    known["remotes"][0]["facts"]["architecture"] = "riscv64"
    (config / "remotes.json").write_text(json.dumps(known))
    other = Sshd(board.place, {**board.environment, "XDG_CONFIG_HOME": str(tmp_path)})
    done = other.ompls("run", "--device", "nano", source)
    assert done.returncode == 125
    assert "it is a machine of another kind (riscv64)" in done.stderr
