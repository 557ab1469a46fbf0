"""Which tests `make test` leaves to `make test-all`: those marked `thorough`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], one_in: int, also: Callable[[Any], bool] = lambda case: False) -> list[Any]:
    """For `parametrize`: `make test` tries the first of every so many and those of `also`, `make test-all` all."""
    return [
        case if number % one_in == 0 or also(case) else pytest.param(*_values(case), marks=pytest.mark.thorough)
        for number, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
