"""What kernels cost on the emulated board, and how long the example programs take; on an idle machine.

python bench/epiphany_bench.py [--programs]

The figures are the host's microseconds, which say nothing of a chip: they are what a user of the board waits for.
Cores are processes that hand the machine's processors on while they wait: a team that has more of them than these pays
for some context switches at each barrier, however long it spins before it sleeps.  So only small teams have a limit.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import smallest

SOURCE = Path(__file__).with_name("epiphany_bench.c")
PROGRAMS = sorted(Path(__file__).resolve().parents[1].glob("examples/epiphany/*.c"))
MOST = {"empty": 1000.0, "resident_1": 50.0, "resident_2": 50.0}  # us: the project's promises
MOST_PROGRAMS = 60.0  # seconds, all of them
RUN = [sys.executable, "-m", "ompls", "run", "--device", "epiphany"]


def figures(*flags: str) -> dict[str, float]:
    """Microseconds by what is measured.  Raises CalledProcessError."""
    done = subprocess.run([*RUN, *flags, str(SOURCE)], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def programs() -> float:
    """Seconds that the example programs take, with what it takes to build them.  Raises CalledProcessError."""
    begin = time.monotonic()
    for program in PROGRAMS:
        since = time.monotonic()
        subprocess.run([*RUN, str(program)], check=True, stdout=subprocess.DEVNULL)
        print(f"{program.name:12} {time.monotonic() - since:8.1f} s")
    return time.monotonic() - begin


def main() -> int:
    """Measure and print; 1 when the board is slower than it promises."""
    parser = smallest.parser(__doc__)
    parser.add_argument("--programs", action="store_true", help="the example programs as well")
    options = parser.parse_args()
    smallest.needs("epiphany")
    late = []
    for name, value in figures(*(["-DTIMES=1"] if options.smallest else [])).items():
        most = MOST.get(name)
        print(f"{name:12} {value:8.1f} us" + (f"  (at most {most:.0f})" if most else ""))
        if most is not None and value > most and not options.smallest:
            late.append(name)
    if options.programs and programs() > MOST_PROGRAMS:
        late.append(f"the programs: at most {MOST_PROGRAMS:.0f} s")
    for what in late:
        print(f"not kept: {what}", file=sys.stderr)
    return int(bool(late))


if __name__ == "__main__":
    sys.exit(main())
