"""Who is overdue: what workers do is to end in the time that they said.

Time does not count in which a worker, or the nursery that is to fork it, was ready and other processes had the
processor, or in which this process did not look: it was stopped, or waited itself, and heard nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from ompls.server.lean import is_ready, is_stopped, used, waited
from ompls.server.nursery import Nursery
from ompls.server.session import Doing, Session

GRACE = 15.0  # seconds that something may take longer than was said
WATCH = 0.5  # seconds between two looks at who is busy


class Watch:
    """Looks at the sessions as long as one is busy.

    nursery                          -- forks the workers: while it is stopped, what did not begin at once will not
    on_late([(session, seconds), …]) -- these take much longer than they said, or cannot begin
    """

    def __init__(
        self,
        sessions: Callable[[], Iterable[Session]],
        nursery: Nursery,
        on_late: Callable[[list[tuple[Session, float]]], None],
    ) -> None:
        self._sessions = sessions
        self._nursery = nursery
        self._on_late = on_late
        self._timer: asyncio.TimerHandle | None = None
        self._looked = 0.0  # when it did
        self._missed = 0.0  # seconds in which it should have looked and did not

    def begins(self, session: Session, what: str, seconds: float) -> None:
        """The session's worker does something that should take so long; more of it is on its page (`page.py`)."""
        session.doing = Doing(what, time.monotonic(), seconds, self._missed)  # most of it ends before a look
        if self._timer is None:
            self._look_later()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(WATCH, self._look)

    def _look(self) -> None:
        assert self._timer is not None
        before = self._missed
        self._missed += asyncio.get_running_loop().time() - self._timer.when()  # what was sent was not heard
        self._timer = None
        try:
            self._on_late([(s, took) for s in self._sessions() if (took := self._overdue(s, before))])
        finally:
            self._looked = time.monotonic()
            if self._timer is None and any(session.busy for session in self._sessions()):
                self._look_later()

    def _overdue(self, session: Session, missed: float) -> float:
        """For how many seconds its worker has done what should have ended by now; else 0.

        missed -- as it was at the last look
        """
        if (doing := session.look()) is None:
            return 0.0
        if doing is not session.doing:
            session.doing = replace(doing, missed=missed)  # it began behind the last look
            doing = session.doing
        took = time.monotonic() - doing.since
        if not session.process and took > WATCH and is_stopped(self._nursery.process):
            return took
        waits = waited(session.process) + waited(self._nursery.process)
        if doing.waited < 0:
            doing.waited, doing.used, doing.ready = waits, used(self._who(session)), doing.since
        took -= waits - doing.waited + self._missed - doing.missed + self._waits(self._who(session), doing)
        return took if took > doing.expected + GRACE else 0.0

    def _who(self, session: Session) -> int:
        """The process that does it, or is to fork the one that will."""
        return session.process or self._nursery.process

    def _waits(self, process: int, doing: Doing) -> float:
        """Seconds that the process may have waited by now, if it waits: the system tells of a wait when it is over."""
        if (had := used(process)) != doing.used:
            doing.used, doing.ready = had, max(doing.since, self._looked)
        return time.monotonic() - doing.ready if is_ready(process) else 0.0
