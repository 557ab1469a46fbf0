"""Twice as much of anything takes about twice the steps: in no shape of text more than n to the power of 1.5.

Steps are counted, no time is measured.  `make fuzz` looks at larger sizes, and at the time (`growth.py`).
"""

from __future__ import annotations

from functools import partial

import pytest
from steps import steps
from thinned import thinned

from . import growth
from .shapes import BOUNDED, SHAPES


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """What is imported and made once is there."""
    growth.work(SHAPES["regions in functions"][1](3))


@pytest.mark.parametrize("name", thinned(SHAPES, 48, of_rest=16))
def test_growth(name: str) -> None:
    size, make = SHAPES[name]
    small, middle, large = (steps(partial(growth.work, make(max(1, size * k // 8)))) for k in (1, 2, 4))
    found = growth.growth(small, middle, large)
    most = (large - middle - middle + small).most_common(4)
    assert found <= growth.MOST, f"{found:.1f} times the steps for twice the size, most of them more in {most}"


@pytest.mark.parametrize("name", thinned(BOUNDED, 8, of_rest=3))
def test_limits(name: str) -> None:
    size, make = BOUNDED[name]
    found = steps(partial(growth.work, make(size)))
    assert found.total() <= growth.ENOUGH, f"{found.total()} steps, most of them in {found.most_common(4)}"
