"""Counts that must not grow unnoticed: what parts of ompls take, in steps that are the same on every machine.

`counts.toml` has the numbers.  A test counts and asks `held`: 3 % more is a failure.  Whoever makes something dearer on
purpose raises its number there and says in the commit why.  3 % less is a warning and 10 % less a failure, which ask
for the new number: else what was won could be lost again unnoticed.  A group with a `python` was counted by that
version; others count less, and need not say so.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

COUNTS = Path(__file__).with_name("counts.toml")
ROOM, LOOSE = 0.03, 0.10
PYTHON = "{}.{}".format(*sys.version_info)


def held(group: str, counted: Mapping[str, float]) -> None:
    """Fail where a count of the group is more than 3 % above its number, or 10 % below, or one of them is missing."""
    known: dict[str, Any] = tomllib.loads(COUNTS.read_text(encoding="utf-8")).get(group, {})
    ours = known.pop("python", PYTHON) == PYTHON
    lines = [f"{name} = {round(number)}  # was {known.get(name)}" for name, number in counted.items()]
    now = f"[{group}] of tests/{COUNTS.name}, as counted now:\n" + "\n".join(lines)
    assert set(known) == set(counted), f"other names than in {now}"
    grown = [name for name in known if counted[name] > known[name] * (1 + ROOM)]
    assert not grown, f"more than 3 % above: {', '.join(grown)}\n{now}"
    loose = [name for name in known if ours and counted[name] < known[name] * (1 - LOOSE)]
    assert not loose, f"more than 10 % below, lower the numbers: {', '.join(loose)}\n{now}"
    shrunk = [name for name in known if counted[name] < known[name] * (1 - ROOM)]
    if ours and shrunk:
        warnings.warn(f"more than 3 % below, lower the numbers: {', '.join(shrunk)}\n{now}", stacklevel=2)
