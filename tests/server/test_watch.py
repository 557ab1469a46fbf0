"""Which time counts against a worker: not the time in which nobody could have done anything."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from ompls.server import watch


@pytest.mark.parametrize(
    ("process", "worker", "nursery", "late"),
    [
        (7, 0, 0, True),
        (7, 2, 2, True),
        (7, 20, 0, False),
        (7, 11, 12, False),
        (0, 0, 0, True),  # it was not forked yet
        (0, 0, 2, True),
        (0, 0, 20, False),
    ],
)
def test_time_without_a_processor_does_not_count(
    process: int, worker: int, nursery: int, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirty seconds after something begins that takes one, and has fifteen more."""
    clock = [100.0]
    waits = {"nursery": 5.0, 7: 0.0}  # what was before does not count
    monkeypatch.setattr(watch, "WATCH", 0.001)
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(watch, "waited", lambda process: waits.get(process, 0.0))
    session: Any = SimpleNamespace(process=process, doing=None, busy=True)

    async def looks() -> list[bool]:
        looked: asyncio.Queue[bool] = asyncio.Queue()
        it = watch.Watch(
            lambda: [session],
            SimpleNamespace(is_stopped=lambda: False, waited=lambda: waits["nursery"]),  # type: ignore[arg-type]
            lambda found: looked.put_nowait(bool(found)),
        )
        it.begins(session, "to begin", 1.0)
        said = [await looked.get()]
        clock[0] += 30
        waits["nursery"] += nursery
        waits[7] += worker
        while not looked.empty():
            looked.get_nowait()
        said.append(await looked.get())
        it.stop()
        return said

    assert asyncio.run(looks()) == [False, late]
