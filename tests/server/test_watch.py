"""Which time counts against a worker: not the time in which nobody could have done anything."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from ompls.server import page, watch
from ompls.server.session import Doing, Session

NURSERY, WORKER = 6, 7


@dataclass
class Process:
    """What the system says of one."""

    used: float = 3.0  # before, which does not count
    waited: float = 5.0
    is_ready: bool = False
    is_stopped: bool = False


Changes = dict[str, float]  # of a process, each second


@pytest.mark.parametrize(
    ("forked", "worker", "nursery", "late"),
    [
        (True, {}, {}, True),
        (True, {"used": 1.0, "is_ready": True}, {}, True),
        (True, {"used": 0.9, "waited": 0.1, "is_ready": True}, {}, True),
        (True, {"used": 0.1, "waited": 0.9, "is_ready": True}, {}, False),
        (True, {"used": 0.1, "waited": 0.4}, {"waited": 0.4}, False),
        (True, {"is_ready": True}, {}, False),  # a wait counts when it is over, and this one is not
        (False, {}, {}, True),
        (False, {}, {"used": 0.9, "waited": 0.1, "is_ready": True}, True),
        (False, {}, {"used": 0.1, "waited": 0.9, "is_ready": True}, False),
        (False, {}, {"is_ready": True}, False),
        (False, {}, {"is_stopped": True}, True),
    ],
)
def test_time_without_a_processor_does_not_count(
    forked: bool, worker: Changes, nursery: Changes, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a minute in which something is done that should take a second, and may take fifteen more."""
    clock, looks = [100.0], list[bool]()
    processes = {NURSERY: Process(), WORKER: Process()}
    monkeypatch.setattr(watch, "WATCH", 0.001)
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    for name in ("used", "waited", "is_ready", "is_stopped"):
        monkeypatch.setattr(watch, name, lambda n, name=name: getattr(processes.get(n, Process()), name))
    session: Any = SimpleNamespace(process=WORKER if forked else 0, doing=None, busy=True)
    session.look = lambda: session.doing
    nursing: Any = SimpleNamespace(process=NURSERY)

    async def half_a_minute() -> None:
        it = watch.Watch(lambda: [session], nursing, lambda found: looks.append(bool(found)))
        it.begins(session, "to begin", 1.0)
        for _ in range(30):
            clock[0] += 1
            for process, changes in ((WORKER, worker), (NURSERY, nursery)):
                for name, value in changes.items():
                    setattr(processes[process], name, getattr(processes[process], name) + value)
            seen = len(looks)
            while len(looks) == seen:
                await asyncio.sleep(0.001)
        it.stop()

    asyncio.run(half_a_minute())
    assert looks[-1] == late
    assert looks[0] == ("is_stopped" in nursery)


def test_what_a_worker_does_is_what_its_page_says() -> None:
    place = page.take()
    assert place is not None
    told = Doing("to begin", 1.0, 10.0, 2.0)
    session: Any = SimpleNamespace(doing=told, worker=SimpleNamespace(child=SimpleNamespace(place=place)))
    assert Session.look(session) is told, "it has not begun"
    page.write(place, "analysis", 0.5)
    found = Session.look(session)
    assert found is not None
    assert (found.what, found.expected, found.since) == ("analysis", 0.5, page.read(place).since)
    session.doing = found
    assert Session.look(session) is found, "and still does that"
    session.doing = None
    assert Session.look(session) is None, "nobody waits for it"
    page.give_back(place)
