"""Boards that stop to answer, or write without end: everything ends in the time that docs/remote.md names."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from waiting import LIMIT, until

from ompls.runtime.boards import call, signs, ssh
from ompls.runtime.boards.registered import Board
from ompls.runtime.boards.ssh import Connection, Lost
from ompls.runtime.errors import RuntimeProblem

from .conftest import Sshd, changed, logins

PROGRAM = Path(__file__).parent / "programs/streams.c"
# The far shells of a login, or of calls over it, do something else first.
_FIRST = """
case "$*" in *ControlMaster={yes}*)
    left=$#
    for word; do
        shift
        left=$((left - 1))
        [ "$left" -gt 0 ] || word='{first}; '$word
        set -- "$@" "$word"
    done ;;
esac"""
LARGE = 32 << 20  # bytes, more than anybody takes
HANGS, WRITES = "exec sleep 1000", "exec yes"
Doing = Callable[[str, str], Sshd]


@pytest.fixture
def doing(board: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doing:
    """A board whose shells do this first, for us and what we start; and a short patience of ours."""

    def changed_to(which: str, first: str) -> Sshd:
        odd = changed(board, tmp_path, _FIRST.format(yes={"login": "yes", "later": "no"}[which], first=first))
        monkeypatch.setenv("PATH", odd.environment["PATH"])
        return odd

    monkeypatch.setattr(call, "ANSWER", 2.0)
    monkeypatch.setattr(ssh, "PARTING", 0.5)
    return changed_to


def connected(board: Sshd, scratch: Path) -> Connection:
    scratch.mkdir()
    return Connection(Board("odd", "board", "host", str(board.directory)), scratch)


@pytest.mark.parametrize(
    ("which", "first", "why"),
    [
        ("login", HANGS, "it does not answer (watch)"),
        ("login", WRITES, "it answers what cannot be (watch)"),
        ("later", HANGS, "it does not answer (put)"),  # it takes nothing, either
        ("later", WRITES, "it does not answer (put)"),
    ],
)
def test_what_is_asked_has_an_end(doing: Doing, tmp_path: Path, which: str, first: str, why: str) -> None:
    board = doing(which, first)
    with connected(board, tmp_path / "scratch") as connection, pytest.raises(RuntimeProblem) as raised:
        connection.ask("put", "far/x", str(LARGE), "file", data=bytes(LARGE))
    assert raised.value.why == why
    assert raised.value.hint
    assert not logins(os.getpid())


@pytest.mark.parametrize(
    "which", ["ssh", *(pytest.param(which, marks=pytest.mark.thorough) for which in ("call", "keeper"))]
)
def test_a_login_without_signs_of_life_is_lost(
    board: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    monkeypatch.setattr(signs, "SILENCE", 3)
    monkeypatch.setenv("PATH", board.environment["PATH"])
    with connected(board, tmp_path / "scratch") as connection:
        calls = connection.call("facts")
        (login,) = logins(os.getpid())
        process = {"ssh": login, "call": calls.process.pid, "keeper": keepers(os.getpid())[0]}[which]
        os.kill(process, signal.SIGSTOP)
        assert until(lambda: not connection.alive)
        assert connection.silent > signs.SILENCE
        with pytest.raises(Lost, match="nothing was heard of it"):
            connection.ask("facts")
    assert not logins(os.getpid())


def keepers(process: int) -> list[int]:
    """Of its children those that give the signs of life for a login."""
    found = []
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        found += [n for n in children.read_text().split() if b"echo beat" in Path(f"/proc/{n}/cmdline").read_bytes()]
    return [int(number) for number in found]


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("exit 3", "its shell ended with 3 before it did what it was asked; look what it does at its start"),
        ("exit 255", "ssh said nothing, and ended with 255"),
        ("echo no disk >&2; exit 3", "no disk"),
    ],
)
def test_a_login_that_ends_at_once_is_told(doing: Doing, tmp_path: Path, first: str, why: str) -> None:
    board = doing("login", first)
    with connected(board, tmp_path / "scratch") as connection, pytest.raises(Lost) as raised:
        connection.ready()
    assert raised.value.why == why


@pytest.mark.parametrize(
    "case",
    [("LOGIN", "exec sleep 1000", "no login within 1 s"), ("SILENCE", "kill -s STOP $$", "ssh was stopped for 1 s")],
)
def test_a_login_that_takes_too_long_is_told(
    board: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[str, str, str]
) -> None:
    limit, first, why = case
    monkeypatch.setattr(ssh, limit, 1)
    monkeypatch.setenv("PATH", changed(board, tmp_path, first).environment["PATH"])
    with connected(board, tmp_path / "scratch") as connection, pytest.raises(Lost) as raised:
        connection.ready()
    assert raised.value.why == why
    assert not connection.alive


def test_a_ctrl_c_as_a_login_begins_leaves_none(board: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("PATH", board.environment["PATH"])
    monkeypatch.setattr(ssh, "Signs", interrupted)
    with pytest.raises(KeyboardInterrupt):
        connected(board, tmp_path / "scratch")
    assert not logins(os.getpid())


def test_a_ctrl_c_as_a_thread_begins_is_one(board: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: threading.Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("PATH", board.environment["PATH"])
    with connected(board, tmp_path / "scratch") as connection:
        monkeypatch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            connection.open_ahead()
    assert not logins(os.getpid())


def has_ended(process: int) -> bool:
    """Though nobody may have waited for it."""
    with contextlib.suppress(OSError):
        return not Path(f"/proc/{process}/cmdline").read_bytes()
    return True


@pytest.mark.parametrize(
    ("words", "sign", "code"),
    [
        (("remote", "test", "nano"), signal.SIGTERM, 143),
        (("remote", "test", "nano"), signal.SIGKILL, -9),
        pytest.param(("remote", "test", "nano"), signal.SIGINT, 130, marks=pytest.mark.thorough),
        pytest.param(("run", "--remote", "nano", PROGRAM), signal.SIGINT, 130, marks=pytest.mark.thorough),
        pytest.param(("run", "--remote", "nano", PROGRAM), signal.SIGTERM, 143, marks=pytest.mark.thorough),
        pytest.param(("run", "--remote", "nano", PROGRAM), signal.SIGKILL, -9, marks=pytest.mark.thorough),
    ],
)
def test_who_waits_for_a_hung_board_can_be_ended(doing: Doing, words: tuple[object, ...], sign: int, code: int) -> None:
    board = doing("login", HANGS)
    command = [sys.executable, "-m", "ompls", *map(str, words)]
    with subprocess.Popen(command, env=board.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        assert until(lambda: bool(keepers(run.pid)))
        (login,) = logins(run.pid)
        run.send_signal(sign)
        # Python ends itself by SIGINT when the interrupt came while it made a class, though we have handled it.
        assert run.wait(LIMIT) in (code, -sign)
        assert run.stderr.read() == b""
    assert until(lambda: has_ended(login))


@pytest.mark.thorough
def test_a_second_ctrl_c_ends_what_a_silent_board_does_not(board: Sshd) -> None:
    command = [sys.executable, "-m", "ompls", "run", "--remote", "nano", str(PROGRAM), "--", "wait"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=board.environment, text=True, stdin=subprocess.DEVNULL, **pipes) as run:  # type: ignore[call-overload]
        assert run.stdout.readline() == "waiting\n"
        (login,) = logins(run.pid)
        os.kill(login, signal.SIGSTOP)
        run.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(2 * signs.BEAT + 3)
        run.send_signal(signal.SIGINT)
        assert run.wait(LIMIT) == 130
        assert run.stderr.read() == "ompls: board 'nano' does not answer: the connection was ended here\n"
    assert until(board.is_clean)
