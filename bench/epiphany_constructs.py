"""What OpenMP's constructs cost on the chip, in writes from core to core: an emulated board's seconds say little.

python bench/epiphany_constructs.py [CONSTRUCT ...] [--cores N ...] [--runs N]

The questions are those of figures 6 and 7 of the paper on device support in OMPi (section 5), which measures
synchronisation and tasks.  A kernel with 30 of a construct has more writes than one with 10: a twentieth of the
difference is what one takes.  What waits for what was written before it is on the critical path.  Where cores steal
tasks or wait for a lock the counts vary from run to run: `--runs` gives the median of several.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import smallest

SOURCE = Path(__file__).with_name("epiphany_constructs.c")
RUN = [sys.executable, "-m", "ompls", "run", "--check", "--device", "epiphany", "--timeout", "120", str(SOURCE)]
FEW, MANY = 10, 30


def counted(construct: str, cores: int, times: int) -> tuple[int, int]:
    """(writes to other cores, how many of them one after the other) of a kernel.  Raises CalledProcessError."""
    environment = {**os.environ, "OMPLS_EPIPHANY_COUNT": "1", "OMPLS_EPIPHANY_DEADLINE": "60"}
    words = [*RUN, "--", construct, str(cores), str(times)]
    done = subprocess.run(words, env=environment, stderr=subprocess.PIPE, text=True, check=True)
    writes, after, _ = re.findall(r"\d+", done.stderr)[-3:]
    return int(writes), int(after)


def cost(construct: str, cores: int, runs: int) -> str:
    """The same of one construct of a team of `cores`."""
    few, many = ([counted(construct, cores, times) for _ in range(runs)] for times in (FEW, MANY))
    middles = [[statistics.median(run[n] for run in found) for n in (0, 1)] for found in (few, many)]
    writes, after = ((more - less) / (MANY - FEW) for less, more in zip(*middles, strict=True))
    return f"{writes:.1f} / {after:.1f}"


def constructs() -> list[str]:
    """Those that the program knows."""
    done = subprocess.run(RUN, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()


def main() -> int:
    """Measure and print."""
    parser = smallest.parser(__doc__)
    parser.add_argument("constructs", nargs="*", help="which (all)")
    parser.add_argument("--cores", type=int, nargs="+", default=[2, 4, 8, 16], help="sizes of the team (2 4 8 16)")
    parser.add_argument("--runs", type=int, default=1, help="of each kernel (1)")
    options = parser.parse_args()
    smallest.needs("epiphany")
    known = constructs()
    if options.smallest:
        options.constructs, options.cores = known[:1], [2]
    if unknown := set(options.constructs) - set(known):
        parser.error(f"no such construct: {', '.join(sorted(unknown))} (there are {', '.join(known)})")
    print("writes to other cores / of these one after the other, for one construct of a team")
    print(f"{'cores':14}" + "".join(f"{cores:>16}" for cores in options.cores))
    for construct in options.constructs or known:
        costs = [cost(construct, cores, options.runs) for cores in options.cores]
        print(f"{construct:14}" + "".join(f"{text:>16}" for text in costs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
