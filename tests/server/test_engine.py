"""Workers as processes: what one document does to the others, and what happens to an analysis that does not end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ompls.server import checker, engine, messages, nursery, recovery, watch, worker, workers
from ompls.server import session as sessions
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
        self.engine = Engine(
            Nursery({"document": worker.main, "check": checker.main}), self._heard, self._heard, self._heard, print
        )

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
    monkeypatch.setattr(watch, "GRACE", 0.5)
    monkeypatch.setattr(workers, "SIGN_OF_LIFE", 0.5)
    monkeypatch.setattr(recovery, "PATIENCE", 0.5)


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


@pytest.mark.thorough
@pytest.mark.usefixtures("impatient")
async def test_a_worker_that_waits_for_a_processor_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is the time that it could have used: other processes may keep the machine busy."""
    analyse = worker.analyse

    def busy(*arguments: Any) -> Any:
        os.sched_setaffinity(0, {processor})
        until = time.thread_time() + 0.5
        while time.thread_time() < until:
            pass
        return analyse(*arguments)

    processor = min(os.sched_getaffinity(0))
    monkeypatch.setattr(worker, "analyse", busy)
    loop = f"import os\nos.sched_setaffinity(0, {{{processor}}})\nwhile True: pass"
    others = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(7)]
    try:
        async with opened() as it:
            session = it.open(tmp_path / "a.c")
            await it.until(lambda: session.process != 0)
            first = session.process
            assert len(await it.known(session)) == 1
            assert (session.process, session.failed) == (first, False)
    finally:
        for other in others:
            other.kill()
            other.wait()


async def test_a_document_that_is_closed_at_once_leaves_nothing(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    async with opened() as it:
        for number in range(20):
            it.engine.close(it.open(tmp_path / f"{number}.c").document.uri)
        await asyncio.sleep(0)
    gc.collect()
    assert not [str(warning.message) for warning in recwarn if "never awaited" in str(warning.message)]


@pytest.mark.usefixtures("impatient")
@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.usefixtures("impatient")
async def test_rules_that_do_not_end_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document is analysed without them, and asks are answered."""

    def hang(*_: Any) -> Any:
        while True:
            pass

    monkeypatch.setattr(worker, "judge_within", hang)
    async with opened() as it:
        session = it.open(tmp_path / "a.c", SAXPY)
        await it.until(lambda: session.left_out == "rules" and session.current)
        assert session.fresh is not None
        assert not session.fresh.complete
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


async def test_a_nursery_that_is_stopped_is_replaced_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "GRACE", 1000.0)  # it is seen, and nobody waits for its sign of life
    async with opened() as it:
        first = it.open(tmp_path / "a.c")
        await it.known(first)
        parent = int(Path(f"/proc/{first.process}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(parent, signal.SIGSTOP)
        second = it.open(tmp_path / "b.c")
        second.failed = True  # a worker of it was ended before
        assert await asyncio.wait_for(it.engine.ask(second, "textDocument/documentSymbol", None), WAIT)
        assert not alive(parent)
        assert not second.ended
        assert len(await it.known(first)) == 1


async def test_the_end_of_the_first_worker_of_a_new_nursery_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "GRACE", 1000.0)  # it is heard, and not given up
    monkeypatch.setattr(workers, "SIGN_OF_LIFE", 1000.0)
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        await it.known(session)
        parent = int(Path(f"/proc/{session.process}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(parent, signal.SIGKILL)
        await it.until(lambda: session.worker is None)
        it.type(session)
        await it.known(session)
        os.kill(session.process, signal.SIGKILL)
        await it.until(lambda: session.worker is None)
        it.type(session)
        assert len(await it.known(session)) == 1


async def test_a_nursery_that_could_not_be_forked_is_forked_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what had the number of the last one is left alone."""
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        await it.known(session)
        signalled: list[int] = []
        fork, kill = os.fork, os.kill
        monkeypatch.setattr(os, "fork", no_fork)
        monkeypatch.setattr(os, "kill", lambda process, number: signalled.append(process) or kill(process, number))
        for _ in range(2):
            with pytest.raises(BlockingIOError):
                it.engine.workers.nursery.renew()
        assert len(signalled) == 1
        await it.until(lambda: session.worker is None)
        with pytest.raises(BlockingIOError):
            await it.engine.ask(session, "textDocument/documentSymbol", None)
        assert not session.asked
        monkeypatch.setattr(os, "fork", fork)
        it.type(session)
        assert len(await it.known(session)) == 1
        assert len(signalled) == 1


def no_fork() -> int:
    raise BlockingIOError("Resource temporarily unavailable")


@pytest.mark.thorough  # it takes the time that it is about
async def test_time_in_which_the_server_is_stopped_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "GRACE", 1.0)
    monkeypatch.setattr(workers, "SIGN_OF_LIFE", 1.0)
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        await it.known(session)
        process = session.process
        for _ in range(2):
            it.type(session)
            await asyncio.sleep(0)  # it is sent
            time.sleep(5)  # as a stopped process would: the loop does nothing
            assert len(await it.known(session)) == 1
        assert (session.process, session.failed, session.left_out) == (process, False, "")
        os.kill(process, signal.SIGSTOP)  # and later on it counts again
        it.type(session)
        await it.until(lambda: session.process not in (0, process))


async def test_what_a_worker_says_that_nobody_knows_is_left(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with opened() as it:
        session = it.open(tmp_path / "a.c")
        it.engine.workers.hear(session, "good morning")
        assert "good morning" in caplog.text
        assert len(await it.known(session)) == 1


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
    monkeypatch.setattr(workers, "MOST", 3)
    for number in range(6):  # else each is told of the others' texts, and one that is busy then is kept
        (tmp_path / f"{number}.c").write_text(MISTAKE)
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


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[bytes | None]:
    """The texts of headers that other workers were told of."""
    texts: list[bytes | None] = []
    send = sessions.Worker.send

    def watched(self: sessions.Worker, message: Any) -> None:
        if isinstance(message, messages.Overlay) and message.path.endswith(".h"):
            texts.append(message.text)
        send(self, message)

    monkeypatch.setattr(sessions.Worker, "send", watched)
    return texts


@asynccontextmanager
async def included(it: Opened, tmp_path: Path) -> AsyncIterator[Session]:
    """An open header that another open document includes."""
    header = tmp_path / "own.h"
    header.write_text("int x;\n")
    source = it.open(tmp_path / "a.c", '#include "own.h"\n' + MISTAKE)
    await it.known(source)
    yield it.open(header, header.read_text())


@pytest.mark.thorough  # it takes the time that it is about
async def test_others_are_told_of_an_edited_header_after_the_last_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: list[bytes | None]
) -> None:
    monkeypatch.setattr(engine, "PAUSE", 5.0)  # no edit comes so much later than the one before
    monkeypatch.setattr(engine, "LONGEST_PAUSE", 1000.0)
    async with opened() as it, included(it, tmp_path) as header:
        for _ in range(30):
            it.type(header)
            await asyncio.sleep(0.1)
        assert not told
        await it.until(lambda: bool(told))
        assert told == [header.document.source]


@pytest.mark.thorough
async def test_others_are_told_of_a_header_now_and_then_while_somebody_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: list[bytes | None]
) -> None:
    monkeypatch.setattr(engine, "PAUSE", 1000.0)
    async with opened() as it, included(it, tmp_path) as header:
        for _ in range(600):
            it.type(header)
            await asyncio.sleep(0.1)
            if len(told) > 1:
                break
        assert len(told) > 1


@pytest.mark.thorough  # it takes the time that it is about
@pytest.mark.usefixtures("impatient")
async def test_other_settings_are_a_new_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What did not end before is no reason to leave anything out, nor to end the worker that does it now."""
    analyse, hangs = worker.analyse, tmp_path / "hangs"

    def hang(*arguments: Any) -> Any:
        while hangs.exists():
            time.sleep(0.01)
        return analyse(*arguments)

    monkeypatch.setattr(worker, "analyse", hang)
    monkeypatch.setattr(recovery, "PATIENCE", 3.0)
    async with opened() as it:
        hangs.touch()
        session = it.open(tmp_path / "a.c")
        await it.until(lambda: session.left_out == "analysis")
        it.type(session)  # it is to be tried again in three seconds
        hangs.unlink()
        it.engine.configure({"openmpVersion": "5.1"}, {})
        assert (session.failed, session.left_out, session.ended, session.again) == (False, "", "", None)
        assert len(await it.known(session)) == 1
        process = session.process
        await asyncio.sleep(4)
        assert session.process == process


@pytest.mark.thorough
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
