"""Devices that are elsewhere: what tests of them share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from waiting import LIMIT, has_loaded, until, worked

from ompls.devices.mpinode.module.library import launcher
from ompls.runtime.errors import DeviceUnavailable

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
ROOT = HERE.parents[1]
DEVICES = HERE / "devices"

# Open MPI starts nothing for root unless asked to.
AS_ROOT = {f"{name}_ALLOW_RUN_AS_ROOT{end}": "1" for name in ("OMPI", "PRTE") for end in ("", "_CONFIRM")}

Once = Callable[[str, Callable[[Path], object]], Path]
Built = Callable[[str, str], Path]


def environment(**more: str) -> dict[str, str]:
    """With the device `away`, and a program that is impatient where its line has a fault."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "OMPLS_DEVICES"))}
    line = more.get("AWAY_COMMAND", "").split()
    patience = "2" if str(HERE / "disturb.py") in line and line[-1] != "delay" else "20"
    return {**clean, "OMPLS_DEVICE_PATH": str(DEVICES), "OMPLS_REMOTE_TIMEOUT": patience, **AS_ROOT, **more}


@pytest.fixture(scope="session")
def built(once: Once) -> Built:
    """Builds programs/NAME.c for a device, once."""

    def build(name: str, device: str) -> Path:
        def make(program: Path) -> None:
            words = ("cc", "-fopenmp", f"-fopenmp-targets={device}", "-o", program, PROGRAMS / f"{name}.c")
            done = ompls(*words, env=environment())
            assert done.returncode == 0, done.stderr

        return once(f"{name}-{device}", make)

    return build


@pytest.fixture(scope="session")
def expected(once: Once) -> str:
    """What programs/everything.c prints for one device: as gcc has it on the host, without anything of ours."""
    words = ("gcc", "-fopenmp", "-foffload=disable", "-O1", PROGRAMS / "everything.c", "-o")
    done = run(once("everything", lambda program: subprocess.run([*words, program], check=True)))
    assert done.returncode == 7, done.stderr
    return done.stdout


def run(program: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Within half a minute, however it ends."""
    return subprocess.run(
        [program, *words], env=environment(**more), capture_output=True, text=True, timeout=LIMIT, check=False
    )


def disturbed(seed: int, kind: str) -> str:
    """AWAY_COMMAND of a line with a fault, which may be that it is silent from then on."""
    return f"{sys.executable} {HERE / 'disturb.py'} {seed} {kind}"


def far_side(program: int, mark: str) -> int:
    """The process of the only far side, once its kernel has run for a moment."""

    def found() -> list[int]:
        return [number for number in left_behind(mark) if number != program and worked(number) > 60]

    assert until(lambda: len(found()) == 1)
    return found()[0]


def far_sides(mark: str) -> list[int]:
    """The nodes that have loaded it."""
    return [number for number in left_behind(mark) if has_loaded(number, "memfd:ompls-far")]


def left_behind(mark: str) -> list[int]:
    """The processes with this value of AWAY_MARK in their environment that still run."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"AWAY_MARK={mark}\0".encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def is_mpich() -> bool:
    """Whether it is MPICH that is used here."""
    try:
        words = [launcher(), "--version"]
    except DeviceUnavailable:
        return False
    return "HYDRA" in subprocess.run(words, capture_output=True, text=True, check=True).stdout
