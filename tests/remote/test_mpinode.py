"""Nodes as devices, with real MPI processes: those of the MPI that mpi4py loads here.  `make test-cluster` has both."""

from __future__ import annotations

import codecs
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command import ompls
from thinned import thinned
from together import together
from waiting import LIMIT, until, worked

from ompls.devices.mpinode.module import library
from ompls.devices.mpinode.module.cluster import Node
from ompls.devices.mpinode.module.hosts import hosts, read_hosts, slurm_hosts
from ompls.devices.mpinode.module.launched import Met
from ompls.devices.mpinode.module.said import Said
from ompls.devices.mpinode.module.spawned import spawned
from ompls.devices.remote import mpi, near
from ompls.devices.remote.left import born
from ompls.runtime.devices import devices_of
from ompls.runtime.errors import DeviceUnavailable

from .conftest import PROGRAMS, ROOT, Built, environment, far_side, far_sides, is_mpich, left_behind, run

EXAMPLES = sorted((ROOT / "examples/cluster").glob("*.c"))

pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra mpi)")


def test_everything_is_as_on_the_host_and_the_exit_code_is_the_programs(built: Built, expected: str) -> None:
    done = run(built("everything", "mpinode"), OMPLS_DEVICES="mpinode:3")
    assert (done.returncode, done.stdout, done.stderr) == (7, 3 * expected, "")


def test_a_node_may_have_another_device_inside(built: Built, expected: str) -> None:
    done = run(built("everything", "mpinode(cudasim)"))
    assert (done.returncode, done.stdout, done.stderr) == (7, expected, "")


def test_the_streams_of_a_kernel_are_those_of_its_node(built: Built) -> None:
    """They are variables of the C library, which each machine has; the host's pointers would lead nowhere there."""
    done = run(built("streams", "mpinode"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "printed\nto stdout\nback\n", "to stderr\n")


@pytest.mark.parametrize("device", ["mpinode", pytest.param("mpinode(cudasim)", marks=pytest.mark.thorough)])
def test_nodes_copy_to_each_other_without_the_host(built: Built, device: str) -> None:
    done = run(built("peers", device), "9000000", OMPLS_DEVICES=f"{device}:3")
    assert (done.returncode, done.stdout, done.stderr) == (7, "210 cells\n200000 crossed\n", "")


@pytest.mark.parametrize("what", ["all", pytest.param("chain", marks=pytest.mark.thorough)])
def test_what_a_node_has_already_leaves_the_host_once(built: Built, tmp_path: Path, what: str) -> None:
    """In a tree to all, and from each node to the next."""
    count = tmp_path / "count"
    done = run(built("held", "mpinode"), what, OMPLS_DEVICES="mpinode:4", OMPLS_REMOTE_COUNT=str(count))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{what}: 0 wrong\n", "")
    sent = sum(int(line.split()[2]) for line in count.read_text().splitlines())
    assert 2 << 20 <= sent < 3 << 20


@pytest.mark.parametrize(
    ("device", "told"),
    [
        ("away", "11110"),
        ("mpinode:2", "111110"),
        pytest.param("mpinode(cudasim):2", "111100", marks=pytest.mark.thorough),
    ],
)
def test_what_cannot_be_copied_is_told_at_once_and_harms_nothing(built: Built, device: str, told: str) -> None:
    """Handles (of the GPU inside) are the same ones on each node: which node's they are cannot be told."""
    done = run(built("miscopied", device.partition(":")[0]), OMPLS_DEVICES=device)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{told} 5 7\n", "")


@pytest.mark.parametrize("text", [None, "localhost zwei\n"])
def test_a_host_file_that_is_wrong_is_told_by_programs(built: Built, text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "hosts").write_text(text)
    done = run(built("few", "mpinode"), OMPLS_HOSTFILE=str(tmp_path / "hosts"))
    assert (done.returncode, done.stdout) == (0, "on the host\n")
    assert done.stderr.startswith("ompls: warning: device 'mpinode' is not available: ")
    assert str(tmp_path / "hosts") in done.stderr


def test_a_list_of_a_batch_system_that_is_wrong_is_told_by_programs(built: Built) -> None:
    done = run(built("few", "mpinode"), SLURM_JOB_NODELIST="n[01-02")
    assert (done.returncode, done.stdout) == (0, "on the host\n")
    assert "warning: device 'mpinode' is not available: SLURM_JOB_NODELIST: 'n[01-02' is no list" in done.stderr


@pytest.mark.parametrize(
    ("missing", "told"), [("mpi4py", "mpi4py is not installed"), ("mpiexec", "mpiexec is not on PATH")]
)
def test_programs_for_nodes_tell_what_is_missing(missing: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is silent there computes on the host, and nobody knows."""
    which, find = shutil.which, importlib.util.find_spec
    monkeypatch.setattr("shutil.which", lambda name: None if name == missing else which(name))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else find(name))
    monkeypatch.setattr("sys.prefix", "/nowhere")
    state = devices_of(["mpinode"])["mpinode"].probe()
    assert (state.available, state.mistaken, state.reason) == (False, True, told)
    assert "pip install 'ompls[mpi]'" in state.hint


def test_mpi_need_not_be_on_path(built: Built) -> None:
    """It is beside the Python; Open MPI looks on PATH for more than its `mpiexec`."""
    done = run(built("few", "mpinode"), PATH="/usr/bin:/bin", OMPLS_DEVICES="mpinode")
    assert (done.returncode, done.stdout, done.stderr) == (0, "on a device\n", "")


def may_mount() -> bool:
    """Whether there may be a file system of one's own."""
    words = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/dev/shm"]
    return (
        shutil.which("unshare") is not None and subprocess.run(words, capture_output=True, check=False).returncode == 0
    )


@pytest.mark.skipif(not may_mount(), reason="only root may make a small /dev/shm, with unshare and mount")
@pytest.mark.parametrize(
    ("room", "told"),
    [
        ("size=64k", "device 'mpinode' is not available: MPI ends by signal 7 as it starts; /dev/shm has 64 KiB left"),
        pytest.param(
            "ro",
            "device 'mpinode' is not available: MPI does not start; /dev/shm is read-only",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            "size=2m",
            "mpinode:0 cannot be opened: mpinode:0: this machine: MPI has no room in /dev/shm there",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_memory_files_that_have_no_room_are_told(built: Built, room: str, told: str) -> None:
    """MPICH and UCX end by a signal then, and what they have made there goes."""
    if not is_mpich():
        pytest.skip("it is MPICH that keeps memory in files for one process")
    words = [
        "unshare",
        "-m",
        "sh",
        "-c",
        f'mount -t tmpfs -o {room} none /dev/shm; "$0" || exit; until [ -z "$(ls /dev/shm)" ]; do sleep 0.1; done',
        built("few", "mpinode"),
    ]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=LIMIT, check=False)
    assert (done.returncode, done.stdout) == (0, "on the host\n"), done.stderr
    assert done.stderr.startswith("ompls: warning: device ")
    assert told in done.stderr
    assert ("remount,rw" if room == "ro" else "docker run --shm-size") in done.stderr
    assert near.LOOK not in done.stderr  # that is for other machines


def test_an_mpi_that_hangs_in_a_small_memory_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_SMALL", 1 << 62)
    monkeypatch.setattr(library, "sent", lambda text, here: ["sleep", "1000"])
    monkeypatch.setattr(near, "SECONDS", 0.05)
    with pytest.raises(DeviceUnavailable, match="MPI does not start within"):
        library._try_small_memory()


@pytest.mark.parametrize(("launched", "told"), [("1", True), ("", False)])
def test_of_open_mpi_only_a_job_has_slots(monkeypatch: pytest.MonkeyPatch, launched: str, told: bool) -> None:
    """Where a node finds none MPI says nothing of them."""
    monkeypatch.setenv("PMIX_RANK", launched)
    if not launched:
        monkeypatch.delenv("PMIX_RANK")

    def full() -> None:
        raise RuntimeError("unknown error")

    with pytest.raises(near.Unreachable) as raised:
        spawned(None, SimpleNamespace(Exception=RuntimeError, Info=SimpleNamespace(Create=full)), "", Said(), LIMIT)
    assert ("--oversubscribe" in raised.value.hint) is told


def test_mpi_that_was_started_for_one_thread_is_refused(built: Built) -> None:
    done = run(built("few", "mpinode"), OMPLS_DEVICES="mpinode", MPI4PY_RC_THREAD_LEVEL="serialized")
    assert done.returncode == 125
    assert "device 'mpinode' is not available: MPI was started for fewer threads" in done.stderr


@pytest.mark.parametrize(
    ("device", "kind", "where"),
    [("mpinode", "cpu", "a device"), ("mpinode", "gpu", "the host"), ("mpinode(cudasim)", "gpu", "a device")],
)
@pytest.mark.thorough
def test_a_node_is_of_the_kind_of_the_device_inside(built: Built, device: str, kind: str, where: str) -> None:
    done = run(built("few", device), OMP_AVAILABLE_DEVICES=f"kind({kind})")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"on {where}\n", "")


def test_a_kernel_prints_while_a_thread_waits_for_input(built: Built) -> None:
    program = built("asking", "away")
    with subprocess.Popen([program], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stdout.readline() == b"printed\n"
        running.stdin.write(b"input\n")
        running.stdin.close()
        assert running.stdout.read() == b"input\n"
    assert running.returncode == 0


# A piece of a payload (wire.h) takes seconds then.
SLOW = """
set -e
ip link set lo mtu 1500 up
tc qdisc add dev lo root tbf rate 20mbit burst 32kb limit 64kb
exec "$@"
"""


def slow_lines() -> bool:
    """Whether there may be networks of one's own."""
    words = ["unshare", "-n", "sh", "-c", SLOW, "sh", "true"]
    return (
        shutil.which("unshare") is not None and subprocess.run(words, capture_output=True, check=False).returncode == 0
    )


@pytest.mark.thorough
@pytest.mark.skipif(not slow_lines(), reason="only root may make a slow line, with unshare, ip and tc")
def test_a_slow_line_is_no_lost_node(built: Built) -> None:
    words = ["unshare", "-n", "sh", "-c", SLOW, "sh", built("slowly", "mpinode")]
    slow = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"}
    done = subprocess.run(
        words,
        env=environment(**slow, OMPLS_REMOTE_TIMEOUT="10"),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "4 9\n", "")


@pytest.mark.thorough
def test_devices_are_numbered_as_they_are_listed(built: Built, expected: str) -> None:
    done = run(built("everything", "host,mpinode"), OMPLS_DEVICES="host,mpinode:2")
    assert (done.returncode, done.stdout, done.stderr) == (7, 3 * expected, "")


@pytest.mark.thorough
def test_waiting_may_keep_cores_busy(built: Built, expected: str) -> None:
    done = run(built("everything", "mpinode"), OMPLS_REMOTE_WAIT="spin")
    assert (done.returncode, done.stdout, done.stderr) == (7, expected, "")


def test_a_fault_on_a_node_names_line_variable_and_node(built: Built) -> None:
    mark = f"fault-{os.getpid()}"
    done = run(built("faults", "mpinode"), "read", AWAY_MARK=mark)
    assert done.returncode == 125
    assert done.stdout == "before\nin the kernel\n"
    lines = (PROGRAMS / "faults.c").read_text().splitlines()
    line = ["r = p[3];" in text for text in lines].index(True) + 1
    assert f"faults.c:{line}: region on mpinode:0 ({os.uname().nodename}) read host address" in done.stderr
    assert "(variable 'pointer', not mapped)" in done.stderr
    assert until(lambda: not left_behind(mark))


@pytest.mark.parametrize(("words", "status"), [((), 3), (("thread",), 4)])
def test_a_kernel_that_calls_exit_is_told_at_once(built: Built, words: tuple[str, ...], status: int) -> None:
    mark = f"ending{status}-{os.getpid()}"
    done = run(built("ending", "mpinode"), *words, AWAY_MARK=mark)
    assert (done.returncode, done.stdout) == (125, "in the kernel\n"), done.stderr
    assert f"region on mpinode:0 ({os.uname().nodename})" in done.stderr
    assert f"the kernel called exit({status})" in done.stderr
    assert "no sign of life" not in done.stderr
    assert until(lambda: not left_behind(mark))


@pytest.mark.parametrize("sign", [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=pytest.mark.thorough)])
def test_a_node_that_dies_or_hangs_is_an_error_that_names_it(built: Built, sign: signal.Signals) -> None:
    """One that died is not waited for as one that is silent."""
    mark, patience = f"node{sign}-{os.getpid()}", "2" if sign == signal.SIGSTOP else str(10 * LIMIT)
    process = subprocess.Popen(
        [built("endless", "mpinode")],
        env=environment(AWAY_MARK=mark, OMPLS_REMOTE_TIMEOUT=patience),
        stderr=subprocess.PIPE,
        text=True,
    )
    os.kill(far_side(process.pid, mark), sign)
    _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 125
    assert f"endless.c:7: region on mpinode:0 ({os.uname().nodename})" in err
    assert near.LOOK not in err
    assert until(lambda: not left_behind(mark))


@pytest.mark.parametrize("sign", [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=pytest.mark.thorough)])
def test_a_node_that_dies_or_hangs_while_others_copy_to_it_is_an_error(built: Built, sign: signal.Signals) -> None:
    """With MPICH the program may end with it; nobody waits for ever, and nothing is left."""
    mark = f"circling{sign}-{os.getpid()}"
    more = {"AWAY_MARK": mark, "OMPLS_DEVICES": "mpinode:3", "OMPLS_REMOTE_TIMEOUT": "2"}
    program = subprocess.Popen(
        [built("circling", "mpinode")], env=environment(**more), stderr=subprocess.PIPE, start_new_session=True
    )
    nodes: list[int] = []

    def working() -> bool:
        nodes[:] = [number for number in far_sides(mark) if worked(number) > 10]
        return len(nodes) >= 3

    assert until(working)
    os.kill(nodes[-1], sign)
    program.communicate(timeout=LIMIT)
    assert program.returncode != 0
    assert until(lambda: not left_behind(mark))


def test_a_node_that_dies_in_a_large_copy_is_told_and_the_program_goes_on(built: Built) -> None:
    """UCX (of MPICH) aborts who reads the memory of a process that is no more."""
    for turn in range(2):
        mark = f"pulling{turn}-{os.getpid()}"
        program = subprocess.Popen(
            [built("pulling", "mpinode")],
            env=environment(AWAY_MARK=mark, OMPLS_REMOTE_TIMEOUT="2"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert program.stdout is not None
        assert program.stdout.readline() == "copying\n"
        [node] = far_sides(mark)
        os.kill(node, signal.SIGKILL)
        out, err = program.communicate(timeout=LIMIT)
        assert (program.returncode, out) == (3, "a copy failed\n"), err
        assert until(lambda mark=mark: not left_behind(mark))  # type: ignore[misc]


def test_a_program_ends_though_an_idle_node_hangs_and_leaves_nothing(built: Built) -> None:
    mark = f"idle-{os.getpid()}"
    program = subprocess.Popen(
        [built("pause", "mpinode")],
        env=environment(AWAY_MARK=mark, OMPLS_DEVICES="mpinode:1", OMPLS_REMOTE_TIMEOUT="2"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == b"used\n"
    [node] = far_sides(mark)
    for place in (
        Path(f"/proc/{number}") for number in left_behind(mark)
    ):  # else it leaves a file in /tmp when it is killed
        if (place / "comm").read_text().startswith("hydra_pmi_proxy"):
            assert b"\0HWLOC_XMLFILE=" in b"\0" + (place / "environ").read_bytes()
    os.kill(node, signal.SIGSTOP)
    assert program.stdin is not None
    program.stdin.close()
    try:
        assert program.wait(LIMIT) == 3
    except subprocess.TimeoutExpired:
        os.kill(node, signal.SIGKILL)
        raise
    finally:
        program.stdout.close()
    assert until(lambda: not left_behind(mark))


def test_a_node_that_was_lost_while_idle_ends_only_who_uses_it(built: Built) -> None:
    """The others go on; the host has what was never sent there, and nobody knows what a region has done that was."""
    mark = f"between-{os.getpid()}"
    program = subprocess.Popen(
        [built("pause", "mpinode"), "again"],
        env=environment(AWAY_MARK=mark, OMPLS_DEVICES="mpinode:2"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "used\n"
    first = min(far_sides(mark), key=lambda number: int(born(number)))
    os.kill(first, signal.SIGKILL)
    out, err = program.communicate(timeout=LIMIT)
    assert (program.returncode, out) == (125, "again, here\n"), err
    told = [line.partition("pause.c:")[2].partition(" (")[0] for line in err.splitlines() if "pause.c:" in line]
    assert [line.partition(": no kernel")[0] for line in told] == ["27: region on mpinode:0", "9: region on mpinode:0"]
    assert "(the host runs it, if no data are lost)" in err
    assert until(lambda: not left_behind(mark))


@contextmanager
def pausing(built: Built, mark: str) -> Iterator[list[int]]:
    """A program on two nodes that waits: its processes and those of its nodes."""
    program = subprocess.Popen(
        [built("pause", "mpinode")],
        env=environment(AWAY_MARK=mark, OMPLS_DEVICES="mpinode:2"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == b"used\n"
    yield left_behind(mark)
    program.communicate(timeout=LIMIT)
    assert program.returncode == 3


def listening(processes: list[int]) -> list[str]:
    """The addresses that sockets of these processes listen on, each socket once."""
    listed = subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True, check=True).stdout.splitlines()
    theirs = [line for line in listed if {f"pid={number}" for number in processes} & set(re.split("[,()]", line))]
    return [line.split()[3].rpartition(":")[0].strip("[]*") or "::" for line in theirs]


def test_no_memory_file_has_a_name_while_nodes_run(built: Built) -> None:
    """So none is left, however they end, and the program too."""
    with pausing(built, f"memory-{os.getpid()}") as processes:
        maps = [Path(f"/proc/{number}/maps").read_text() for number in processes]
    named = {line.split(None, 5)[5] for text in maps for line in text.splitlines() if "/dev/shm/mpich_shm" in line}
    assert [name for name in named if not name.endswith(" (deleted)")] == []


@pytest.mark.skipif(shutil.which("ss") is None, reason="ss (iproute2) is not installed")
def test_nodes_of_this_machine_carry_no_data_over_a_network(built: Built) -> None:
    """MPICH's `mpiexec` has a port on all addresses, which no setting moves."""
    if not is_mpich():
        pytest.skip("it is MPICH that has settings for this")
    with pausing(built, f"ports-{os.getpid()}") as processes:
        away = [address for address in listening(processes) if not ip_address(address).is_loopback]
    assert set(away) <= {"0.0.0.0"}
    assert len(away) <= 2


@pytest.mark.parametrize("how", ["", *(pytest.param(how, marks=pytest.mark.thorough) for how in ("endless", "slowly"))])
def test_threads_that_use_nodes_while_the_program_ends_do_not_matter(built: Built, how: str) -> None:
    mark = f"late{how}-{os.getpid()}"
    done = run(built("late", "mpinode"), *how.split(), OMPLS_DEVICES="mpinode:2", AWAY_MARK=mark)
    assert (done.returncode, done.stdout) == (9, "ending\n"), done.stderr
    assert until(lambda: not left_behind(mark))


class Ends:
    """The line to a node that says `word` when it ends, or (None) has ended before."""

    def __init__(self, word: bytes | None) -> None:
        self.word = word

    def Irecv(self, into: list[Any], *_: int) -> SimpleNamespace:
        if self.word is None:
            raise OSError
        into[0][:] = self.word
        return SimpleNamespace(Test=lambda: True)

    def Disconnect(self) -> None:
        pass


@pytest.mark.parametrize(("word", "lost"), [(b"\1", False), (b"\0", True), (None, True)])
def test_mpi_is_finished_only_where_all_nodes_finish_it(word: bytes | None, lost: bool) -> None:
    """Else it may wait for one that is no more."""
    told: list[bool] = []
    library = SimpleNamespace(Exception=OSError, BYTE=None)
    line = Ends(word)
    node = Node(library, Met(line, 0, line.Disconnect), "here", Said(), told.append)
    node._program, node._aligned = SimpleNamespace(ompls_mpi_line_end=id), None
    node.end(False)
    assert told == [lost]


@pytest.mark.parametrize("sign", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.thorough)])
def test_a_node_ends_with_its_program(built: Built, sign: signal.Signals) -> None:
    mark = f"program{sign}-{os.getpid()}"
    process = subprocess.Popen(
        [built("endless", "mpinode")],
        env=environment(AWAY_MARK=mark, OMPLS_REMOTE_TIMEOUT="2"),
        stderr=subprocess.DEVNULL,
    )
    far_side(process.pid, mark)
    process.send_signal(sign)
    process.wait(LIMIT)
    assert until(lambda: not left_behind(mark))


@pytest.mark.parametrize("example", thinned(EXAMPLES, 6, of_rest=4), ids=lambda path: path.stem)
def test_the_examples_are_right_on_three_nodes(example: Path) -> None:
    done = ompls("run", "--device", "mpinode:3", example, env=environment(OMP_TARGET_OFFLOAD="mandatory"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(", correct\n")
    assert ompls("check", "--device", "mpinode", example).stderr.endswith("no findings\n")


def test_nodes_that_cannot_load_the_image_are_told_and_the_program_goes_on(tmp_path: Path) -> None:
    """MPI ends with the last node, and it does not begin again."""
    source = tmp_path / "a.c"
    source.write_text(
        "int nowhere(void);\nint main(void)\n{\n    int n = 0;\n    for (int d = 0; d < 2; d++) {\n"
        "        #pragma omp target device(d) map(tofrom: n)\n        n += nowhere();\n    }\n    return n;\n}\n"
    )
    (tmp_path / "b.c").write_text("int nowhere(void)\n{\n    return 2;\n}\n")
    done = ompls("run", "--device", "mpinode:2", source, tmp_path / "b.c", env=environment())
    assert done.returncode == 4
    assert "mpinode:0 cannot be opened" in done.stderr
    assert "mpinode:1 cannot be opened: mpinode:1: this machine: MPI has ended" in done.stderr


class OneEnd:
    """The node's end of a start, with what the program says as a list."""

    BYTE = "byte"

    def __init__(self, *said: bytes) -> None:
        self.left, self.answers = list(said), list[bytes]()

    def Recv(self, into: list[Any], source: int, tag: int) -> None:
        into[0][:] = self.left.pop(0)

    def Send(self, what: list[Any], to: int, tag: int) -> None:
        self.answers.append(what[0])


def test_what_a_node_of_the_machine_has_is_not_sent_again() -> None:
    image = os.urandom(5000)
    digest = hashlib.sha256(image).digest()
    head, none = mpi.HEAD.pack(len(image), digest, 1, 0), b""
    first = OneEnd(head, none, image)
    file, spin = mpi.received(first, first)
    assert (spin, os.pread(file, 6000, 0)) == (True, image)
    assert mpi.HAS.unpack(first.answers[0]) == (0, os.getpid(), file)
    places = mpi.PLACE.pack(1 << 22, 3) + mpi.PLACE.pack(os.getpid(), file)
    second = OneEnd(mpi.HEAD.pack(len(image), digest, 0, 2), places)
    again, spin = mpi.received(second, second)
    assert (spin, os.pread(again, 6000, 0), second.left) == (False, image, [])
    assert mpi.HAS.unpack(second.answers[0]) == (1, os.getpid(), again)
    other = os.urandom(5000)  # the hash decides, not who says that he has it
    third = OneEnd(mpi.HEAD.pack(len(other), hashlib.sha256(other).digest(), 0, 2), places, other)
    assert os.pread(mpi.received(third, third)[0], 6000, 0) == other
    for opened in (file, again):
        os.close(opened)


def test_a_machine_that_cannot_be_reached_is_told_and_the_program_goes_on(built: Built, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("nowhere.invalid\n")
    done = run(built("few", "mpinode"), OMPLS_HOSTFILE=str(tmp_path / "hosts"))
    assert (done.returncode, done.stdout) == (0, "on the host\n")
    ours, *others = done.stderr.splitlines()
    assert ours.startswith("ompls: warning: device mpinode:0 cannot be opened: mpinode:0: nowhere.invalid: ")
    assert others  # MPI's, and mostly ssh's: mpiexec may lose those
    assert all(line.startswith("    ") for line in others)


def test_modules_in_the_current_directory_are_not_run_on_nodes(built: Built, expected: str, tmp_path: Path) -> None:
    for name in ("mpi4py", "zlib", "base64", "ctypes", "struct"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    program = built("everything", "mpinode")
    done = subprocess.run([program], env=environment(), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, expected, "")
    assert not (tmp_path / "ran").exists()


def test_the_command_line_knows_what_is_inside(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("int main(void)\n{\n    #pragma omp target\n    { }\n    return 0;\n}\n")
    for device in ("mpinode", "mpinode(cudasim)"):
        assert ompls("check", "--device", device, source).returncode == 0
        assert ompls("preview", "--device", device, source).returncode == 0
    for device, told in (
        ("mpinode(cuda", "its ')' is missing"),
        ("mpinode(nothing)", "nothing"),
        ("host(cudasim)", "it has no device inside"),
    ):
        done = ompls("check", "--device", device, source)
        assert done.returncode == 2
        assert told in done.stderr
    done = ompls("run", "--device", "mpinode(cuda)", source)
    assert done.returncode == 125
    assert "cuda" in done.stderr


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("node07 4\nnode08\n", ["node07"] * 4 + ["node08"]),
        ("# all\n\n10.0.0.1 2 # two\n", ["10.0.0.1"] * 2),
        ("fe80::1\n", ["fe80::1"]),
        ("localhost:2\nb:1 device=host\n", ["localhost", "localhost", "b"]),
        ("a slots=2 max_slots=4\nb slots=1 device=host\n", ["a", "a", "b"]),
        ("a 2 device=host\nb device=cudasim\nc\n", ["a", "a", "c"]),
    ],
)
def test_a_host_file_names_machines(text: str, found: list[str]) -> None:
    assert read_hosts(text, "hosts", "host") == found


def test_a_host_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_bytes(codecs.BOM_UTF8 + b"a 2\n")
    assert hosts({"OMPLS_HOSTFILE": str(tmp_path / "hosts")}, "host") == (["a", "a"], "OMPLS_HOSTFILE")


def test_a_line_of_a_host_file_names_the_device_inside(built: Built, expected: str, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("localhost device=cudasim\nlocalhost device=host\n")
    done = run(built("everything", "mpinode,mpinode(cudasim)"), OMPLS_HOSTFILE=str(tmp_path / "hosts"))
    assert (done.returncode, done.stdout, done.stderr) == (7, 2 * expected, "")


@together(
    "text",
    [
        "",
        "# none\n",
        "-oProxyCommand=x\n",
        "a b\n",
        "a 0\n",
        "a 1 2\n",
        "a;b\n",
        "a 257\n",
        "a device=cudasim\n",
        "a device=-x\n",
        "a device=cuda 2\n",
        "a:\n",
        "a:2 2\n",
        ":2\n",
        "a slots=\n",
        "a slots=2 max_slots=x\n",
    ],
)
def test_a_host_file_that_cannot_be_used_is_told(text: str) -> None:
    with pytest.raises(DeviceUnavailable, match=r"hosts|names no machine"):
        read_hosts(text, "hosts", "host")


def test_a_device_in_a_host_file_that_there_is_not_is_told() -> None:
    with pytest.raises(DeviceUnavailable, match="hosts:2: there is no device 'nosuch'") as raised:
        read_hosts("a device=host\nb device=nosuch\n", "hosts", "host")
    assert "cudasim" in raised.value.hint


def test_a_batch_system_names_machines() -> None:
    assert slurm_hosts("node[08-10,12],gpu1") == ["node08", "node09", "node10", "node12", "gpu1"]
    assert slurm_hosts("rack[0-1]n[1-2]-ib,x") == ["rack0n1-ib", "rack0n2-ib", "rack1n1-ib", "rack1n2-ib", "x"]
    for wrong in ("node[1", "node[a]", "-x", "a,,b", "node[1-99999999]", "node[9-1]"):
        with pytest.raises(DeviceUnavailable, match=r"SLURM_JOB_NODELIST: .* is no list of machines"):
            hosts({"SLURM_JOB_NODELIST": wrong}, "host")
    assert hosts({"SLURM_JOB_NODELIST": "a,b"}, "host") == (["a", "b"], "SLURM_JOB_NODELIST")
    job = {"SLURM_JOB_NODELIST": "n[1-3],x", "SLURM_TASKS_PER_NODE": "2(x3),1"}
    assert hosts({**job, "SLURM_NTASKS": "7"})[0] == ["n1", "n1", "n2", "n2", "n3", "n3", "x"]
    assert hosts(job)[0] == ["n1", "n2", "n3", "x"]  # nobody has asked for tasks
    for wrong in ("x", "2(x", "-1"):
        with pytest.raises(DeviceUnavailable, match=r"SLURM_TASKS_PER_NODE=.*is no list of machines"):
            hosts({**job, "SLURM_NTASKS": "7", "SLURM_TASKS_PER_NODE": wrong})
    assert hosts({**job, "SLURM_NTASKS": "7", "SLURM_TASKS_PER_NODE": "2(x3)"})[0] == ["n1", "n2", "n3", "x"]
    with pytest.raises(DeviceUnavailable, match="OMPLS_HOSTFILE"):
        hosts({"OMPLS_HOSTFILE": "/nowhere/hosts"}, "host")
