"""Which tests `make test` leaves to `make test-all` (`thorough`), and that to `make exhaustive` (`exhaustive`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import Any

import pytest

_LATER = ("thorough", "exhaustive")
_left_out: set[str] = set()  # marks that this run does not want: to make their cases takes seconds in each worker


def leave_out(expression: str) -> None:
    """What the option `-m` says; where it is not plain, the cases are made, and pytest takes them out."""
    _left_out.clear()
    if "(" not in expression and " or " not in expression:
        _left_out.update(mark for mark in _LATER if f"not {mark}" in expression.split(" and "))


def thinned(
    cases: Iterable[Any],
    one_in: int,
    also: Callable[[Any], bool] = lambda case: False,
    of_rest: int = 1,
    ids: Iterable[str] = (),
) -> list[Any]:
    """For `parametrize`: `make test` tries the first of every so many and those of `also`, `make test-all` also the
    first of every `of_rest`, `make exhaustive` what is left.  `ids` are the names of all cases, where they have some.
    """
    chosen = []
    for number, (case, name) in enumerate(zip_longest(cases, ids)):
        if number % one_in == 0 or also(case):
            chosen.append(pytest.param(*_values(case), id=name) if name else case)
            continue
        marks = _LATER[: 1 if number % of_rest == 0 else 2]
        if not _left_out.intersection(marks):
            chosen.append(pytest.param(*_values(case), id=name, marks=[getattr(pytest.mark, mark) for mark in marks]))
    return chosen


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
