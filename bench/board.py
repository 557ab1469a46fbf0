"""What a board costs: python bench/board.py NAME, a board of `ompls remote add` that computes on its cores.

An empty region against a byte's round trip through `ssh … cat` (asked: at most 1.5 on loopback), and a second
`ompls run --remote` of a program that ends at once against `ssh … true` (asked: at most 0.3 s more), by the clock and
in processor time here (which does not depend on who else computes); in turns.  `--runs`: only the latter.
"""

from __future__ import annotations

import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import smallest

from ompls.runtime.boards.registered import one

ROUNDS, TRIES = 9, 2000
PROGRAM = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
static int rising(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}
int main(void) {
    static double took[TRIES];
    for (int i = -100; i < TRIES; i++) {
        double begin = omp_get_wtime();
        #pragma omp target
        ;
        if (i >= 0) took[i] = omp_get_wtime() - begin;
    }
    qsort(took, TRIES, sizeof *took, rising);
    printf("%.9f\\n", took[TRIES / 2]);
    return 0;
}
"""


def region(program: Path) -> float:
    """Seconds of an empty one."""
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory"}
    return float(subprocess.run([program], capture_output=True, text=True, check=True, env=environment).stdout)


def cat(address: str) -> float:
    """Seconds of a byte there and back."""
    ours, theirs = socket.socketpair()
    took = []
    with subprocess.Popen(["ssh", "-T", "--", address, "cat"], stdin=theirs, stdout=theirs), ours:
        theirs.close()
        for _ in range(TRIES + 100):
            begin = time.perf_counter()
            ours.send(b"x")
            ours.recv(1)
            took.append(time.perf_counter() - begin)
        ours.shutdown(socket.SHUT_WR)
    return statistics.median(took[100:])


def seconds(command: list[str]) -> tuple[float, float]:
    """That it takes, and of processor time, with the processes that it starts."""
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    took, now = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime


def regions(name: str, place: Path, turns: int) -> None:
    """Say what an empty one costs."""
    address, source, program = one(name).address, place / "empty.c", place / "empty"
    source.write_text(PROGRAM.replace("TRIES", str(TRIES)))
    words = ["cc", "-O2", "-fopenmp", f"-fopenmp-targets={name}", "-o", program, source]
    subprocess.run([sys.executable, "-m", "ompls", *words], check=True)
    rounds = [(region(program), cat(address)) for _ in range(turns)]
    for ours, bare in rounds:
        print(f"region {1e6 * ours:7.1f} µs   cat {1e6 * bare:7.1f} µs   {ours / bare:.2f}")
    fastest = min(ours for ours, _ in rounds) / min(bare for _, bare in rounds)
    middle = statistics.median(ours / bare for ours, bare in rounds)
    print(f"median of the ratios: {middle:.2f}; of the fastest ones: {fastest:.2f}")


def runs(name: str, place: Path, turns: int) -> None:
    """Say what a second run costs."""
    source = place / "nothing.c"
    source.write_text("int main(void) {\n#pragma omp target\n    ;\n    return 0;\n}\n")
    time.sleep(0.2)  # what was written just now is not relied on
    again = [sys.executable, "-m", "ompls", "run", "--remote", name, str(source)]
    seconds(again)
    rounds = [(seconds(again), seconds(["ssh", "--", one(name).address, "true"])) for _ in range(turns)]
    for n, what in enumerate(("by the clock", "processor time")):
        pairs = [(ours[n], bare[n]) for ours, bare in rounds]
        for ours, bare in pairs:
            print(f"second run {ours:.3f} s   login {bare:.3f} s   {ours - bare:.3f}   {what}")
        fastest = min(ours for ours, _ in pairs) - min(bare for _, bare in pairs)
        middle = statistics.median(ours - bare for ours, bare in pairs)
        print(f"median of what is beyond, {what}: {middle:.3f} s; of the fastest ones: {fastest:.3f} s")


def main() -> None:
    parser = smallest.parser(__doc__)
    parser.add_argument("name", nargs="?", metavar="NAME", help="of the board")
    parser.add_argument("--runs", action="store_true", help="only what a second run costs")
    options = parser.parse_args()
    if options.name is None:
        smallest.lacks("a board is needed: python bench/board.py NAME (`ompls remote add`)")
    turns = 1 if options.smallest else ROUNDS
    with tempfile.TemporaryDirectory() as place:
        if not options.runs:
            regions(options.name, Path(place), turns)
        runs(options.name, Path(place), turns)


if __name__ == "__main__":
    main()
