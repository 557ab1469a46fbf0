"""`make rare`, stopped and begun again, gives each test as many turns as the others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rare import Counts, Turns


@dataclass(frozen=True)
class _Item:
    nodeid: str


def test_who_ran_least_is_next(tmp_path: Path) -> None:
    counts = Counts(tmp_path)
    for name, times in (("t.py::often", 4), ("t.py::once", 1), ("t.py::enough", 5)):
        for _ in range(times):
            counts.add(name, "")
    names = ("often", "once", "enough", "never")
    items: list[Any] = [_Item(nodeid=f"t.py::{name}[turn{turn}]") for name in names for turn in range(2)]
    Turns(Counts(tmp_path), 5).pytest_collection_modifyitems(items)
    assert [item.nodeid[6:-7] for item in items] == ["never", "never", "once", "once", "often", "often"]
