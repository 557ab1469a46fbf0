"""What `run --profile` costs beyond `run --trace` alone: medians of wall times, and their ratio.

python bench/profile_bench.py [--rounds N] [--device D]

The two take turns, after a first run that builds.  Of examples/jacobi.c, and of a program that does little but copy.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import smallest

from ompls.runtime.start import command

JACOBI = Path(__file__).resolve().parents[1] / "examples/jacobi.c"
LIMIT = 1.05
COPIES = """#include <stdlib.h>
int main(void)
{
    int n = 1 << 20;
    double *x = calloc(n, sizeof *x);
    for (int round = 0; round < 200; round++) {
#pragma omp target map(tofrom : x[0 : n])
        x[round] += 1;
    }
    return x[199] != 1;
}
"""


def seconds(words: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def ratio(source: Path, device: str, rounds: int, trace: str) -> float:
    """Median of the wall time with --profile, by that with --trace."""
    run = [*command("ompls.__main__"), "run", "--device", device]
    ways = [[*run, "--trace", trace, str(source), "-lm"], [*run, "--profile", str(source), "-lm"]]
    for words in ways:
        seconds(words)
    taken = [[seconds(words) for words in ways] for _ in range(rounds)]
    traced, profiled = (median(column) for column in zip(*taken, strict=True))
    print(f"{source.stem} on {device}: --trace {traced:.3f} s, --profile {profiled:.3f} s: {profiled / traced:.3f}")
    return profiled / traced


def main() -> int:
    parser = smallest.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--device", default="cudasim")
    chosen = parser.parse_args()
    if chosen.smallest:
        chosen.rounds, chosen.device = 1, "host"
    with tempfile.TemporaryDirectory() as name:
        copies = Path(name) / "copies.c"
        copies.write_text(COPIES)
        trace = os.path.join(name, "trace")
        found = [ratio(source, chosen.device, chosen.rounds, trace) for source in (JACOBI, copies)]
    return 0 if chosen.smallest or max(found) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
