"""Recursive generators without recursion: what they find may lie deeper than Python's recursion is.

A step is something that was found, or the steps of a part, which come in its place: `yield part(…)` where a recursive
generator would say `yield from part(…)`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from types import GeneratorType
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Steps: TypeAlias = Generator["T | Steps[T]", None, None]


def found_in(steps: Steps[T]) -> Iterator[T]:
    """What was found, in order."""
    waiting: list[Any] = [steps]
    while waiting:
        for step in waiting[-1]:
            if type(step) is GeneratorType:
                waiting.append(step)
                break
            yield step
        else:
            waiting.pop()
