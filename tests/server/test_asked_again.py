"""What was asked of a worker that has ended: another one answers, once."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from ompls.server import answers, watch, worker
from ompls.server.refusal import Refused

from .test_engine import WAIT, opened

pytestmark = pytest.mark.asyncio
ASKED = ["textDocument/documentSymbol", "textDocument/foldingRange"]


async def test_what_was_asked_of_a_worker_that_is_killed_another_one_answers(tmp_path: Path) -> None:
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        await it.known(session)
        symbols = await it.engine.ask(session, "textDocument/documentSymbol", None)
        os.kill(session.process, signal.SIGSTOP)  # it will not answer
        it.type(session, "\n")
        asked = [it.engine.ask(session, method, None) for method in ASKED]
        await it.until(lambda: len(session.asked) == len(ASKED))
        os.kill(session.process, signal.SIGKILL)
        now = await asyncio.wait_for(asyncio.gather(*asked), WAIT)
        assert now[0] != symbols  # of the text as it is now
        assert not session.asked
        assert not session.ended


async def test_nobody_asks_a_third_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setitem(answers.METHODS, ASKED[0], answers.Method("whole", dies))
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        with pytest.raises(Refused, match=f"a.c: {ASKED[0]}: its process has ended"):
            await asyncio.wait_for(it.engine.ask(session, ASKED[0], None), WAIT)
        assert await it.engine.ask(session, ASKED[1], None)


async def test_an_answer_that_does_not_end_is_refused_and_the_others_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = tmp_path / "tries"

    def hangs(*_: Any) -> Any:
        with tries.open("a") as file:
            file.write(".")
        time.sleep(1000)

    monkeypatch.setattr(watch, "GRACE", 3.0)
    monkeypatch.setattr(worker, "ANSWER", 0.1)
    monkeypatch.setitem(answers.METHODS, ASKED[0], answers.Method("whole", hangs))
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        asked = [it.engine.ask(session, method, None) for method in ASKED]
        found = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), WAIT)
        (refused,) = (str(each) for each in found if isinstance(each, Refused))
        assert refused.startswith(f"a.c: {ASKED[0]}: no end after ")
        assert tries.read_text() == "."


async def test_nobody_is_asked_again_about_a_document_that_is_closed(tmp_path: Path) -> None:
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        asked = it.engine.ask(session, ASKED[0], None)
        await it.until(lambda: bool(session.asked))
        it.engine.close(session.document.uri)
        with pytest.raises(Refused, match="it was closed"):
            await asyncio.wait_for(asked, WAIT)
        assert session.worker is None
