"""Right programs under `ompls run --check`: the checks of cudasim have nothing to say about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import ompls
from thinned import thinned

HERE = Path(__file__).parent
RIGHT = [*sorted((HERE / "programs").rglob("*.c")), *sorted((HERE.parents[1] / "examples").glob("*.c"))]


@pytest.mark.parametrize("path", thinned(RIGHT, 60), ids=lambda p: p.stem)
def test_nothing_is_found_in_a_right_program(path: Path) -> None:
    done = ompls("run", "--check", "--timeout", "100", path, "-lm")
    assert (done.returncode, done.stderr) == (0, "")
