"""Cancellation in kernels: with OMP_CANCELLATION as without, what gcc's own run time does."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import command
import pytest

from ompls.runtime.devices import all_devices, state_of

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)
PROGRAM = Path(__file__).resolve().parent / "cancelled.c"


@pytest.mark.parametrize("cancellation", ["true", "false"])
def test_it_cancels_what_the_host_does(cancellation: str, tmp_path: Path) -> None:
    environment = {**os.environ, "OMP_CANCELLATION": cancellation, "OMP_TARGET_OFFLOAD": "mandatory"}
    subprocess.run(["gcc", "-fopenmp", "-foffload=disable", "-w", PROGRAM, "-o", tmp_path / "x"], check=True)
    native = subprocess.run([tmp_path / "x"], capture_output=True, text=True, check=True, env=environment).stdout
    environment["OMPLS_EPIPHANY_DEADLINE"] = "50"
    done = command.ompls("run", "--device", "epiphany", "--timeout", "60", PROGRAM, env=environment)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", native)
    assert native.startswith("1 1000 0" if cancellation == "true" else "0 1000 1")
