"""Boards over SSH, against a real sshd: `ompls remote`, `ompls run --remote`."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from ctypes.util import find_library
from pathlib import Path

import pytest
from waiting import LIMIT, until

import ompls
from ompls.runtime.boards.board import runtime

from .conftest import Sshd, changed, cut, logins, small_disk

PROGRAM = Path(__file__).parent / "programs/streams.c"
EXAMPLES = Path(__file__).parents[2] / "examples"


@contextlib.contextmanager
def running(board: Sshd, *words: object) -> Iterator[subprocess.Popen[str]]:
    """A run on the board in the background, once it has said so; it ends with the block."""
    command = [sys.executable, "-m", "ompls", "run", "--remote", "nano", str(PROGRAM), "--", *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    with subprocess.Popen(command, env=board.environment, text=True, **pipes) as run:  # type: ignore[call-overload]
        try:
            assert run.stdout.readline() in ("waiting\n", "spinning\n")
            yield run
        finally:
            run.kill()


def test_streams_arguments_and_the_exit_code_are_the_programs(board: Sshd) -> None:
    words = ("echo", "a b", "it's", "$HOME", "ü", "-x")
    done = board.ompls("run", "--remote", "nano", PROGRAM, "--", *words, stdin="two\nlines\n")
    assert done.stdout == "two\nlines\n" + "".join(f"<{word}>\n" for word in words[1:]) + "499500\n"
    assert (done.stderr, done.returncode) == ("an error's text\n", 7)
    assert board.is_clean()


def test_a_second_run_builds_and_sends_nothing(board: Sshd, tmp_path: Path) -> None:
    def state() -> dict[str, int]:
        return {str(p): p.stat().st_ino for p in board.directory.glob("*/*")}

    assert board.ompls("run", "--remote", "nano", PROGRAM).returncode == 7
    before = state()
    assert before
    calls = tmp_path / "calls"
    assert changed(board, tmp_path, f"echo call >>{calls}").ompls("run", "--remote", "nano", PROGRAM).returncode == 7
    assert state() == before
    assert calls.read_text() == "call\ncall\n"  # the login, and the program


def test_a_second_run_translates_nothing(board: Sshd, tmp_path: Path) -> None:
    source = tmp_path / "main.c"
    source.write_text("int main(void) {\n  int x = 3;\n#pragma omp target map(x)\n  x++;\n  return x;\n}\n")
    time.sleep(0.2)  # what was written just now is not relied on
    words = ("-X", "importtime", "-m", "ompls", "run", "--remote", "nano", str(source))
    for turn in ("first", "second", "third"):
        done = subprocess.run(
            [sys.executable, *words], env=board.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 4
        imported = set(re.findall(r"\| +(ompls[.\w]*)", done.stderr))
        assert ("ompls.analysis" in imported) == (turn != "second")
        if turn == "second":
            assert not [name for name in imported if name.startswith(("ompls.translate", "ompls.devices"))]
            assert "ompls.runtime.toolchain" not in imported
            shutil.rmtree(board.directory / "programs")  # the board has it no more: it is made again


def login(board: Sshd) -> tuple[str, str]:
    """What is known of the last one, without another one."""
    entries = json.loads(board.ompls("devices", "--json").stdout)["devices"]
    (nano,) = [entry for entry in entries if entry.get("board")]
    return nano["login"], nano["description"].rpartition("; ")[2]


def test_devices_say_how_the_last_login_went(board: Sshd, tmp_path: Path) -> None:
    board = Sshd(board.place, {**board.environment, "OMPLS_CACHE_DIR": str(tmp_path / "own")})
    assert login(board) == ("untried", "not tried yet")
    refused = changed(board, tmp_path, "echo no route to it >&2; exit 255")
    assert refused.ompls("remote", "test", "nano").returncode == 2
    assert login(board) == ("failed", "login failed just now: no route to it")
    assert board.ompls("remote", "test", "nano").returncode == 0
    assert login(board) == ("reached", "reached just now")


def test_an_exit_code_of_255_is_not_taken_for_a_lost_connection(board: Sshd) -> None:
    done = board.ompls("run", "--remote", "nano", PROGRAM, "--", "lost")
    assert done.returncode == 255
    assert "lost" not in done.stderr


def test_all_of_the_runtime_and_the_devices_is_sent_but_what_is_made_or_read_here() -> None:
    """Linker scripts and assembly were not, so no program for Epiphany was built on a board."""
    package = Path(ompls.__file__).parent
    files = [path for part in ("runtime", "devices") for path in (package / part).rglob("*.*") if path.is_file()]
    here = ("__pycache__", "prepared")
    wanted = {
        "ompls/" + path.relative_to(package).as_posix()
        for path in files
        if path.suffix != ".md" and not any(name in path.parts for name in here)
    }
    assert set(runtime()) - {"ompls/__init__.py"} == wanted


@pytest.mark.thorough
def test_a_program_for_epiphany_is_built_there(board: Sshd) -> None:
    done = board.ompls("run", "--remote", "nano", "--device", "epiphany", EXAMPLES / "epiphany/saxpy.c")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(", correct\n")


def test_a_signal_is_told_as_a_shell_does(board: Sshd) -> None:
    assert board.ompls("run", "--remote", "nano", PROGRAM, "--", "crash").returncode == 128 + signal.SIGSEGV
    assert board.is_clean()


def test_ctrl_c_ends_the_program_there(board: Sshd) -> None:
    with running(board, "wait") as run:
        run.send_signal(signal.SIGINT)
        assert run.wait(LIMIT) == 128 + signal.SIGINT
    assert until(board.is_clean)


def test_ctrl_c_at_a_terminal_is_the_programs_alone(board: Sshd) -> None:
    """It goes to all processes of the terminal here; the program may catch it and go on."""
    words = [sys.executable, "-m", "ompls", "run", "--remote", "nano", str(PROGRAM), "--", "save"]
    process, terminal = pty.fork()
    if process == 0:
        os.execve(words[0], words, board.environment)
    with open(terminal, "r+b", buffering=0) as line:
        seen = b""
        while b"working" not in seen:
            seen += line.read(1000)
        line.write(b"\x03")
        with contextlib.suppress(OSError):  # the terminal's end
            while more := line.read(1000):
                seen += more
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert (code, seen.endswith(b"saved\r\n")) == (42, True), seen
    assert until(board.is_clean)


def test_ctrl_c_at_the_login_is_not_lost(board: Sshd, tmp_path: Path) -> None:
    slow = changed(board, tmp_path, "sleep 2")
    words = [sys.executable, "-m", "ompls", "run", "--remote", "nano", str(PROGRAM), "--", "wait"]
    with subprocess.Popen(words, env=slow.environment, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as run:
        assert until(lambda: bool(logins(run.pid)))
        time.sleep(1)  # it has translated, and waits for the login
        run.send_signal(signal.SIGINT)
        assert run.wait(LIMIT) == 130
    assert until(board.is_clean)


def test_a_program_over_its_time_is_ended(board: Sshd) -> None:
    done = board.ompls("run", "--remote", "nano", "--timeout", "1", PROGRAM, "--", "wait")
    assert done.returncode == 124
    assert "still running after 1 s" in done.stderr
    assert until(board.is_clean)


@pytest.mark.parametrize("mode", ["wait", "spin"])
def test_a_killed_run_leaves_nothing_there(board: Sshd, mode: str) -> None:
    with running(board, mode) as run:
        assert board.processes()
        run.kill()
    assert until(board.is_clean)


def test_a_connection_that_is_cut_is_told(board: Sshd) -> None:
    with running(board, "spin") as run:
        told = cut(run)
    assert "the connection was lost" in told
    assert "logging in again" not in told  # the program would run twice
    assert until(board.is_clean)


def test_the_trace_and_the_profile_come_back(board: Sshd, tmp_path: Path) -> None:
    record = tmp_path / "trace.jsonl"
    done = board.ompls("run", "--remote", "nano", "--trace", record, "--profile", PROGRAM)
    assert done.returncode == 7
    assert "streams.c" in done.stderr
    assert "streams.c" in record.read_text()


def test_a_fault_there_is_told_as_here(board: Sshd, tmp_path: Path) -> None:
    source = tmp_path / "bad.c"
    source.write_text(
        "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(40);\n"
        "#pragma omp target is_device_ptr(p)\n  p[3] = 1;\n  return 0;\n}\n"
    )
    words = ("run", "--device", "cudasim", source)
    here = board.ompls(*words)
    there = board.ompls(words[0], "--remote", "nano", *words[1:])
    assert there.returncode == here.returncode == 125
    assert there.stderr.split("0x")[0] == here.stderr.split("0x")[0]


def test_a_board_without_a_compiler_gets_finished_programs(board: Sshd, tmp_path: Path) -> None:
    config = tmp_path / "config/ompls"
    config.mkdir(parents=True)
    known = json.loads((Path(board.environment["XDG_CONFIG_HOME"]) / "ompls/remotes.json").read_text())
    known["remotes"][0]["facts"].pop("gcc")
    (config / "remotes.json").write_text(json.dumps(known))
    poor = Sshd(board.place, {**board.environment, "XDG_CONFIG_HOME": str(tmp_path / "config")})
    assert poor.ompls("run", "--remote", "nano", PROGRAM).returncode == 7
    known["remotes"][0]["facts"]["libc"] = "glibc 2.2"
    (config / "remotes.json").write_text(json.dumps(known))
    done = poor.ompls("run", "--remote", "nano", PROGRAM)
    assert done.returncode == 125
    assert "and the board has 2.2" in done.stderr


def test_a_mistake_is_told_with_its_line(board: Sshd, tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int main(void) { return nothing; }\n")
    done = board.ompls("run", "--remote", "nano", source)
    assert done.returncode == 125
    assert "wrong.c:1" in done.stderr


def test_exec_runs_a_finished_program(board: Sshd, tmp_path: Path) -> None:
    program = tmp_path / "streams"
    words = ("cc", "-fopenmp", "-fopenmp-targets=host", "-o", program, PROGRAM)
    assert board.ompls(*words).returncode == 0
    done = board.ompls("remote", "exec", "nano", program, "echo", "--remote", "x", stdin="")
    assert (done.stdout, done.returncode) == ("<--remote>\n<x>\n499500\n", 7)
    done = board.ompls("remote", "exec", "nano", PROGRAM)
    assert done.returncode == 125
    assert "it is no program for Linux" in done.stderr


def test_what_the_board_has_is_listed(board: Sshd) -> None:
    listed = json.loads(board.ompls("remote", "list", "--json").stdout)["remotes"]
    assert [(one["name"], one["address"], one["device"]) for one in listed] == [("nano", "board", "host")]
    assert listed[0]["facts"]["architecture"] == os.uname().machine
    told = board.ompls("remote", "test", "nano").stdout
    assert "gcc" in told
    assert "GiB" in told


@pytest.mark.skipif(find_library("cuda") is not None, reason="the board is this machine, which has the driver")
def test_what_the_board_lacks_is_told_with_the_next_step(sshd: Sshd, tmp_path: Path) -> None:
    other = Sshd(sshd.place, {**sshd.environment, "XDG_CONFIG_HOME": str(tmp_path)})
    done = other.ompls("remote", "add", "gpu", "board", "--device", "cuda", "--dir", sshd.directory)
    assert done.returncode == 0
    assert "gpu has no libcuda.so.1, which cuda needs: install the driver on it" in done.stderr
    assert other.ompls("remote", "test", "gpu").returncode == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-oProxyCommand=touch x", "board"), "is no name of a board"),
        (("a/b", "board"), "is no name of a board"),
        (("new", "--", "-oProxyCommand=x"), "is no address of a board"),
        (("new", "me@-x"), "is no address of a board"),
        (("new", "a b"), "is no address of a board"),
        (("new", "board", "--dir", "../x"), "no directory of its own"),
        (("new", "board", "--dir", "-x"), "command line"),
        (("new", "board", "--device", "nothing"), "unknown device"),
        (("cudasim", "board"), "a device has that name"),
        (("nano", "board"), "there is a board of that name"),
        (("new", "nowhere.invalid"), "ompls: error: board 'new'"),
    ],
)
def test_a_wrong_board_is_refused(board: Sshd, words: tuple[str, ...], why: str) -> None:
    done = board.ompls("remote", "add", *words)
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_board_is_told(board: Sshd) -> None:
    done = board.ompls("run", "--remote", "jetson", PROGRAM)
    assert done.returncode == 125
    assert "no board has this name; there are nano" in done.stderr


def test_a_wrong_key_and_a_changed_host_are_told(board: Sshd, tmp_path: Path) -> None:
    for name, old, new, why in (
        ("key", "/key\n", "/host\n", "Permission denied"),
        ("host", f"{board.place}/known\n", f"{tmp_path}/known\n", "remove the old key: ssh-keygen -R"),
    ):
        known = (board.place / "known").read_text().split()
        (tmp_path / "known").write_text(" ".join((*known[:2], (board.place / "key.pub").read_text().split()[1])) + "\n")
        client = tmp_path / f"client-{name}"
        client.write_text((board.place / "client").read_text().replace(old, new))
        wrapper = tmp_path / name / "ssh"
        wrapper.parent.mkdir()
        wrapper.write_text((board.place / "bin/ssh").read_text().replace(f"{board.place}/client", str(client)))
        wrapper.chmod(0o700)
        path = f"{wrapper.parent}:{board.environment['PATH']}"
        done = Sshd(board.place, {**board.environment, "PATH": path}).ompls("remote", "test", "nano")
        assert done.returncode == 2
        assert why in done.stderr


def test_a_file_that_others_can_write_names_no_board(board: Sshd, tmp_path: Path) -> None:
    file = tmp_path / "ompls/remotes.json"
    file.parent.mkdir()
    file.write_text('{"version": 1, "remotes": []}')
    file.chmod(0o666)
    other = Sshd(board.place, {**board.environment, "XDG_CONFIG_HOME": str(tmp_path)})
    done = other.ompls("remote", "list")
    assert done.returncode == 2
    assert "can be written by others" in done.stderr
    file.chmod(0o600)
    file.write_text("[]")
    assert "it is not as we write it" in other.ompls("remote", "list").stderr


def test_what_a_shell_writes_at_its_start_is_no_output(board: Sshd, tmp_path: Path) -> None:
    """Nor does it move the terminal's cursor."""
    noisy = changed(board, tmp_path, 'echo "Welcome to the board"; printf "\\033[2J\\a\\nto you" >&2')
    done = noisy.ompls("run", "--remote", "nano", PROGRAM)
    assert (done.stdout, done.returncode) == ("499500\n", 7)
    *noise, last = done.stderr.splitlines()
    assert (set(noise), last) == ({"\ufffd[2J\ufffd", "to you"}, "an error's text")


def test_removing_with_purge_leaves_nothing(sshd: Sshd, tmp_path: Path) -> None:
    other = Sshd(sshd.place, {**sshd.environment, "XDG_CONFIG_HOME": str(tmp_path)})
    place = tmp_path / "there"
    assert other.ompls("remote", "add", "second", "board", "--dir", place).returncode == 0
    assert place.stat().st_mode & 0o777 == 0o700
    assert other.ompls("remote", "remove", "second", "--purge").returncode == 0
    assert not place.exists()
    assert other.ompls("remote", "list").stdout == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a small file system, and what belongs to others")
def test_a_full_disk_and_the_directory_of_another_user_are_told(sshd: Sshd, tmp_path: Path) -> None:
    other = Sshd(sshd.place, {**sshd.environment, "XDG_CONFIG_HOME": str(tmp_path)})
    with small_disk(tmp_path, "160k") as place:
        assert other.ompls("remote", "add", "small", "board", "--dir", place / "there").returncode == 0
        done = other.ompls("run", "--remote", "small", PROGRAM)
        assert done.returncode == 125
        assert f"the board could not keep what it was sent in {place}/there; free some space there" in done.stderr
        assert [path.name for path in place.rglob("*") if path.is_file()] == [".ompls-board"]
        os.chown(place / "there", 65534, 65534)
        assert "belongs to somebody else" in other.ompls("remote", "test", "small").stderr
