"""Right programs under `ompls run --check`: the checks of cudasim have nothing to say about them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RIGHT = [*sorted((HERE / "programs").rglob("*.c")), *sorted((HERE.parents[1] / "examples").glob("*.c"))]


@pytest.mark.parametrize("path", RIGHT, ids=lambda p: p.stem)
def test_nothing_is_found_in_a_right_program(path: Path) -> None:
    command = [sys.executable, "-m", "ompls", "run", "--check", "--timeout", "100", path, "-lm"]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False, timeout=160)
    assert (done.returncode, done.stderr) == (0, "")
