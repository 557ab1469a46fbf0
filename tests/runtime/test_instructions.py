"""What constructs cost in the core: the host's instructions of each, which may not grow unnoticed (tests/ratchet.py).

Not of the far side of a device: for `cudasim`, all but what waits for its process.  The numbers hold for one compiler.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from ratchet import held

PROGRAM = Path(__file__).with_name("counted.c")
TIMES = 100
COMPILER, MACHINE = "12.2.0", "x86_64"
WAITING = "ompls_cudasim_send"


@pytest.fixture(scope="module")
def program(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed (apt-get install valgrind)")
    compiler = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    if (compiler, platform.machine()) != (COMPILER, MACHINE):
        pytest.skip(f"the numbers are gcc {COMPILER}'s on {MACHINE}, not gcc {compiler}'s on {platform.machine()}")

    def make(made: Path) -> None:
        done = ompls("cc", "-fopenmp", "-fopenmp-targets=host,cudasim", "-O2", PROGRAM, "-o", made)
        assert done.returncode == 0, done.stderr

    return once("counted", make)


def counted(part: str) -> float:
    """The instructions of a part of callgrind's output, per turn."""
    (total,) = re.findall(r"^totals: (\d+)$", part, re.MULTILINE)
    waited = re.findall(rf"^cfn={WAITING}\ncalls=.*\n\S+ (\d+)$", part, re.MULTILINE)
    return (int(total) - sum(map(int, waited))) / TIMES


@pytest.mark.parametrize("device", ["host", "cudasim"])
def test_a_construct_costs_no_more_than_it_did(program: Path, device: str, tmp_path: Path) -> None:
    out = tmp_path / "part"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--dump-before=boundary"]
    plain = ["--compress-strings=no", "--compress-pos=no"]
    done = subprocess.run(
        [*command, *plain, program], env={"OMPLS_DEVICES": device}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    parts = [out.with_suffix(f".{2 * number}") for number in range(1, len(done.stdout.split()) + 1)]
    counts = {name: counted(path.read_text()) for name, path in zip(done.stdout.split(), parts, strict=True)}
    held(f"instructions-{device}", counts)
