"""The programs of examples/ for the chip, and one of the others, are right on the emulated board."""

from __future__ import annotations

import os
from pathlib import Path

import command
import pytest
from thinned import thinned

from ompls.runtime.devices import all_devices, state_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)


@pytest.mark.parametrize(
    "program",
    thinned([EXAMPLES / "jacobi.c", *sorted((EXAMPLES / "epiphany").glob("*.c"))], 5),
    ids=lambda path: path.stem,
)
def test_it_is_right(program: Path) -> None:
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory", "OMPLS_EPIPHANY_DEADLINE": "50"}
    done = command.ompls("run", "--device", "epiphany", "--timeout", "60", program, env=environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.startswith(f"{program.stem}: ")
    assert done.stdout.endswith(", correct\n")


def test_the_example_of_kernels_that_stay_has_no_findings() -> None:
    done = command.ompls("check", "--device", "epiphany", EXAMPLES / "epiphany/saxpy.c")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("program", ["newer/locks_in_functions", "team_constructs"])
def test_a_kernel_calls_what_the_chip_has(program: str) -> None:
    """`omp_is_free_agent`, and `error at(execution)`, were asked for and not there."""
    path = EXAMPLES.parent / f"tests/translate/programs/{program}.c"
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory", "OMPLS_EPIPHANY_DEADLINE": "50"}
    done = command.ompls("run", "--device", "epiphany", "--timeout", "60", path, env=environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_a_long_on_both_sides_is_told_by_name() -> None:
    """`long` has four bytes there."""
    done = command.ompls("run", "--device", "epiphany", EXAMPLES / "master_worker.c")
    assert done.returncode == 125
    assert "'values' cannot be translated for epiphany: 'long' has 8 bytes on the host and 4" in done.stderr
