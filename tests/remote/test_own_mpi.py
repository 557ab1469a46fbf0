"""Programs that call MPI themselves and have nodes: with MPICH, and in `make test-cluster` with Open MPI."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from command import ompls
from waiting import LIMIT, until

from ompls.devices.mpinode.module.cluster import Node
from ompls.devices.mpinode.module.hosts import hosts
from ompls.devices.mpinode.module.launched import Met
from ompls.devices.mpinode.module.library import _begin, launcher
from ompls.devices.remote.near import Unreachable
from ompls.runtime.errors import DeviceUnavailable

from .conftest import PROGRAMS, Once, environment, is_mpich, left_behind

pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra mpi)")


def prefix() -> Path:
    try:
        return Path(os.path.realpath(launcher())).parents[1]
    except DeviceUnavailable:
        return Path("/nowhere")


@pytest.fixture(scope="module")
def program(once: Once) -> Path:
    """programs/own_mpi.c, as MPI's own compiler wrapper would build it."""
    if not (prefix() / "include/mpi.h").is_file():
        pytest.skip("the MPI that nodes use has no header here")
    lib = prefix() / "lib"
    mpi = (f"-I{prefix() / 'include'}", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lmpi")

    def make(made: Path) -> None:
        words = ("cc", "-fopenmp", "-fopenmp-targets=mpinode,host", "-o", made, PROGRAMS / "own_mpi.c", *mpi)
        done = ompls(*words, env=environment())
        assert done.returncode == 0, done.stderr

    return once("own_mpi", make)


LATE = (
    "own_mpi.c:39: the program has called MPI_Finalize, and nodes have ended with it (the construct is the host's, "
    "and so are its values)\n"
)


@pytest.mark.parametrize(
    ("how", "devices", "out", "told"),
    [
        ("late", "mpinode:2", "1 ranks 90 host 0\n", LATE),
        ("ranks", "mpinode:1", "2 ranks 100 host 0\ndone\n", ""),
        pytest.param("lost", "mpinode:1", "2 ranks 100 host 0\ndone\n", "", marks=pytest.mark.thorough),
        pytest.param("leaves", "mpinode:1", "2 ranks 100 host 0\n", "", marks=pytest.mark.thorough),
        pytest.param("late", "host", "1 ranks 45 host 0\n", "", marks=pytest.mark.thorough),
        pytest.param("ranks", "host", "2 ranks 100 host 0\ndone\n", "", marks=pytest.mark.thorough),
    ],
)
def test_a_program_may_have_its_own_mpi(program: Path, how: str, devices: str, out: str, told: str) -> None:
    """Its ranks may be started by `mpiexec`; nodes end before its MPI_Finalize, and nothing is left."""
    mark = f"own{how}{devices}-{os.getpid()}"
    ranks = [launcher(), *([] if is_mpich() else ["--oversubscribe"]), "-n", "2"]
    more = {} if is_mpich() else {"OPAL_PREFIX": str(prefix())}
    done = subprocess.run(
        [*([] if how == "late" else ranks), program, how],
        env=environment(OMPLS_DEVICES=devices, AWAY_MARK=mark, **more),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    lost = how == "lost"  # then UCX has something to say, and Open MPI's `mpiexec` counts the node as a rank
    said = "".join(line for line in done.stdout.splitlines(True) if not (lost and "UCX" in line))
    code = 9 if how == "leaves" else 137 if lost and not is_mpich() else 0  # `mpiexec` has the code of a rank
    assert done.returncode == code, done.stderr
    assert said == out or (how == "leaves" and said == ""), done.stderr  # then the other rank may end before it prints
    assert lost or (done.stderr.partition(": warning: ")[2].endswith(told) if told else done.stderr == "")
    assert until(lambda: not left_behind(mark))


class Ended:
    """A launcher that has ended, and a message that its node sent before: it arrives at the third look."""

    ended = -1

    def __init__(self, arrives: bool) -> None:
        self.looks, self.arrives = 0, arrives

    def wait(self, _seconds: float) -> int:
        return 0

    def Test(self) -> bool:
        self.looks += 1
        return self.arrives and self.looks > 2


def test_what_a_node_has_said_before_it_ended_is_heard() -> None:
    """Else it was taken for lost where the program was slow, and MPI was ended with a receive open."""
    heard, lost = Ended(True), Ended(False)
    for launcher_and_message in (heard, lost):
        met = Met(None, 0, list, launcher_and_message)  # type: ignore[arg-type]
        node = Node(None, met, "here", None, lambda _lost: None)  # type: ignore[arg-type]
        if launcher_and_message is heard:
            node._carried(bytearray(1), heard)
        else:
            with pytest.raises(Unreachable, match="has ended"):
                node._carried(bytearray(1), lost)


def test_another_mpi_than_that_of_nodes_is_refused_before_it_begins() -> None:
    own, both = {"/a/libmpi.so.40"}, {"/a/libmpi.so.40", "/b/libmpi.so.12"}
    with pytest.raises(DeviceUnavailable) as raised:
        _begin(None, own, both)
    assert raised.value.reason == "the program is linked with /a/libmpi.so.40, and mpi4py with /b/libmpi.so.12"


def test_an_mpi_that_would_be_inside_the_program_is_refused_at_link_time(tmp_path: Path) -> None:
    (tmp_path / "libmpich.a").write_bytes(b"!<arch>\n")
    (tmp_path / "main.c").write_text("int main(void)\n{\n    #pragma omp target\n    { }\n    return 0;\n}\n")
    words = ("cc", "-fopenmp", "-fopenmp-targets=mpinode", "main.c", "-L.", "-lmpich")
    done = ompls(*words, cwd=tmp_path, env=environment())
    assert (done.returncode, (tmp_path / "a.out").exists()) == (1, False), done.stderr
    assert "and the program would have libmpich.a inside" in done.stderr
    assert "link it with libmpi.so" in done.stderr


@pytest.mark.parametrize("name", ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"])
def test_each_of_several_ranks_has_nodes_on_its_own_machine(name: str) -> None:
    job = {"SLURM_JOB_NODELIST": "n[1-2]"}
    assert hosts({**job, name: "2"}) == ([], "")
    assert hosts({**job, name: "1"})[0] == ["n1", "n2"]
