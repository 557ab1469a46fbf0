"""Workers as processes: what one document does to the others, and what happens to an analysis that does not end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ompls.server import checker, engine, nursery, worker
from ompls.server.documents import Change, Document
from ompls.server.engine import Engine
from ompls.server.nursery import Nursery
from ompls.server.session import Session

from .test_editors import MISTAKE, SAXPY
from .test_process import Raw

pytestmark = pytest.mark.asyncio
WAIT = 60.0


class Opened:
    """An engine without an editor."""

    def __init__(self) -> None:
        self.news = asyncio.Event()
        self.engine = Engine(Nursery({"document": worker.main, "check": checker.main}), self._heard, self._heard, print)

    def _heard(self, _: Session) -> None:
        self.news.set()

    def open(self, path: Path, text: str = MISTAKE) -> Session:
        return self.engine.open(Document(path.as_uri(), str(path), 1, text, "utf-8"))

    def type(self, session: Session, text: str = " ") -> None:
        self.engine.changed(session, session.document.version + 1, [Change(text, (0, 0), (0, 0))])

    async def until(self, condition: Callable[[], bool]) -> None:
        async def wait() -> None:
            while not condition():
                self.news.clear()
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self.news.wait(), 0.05)

        await asyncio.wait_for(wait(), WAIT)

    async def known(self, session: Session) -> list[bytes]:
        """Wait for the last result, and for the worker to rest."""
        await asyncio.wait_for(self.engine.known(session, headers=True), WAIT)
        await self.until(lambda: session.current and not session.busy)
        assert session.fresh is not None
        return list(session.fresh.items)  # type: ignore[arg-type]


@asynccontextmanager
async def opened() -> AsyncIterator[Opened]:
    it = Opened()
    try:
        yield it
    finally:
        it.engine.shutdown()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not end is ended soon, and tried again soon after."""
    for name in ("GRACE", "SIGN_OF_LIFE", "PATIENCE"):
        monkeypatch.setattr(engine, name, 0.5)


def alive(process: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


async def test_a_document_that_does_not_end_keeps_nobody_waiting(tmp_path: Path) -> None:
    async with opened() as it:
        good, bad = it.open(tmp_path / "good.c"), it.open(tmp_path / "bad.c")
        assert len(await it.known(good)) == len(await it.known(bad)) == 1
        os.kill(bad.process, signal.SIGSTOP)
        it.type(bad)
        for _ in range(5):
            it.type(good)
            assert len(await it.known(good)) == 1
        assert bad.busy


@pytest.mark.usefixtures("impatient")
async def test_a_worker_that_hangs_is_replaced_and_leaves_nothing(tmp_path: Path) -> None:
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        await it.known(session)
        first = session.process
        os.kill(first, signal.SIGSTOP)
        it.type(session)
        await it.until(lambda: not alive(first))
        assert len(await it.known(session)) == 1
        assert session.process not in (0, first)
        assert not session.ended


@pytest.mark.usefixtures("impatient")
async def test_an_analysis_that_does_not_end_is_left_out_until_the_text_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyse = worker.analyse

    def hang(analyzer: Any, path: str, source: bytes, *rest: Any) -> Any:
        while b"endless" in source:
            pass
        return analyse(analyzer, path, source, *rest)

    monkeypatch.setattr(worker, "analyse", hang)
    async with opened() as it:
        session = it.open(tmp_path / "a.c", MISTAKE + "int endless;\n")
        await it.until(lambda: bool(session.ended))
        assert session.left_out == "analysis"
        with pytest.raises(Exception, match=r"a\.c: analysis: no end after"):
            await it.engine.ask(session, "textDocument/documentSymbol", None)
        assert session.worker is None
        line = MISTAKE.count("\n")
        it.engine.changed(session, 2, [Change("", (line, 4), (line, 11))])  # and it rests
        assert len(await until_well(it, session)) == 1


async def until_well(it: Opened, session: Session) -> list[bytes]:
    await it.until(lambda: not session.left_out)
    return await it.known(session)


@pytest.mark.usefixtures("impatient")
async def test_rules_that_do_not_end_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document is analysed without them, and asks are answered."""

    def hang(*_: Any) -> Any:
        while True:
            pass

    monkeypatch.setattr(worker, "judge_within", hang)
    async with opened() as it:
        session = it.open(tmp_path / "a.c", SAXPY)
        await it.until(lambda: session.left_out == "rules")
        assert "a.c: rules: no end after" in session.ended
        answer = b"".join(await it.engine.ask(session, "textDocument/documentSymbol", None))
        assert b'"saxpy"' in answer
        assert session.current


async def test_a_worker_has_a_limit_on_its_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nursery, "MEMORY", 1 << 30)

    def greedy(*_: Any) -> Any:
        return bytearray(2 << 30)

    monkeypatch.setattr(worker, "analyse", greedy)
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        await it.until(lambda: bool(session.ended))
        assert "it needs more than 1,024 MiB of memory" in session.ended


async def test_a_worker_that_is_killed_is_replaced_when_it_is_needed(tmp_path: Path) -> None:
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        before = await it.known(session)
        os.kill(session.process, signal.SIGKILL)
        await it.until(lambda: session.worker is None)
        assert not session.ended
        assert await it.engine.ask(session, "textDocument/documentSymbol", None)
        assert await it.known(session) == before


async def test_workers_end_with_the_nursery_which_is_replaced(tmp_path: Path) -> None:
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        await it.known(session)
        process = session.process
        parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
        await it.until(lambda: session.worker is None and not alive(process))
        it.type(session)
        assert len(await it.known(session)) == 1


@pytest.mark.usefixtures("impatient")
async def test_a_nursery_that_does_not_fork_is_replaced(tmp_path: Path) -> None:
    async with opened() as it:
        first = it.open(tmp_path / "a.c")
        await it.known(first)
        parent = int(Path(f"/proc/{first.process}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(parent, signal.SIGSTOP)
        second = it.open(tmp_path / "b.c")
        assert len(await it.known(second)) == 1
        assert not alive(parent)
        it.type(first)
        assert len(await it.known(first)) == 1


async def test_nothing_is_said_of_a_text_before_it_was_analysed(tmp_path: Path) -> None:
    """A worker that is killed in the middle does not make its document a clean one, for a client that waits or asks."""
    said: list[tuple[int, int]] = []
    async with opened() as it:
        it.engine._on_result = lambda session: said.append((session.stamp, len(session.fresh.items)))  # type: ignore
        session = it.open(tmp_path / "a.c")
        await it.known(session)
        for _ in range(5):
            it.type(session)
            os.kill(session.process, signal.SIGKILL)
            await asyncio.wait_for(it.engine.known(session), WAIT)
            assert session.fresh is not None
            assert (session.fresh.stamp, len(session.fresh.items)) == (session.stamp, 1)
            await it.known(session)
    assert {count for _, count in said} == {1}


async def test_only_so_many_workers_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST", 3)
    async with opened() as it:
        sessions = [it.open(tmp_path / f"{number}.c") for number in range(3)]
        for session in sessions:
            await it.known(session)
        oldest = sessions[0].process
        for number in range(3, 6):
            sessions.append(it.open(tmp_path / f"{number}.c"))
            await it.known(sessions[-1])
        await it.until(lambda: [s.worker is not None for s in sessions] == [False] * 3 + [True] * 3)
        await it.until(lambda: not alive(oldest))
        assert all(s.current and s.fresh is not None and len(s.fresh.items) == 1 for s in sessions)
        await it.engine.known(sessions[0])  # it is known, and needs nobody
        assert sessions[0].worker is None
        it.type(sessions[0])
        assert len(await it.known(sessions[0])) == 1


async def test_an_edited_header_reaches_those_that_include_it(tmp_path: Path) -> None:
    header, source = tmp_path / "own.h", tmp_path / "a.c"
    header.write_text("#define TARGET omp target\n")
    text = '#include "own.h"\n#define P(x) _Pragma(#x)\n#define Q(x) P(x)\nvoid f(int n) {\nQ(TARGET)\nn++;\n}\n'
    async with opened() as it:
        session = it.open(source, text)
        before = await it.known(session)
        edited = it.open(header, header.read_text())
        await it.known(edited)
        it.engine.changed(edited, 2, [Change("tarrget", (0, 19), (0, 25))])
        await it.until(lambda: session.fresh is not None and list(session.fresh.items) != before)
        it.engine.close(edited.document.uri)
        await it.until(lambda: session.fresh is not None and list(session.fresh.items) == before)


async def test_no_process_outlives_a_server_that_is_killed(tmp_path: Path) -> None:
    raw = Raw()
    raw.initialize()
    document = {"uri": (tmp_path / "a.c").as_uri(), "languageId": "c", "version": 1, "text": MISTAKE}
    raw.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    while raw.receive().get("method") != "textDocument/publishDiagnostics":
        pass
    raw.send({"id": 2, "method": "ompls/serverStatus"})
    while (answer := raw.receive()).get("id") != 2:
        pass
    worker = answer["result"]["documents"][0]["worker"]
    os.kill(worker, signal.SIGSTOP)  # it does not even listen
    raw.process.kill()
    raw.ends()
    for _ in range(int(WAIT / 0.05)):
        if not alive(worker):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the worker is still there")
