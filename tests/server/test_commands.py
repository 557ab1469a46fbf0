"""Processes of the server's own: who is cancelled while one begins has none, and who leaves starts none."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from waiting import LIMIT

from ompls.runtime.start import NOWHERE
from ompls.server.commands import Commands
from ompls.server.refusal import Refused

pytestmark = pytest.mark.asyncio
DEVICES = ["devices", "--json"]


def commands() -> Commands:
    server: Any = SimpleNamespace(roots={})
    return Commands(server)


@pytest.mark.parametrize("turns", range(1, 6))
async def test_who_is_cancelled_while_it_begins_is_cancelled_soon(turns: int, family: Any) -> None:
    """asyncio waits for ever in `create_subprocess_exec` where it is cancelled before the pipes are connected."""
    made = commands()
    beginning = asyncio.create_task(made.start(DEVICES, NOWHERE))
    for _ in range(turns):
        await asyncio.sleep(0)
    beginning.cancel()
    assert await asyncio.wait({beginning}, timeout=LIMIT) == ({beginning}, set())
    await made.stop_all()
    family.ends()


async def test_who_leaves_waits_for_what_begins_and_starts_nothing_more(family: Any) -> None:
    made = commands()
    beginning = asyncio.create_task(made.start(DEVICES, NOWHERE))
    await asyncio.sleep(0)
    await made.stop_all()
    assert (await beginning).returncode is not None
    with pytest.raises(Refused, match="leaving"):
        await made.start(DEVICES, NOWHERE)
    family.ends()
