"""What a kernel costs on `cudasim`, beside the same loops compiled by gcc -O2: seconds and ratios, on one core each.

python bench/cudasim_bench.py [NAME…] [--cores N] [--json FILE]

The programs are those of bench/gpu/omp, two stencils, whose iterations are short, one whose threads wait for each
other, and three whose parallel loops are short: in one all threads run the code between them, in two a main thread.
Both halves get the same random input and must write the same results.  Without barriers a kernel is to take at most 1.5
times as long, with them 30, with short parallel loops 10: of these gcc gets the loops alone, without its own parallel
regions, which cost it a hundred times as much.
"""

from __future__ import annotations

import array
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import smallest

HERE = Path(__file__).resolve().parent
REPEATS = 5
PLAIN, WAITING = 1.5, 30.0  # the most that a kernel may take, without and with barriers
TINY = 10.0  # the same where parallel loops have a few iterations
TOLERANCE = 2e-3  # of the results: sums are taken in another order


@dataclass(frozen=True)
class Program:
    """One benchmark: its size, how many floats it reads, how slow it may be."""

    source: str
    size: int
    floats: Callable[[int], int]  # of the size
    limit: float = PLAIN


def _square(size: int) -> int:
    return size**2


PROGRAMS = {
    "gemm": Program("gpu/omp/gemm.c", 320, lambda n: 3 * n**2),
    "atax": Program("gpu/omp/atax.c", 2048, lambda n: n**2 + n),
    "bicg": Program("gpu/omp/bicg.c", 2048, lambda n: n**2 + 2 * n),
    "mvt": Program("gpu/omp/mvt.c", 2048, lambda n: n**2 + 4 * n),
    "conv3d": Program("gpu/omp/conv3d.c", 128, lambda n: n**3),
    "stencil1": Program("cudasim_stencil1.c", 1920, _square),
    "stencil2": Program("cudasim_stencil2.c", 1920, _square),
    "gramschmidt": Program("gpu/omp/gramschmidt.c", 192, _square, WAITING),
    "barriers": Program("cudasim_barriers.c", 1024, _square, WAITING),
    "rows": Program("cudasim_rows.c", 1024, _square, TINY),
    "master": Program("cudasim_master.c", 1024, _square, TINY),
    "longer": Program("cudasim_longer.c", 1024, _square, TINY),
}


def measured(command: list[str], **env: str) -> list[float]:
    """The seconds that a program prints."""
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]}: ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return [float(line) for line in done.stdout.split()]


def floats(path: Path) -> array.array[float]:
    """What a program wrote."""
    found = array.array("f")
    found.frombytes(path.read_bytes())
    return found


def differs(a: array.array[float], b: array.array[float]) -> bool:
    """Whether results are not the same, apart from rounding."""
    largest = max((abs(x) for x in a), default=0)
    if len(a) != len(b):
        return True
    return any(abs(x - y) > TOLERANCE * max(abs(x), largest * 1e-3) for x, y in zip(a, b, strict=True))


def measure(name: str, program: Program, scratch: Path, cores: str, repeats: int) -> tuple[float, float]:
    """The medians of gcc's and of cudasim's times, in seconds."""
    source, given = str(HERE / program.source), scratch / "input"
    rng = random.Random(name)
    array.array("f", (0.5 + rng.random() for _ in range(program.floats(program.size)))).tofile(given.open("wb"))
    host = str(scratch / name)
    how = ["-lgomp"] if program.limit == TINY else ["-fopenmp", "-foffload=disable"]
    subprocess.run(["gcc", "-O2", source, "-o", host, *how, "-lm"], check=True)
    words = [str(program.size), str(repeats), str(given)]
    alone = measured([host, *words, str(scratch / "host")], OMP_NUM_THREADS="1", OMP_NUM_TEAMS="1")
    # In place, a second round goes on from the first one's results; a device gets its input anew.
    measured([host, words[0], "1", words[2], str(scratch / "host")], OMP_NUM_THREADS="1", OMP_NUM_TEAMS="1")
    ompls = [sys.executable, "-m", "ompls", "run", "--device", "cudasim", "-O2", source, "-lm", "--"]
    ours = measured([*ompls, *words, str(scratch / "device")], OMPLS_CUDASIM_CORES=cores)
    if differs(floats(scratch / "host"), floats(scratch / "device")):
        raise SystemExit(f"{name}: the results differ")
    return statistics.median(alone), statistics.median(ours)


def main() -> int:
    """Measure and print; 1 when a kernel takes longer than it may."""
    parser = smallest.parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PROGRAMS))
    parser.add_argument("--cores", default="1", help="how many cores run the kernel's blocks")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    chosen = {name: PROGRAMS[name] for name in options.names or PROGRAMS}
    if options.smallest:
        chosen = {name: replace(PROGRAMS[name], size=32, limit=math.inf) for name in ("gemm", "stencil1")}
    repeats = 1 if options.smallest else REPEATS
    rows: dict[str, dict[str, float]] = {}
    print(f"{'ms':12} {'gcc -O2':>10} {'cudasim':>10} {'ratio':>8} {'at most':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, program in chosen.items():
            gcc, ours = measure(name, program, Path(scratch), options.cores, repeats)
            rows[name] = {"gcc_ms": gcc * 1e3, "cudasim_ms": ours * 1e3, "ratio": ours / gcc}
            print(f"{name:12} {gcc * 1e3:10.2f} {ours * 1e3:10.2f} {ours / gcc:8.2f} {program.limit:8.1f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return int(any(row["ratio"] > chosen[name].limit for name, row in rows.items()))


if __name__ == "__main__":
    sys.exit(main())
