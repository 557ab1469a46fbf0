"""Which tests `make test` leaves to `make test-all` (`thorough`), and that to `make exhaustive` (`exhaustive`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def thinned(
    cases: Iterable[Any], one_in: int, also: Callable[[Any], bool] = lambda case: False, of_rest: int = 1
) -> list[Any]:
    """For `parametrize`: `make test` tries the first of every so many and those of `also`, `make test-all` also the
    first of every `of_rest`, `make exhaustive` what is left."""
    chosen = []
    for number, case in enumerate(cases):
        if number % one_in == 0 or also(case):
            chosen.append(case)
            continue
        marks = [pytest.mark.thorough] if number % of_rest == 0 else [pytest.mark.thorough, pytest.mark.exhaustive]
        chosen.append(pytest.param(*_values(case), marks=marks))
    return chosen


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
