"""Which tests `make test` leaves to `make test-all`: those marked `thorough`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], one_in: int) -> list[Any]:
    """For `parametrize`: `make test` tries the first of every so many, `make test-all` all of them."""
    return [
        case if number % one_in == 0 else pytest.param(*_values(case), marks=pytest.mark.thorough)
        for number, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
