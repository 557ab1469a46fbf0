"""The workers of the documents: started where they are needed, heard, and ended when they take too long.

At most `MOST` are kept: a document that nobody has asked about for the longest time gives its worker up and gets one
again when it is needed.  One that takes much longer than it said is killed, whatever it does.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from ompls.server import messages
from ompls.server.guard import logged
from ompls.server.nursery import MEMORY, Nursery
from ompls.server.recovery import Recovery
from ompls.server.refusal import Lost, Refused
from ompls.server.session import Question, Session, Worker
from ompls.server.watch import Watch

log = logging.getLogger("ompls.server")

MOST = 12  # workers, but for the moments in which more of them have something to do
RESTING = 512 << 20  # bytes that workers with nothing to do may hold together
SIGN_OF_LIFE = 10.0  # seconds until a worker that had nothing to do says that it has begun


class Workers:
    """opening(session)     -- what a new worker is told of its document
    on_said(session, said)  -- a worker has said something that is not about itself
    on_result(session)      -- something is left out of what is said of the document
    on_lost(session, question, lost) -- a worker has ended that was asked this
    """

    def __init__(
        self,
        nursery: Nursery,
        sessions: Mapping[str, Session],
        opening: Callable[[Session], list[Any]],
        on_said: Callable[[Session, Any], None],
        on_result: Callable[[Session], None],
        *,
        on_lost: Callable[[Session, Question, Lost], None],
    ) -> None:
        self.nursery = nursery
        self.recovery = Recovery(self.start, self.stop, on_result)
        self._sessions = sessions
        self._opening = opening
        self._on_said = on_said
        self._on_lost = on_lost
        self._watch = Watch(sessions.values, nursery, self._late)

    def tell(self, session: Session, message: Any) -> None:
        """Send something to the session's worker; a new one is told what the document is instead."""
        if session.left_out == "analysis":
            return
        if session.worker is None:
            self.start(session)
            if not isinstance(message, messages.Ask):
                return
        assert session.worker is not None
        session.worker.send(message)
        if session.doing is None:
            self._watch.begins(session, "to begin", SIGN_OF_LIFE)

    def start(self, session: Session) -> None:
        """A worker for the document as it is."""
        if session.left_out == "analysis":
            return
        self._make_room(1)
        worker = session.worker = Worker(self.nursery.fork("document"), functools.partial(self.hear, session))
        for message in self._opening(session):
            worker.send(message)
        listening = functools.partial(self._listen, session, worker)
        worker.listener = asyncio.create_task(logged(f"listening to {session.document.uri}", listening))
        self._watch.begins(session, "to begin", SIGN_OF_LIFE)

    def stop(self, session: Session, why: str, hung: str = "") -> None:
        """End its worker; what was asked is `Lost`."""
        worker, session.worker, session.doing = session.worker, None, None
        session.memory = session.process = 0
        session.kept = ()
        if worker is not None:
            worker.end()
        asked, session.asked = session.asked, {}
        for question in asked.values():
            self._on_lost(session, question, Lost(f"{os.path.basename(session.document.path)}: {why}", hung))

    def shutdown(self) -> None:
        self._watch.stop()
        self.nursery.close()

    def _make_room(self, coming: int) -> None:
        """Let workers rest that were not needed for the longest time, until there is room for so many more."""
        working = [s for s in self._sessions.values() if s.worker is not None]
        idle = sorted((s for s in working if not s.busy and not s.asked), key=lambda s: s.used)
        held, count = sum(s.memory for s in idle), len(working) + coming
        for session in idle[: len(idle) - 1 + coming]:  # the one that was needed last stays if it can
            if count <= MOST and held <= RESTING:
                return
            held -= session.memory
            count -= 1
            self.stop(session, "its worker rests")

    def _late(self, late: list[tuple[Session, float]]) -> None:
        """End what takes much longer than it should."""
        if any(not session.process for session, _ in late):
            self.nursery.renew()  # it did not even fork
        for session, seconds in late:
            self.recovery.lost(session, f"no end after {seconds:.0f} s", hung=True)

    # --- what they say -------------------------------------------------------------------------------------------

    async def _listen(self, session: Session, worker: Worker) -> None:
        """Hear what a worker says until it has ended."""
        with suppress(ConnectionError):
            await worker.listen()
        if session.worker is worker:
            self.recovery.lost(session, "its process has ended")

    def hear(self, session: Session, message: Any) -> None:
        if isinstance(message, messages.Began):
            session.process = message.process
        elif isinstance(message, messages.Busy):
            self._watch.begins(session, message.what, message.seconds)
        elif isinstance(message, messages.Idle):
            session.doing, session.memory = None, message.memory
            if session.asked or not session.current:  # it was told more since
                self._watch.begins(session, "to begin", SIGN_OF_LIFE)
            self._make_room(0)
        elif isinstance(message, (messages.Answer, messages.Failed)):
            _answered(session, message)
        elif isinstance(message, messages.Exhausted):
            self.recovery.lost(session, f"it needs more than {MEMORY >> 20:,} MiB of memory")
        else:
            self._on_said(session, message)


def _answered(session: Session, message: messages.Answer | messages.Failed) -> None:
    question = session.asked.pop(message.number, None)
    waits = question is not None and not question.answer.done()
    if isinstance(message, messages.Failed):
        if question is not None and waits:
            question.answer.set_exception(Refused(message.message, message.code))
        return
    parts = session.kept if message.parts is None else message.parts
    if message.kept:  # also when nobody waits for it any more
        session.kept = parts
    if question is not None and waits:
        question.answer.set_result(parts)
