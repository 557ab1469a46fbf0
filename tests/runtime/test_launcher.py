"""Running programs: exit codes, signals, time limits, and that nothing stays behind."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from handmade import make_bundle
from procs import Process, processes
from waiting import LIMIT

from ompls.devices.host.module import SPIN
from ompls.runtime import launcher
from ompls.runtime.build import Built, build
from ompls.runtime.errors import RuntimeProblem

NAP = f"4242.{os.getpid()}"  # seconds: tells our helpers from those of a test run beside this one
PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void start_helper(int detached) {
    if (fork() == 0) {
        if (detached) setsid();
        signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN);
        execlp("sleep", "sleep", "@NAP@", (char *)0);
    }
}
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "exit")) return atoi(argv[2]);
    if (!strcmp(what, "echo")) {
        for (int c; (c = getchar()) != EOF;) putchar(c);
        fprintf(stderr, "to stderr\n");
        return 0;
    }
    if (!strcmp(what, "raise")) raise(atoi(argv[2]));
    if (!strcmp(what, "fault")) *(volatile int *)argv[1][100] = 1;
    if (!strcmp(what, "loop")) {
        start_helper(0);
        start_helper(1);
        puts("looping");
        fflush(stdout);
        for (;;) pause();
    }
    if (!strcmp(what, "deaf")) {
        signal(SIGTERM, SIG_IGN);
        puts("deaf");
        fflush(stdout);
        for (;;) pause();
    }
    for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
    return 0;
}
"""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Built:
    directory = tmp_path_factory.mktemp("launcher")
    text = PROGRAM.replace("@NAP@", NAP).replace("*(volatile int *)argv[1][100]", "*(volatile int *)8")
    return build(make_bundle(directory / "bundle", text, {}, {}), "host", directory / "prog")


def sleepers() -> list[Process]:
    """What is left of the program's helpers, zombies of ours included."""
    return [
        p
        for p in processes()
        if f"sleep {NAP}" in p.command or (p.parent == os.getpid() and p.name == "sleep" and p.state == "Z")
    ]


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["exit", "0"], 0, ""),
        (["exit", "7"], 7, ""),
        (["raise", "6"], 134, "ompls: error: prog: ended by signal 6 (SIGABRT)\n"),
        (["raise", "15"], 143, "ompls: error: prog: ended by signal 15 (SIGTERM)\n"),
        (["raise", "40"], 168, "ompls: error: prog: ended by signal 40 (a real-time signal)\n"),
        (["fault"], 139, "ompls: error: prog: ended by signal 11 (SIGSEGV)\n"),
    ],
)
def test_exit_codes(program: Built, capfd: pytest.CaptureFixture[str], args: list[str], code: int, says: str) -> None:
    assert launcher.run(program, args) == code
    assert capfd.readouterr().err == says


def test_arguments_are_passed(program: Built, capfd: pytest.CaptureFixture[str]) -> None:
    launcher.run(program, ["a b", "--x", "", "é", "$HOME"])
    assert capfd.readouterr().out == "[a b][--x][][é][$HOME]"


def as_process(program: Built, *args: str, **streams: int) -> subprocess.Popen[str]:
    code = (
        "import sys; from pathlib import Path; from ompls.runtime import launcher\n"
        "from ompls.runtime.build import Built\n"
        "sys.exit(launcher.run(Built(Path(sys.argv[1]), False, 'host'), sys.argv[2:]))"
    )
    command = [sys.executable, "-c", code, str(program.program), *args]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **streams)


def test_streams_are_the_programs(program: Built) -> None:
    child = as_process(program, "echo", stdin=subprocess.PIPE)
    assert child.communicate("one\ntwo", timeout=LIMIT) == ("one\ntwo", "to stderr\n")


def test_timeout_ends_everything(program: Built, capfd: pytest.CaptureFixture[str]) -> None:
    bystander = subprocess.Popen(["sleep", "4243"])
    assert launcher.run(program, ["loop"], timeout=0.5) == 124
    out, err = capfd.readouterr()
    assert out == "looping\n"
    assert err.startswith("ompls: error: prog: still running after 0.5 s: it was ended with all its processes; ")
    assert sleepers() == []
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_requests_to_end_leave_nothing(program: Built, number: int, code: int) -> None:
    child = as_process(program, "loop", stdin=subprocess.DEVNULL)
    assert child.stdout is not None
    assert child.stdout.readline() == "looping\n"
    child.send_signal(number)
    assert child.wait(timeout=LIMIT) == code
    assert sleepers() == []


@pytest.mark.thorough
def test_a_deaf_program_is_killed(program: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    child = as_process(program, "deaf", stdin=subprocess.DEVNULL)
    assert child.stdout is not None
    assert child.stdout.readline() == "deaf\n"
    child.terminate()
    assert child.wait(timeout=launcher.GRACE + 5) == 137


def test_the_program_ends_when_we_are_killed(program: Built) -> None:
    child = as_process(program, "deaf", stdin=subprocess.DEVNULL)
    assert child.stdout is not None
    assert child.stdout.readline() == "deaf\n"
    child.kill()
    child.communicate(timeout=LIMIT)  # the program had the other end of the pipe


def test_a_program_that_is_not_one(tmp_path: Path) -> None:
    (tmp_path / "prog").write_text("not a program")
    with pytest.raises(RuntimeProblem, match="prog: Permission denied; look whether its directory is mounted noexec"):
        launcher.run(Built(tmp_path / "prog", False, "host"))


def test_ctrl_c_on_a_terminal(program: Built) -> None:
    """The terminal interrupts launcher and program alike: one signal each, and nothing stays behind."""
    code = (
        "import sys; from pathlib import Path; from ompls.runtime import launcher\n"
        "from ompls.runtime.build import Built\n"
        "sys.exit(launcher.run(Built(Path(sys.argv[1]), False, 'host'), ['loop']))"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", code, str(program.program)])
    shown = b""
    while b"looping" not in shown:
        shown += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130
    assert sleepers() == []


def test_too_many_arguments(program: Built) -> None:
    with pytest.raises(RuntimeProblem, match="prog: Argument list too long; give it less"):
        launcher.run(program, ["x" * 100_000] * 100)


@pytest.mark.parametrize("name", ["-n", "a b", "q\"u'o$te", "new\nline", "n\udcff", "{0} %s"])
def test_odd_names(program: Built, tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    renamed = program.program.read_bytes()
    (tmp_path / name).write_bytes(renamed)
    (tmp_path / name).chmod(0o755)
    assert launcher.run(Built(tmp_path / name, False, "host"), ["\udcfe" * 1000]) == 0
    assert launcher.run(Built(tmp_path / name, False, "host"), ["raise", "9"]) == 137
    assert "ended by signal 9 (SIGKILL)" in capfd.readouterr().err


def test_later_orphans_are_not_ours(program: Built) -> None:
    """Who runs a program gets its orphans while it runs, not those of everything that is started afterwards."""
    assert launcher.run(program, ["exit", "0"]) == 0
    done = subprocess.run(["sh", "-c", "sleep 60 >&- 2>&- & echo $!"], stdout=subprocess.PIPE, text=True, check=True)
    orphan = int(done.stdout)
    try:
        assert os.getpid() not in [p.parent for p in processes() if p.pid == orphan]
    finally:
        os.kill(orphan, signal.SIGKILL)


@pytest.mark.parametrize(
    ("devices", "given", "expected"),
    [
        ("host", {}, SPIN),
        ("cudasim,host:2", {}, SPIN),
        ("cudasim", {}, None),
        ("host", {"GOMP_SPINCOUNT": "7"}, "7"),
        ("host", {"OMP_WAIT_POLICY": "active"}, None),
    ],
)
def test_threads_of_host_do_not_wait_long_for_a_busy_machine(
    devices: str, given: dict[str, str], expected: str | None
) -> None:
    built = Built(Path("prog"), False, devices)
    assert launcher.environment(built, given).get("GOMP_SPINCOUNT") == expected
