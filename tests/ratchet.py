"""Counts that must not grow unnoticed: what parts of ompls take, in steps that are the same on every machine.

`counts.toml` has the numbers.  A test counts and asks `held`: 3 % more is a failure.  Whoever makes something dearer on
purpose raises its number there and says in the commit why; where a count is clearly lower a warning asks for the new
number, so that what was won stays.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

COUNTS = Path(__file__).with_name("counts.toml")
ROOM = 0.03


def held(group: str, counted: Mapping[str, float]) -> None:
    """Fail where a count of the group is more than 3 % above its number, or has none, or a number has no count."""
    known: dict[str, float] = tomllib.loads(COUNTS.read_text(encoding="utf-8")).get(group, {})
    lines = [f"{name} = {round(number)}  # was {known.get(name)}" for name, number in counted.items()]
    now = f"[{group}] of tests/{COUNTS.name}, as counted now:\n" + "\n".join(lines)
    assert set(known) == set(counted), f"other names than in {now}"
    grown = [name for name in known if counted[name] > known[name] * (1 + ROOM)]
    assert not grown, f"more than 3 % above: {', '.join(grown)}\n{now}"
    shrunk = [name for name in known if counted[name] < known[name] * (1 - ROOM)]
    if shrunk:
        warnings.warn(f"more than 3 % below, lower the numbers: {', '.join(shrunk)}\n{now}", stacklevel=2)
