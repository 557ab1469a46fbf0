"""A board of another architecture: aarch64, under qemu-user behind the sshd on loopback (`make test-board-aarch64`).

What is logged in there runs in a user namespace of its own, where the kernel starts programs for aarch64 with qemu
(binfmt_misc, Linux 6.7); `gcc` is Debian's cross compiler, and `uname` and `python3` are as such a board has them.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import until

from ..conftest import Sshd, an_sshd, cut
from ..test_ctest import run_ctest

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / "tests/boards/programs"
LIBRARIES = "/usr/aarch64-linux-gnu"
# An ELF file of 64 bits for EM_AARCH64, executable or shared (proc/sys/fs/binfmt_misc; admin-guide/binfmt-misc).
_MAGIC = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
_MASK = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
_SPACE = """
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || exit 1
printf '%s' "$1" >/proc/sys/fs/binfmt_misc/register || exit 1
echo ready
exec sleep 3600
"""
_TOOLS = {
    "gcc": 'exec aarch64-linux-gnu-gcc "$@"',
    "uname": 'case $1 in -m) echo aarch64 ;; *) exec /bin/uname "$@" ;; esac',
    "python3": "exit 127",
}


@pytest.fixture(scope="module")
def space() -> Iterator[int]:
    """The process that holds the namespaces.  Skips where there cannot be any."""
    qemu = shutil.which("qemu-aarch64")
    assert qemu is not None
    rule = f":ompls:M::{_MAGIC}:{_MASK}:{qemu}:F"
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", _SPACE, "sh", rule]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as holding:
        assert holding.stdout is not None
        if holding.stdout.readline() != "ready\n":
            assert holding.stderr is not None
            pytest.skip("no binfmt_misc in a user namespace: " + holding.stderr.read().strip())
        yield holding.pid
        holding.kill()


@pytest.fixture(scope="module")
def jetson(space: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """Registered as `jetson`, with `host`."""
    place = tmp_path_factory.mktemp("jetson")
    (place / "tools").mkdir()
    for name, text in _TOOLS.items():
        (place / "tools" / name).write_text(f"#!/bin/sh\n{text}\n")
        (place / "tools" / name).chmod(0o755)
    enter = place / "enter"
    enter.write_text(
        f"#!/bin/sh\nexport PATH={place}/tools:/usr/bin:/bin QEMU_LD_PREFIX={LIBRARIES}\n"
        f'exec nsenter --user --mount --preserve-credentials --target {space} /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n'
    )
    enter.chmod(0o755)
    with an_sshd(place, f"ForceCommand {enter}\n") as board:
        done = board.ompls("remote", "add", "jetson", "board", "--dir", board.directory)
        assert done.returncode == 0, done.stderr
        assert "architecture aarch64" in done.stdout
        yield board


def with_facts(jetson: Sshd, place: Path, **facts: str) -> Sshd:
    """The same board, as if it had said that of itself."""
    known = json.loads((Path(jetson.environment["XDG_CONFIG_HOME"]) / "ompls/remotes.json").read_text())
    known["remotes"][0]["facts"] |= facts
    (place / "ompls").mkdir()
    (place / "ompls/remotes.json").write_text(json.dumps(known))
    return Sshd(jetson.place, {**jetson.environment, "XDG_CONFIG_HOME": str(place)})


@pytest.mark.parametrize("name", ["saxpy", "jacobi", "declare_target", "master_worker", "pipeline"])
def test_its_gcc_builds_the_examples(jetson: Sshd, name: str) -> None:
    words = ("run", "--remote", "jetson", ROOT / f"examples/{name}.c")
    done = Sshd(jetson.place, {**jetson.environment, "OMP_TARGET_OFFLOAD": "mandatory"}).ompls(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("correct\n")
    assert until(jetson.is_clean)


def test_it_is_a_program_for_it_and_a_second_run_builds_nothing(jetson: Sshd, tmp_path: Path) -> None:
    source = tmp_path / "once.c"
    source.write_text((ROOT / "examples/saxpy.c").read_text())
    time.sleep(0.2)
    for _ in range(2):
        assert jetson.ompls("run", "--remote", "jetson", source).returncode == 0
        (program,) = jetson.directory.glob("programs/*/once")
        assert program.read_bytes()[18:20] == b"\xb7\0"  # EM_AARCH64


def test_streams_the_exit_code_and_the_trace_come_back(jetson: Sshd, tmp_path: Path) -> None:
    words = ("run", "--remote", "jetson", "--trace", tmp_path / "trace", PROGRAMS / "streams.c", "--", "echo", "a b")
    done = jetson.ompls(*words, stdin="a line\n")
    assert (done.stdout, done.stderr, done.returncode) == ("a line\n<a b>\n499500\n", "an error's text\n", 7)
    assert "streams.c" in (tmp_path / "trace").read_text()


def test_an_old_gcc_gets_openmp_4_5(jetson: Sshd, tmp_path: Path) -> None:
    done = with_facts(jetson, tmp_path, gcc="7.5.0").ompls("run", "--remote", "jetson", PROGRAMS / "newer.c")
    assert (done.returncode, done.stdout) == (0, "newer: correct\n")


def test_without_a_gcc_there_it_gets_a_finished_program(jetson: Sshd, tmp_path: Path) -> None:
    poor = with_facts(jetson, tmp_path, gcc="")
    done = poor.ompls("run", "--remote", "jetson", ROOT / "examples/histogram.c")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("correct\n")


def test_a_finished_program_runs_there(jetson: Sshd, tmp_path: Path) -> None:
    program = tmp_path / "streams"
    cc = ("cc", "--target-arch", "aarch64", "-fopenmp", "-fopenmp-targets=host", "-o", program)
    assert jetson.ompls(*cc, PROGRAMS / "streams.c").returncode == 0
    done = jetson.ompls("remote", "exec", "jetson", program, "echo", "x", stdin="")
    assert (done.stdout, done.returncode) == ("<x>\n499500\n", 7)


def test_ctest_runs_on_it(jetson: Sshd, tmp_path: Path) -> None:
    run_ctest(jetson, "jetson", tmp_path, "--target-arch aarch64")


def test_its_regions_cannot_be_those_of_a_program_here(jetson: Sshd) -> None:
    if os.uname().machine == "aarch64":
        pytest.skip("this machine is of its kind")
    done = jetson.ompls("run", "--device", "jetson", ROOT / "examples/saxpy.c")
    assert done.returncode == 125
    assert "it is a machine of another kind (aarch64)" in done.stderr


def test_what_is_cut_off_or_interrupted_leaves_nothing(jetson: Sshd) -> None:
    command = [sys.executable, "-m", "ompls", "run", "--remote", "jetson", str(PROGRAMS / "streams.c"), "--", "spin"]
    for ended_by in ("cut", "interrupt"):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        with subprocess.Popen(command, env=jetson.environment, text=True, **pipes) as run:  # type: ignore[call-overload]
            try:
                assert run.stdout.readline() == "spinning\n"
                assert jetson.processes()
                if ended_by == "cut":
                    assert "the connection was lost" in cut(run)
                else:
                    run.send_signal(signal.SIGINT)
                    assert run.wait(20) == 128 + signal.SIGINT
            finally:
                run.kill()
        assert until(jetson.is_clean)
