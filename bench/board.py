"""What a board costs: python bench/board.py NAME, a board of `ompls remote add` that computes on its cores.

An empty region against a byte's round trip through `ssh … cat` (asked: at most 1.5 on loopback), and a second
`ompls run --remote` of a program that ends at once against `ssh … true` (asked: at most 0.3 s more); in turns.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def seconds(command: list[str]) -> float:
    """That it takes."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main(name: str) -> None:
    address = one(name).address
    with tempfile.TemporaryDirectory() as place:
        source, program = Path(place) / "empty.c", Path(place) / "empty"
        source.write_text(PROGRAM.replace("TRIES", str(TRIES)))
        words = ["cc", "-O2", "-fopenmp", f"-fopenmp-targets={name}", "-o", program, source]
        subprocess.run([sys.executable, "-m", "ompls", *words], check=True)
        rounds = [(region(program), cat(address)) for _ in range(ROUNDS)]
        source.write_text("int main(void) {\n#pragma omp target\n    ;\n    return 0;\n}\n")
        again = [sys.executable, "-m", "ompls", "run", "--remote", name, str(source)]
        seconds(again)
        runs = [(seconds(again), seconds(["ssh", "--", address, "true"])) for _ in range(ROUNDS)]
    for ours, bare in rounds:
        print(f"region {1e6 * ours:7.1f} µs   cat {1e6 * bare:7.1f} µs   {ours / bare:.2f}")
    fastest = min(ours for ours, _ in rounds) / min(bare for _, bare in rounds)
    middle = statistics.median(ours / bare for ours, bare in rounds)
    print(f"median of the ratios: {middle:.2f}; of the fastest ones: {fastest:.2f}")
    for ours, bare in runs:
        print(f"second run {ours:.2f} s   login {bare:.2f} s   {ours - bare:.2f}")
    fastest = min(ours for ours, _ in runs) - min(bare for _, bare in runs)
    middle = statistics.median(ours - bare for ours, bare in runs)
    print(f"median of what is beyond: {middle:.2f} s; of the fastest ones: {fastest:.2f} s")


if __name__ == "__main__":
    main(sys.argv[1])
