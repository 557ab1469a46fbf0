"""What the kernels of programs take of an Epiphany core: python tools/epiphany_sizes.py [FILE…]

Without files, all of `examples/` and of the tests' programs.  Each kernel is compiled and linked with the chip's run
time, by the chip's own tools where there are some (`make epiphany-toolchain`); what these warn of is an error.  Prints
bytes: of the kernel with its run time, of its own text, and what is left for data and a stack.  Programs that the
device cannot run are named with the first reason.  1: something did not compile or link.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ompls.devices.epiphany.module import size
from ompls.runtime.errors import BuildFailed
from ompls.runtime.toolchain import Toolchain

ROOT = Path(__file__).resolve().parents[1]
# The board's own host, where its compiler is there: it has the chip's sizes.
FLAGS = ["--device", "epiphany", *(("--target-arch", "armhf") if shutil.which("arm-linux-gnueabihf-gcc") else ())]
PLACES = ("examples", "tests/epiphany", "tests/translate/programs", "tests/remote/programs")


def kernels_of(program: Path, bundle: Path) -> tuple[list[tuple[str, Path]], str]:
    """The program's kernels, or why there are none."""
    command = [sys.executable, "-m", "ompls", "translate", *FLAGS, "-o", str(bundle), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reasons = (line for line in done.stderr.splitlines() if "error:" in line)
        return [], next(reasons, f"status {done.returncode}").rpartition("error: ")[2]
    manifest = json.loads((bundle / "manifest.json").read_text())
    kernels = [kernel for unit in manifest["units"] for kernel in unit["kernels"]]
    return [(kernel["name"], bundle / kernel["files"]["epiphany"]) for kernel in kernels], ""


def rows(measure: size.Measure, program: Path, tools: Toolchain) -> Iterator[tuple[str, bool]]:
    """A line for each kernel, and whether it is one of a failure."""
    name = program.relative_to(ROOT) if program.is_relative_to(ROOT) else program
    with tempfile.TemporaryDirectory(prefix="ompls-sizes-") as scratch:
        kernels, why = kernels_of(program, Path(scratch) / "bundle")
        if why:
            yield f"{name}: not for this device: {why}", False
        for kernel in kernels:
            try:
                (taken,) = measure.of(tools, [kernel]).values()
            except BuildFailed as error:
                yield f"{error.output}{name}: {kernel[0]}: {error}", True
                continue
            fits = "" if taken.left >= size.LEAST else "  (does not fit)"
            yield f"{taken.all:6} {taken.own:6} {taken.left:6}  {name} {kernel[0]}{fits}", False


def main() -> int:
    found = (path for place in PLACES for path in sorted((ROOT / place).rglob("*.c")))
    programs = [Path(word).resolve() for word in sys.argv[1:]] or list(found)
    measure = replace(size.measure(), strict=True)
    print(f"{'all':>6} {'own':>6} {'left':>6}  bytes of {measure.target}")
    failed = 0
    with Toolchain() as tools:
        for program in programs:
            for line, failure in rows(measure, program, tools):
                print(line, flush=True)
                failed += failure
    print(f"{len(programs)} programs, {failed} failures")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
