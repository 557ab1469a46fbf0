"""Right programs under `ompls run --check`: the checks of cudasim have nothing to say about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import ompls
from thinned import thinned

HERE = Path(__file__).parent
FOLDERS = (HERE / "programs", HERE / "programs/newer", HERE.parents[1] / "examples")
RIGHT = [path for folder in FOLDERS for path in sorted(folder.glob("*.c"))]
OTHERS_FIRST = [*RIGHT[1:], RIGHT[0]]  # than in test_programs.py, so `make test` tries others


@pytest.mark.parametrize("path", thinned(OTHERS_FIRST, 60, of_rest=24), ids=lambda p: p.stem)
def test_nothing_is_found_in_a_right_program(path: Path) -> None:
    done = ompls("run", "--check", "--timeout", "100", path, "-lm")
    assert (done.returncode, done.stderr) == (0, "")
