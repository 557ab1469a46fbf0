"""Nodes as devices against raw MPI: the same library, transport and way of waiting, in one run.

    python bench/cluster_bench.py [--json FILE] [--one] [--shared N…]

The peer are two processes that mpi4py has spawned as we do: their ping-pong of 32 bytes, 64 MiB to the spawned one and
from it, four single spawns, and a stencil of two cells (bench/cluster_grain.c): the shortest task with which half of
the time is work. Ours is bench/cluster_bench.c. How fast 64 MiB are copied depends on where a process happens to have
its memory, by a third and more, so both sides are started in turn, and what is told are medians: of the times, and of
the ratios of those that ran one after the other. Then what several nodes get from each other, against all from the
host. On an idle machine, for it has two busy processes on two cores; where others work, too, `chrt --rr 5` before it
and `--one` keep them away.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path
from typing import Any

import smallest

HERE = Path(__file__).resolve().parent
# What the device chooses where all nodes are on this machine (mpinode/module/cluster.py), so that the peer has it, too.
HERE_ALONE = {"UCX_TLS": "sm,self", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp"}
SMALLEST = "--smallest" in sys.argv
ROUNDS, FEW, LARGE, NODES, PAIRS = (1, 1, 1 << 20, 1, 1) if SMALLEST else (3000, 9, 64 << 20, 4, 5)
SHARED = (("all", "64 MiB to every node"), ("chain", "64 MiB changed by one node after the other"))
# (figure, of what, times which of the peer's, at most)
GOALS = (
    ("command", "a command with an answer", "ping-pong", 1.5),
    ("region", "an empty region", "ping-pong", 2.5),
    ("to", "64 MiB to a node", "large to", 1 / 0.9),
    ("from", "64 MiB from a node", "large from", 1 / 0.9),
    ("start", f"start of {NODES} nodes", "spawns", 1.3),
    ("nodes", "two nodes, computing", "threads", 1 / 0.95),
    ("grain", "shortest task of a stencil", "grains", 2.0),
)
STEPS, TURNS = (1, [64]) if SMALLEST else (200, [1 << power for power in range(6, 16)])


def shortest(lines: list[tuple[float, float]]) -> float:
    """Seconds of the shortest task with an efficiency of a half; `lines` -- of a task alone, and of a step with it."""
    before, behind = lines[0], lines[0]
    for line in lines:
        before, behind = behind, line
        if line[0] >= line[1] / 2:
            break
    else:
        return math.inf
    low, high = (math.log(alone / together) for alone, together in (before, behind))
    part = 1.0 if high == low else (math.log(0.5) - low) / (high - low)
    return before[0] * (behind[0] / before[0]) ** part


def stencil(mpi: Any, communicator: Any) -> float:
    """The shortest task of the stencil between these two processes."""
    with tempfile.TemporaryDirectory() as place:
        library = Path(place) / "work.so"
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", library, HERE / "cluster_grain.c"], check=True)
        work = ctypes.CDLL(str(library)).work
    work.restype, work.argtypes = ctypes.c_double, [ctypes.c_double, ctypes.c_long]
    mine, other, peer, lines = array("d", [2.0]), array("d", [3.0]), 1 - communicator.Get_rank(), []
    for turns in TURNS:
        begin = time.perf_counter()
        for _ in range(STEPS):
            mine[0] = work(mine[0], turns)
        alone = time.perf_counter() - begin
        communicator.Barrier()
        begin = time.perf_counter()
        for _ in range(STEPS):
            mine[0] = work(other[0], turns)
            communicator.Sendrecv([mine, mpi.DOUBLE], peer, 1, [other, mpi.DOUBLE], peer, 1)
        lines.append((alone / STEPS, (time.perf_counter() - begin) / STEPS))
    return shortest(lines)


def play(mpi: Any, communicator: Any, first: bool) -> dict[str, float]:
    """Both processes of the peer do this."""
    small, large, peer = bytearray(32), bytearray(LARGE), 1 - communicator.Get_rank()
    figures = {}
    plan = (("ping-pong", ROUNDS, small, small), ("large to", FEW, large, small), ("large from", FEW, small, large))
    for name, rounds, there, back in plan:
        took = []
        for _ in range(rounds):
            begin = time.perf_counter()
            if first:
                communicator.Send([there, mpi.BYTE], peer, 1)
                communicator.Recv([back, mpi.BYTE], peer, 2)
            else:
                communicator.Recv([there, mpi.BYTE], peer, 1)
                communicator.Send([back, mpi.BYTE], peer, 2)
            took.append(time.perf_counter() - begin)
        figures[name] = statistics.median(took)
    return {**figures, "grains": stencil(mpi, communicator)}


def peer() -> None:
    """The raw side, a process of its own: prints its figures."""
    import mpi4py

    mpi4py.rc.finalize = False
    from mpi4py import MPI

    parent = MPI.Comm.Get_parent()
    if parent != MPI.COMM_NULL:
        both = parent.Merge(True)
        if both.bcast(None, 0):
            play(MPI, both, False)
        both.Free()
        parent.Disconnect()
        MPI.Finalize()
        return
    words, pairs, figures = [str(Path(__file__).resolve()), *sys.argv[1:]], [], {}
    begin = time.perf_counter()
    for _ in range(NODES):
        between = MPI.COMM_SELF.Spawn(sys.executable, words, 1)
        pairs.append((between, between.Merge(False)))
    figures["spawns"] = time.perf_counter() - begin
    for number, (between, both) in enumerate(pairs, 1):  # the last one, when no other one waits on a core
        both.bcast(number == NODES, 0)
        if number == NODES:
            figures |= play(MPI, both, True)
        both.Free()
        between.Disconnect()
    print(json.dumps(figures), flush=True)
    MPI.Finalize()


def build(place: Path, name: str = "cluster_bench") -> Path:
    program = place / name
    flags = ["-fopenmp", "-fopenmp-targets=mpinode", "-O2", *(["-DSMALLEST"] if SMALLEST else [])]
    words = [*flags, "-o", str(program), str(HERE / f"{name}.c")]
    subprocess.run([sys.executable, "-m", "ompls", "cc", *words], check=True)
    return program


def raw() -> dict[str, float]:
    """The peer's figures, from a session of its own: MPICH ends with its process group."""
    words = [sys.executable, __file__, "--peer", *(["--smallest"] if SMALLEST else [])]
    environment = {**HERE_ALONE, **os.environ}
    done = subprocess.run(
        words, env=environment, stdout=subprocess.PIPE, text=True, check=False, start_new_session=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[0])
    return found


def ours(bench: Path, grain: Path, one: bool) -> dict[str, float]:
    """The device's figures, and two threads' time for the same work; `one` -- only those of one node."""
    figures: dict[str, float] = {}
    alone = {"OMP_NUM_THREADS": "1", "OMPLS_REMOTE_WAIT": "spin", "OMP_TARGET_OFFLOAD": "mandatory"}
    runs: tuple[tuple[str, list[str], dict[str, str]], ...] = (
        ("threads", ["threads"], {}),
        ("nodes", [], {**alone, "OMPLS_DEVICES": "mpinode:2", "OMPLS_REMOTE_WAIT": "block"}),
        ("start", [], {**alone, "OMPLS_DEVICES": f"mpinode:{NODES}"}),
        ("command region to from", [], {**alone, "OMPLS_DEVICES": "mpinode:1"}),
    )
    for wanted, words, more in runs[-1:] if one else runs:
        command = [bench, *words]
        done = subprocess.run(command, env={**os.environ, **more}, check=True, capture_output=True, text=True)
        found = dict(line.split() for line in done.stdout.splitlines())
        figures |= {name: float(found[name]) for name in wanted.split()}
    more = {**alone, "OMPLS_DEVICES": "mpinode:1"}
    done = subprocess.run([grain], env={**os.environ, **more}, check=True, capture_output=True, text=True)
    lines = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
    figures["grain"] = shortest([(task, step) for _, task, step in lines])
    return figures


def share(nodes: int, reuse: str) -> tuple[dict[str, float], int, int]:
    """Seconds of what nodes have from each other, or (reuse "no") from the host; MiB out of the host, and to it."""
    with tempfile.TemporaryDirectory() as place:
        program, count = build(Path(place)), Path(place) / "count"
        more = {"OMP_NUM_THREADS": "1", "OMPLS_DEVICES": f"mpinode:{nodes}", "OMPLS_REMOTE_REUSE": reuse}
        more["OMPLS_REMOTE_COUNT"] = str(count)
        command = [program, "share"]
        done = subprocess.run(command, env={**os.environ, **more}, check=True, capture_output=True, text=True)
        lines = [line.split() for line in count.read_text().splitlines()]
    figures = {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}
    there, back = (sum(int(line[place]) for line in lines) >> 20 for place in (-3, -1))
    return figures, there, back


def shared(nodes: list[int]) -> None:
    """A table of it."""
    for count in nodes:
        (with_it, there, back), (without, all_there, all_back) = share(count, "yes"), share(count, "no")
        print(f"{count} nodes: {there} MiB out of the host and {back} to it; {all_there} and {all_back} without reuse")
        for name, title in SHARED:
            print(f"  {title:44}{with_it[name] * 1e3:10.1f}ms{without[name] * 1e3:10.1f}ms")


def main() -> int:
    arguments = smallest.parser(__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--one", action="store_true", help="only what one node does")
    arguments.add_argument("--shared", type=int, nargs="+", metavar="N", help="only what so many nodes have in common")
    arguments.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.peer:
        peer()
        return 0
    smallest.needs("mpinode")
    if shutil.which("mpiexec") is None:
        smallest.lacks("mpiexec is not on the PATH: the peer needs it (`make bench-cluster` has that of .venv)")
    if asked.shared:
        shared(asked.shared)
        return 0
    with tempfile.TemporaryDirectory() as place:
        bench, grain = build(Path(place)), build(Path(place), "cluster_grain")
        pairs = [{**raw(), **ours(bench, grain, asked.one)} for _ in range(PAIRS)]
    figures = {name: statistics.median(pair[name] for pair in pairs) for name in pairs[0]}
    print(f"{'':26}{'ours':>12}{'peer':>12}{'ratio':>8}  at most, and the ratios of {PAIRS} pairs")
    for name, title, than, most in (goal for goal in GOALS if goal[0] in figures):
        ratios = sorted(pair[name] / pair[than] for pair in pairs)
        ratio, all_of_them = statistics.median(ratios), " ".join(f"{one:.2f}" for one in ratios)
        mark = "  " if ratio <= most else " *"
        line = f"{title:26}{figures[name] * 1e6:10.1f}us{figures[than] * 1e6:10.1f}us{ratio:8.2f}"
        print(f"{line}  {most:.2f}{mark}  {all_of_them}")
    if not asked.one:
        shared([NODES])
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
