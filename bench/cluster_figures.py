"""Figures 2 to 9 of the paper on cluster nodes as OpenMP devices: tables, and plots in one SVG file.

    python bench/cluster_figures.py [--nodes 1 2] [--size usual|paper|small] [--svg FILE] [--json FILE]

The programs (cluster_figures.c) are of our own making, with the paper's names, and its sizes with `--size paper`. They
take the time of their parallel part: the start and the end of nodes are not in it. Each time is the median of some
runs. The dashed line are threads of this machine, without nodes. Nodes are those that OMPLS_HOSTFILE or the batch
system names, else processes on this machine; then more of them than cores tell no times, but messages and bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import smallest

SOURCE = Path(__file__).resolve().with_suffix(".c")
# Of each figure: program, and its sizes for `usual`, `paper` and `small`.
FIGURES = {
    2: ("alignment", ("20", "20", "4")),
    3: ("alignment", ("100", "100", "6")),
    4: ("mandelbrot", ("2600", "2600", "60")),
    5: ("mandelbrot", ("4600", "4600", "90")),
    6: ("fib", ("35", "35", "22")),
    7: ("fib", ("42", "45", "24")),
    8: ("sparselu", ("20 50", "50 100", "4 8")),
    9: ("sparselu", ("30 60", "60 120", "5 10")),
}
SIZES = ("usual", "paper", "small")
WIDTH, HEIGHT, MARGIN = 300, 200, 45


@dataclass(frozen=True)
class Run:
    """nodes -- 0: threads of this machine; messages and bytes are those of the program, in both directions."""

    nodes: int
    seconds: float
    messages: int
    bytes: int


@dataclass(frozen=True)
class Figure:
    number: int
    title: str
    runs: list[Run]

    def speedup(self, run: Run, over: int) -> float:
        """Over the run with so many nodes; 0 without one."""
        return next((other.seconds / run.seconds for other in self.runs if other.nodes == over), 0.0)


def build(place: Path) -> tuple[Path, Path]:
    """The program for nodes, and the one that the system's compiler makes."""
    nodes, here = place / "nodes", place / "here"
    ours = [sys.executable, "-m", "ompls", "cc", "-fopenmp", "-fopenmp-targets=mpinode", "-O2", "-o", str(nodes)]
    subprocess.run([*ours, str(SOURCE)], check=True)
    theirs = ["gcc", "-fopenmp", "-foffload=disable", "-O2", "-o", str(here), str(SOURCE)]
    subprocess.run(theirs, check=True)
    return nodes, here


def once(program: Path, words: list[str], count: Path, **settings: str) -> tuple[float, str, int, int]:
    """Seconds, the sum, messages and bytes."""
    count.unlink(missing_ok=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    environment = {**clean, "OMPLS_REMOTE_COUNT": str(count), **settings}
    # In a session of its own: MPICH ends with its process group.
    done = subprocess.run(
        [program, *words], env=environment, stdout=subprocess.PIPE, text=True, check=True, start_new_session=True
    )
    said = dict(line.split() for line in done.stdout.splitlines())
    lines = [line.split() for line in count.read_text().splitlines()] if count.exists() else []
    travelled = [[int(number) for number in line[-4:]] for line in lines]
    return float(said["seconds"]), said["sum"], sum(n[0] + n[2] for n in travelled), sum(n[1] + n[3] for n in travelled)


def measure(number: int, programs: tuple[Path, Path], asked: argparse.Namespace, count: Path) -> Figure:
    name, sizes = FIGURES[number]
    words = [name, *sizes[SIZES.index(asked.size)].split()]
    runs, sums = [], set()
    for nodes in (0, *asked.nodes):
        threads = asked.threads if nodes else asked.reference
        settings = {"OMP_NUM_THREADS": str(threads)}
        if nodes:
            settings |= {"OMPLS_DEVICES": f"mpinode:{nodes}", "OMP_TARGET_OFFLOAD": "mandatory"}
        got = [once(programs[0 if nodes else 1], words, count, **settings) for _ in range(asked.rounds)]
        sums |= {one[1] for one in got}
        runs.append(Run(nodes, statistics.median(one[0] for one in got), got[0][2], got[0][3]))
    if len(sums) > 1:
        raise SystemExit(f"{' '.join(words)}: the results differ: {', '.join(sorted(sums))}")
    return Figure(number, " ".join(words), runs)


def table(figure: Figure, asked: argparse.Namespace) -> str:
    lines = [f"figure {figure.number}: {figure.title}"]
    lines.append(f"{'':>14}{'seconds':>10}{'to threads':>12}{'to 1 node':>11}{'messages':>10}{'bytes':>13}")
    for run in figure.runs:
        name = f"{run.nodes} nodes" if run.nodes else f"{asked.reference} threads"
        speedups = f"{figure.speedup(run, 0):>12.2f}{figure.speedup(run, 1):>11.2f}"
        lines.append(f"{name:>14}{run.seconds:>10.3f}{speedups}{run.messages:>10}{run.bytes:>13}")
    return "\n".join(lines)


def line(points: list[tuple[float, float]], left: int, top: int, most: tuple[float, float], style: str) -> str:
    scaled = (f"{left + x / most[0] * WIDTH:.1f},{top + HEIGHT - y / most[1] * HEIGHT:.1f}" for x, y in points)
    return f'<polyline fill="none" {style} points="{" ".join(scaled)}"/>'


def text(x: float, y: float, words: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}">{words}</text>'


def panel(figure: Figure, left: int, top: int, what: str) -> list[str]:
    """Seconds, or the speedup, over nodes."""
    nodes = [run for run in figure.runs if run.nodes]
    here = next(run for run in figure.runs if not run.nodes)
    time = what == "seconds"
    points = [(float(run.nodes), run.seconds if time else figure.speedup(run, 0)) for run in nodes]
    base = here.seconds if time else 1.0
    most = (max(x for x, _ in points), max(base, *(y for _, y in points)) * 1.1)
    ends = [(0.0, base), (most[0], base)]
    drawn = [f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>']
    drawn.append(line(ends, left, top, most, 'stroke="#888" stroke-dasharray="5 4"'))
    drawn.append(line(points, left, top, most, 'stroke="#06c" stroke-width="2"'))
    drawn += [text(left + x / most[0] * WIDTH - 4, top + HEIGHT + 15, f"{x:.0f}") for x, _ in points]
    drawn += [text(left - 40, top + 10, f"{most[1]:.3g}"), text(left + 5, top + 15, f"{what}, over nodes")]
    return drawn


def plot(figures: list[Figure]) -> str:
    """All figures, two panels each."""
    drawn, row = [], HEIGHT + 2 * MARGIN
    for place, figure in enumerate(figures):
        top = place * row + MARGIN
        drawn.append(text(MARGIN, top - 10, f"figure {figure.number}: {figure.title} (dashed: threads of one machine)"))
        drawn += panel(figure, MARGIN, top, "seconds") + panel(figure, WIDTH + 3 * MARGIN, top, "speedup")
    size = f'width="{2 * WIDTH + 4 * MARGIN}" height="{len(figures) * row}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *drawn, "</svg>", ""])


def main() -> int:
    arguments = smallest.parser(__doc__)
    arguments.add_argument("--figures", type=int, nargs="+", choices=FIGURES, default=list(FIGURES), metavar="N")
    arguments.add_argument("--nodes", type=int, nargs="+", default=[1, 2], metavar="N")
    arguments.add_argument("--threads", type=int, default=1, help="of a node")
    arguments.add_argument("--reference", type=int, default=2, help="threads without nodes")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--size", choices=SIZES, default="usual")
    arguments.add_argument("--svg", type=Path)
    arguments.add_argument("--json", type=Path)
    asked = arguments.parse_args()
    smallest.needs("mpinode")
    if asked.smallest:
        asked.figures, asked.nodes, asked.rounds, asked.size = [6], [1], 1, "small"
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        programs = build(place)
        figures = []
        for number in asked.figures:
            figures.append(measure(number, programs, asked, place / "count"))
            print(table(figures[-1], asked), flush=True)
    if asked.svg:
        asked.svg.write_text(plot(figures))
    if asked.json:
        asked.json.write_text(json.dumps([asdict(figure) for figure in figures], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
