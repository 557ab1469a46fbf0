"""Many small cases in one test: pytest and its workers take 4 ms for each test, and most such cases less than 1."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

import pytest

MOST = 40  # cases in one test: else one worker has much to do when the others have done
_FAILURES = (Exception, pytest.fail.Exception)


def together(
    names: str | Sequence[str], cases: Iterable[Any], ids: Iterable[Any] | Callable[[Any], Any] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize`, but each test tries up to `MOST` cases, and names each that fails.

    Cases of a test have the same marks.  What it gets besides, such as `tmp_path`, they share.
    """
    keys = names.replace(" ", "").split(",") if isinstance(names, str) else names

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def whole(cases: Sequence[tuple[str, Sequence[Any]]], **others: Any) -> None:
            told = [
                f"{name}: {what}"
                for name, values in cases
                if (what := _failure(test, {**dict(zip(keys, values, strict=True)), **others}))
            ]
            if told:
                pytest.fail(f"{len(told)} of {len(cases)} cases fail\n" + "\n".join(told), pytrace=False)

        own = inspect.signature(test)
        rest = [parameter for name, parameter in own.parameters.items() if name not in keys]
        first = inspect.Parameter("cases", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        whole.__signature__ = own.replace(parameters=[first, *rest])  # type: ignore[attr-defined]
        groups = [
            pytest.param(
                some[part::parts],
                id="-".join([*marks, str(part)]),
                marks=[getattr(pytest.mark, mark) for mark in marks],
            )
            for marks, some in _by_marks(len(keys) == 1 and isinstance(names, str), cases, ids).items()
            for parts in (-(-len(some) // MOST),)
            for part in range(parts)
        ]
        return pytest.mark.parametrize("cases", groups)(whole)

    return decorate


def _by_marks(
    single: bool, cases: Iterable[Any], ids: Iterable[Any] | Callable[[Any], Any]
) -> dict[tuple[str, ...], list[tuple[str, Sequence[Any]]]]:
    """Names and values of the cases, by the names of their marks."""
    found: dict[tuple[str, ...], list[tuple[str, Sequence[Any]]]] = {}
    for case, given in zip_longest(cases, () if callable(ids) else ids):
        marked = isinstance(case, type(pytest.param()))
        values = case.values if marked else (case,) if single else case
        name = case.id if marked and case.id else given
        if name is None:
            name = "-".join(str(ids(value) if callable(ids) else value)[:100] for value in values)
        marks = tuple(mark.name for mark in case.marks) if marked else ()
        found.setdefault(marks, []).append((str(name), values))
    return found


def _failure(test: Callable[..., None], named: dict[str, Any]) -> str:
    """What is wrong, and in which line of the test; nothing where all is right."""
    try:
        test(**named)
    except _FAILURES as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == inspect.getfile(test)]
        return f"line {lines[-1] if lines else 0}: {type(error).__name__}: {error}"
    return ""
