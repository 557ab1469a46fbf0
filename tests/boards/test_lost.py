"""Boards that are shared, lost, full and interrupted: what is said, and that nothing is left."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import LIMIT, until

from .conftest import Sshd, cut, logins, small_disk

PROGRAM = Path(__file__).parent / "programs/streams.c"
LARGE = 96 << 20  # bytes, of which the copy takes a moment


@contextlib.contextmanager
def begun(board: Sshd, *words: object) -> Iterator[subprocess.Popen[str]]:
    """`ompls WORDS` in the background; it ends with the block."""
    command = [sys.executable, "-m", "ompls", *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    with subprocess.Popen(command, env=board.environment, text=True, **pipes) as run:  # type: ignore[call-overload]
        try:
            yield run
        finally:
            run.kill()


REGION = "void more{0}(int *a)\n{{\n#pragma omp target map(tofrom: a[0:9])\n    a[{0} % 9]++;\n}}\n"


def new_program(place: Path, regions: int = 0) -> Path:
    """One that no board has; with so many `regions` more it takes as much longer to translate."""
    source = place / "streams.c"
    source.write_text(f"/* {os.urandom(8).hex()} */ static const char unique[] = \"{os.urandom(8).hex()}\";\n"
                      f"const char *ours(void) {{ return unique; }}\n{PROGRAM.read_text()}"
                      + "".join(REGION.format(n) for n in range(regions)))  # fmt: skip
    return source


@pytest.fixture(scope="module")
def large(board: Sshd, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """programs/streams.c, linked, and long."""
    program = tmp_path_factory.mktemp("large") / "streams"
    done = board.ompls("cc", "-fopenmp", "-fopenmp-targets=host", "-o", program, PROGRAM)
    assert done.returncode == 0, done.stderr
    return program


def grown(program: Path, place: Path) -> Path:
    """Another one, which no board has."""
    path = place / "grown"
    path.write_bytes(program.read_bytes())
    with path.open("ab") as file:
        file.write(os.urandom(64))
        file.truncate(LARGE)
    path.chmod(0o755)
    return path


def has_left_nothing(board: Sshd) -> bool:
    return board.is_clean() and not list(board.directory.glob("put-*"))


def copying(board: Sshd) -> list[Path]:
    return list(board.directory.glob("put-*/x"))


@pytest.mark.thorough
def test_two_runs_at_once_are_right(board: Sshd, tmp_path: Path) -> None:
    """Of a program that both of them build."""
    source = new_program(tmp_path)
    with begun(board, "run", "--remote", "nano", source) as one, begun(board, "run", "--remote", "nano", source) as two:
        for run in (one, two):
            assert run.communicate(timeout=120) == ("499500\n", "an error's text\n")
            assert run.returncode == 7
    assert until(board.is_clean)
    assert not list(board.directory.glob("put-*"))
    assert len(list(board.directory.glob("programs/*/*"))) == len(list(board.directory.glob("programs/*")))


@pytest.mark.thorough
def test_who_ends_a_run_ends_no_other(board: Sshd) -> None:
    words = ("run", "--remote", "nano", PROGRAM, "--", "wait")
    with begun(board, *words) as one, begun(board, *words) as two:
        for run in (one, two):
            assert run.stdout is not None
            assert run.stdout.readline() == "waiting\n"
        one.send_signal(signal.SIGINT)
        assert one.wait(LIMIT) == 128 + signal.SIGINT
        assert board.processes()
        assert two.poll() is None
        assert len(list(board.directory.glob("run-*"))) == 1
        two.send_signal(signal.SIGINT)
        assert two.wait(LIMIT) == 128 + signal.SIGINT
    assert until(board.is_clean)


def test_a_run_of_days_is_left_alone_by_the_next_login(board: Sshd) -> None:
    before = time.time() - 3 * 86400
    lost = board.directory / "run-lost"
    lost.mkdir()
    (lost / "alive").touch()
    os.utime(lost / "alive", (before, before))
    with begun(board, "run", "--remote", "nano", PROGRAM, "--", "wait") as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "waiting\n"
        assert until(lambda: not lost.exists())  # a board's power went
        (place,) = board.directory.glob("run-*")
        os.utime(place, (before, before))
        assert board.ompls("remote", "test", "nano").returncode == 0
        assert place.exists()
        run.send_signal(signal.SIGINT)
        assert run.wait(LIMIT) == 128 + signal.SIGINT
    assert until(board.is_clean)


def test_a_connection_that_is_cut_in_a_copy_is_made_again_once(board: Sshd, large: Path, tmp_path: Path) -> None:
    with begun(board, "remote", "exec", "nano", grown(large, tmp_path)) as run:
        assert until(lambda: bool(copying(board)))
        (login,) = logins(run.pid)
        os.kill(login, signal.SIGKILL)
        output, said = run.communicate(timeout=120)
    assert (output, run.returncode) == ("499500\n", 7)
    assert said == "ompls: the connection to 'nano' was lost; logging in again\nan error's text\n"
    assert until(lambda: has_left_nothing(board))


def test_one_that_is_cut_while_we_translate_is_made_again_once(board: Sshd, tmp_path: Path) -> None:
    with begun(board, "run", "--remote", "nano", new_program(tmp_path, regions=60)) as run:
        assert until(lambda: bool(list(board.directory.glob("run-*/alive"))))
        time.sleep(0.2)  # it says so, too
        server = (board.place / "pid").read_text().strip()
        for session in Path(f"/proc/{server}/task/{server}/children").read_text().split():
            os.kill(int(session), signal.SIGKILL)
        output, said = run.communicate(timeout=120)
    assert (output, run.returncode) == ("499500\n", 7)
    assert said == "ompls: the connection to 'nano' was lost; logging in again\nan error's text\n"
    assert until(lambda: has_left_nothing(board))


@pytest.mark.thorough
def test_a_board_that_hears_no_sign_of_life_is_told_as_lost(board: Sshd) -> None:
    with begun(board, "run", "--remote", "nano", PROGRAM, "--", "wait") as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "waiting\n"
        for listed in Path(f"/proc/{run.pid}/task").glob("*/children"):
            for child in listed.read_text().split():
                if b"echo beat" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(int(child), signal.SIGKILL)
        assert run.wait(60) == 125
        assert run.stderr is not None
        assert "ompls: error: board 'nano': the connection was lost" in run.stderr.read()
    assert until(board.is_clean)


@pytest.mark.thorough
def test_one_that_is_cut_twice_is_told(board: Sshd, large: Path, tmp_path: Path) -> None:
    with begun(board, "remote", "exec", "nano", grown(large, tmp_path)) as run:
        assert until(lambda: bool(copying(board)))
        first = copying(board)  # which may be there for a moment yet
        (login,) = logins(run.pid)
        os.kill(login, signal.SIGKILL)
        assert until(lambda: not set(copying(board)) <= set(first))
        told = cut(run)
    assert "logging in again" in told
    assert "ompls: error: board 'nano': the connection was lost" in told
    assert until(lambda: has_left_nothing(board))


@pytest.mark.thorough
def test_ctrl_c_while_it_is_copied_leaves_nothing(board: Sshd, large: Path, tmp_path: Path) -> None:
    with begun(board, "remote", "exec", "nano", grown(large, tmp_path)) as run:
        assert until(lambda: bool(copying(board)))
        run.send_signal(signal.SIGINT)
        assert run.wait(LIMIT) == 130
    assert until(lambda: has_left_nothing(board))


def test_ctrl_c_while_it_is_built_leaves_nothing(board: Sshd, tmp_path: Path) -> None:
    with begun(board, "run", "--remote", "nano", new_program(tmp_path)) as run:
        assert until(lambda: any(name.startswith(("python", "gcc", "cc1")) for name in board.processes()))
        run.send_signal(signal.SIGINT)
        assert run.wait(LIMIT) == 130
    assert until(board.is_clean)
    assert until(lambda: not list(board.directory.glob("programs/*/streams.*")))


@pytest.mark.thorough  # while it is sent: test_boards.py
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a small file system")
def test_a_disk_that_is_full_while_it_is_built_is_told(sshd: Sshd, tmp_path: Path) -> None:
    other = Sshd(sshd.place, {**sshd.environment, "XDG_CONFIG_HOME": str(tmp_path / "config")})
    with small_disk(tmp_path, "4m") as place:
        assert other.ompls("remote", "add", "small", "board", "--dir", place / "there").returncode == 0
        done = other.ompls("run", "--remote", "small", PROGRAM)
        assert done.returncode == 125
        assert "No space left on device" in done.stderr
        assert not list(place.glob("there/programs/*/*"))
        assert not list(place.glob("there/run-*"))
