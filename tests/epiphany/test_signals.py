"""A process of the emulated board that a signal ends or stops: the result is right, or the program names it."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import command
import pytest
from thinned import thinned
from waiting import until

from ompls.runtime.devices import all_devices, state_of

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)
SOURCE = Path(__file__).resolve().parent / "signalled.c"

ENDS, STOPS = (signal.SIGKILL, signal.SIGSEGV), signal.SIGSTOP
STOPPED = "was stopped by a signal and did not go on; it has been ended"
BOARD = f"the process of the emulated board (was killed|{STOPPED})"
CORE = rf"the process of the emulated core \d+ (was ended by signal (9|11)|{STOPPED})"
START = "starting the emulated board: a signal has ended or stopped it"


@pytest.fixture(scope="module")
def program(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    words = ("cc", "-fopenmp", "-fopenmp-targets=epiphany", "-pthread", SOURCE, "-o")
    return once("signalled", lambda made: command.ompls(*words, made))


def hit(program: Path, who: str, number: signal.Signals, phase: str, delay: int = 0) -> tuple[int, str]:
    """How the program ended, and what it said.  Nothing of the board stays."""
    begun = subprocess.Popen(
        [program, who, str(int(number)), phase, str(delay)],
        env={**os.environ, "OMP_TARGET_OFFLOAD": "mandatory"}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    told = begun.communicate(timeout=60)[1]
    mine = f"ompls-epiphany\0{begun.pid}\0".encode()
    until(lambda: not left(mine))
    assert left(mine) == []
    return begun.returncode, told


def left(words: bytes) -> list[str]:
    """The processes with these words; a zombie has none."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path.parent.name] * (path.read_bytes() == words)
        except OSError:  # it has just ended
            continue
    return found


@pytest.mark.parametrize("number", [*ENDS, STOPS])
@pytest.mark.parametrize("who", ["board", "core"])
def test_a_kernel_whose_process_is_hit_ends(program: Path, who: str, number: signal.Signals) -> None:
    code, told = hit(program, who, number, "compute")
    assert code == 125
    assert re.search(BOARD if who == "board" else CORE, told), told
    assert (STOPPED in told) == (number == STOPS)
    assert "see who sends signals to it" in told


CHANCE = random.Random(35)
OTHERS = [
    (who, number, phase, CHANCE.randrange(4000) if phase == "start" else 0)
    for phase in (*["start"] * 6, "connect", "copy", "end")
    for who in ("board", "core")
    for number in (*ENDS, STOPS)
]


@pytest.mark.parametrize(("who", "number", "phase", "delay"), thinned(OTHERS, 9, of_rest=5))
def test_no_phase_hangs(program: Path, who: str, number: signal.Signals, phase: str, delay: int) -> None:
    """A signal may arrive when nobody needs that process any more, and at the start any of them may be hit."""
    code, told = hit(program, who, number, phase, delay)
    if code == 0:
        assert told == ""
    else:
        assert code == 125
        assert re.search(f"{BOARD}|{CORE}|{START}", told), told
