"""bench/epiphany_constructs.py tells what constructs cost on the chip."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "bench/epiphany_constructs.py"


def told(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, check=False)


@pytest.mark.thorough  # what is counted there, test_chip_checks.py counts, too
def test_a_barrier_is_counted() -> None:
    done = told("barrier", "--cores", "4", "16")
    assert done.returncode == 0, done.stderr
    head, barrier = done.stdout.splitlines()[1:]
    assert head.split() == ["cores", "4", "16"]
    assert " ".join(barrier.split()) == "barrier 8.0 / 2.0 64.0 / 4.0"


def test_what_there_is_not_is_told() -> None:
    done = told("barier")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such construct: barier (there are parallel, for, barrier," in done.stderr
