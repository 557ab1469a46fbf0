"""Machines that are dead, and nodes that die or stall while they start, work or end: that costs them alone (MPICH)."""

from __future__ import annotations

import mmap
import os
import re
import signal
import socket
import subprocess
import sys
import time
from fcntl import ioctl
from pathlib import Path
from termios import TIOCOUTQ

import pytest
from thinned import thinned
from waiting import LIMIT, until

from ompls.devices.mpinode.module.library import launcher
from ompls.devices.mpinode.module.said import Said
from ompls.devices.remote.left import born, swept
from ompls.devices.remote.mpi import MEMORY
from ompls.runtime.start import command

from .conftest import HERE, Built, environment, is_mpich, left_behind, run

pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra mpi)")


pytestmark = pytest.mark.skipif(not is_mpich(), reason="it is MPICH whose nodes have an mpiexec each")

# Of the starts with these numbers the nodes have a fault.  Its arguments are those of joined.py.
MPIEXEC = """#!/bin/sh
turn=0
until mkdir "$FAULTY/$turn" 2>/dev/null; do turn=$((turn + 1)); done
case " $FAULTS " in
*" $turn "*)
    python=$7
    shift 7
    exec {mpiexec} -launcher fork -hosts localhost -n 1 "$python" {node} "$FAULT" "$@"
    ;;
esac
exec {mpiexec} "$@"
"""

# A login: `far…` is this machine, `hangs…` never answers, and others are dead.
SSH = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
case $1 in
far*) shift; exec sh -c "$*" ;;
hangs*) exec sleep 1000 ;;
esac
echo "ssh: connect to host $1 port 22: No route to host" >&2
exit 255
"""


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o700)
    return path


def faulty(tmp_path: Path, fault: str, *starts: int) -> dict[str, str]:
    """The environment in which the nodes of these starts have a fault."""
    (tmp_path / "bin").mkdir()
    text = MPIEXEC.format(mpiexec=launcher(), node=HERE / "faulty_node.py")
    script(tmp_path / "bin/mpiexec", text)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "FAULTY": str(tmp_path), "FAULTS": " ".join(map(str, starts)), "FAULT": fault}


# Before MPI is there, when it is, connected, with the far side; "end": the program has ended, too.
EXHAUSTIVE = (pytest.mark.thorough, pytest.mark.exhaustive)
PLACES = ("_loaded", "unname", "serve", "functions", "end")
FAULTS = [
    f"{who} {sign} {place}"
    for place in PLACES
    for sign in ("SEGV", "KILL", "STOP")
    for who in ("node", "proxy", "mpiexec")
]
SOON = ("node SEGV _loaded", "node KILL unname", "node STOP unname", "node SEGV serve", "node KILL functions")


@pytest.mark.parametrize("fault", thinned(FAULTS, len(FAULTS), lambda fault: fault in SOON, of_rest=4))
def test_a_node_with_a_fault_costs_itself_alone(built: Built, tmp_path: Path, fault: str) -> None:
    mark = f"{fault}-{os.getpid()}"
    more = {**faulty(tmp_path, fault, 0), "AWAY_MARK": mark, "OMPLS_DEVICES": "mpinode:3", "OMPLS_REMOTE_TIMEOUT": "2"}
    done = run(built("each", "mpinode"), **more)
    assert done.returncode == 3, done.stderr
    first, *others = done.stdout.split()
    assert others == ["there", "there"]
    assert first in ("there", "host")
    # Where it ended behind the start and before the region's function was there, its line says so.
    in_it = r"\S+each\.c:9: region on mpinode:0: no kernel: .*\(the host runs it, if no data are lost\)"
    warning = rf"(device mpinode:0 cannot be opened: |{in_it})"
    told = re.match(f"ompls: warning: {warning}", done.stderr) is not None
    assert (first == "host") == told, done.stderr
    assert "BAD TERMINATION" not in done.stderr
    assert until(lambda: not left_behind(mark))


@pytest.mark.parametrize(
    ("fault", "many"),
    [
        ("node KILL _loaded", 3),
        *(pytest.param(f"node {sign} after", 40, marks=EXHAUSTIVE) for sign in ("SEGV", "KILL")),
    ],
)
def test_nodes_that_die_as_they_start_never_block_who_speaks_to_others(
    built: Built, tmp_path: Path, fault: str, many: int
) -> None:
    """All between the first one and the last one; `after`: each at another time of its start."""
    mark = f"starting{fault}-{os.getpid()}"
    more = faulty(tmp_path, fault, *range(1, many + 1))
    more |= {"OMPLS_DEVICES": f"mpinode:{many + 2}", "AWAY_MARK": mark, "OMPLS_REMOTE_TIMEOUT": "4"}
    program = built("starting", "mpinode")
    done = subprocess.run([program], env=environment(**more), capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert done.stdout.endswith("there 0 wrong\n"), done.stderr
    assert until(lambda: not left_behind(mark))


def elsewhere(tmp_path: Path, machines: str) -> dict[str, str]:
    """The environment in which these machines are nodes."""
    (tmp_path / "hosts").write_text(machines.replace(" ", "\n") + "\n")
    path = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"  # python3 there
    more = {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": str(script(tmp_path / "login", SSH)), "UCX_TLS": "sm,self"}
    return {"PATH": path, "OMPLS_HOSTFILE": str(tmp_path / "hosts"), **more}


@pytest.mark.parametrize(
    ("machines", "where"),
    [
        ("localhost dead1 far1", "there host there"),
        pytest.param("dead1 far1 dead2 far2", "host there host there", marks=pytest.mark.thorough),
        ("hangs1 far1", "host there"),
    ],
)
def test_a_dead_machine_costs_itself_alone(built: Built, tmp_path: Path, machines: str, where: str) -> None:
    mark = f"machines{len(machines)}-{os.getpid()}"
    more = {**elsewhere(tmp_path, machines), "AWAY_MARK": mark, "OMPLS_REMOTE_TIMEOUT": "3"}
    done = run(built("each", "mpinode"), **more)
    assert (done.returncode, done.stdout.split()) == (3, where.split()), done.stderr
    lost = [line for line in done.stderr.splitlines() if line.startswith("ompls: warning: ")]
    dead = [(number, name) for number, name in enumerate(machines.split()) if name.startswith(("dead", "hangs"))]
    for (number, name), line in zip(dead, lost, strict=True):
        assert line.startswith(f"ompls: warning: device mpinode:{number} cannot be opened: mpinode:{number}: {name}: ")
    assert until(lambda: not left_behind(mark))


def test_the_memory_file_of_a_node_that_died_before_it_unnamed_it_is_removed() -> None:
    """And none that a process has, and none from before."""
    opened, mapped, dead, older = (Path(f"{MEMORY}test{os.getpid()}_{n}") for n in range(4))
    since = time.time()
    for path in (opened, mapped, dead, older):
        path.write_bytes(b"x")
    os.utime(older, (since - 1, since - 1))
    try:
        with opened.open("rb+") as file:
            with mapped.open("rb+") as there:
                kept = mmap.mmap(there.fileno(), 1)
            assert not swept(since)
            assert [path.exists() for path in (opened, mapped, dead, older)] == [True, True, False, True]
            kept.close()
            swept(since)
            assert not mapped.exists()
            assert opened.read_bytes() == b"x" == file.read()
    finally:
        for path in (opened, mapped, dead, older):
            path.unlink(missing_ok=True)


def test_who_ends_what_a_program_leaves_does_so_after_it_was_stopped() -> None:
    text = "import subprocess, sys; left = subprocess.Popen(sys.argv[1:], stdin=0); print(left.pid); left.wait()"
    words = [sys.executable, "-uc", text, *command("ompls.devices.remote.left")]
    ours, theirs = socket.socketpair()
    with ours, subprocess.Popen(["sleep", "1000"], start_new_session=True) as launcher:
        with theirs, subprocess.Popen(words, stdin=theirs, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            left = int(program.stdout.readline())
            ours.send(f"{launcher.pid} {born(launcher.pid)} {time.time()}\n".encode())
            assert until(lambda: not int.from_bytes(ioctl(ours, TIOCOUTQ, bytes(4)), sys.byteorder))  # it has read that
            os.kill(left, signal.SIGSTOP)
            program.kill()
        ours.close()
        assert launcher.wait(LIMIT) == -signal.SIGKILL


def test_of_a_node_that_was_killed_nobody_but_us_speaks(capfd: pytest.CaptureFixture[str]) -> None:
    said, line = Said(), "=" * 83
    banner = f"{line}\n=   BAD TERMINATION OF ONE\n=   EXIT CODE: 9\n{line}\n"
    killed = f"\n{banner}YOUR APPLICATION TERMINATED\nPlease see the FAQ page\n"
    os.write(said.file, f"its own\n{killed}[mpiexec@here] control_cb: assert failed\nmore\n".encode())
    said.pass_on()
    assert capfd.readouterr().err == "its own\nmore\n"
    assert said.lines() == "its own\n[mpiexec@here] control_cb: assert failed\nmore"
