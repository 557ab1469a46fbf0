"""Random programs print the same with gcc alone, on `host` and on `cudasim`; their kernels compile for real GPUs.

OMPLS_RANDOM_PROGRAMS says how many programs are drawn (by default one), OMPLS_RANDOM_SEED the first one's number.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from named import translate
from random_regions import Program
from thinned import thinned

from ompls.analysis.model.tu import TU
from ompls.devices.cuda.module import nvrtc

ROOT = Path(__file__).resolve().parents[2]
FIRST = int(os.environ.get("OMPLS_RANDOM_SEED", "1"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("OMPLS_RANDOM_PROGRAMS", "1")))
TRANSFORMATION = re.compile(r"^#pragma omp (tile|stripe|reverse|interchange|unroll)\b.*$", re.M)  # unknown to gcc 12
REGIONS = 12  # a program: its building costs more than its run


def _draw(seed: int, directory: Path) -> tuple[Path, str]:
    """A program, and what it prints without us."""
    path = directory / f"random{seed}.c"
    text = Program(seed).text(REGIONS)
    path.write_text(text)
    gcc = ["gcc", "-w", "-O1", "-fopenmp", "-foffload=disable", "-x", "c", "-", "-o", path.with_suffix(""), "-lm"]
    subprocess.run(gcc, check=True, input=TRANSFORMATION.sub("", text), text=True)
    done = subprocess.run([path.with_suffix("")], capture_output=True, text=True, check=True, timeout=60)
    return path, done.stdout


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("device", thinned(["cudasim", "host"], 2))
def test_a_random_program_prints_the_same_on_a_device(seed: int, device: str, tmp_path: Path) -> None:
    path, expected = _draw(seed, tmp_path)
    done = ompls("run", "--timeout", "60", "--device", device, path, "-lm", timeout=280)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected, "the function of a line that differs is in " + str(path)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.thorough
def test_random_kernels_compile_for_real_gpus(
    seed: int, load: Callable[[Path], TU], tmp_path: Path, gpu_code: Callable[..., nvrtc.Compiled]
) -> None:
    path, _ = _draw(seed, tmp_path)
    bundle = translate([load(path)], ["cuda"])
    assert [d.message for d in bundle.diagnostics] == []
    headers = {p.name: p.read_text() for p in (ROOT / "ompls/devices/cuda/library").glob("*.cuh")}
    for name, text in bundle.files.items():
        if name.endswith(".cu"):
            gpu_code(text.decode(), "sm_53", name, headers)
