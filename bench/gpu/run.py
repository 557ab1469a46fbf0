"""Measure the device `cuda` on a machine with an NVIDIA GPU: one script, the checkout and wheels (README.md here).

    python bench/gpu/run.py [--small | --large] [--repeats N] [--seed N] [--only NAME] [--json FILE]

It builds and runs all examples, then the Polybench set of the Jetson paper from OpenMP and by hand on the same fresh
random inputs, checks both against numpy, and prints a table of the ratios; then the latency of regions and the speed of
copies.  Exit code 1 when anything is wrong.  Ratios are of the medians; times by hand are between events, ours from the
host's clock.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))
import smallest

try:
    import hand
    import latency
    import numpy as np
    from programs import PROGRAMS, Program

    from ompls.runtime.toolchain import Toolchain
except ImportError as error:
    smallest.lacks(f"{error}: pip install -e '.[cuda]' first (bench/gpu/README.md)")

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CLOSE = 2e-3  # relative to the largest value: single precision, sums in another order


def command(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `python -m …` of this checkout."""
    line = [sys.executable, "-m", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False, cwd=ROOT)


def built(source: Path, work: Path) -> list[str]:
    """The program of a C file for `cuda`.  Raises SystemExit with the messages when it does not build."""
    bundle, program = work / f"{source.stem}.bundle", work / source.stem
    for words in (
        ("ompls", "translate", "--device", "cuda", "-O2", source, "-o", bundle),
        ("ompls.runtime", "build", "--device", "cuda", "--cflag=-O2", "--ldflag=-lm", bundle, "-o", program),
    ):
        done = command(*words)
        if done.returncode != 0:
            raise SystemExit(f"{source.name}: {done.stdout}{done.stderr}")
    return [str(program)]


def run(words: list[str], **more: str) -> str:
    """The output of a built program on the GPU; `more` of the environment."""
    env = {**os.environ, "OMPLS_DEVICES": "cuda", "OMP_TARGET_OFFLOAD": "mandatory", **more}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{words[0]}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def examples() -> bool:
    """Run every example; whether all are right."""
    fine = True
    for source in sorted((ROOT / "examples").glob("*.c")):
        done = command("ompls", "run", "--device", "cuda", source)
        right = done.returncode == 0 and done.stdout.endswith(", correct\n")
        print(f"  {done.stdout.strip() or source.stem} {'' if right else 'WRONG ' + done.stderr}")
        fine = fine and right
    return fine


def distance(got: Any, expected: Any) -> float:
    """The largest difference, relative to the largest expected value."""
    return float(np.max(np.abs(got - expected.ravel())) / np.max(np.abs(expected)))


def from_openmp(program: Program, n: int, repeats: int, given: dict[str, Any], work: Path) -> tuple[float, Any]:
    """The median time in seconds and the results."""
    words = built(HERE / "omp" / f"{program.name}.c", work)
    inputs, output = work / "input", work / "output"
    with inputs.open("wb") as file:
        for values in given.values():
            values.tofile(file)
    said = run([*words, str(n), str(repeats), str(inputs), str(output)])
    times = [float(line) for line in said.splitlines()]
    return statistics.median(times), np.fromfile(output, "f4")


def by_hand(program: Program, n: int, repeats: int, given: dict[str, Any], tools: Toolchain) -> tuple[float, Any]:
    """The same of the hand-written kernels."""
    times = []
    with hand.Gpu(program.source, tools) as gpu:
        for name, count in program.results(n).items():
            gpu.put(name, np.zeros(count, "f4"))
        for _ in range(repeats):
            for name, values in given.items():
                gpu.put(name, values)
            times.append(gpu.timed(lambda: program.by_hand(gpu, n)))
        results = [gpu.get(name, count) for name, count in program.results(n).items()]
    return statistics.median(times), np.concatenate(results)


def sizes(program: Program, options: argparse.Namespace) -> tuple[int, ...]:
    """The edges of the matrices to measure with."""
    if options.small:
        return (program.small,)
    return program.sizes if options.large else program.sizes[:-1]


def compare(program: Program, n: int, options: argparse.Namespace, tools: Toolchain, work: Path) -> dict[str, Any]:
    """One row of the table."""
    random = np.random.default_rng(options.seed)
    given = {name: random.random(count, "f4") for name, count in program.arrays(n).items()}
    ours, result = from_openmp(program, n, options.repeats, given, work)
    theirs, expected = by_hand(program, n, options.repeats, given, tools)
    exact = np.concatenate([values.ravel() for values in program.reference(given, n).values()])
    errors = [distance(result, exact), distance(expected, exact)]
    row = {"n": n, "openmp_s": ours, "cuda_s": theirs, "ratio": ours / theirs, "right": max(errors) < CLOSE}
    print(
        f"  {program.name:<12}{n:>6}{ours * 1e3:>12.3f}{theirs * 1e3:>12.3f}{row['ratio']:>8.2f}"
        f"   errors {errors[0]:.1e} {errors[1]:.1e}{'' if row['right'] else '  WRONG'}",
        flush=True,
    )
    return row


def sanitizer(work: Path) -> bool | None:
    """compute-sanitizer over an example of each mode; None when it is not here."""
    tool = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    if tool is None:
        print("  compute-sanitizer is not on PATH: not run")
        return None
    fine = True
    for name in ("saxpy", "master_worker", "dot_devices", "histogram"):
        for check in ("memcheck", "racecheck", "synccheck"):
            words = built(ROOT / "examples" / f"{name}.c", work)
            line = [tool, "--target-processes", "all", "--error-exitcode", "86", "--tool", check, *words]
            done = subprocess.run(
                line, env={**os.environ, "OMPLS_DEVICES": "cuda"}, capture_output=True, text=True, check=False
            )
            print(f"  {name} {check}: {'clean' if done.returncode == 0 else done.stdout[-2000:]}")
            fine = fine and done.returncode == 0
    return fine


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = smallest.parser(__doc__)
    parser.add_argument("--small", action="store_true", help="sizes that a simulated GPU can do")
    parser.add_argument("--large", action="store_true", help="also sizes beyond the paper's, for GPUs of 8 GiB or more")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    options = parser.parse_args()
    if options.smallest:
        options.small, options.repeats, options.only = True, 1, PROGRAMS[0].name
    return options


def main() -> int:
    """0 when everything is right."""
    options = arguments()
    figures: dict[str, Any] = {"seed": options.seed}
    fine = True
    with Toolchain() as tools, tempfile.TemporaryDirectory() as made:
        work = Path(made)
        with hand.Gpu("empty", tools) as gpu:
            figures["gpu"] = gpu.device.name()
        print(f"{figures['gpu']}, seed {options.seed}")
        if not options.only:
            print("examples")
            fine = examples()
        print(f"  {'program':<12}{'n':>6}{'OpenMP ms':>12}{'CUDA ms':>12}{'ratio':>8}")
        chosen = [program for program in PROGRAMS if options.only in program.name]
        figures["programs"] = {
            program.name: [compare(program, n, options, tools, work) for n in sizes(program, options)]
            for program in chosen
        }
        fine = fine and all(row["right"] for rows in figures["programs"].values() for row in rows)
        if not options.only:
            figures["latency"] = latency.measure(
                tools, work, lambda source, **more: run(built(source, work), **more), options.small
            )
            figures["sanitizer"] = sanitizer(work)
            fine = fine and figures["sanitizer"] is not False
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print("all right" if fine else "something is WRONG")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
