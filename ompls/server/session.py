"""One open document as the server knows it, and its end of the worker process that analyses it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ompls.server import messages, page
from ompls.server.documents import Document
from ompls.server.frames import Received, frame
from ompls.server.nursery import Child
from ompls.server.settings import Settings


@dataclass
class Doing:
    """What a worker does, as far as somebody has looked.

    since    -- time.monotonic
    expected -- seconds that it should take
    missed   -- seconds in which nobody had listened before (`Watch`)
    waited   -- seconds that it had waited for a processor when it was first looked at; before that it is negative
    used     -- seconds of the processor that it had, as far as was seen
    ready    -- when it can have begun to wait for a processor at the earliest
    """

    what: str
    since: float
    expected: float
    missed: float
    waited: float = -1.0
    used: float = 0.0
    ready: float = 0.0


@dataclass(slots=True, eq=False)
class Question:
    """What a worker was asked and has not answered.

    again -- the one before it was asked, too, and has ended
    """

    method: str
    params: Any
    answer: asyncio.Future[tuple[bytes, ...]]
    again: bool = False


@dataclass(eq=False)
class Session:
    """One open document.

    stamp    -- counts its states: texts and settings
    fresh    -- the last result
    headers  -- the key of what its headers have; "": nobody has read them yet
    process  -- the number of the worker's process; 0: not known, or there is none
    doing    -- what its worker does
    memory   -- bytes that the worker had when it had nothing to do the last time
    used     -- when the client did something with it the last time (time.monotonic)
    failed   -- something did not end, and there was no result since
    left_out -- what did not end again, and is not tried before the text has changed: "", "rules" or "analysis"
    ended    -- what the user is told of that
    patience -- seconds without an edit before it is tried again
    """

    document: Document
    settings: Settings
    stamp: int = 0
    fresh: messages.Fresh | None = None
    headers: str = ""
    includes: frozenset[str] = frozenset()
    kept: tuple[bytes, ...] = ()  # an answer of the worker's, which it need not send again
    worker: Worker | None = None
    process: int = 0
    doing: Doing | None = None
    memory: int = 0
    used: float = 0.0
    asked: dict[int, Question] = field(default_factory=dict)
    failed: bool = False
    left_out: str = ""
    ended: str = ""
    patience: float = 0.0
    again: asyncio.TimerHandle | None = None
    typing: int | None = None  # the line of a directive that somebody types in: nothing is drawn into that
    typed: asyncio.TimerHandle | None = None  # until they have stopped
    told: asyncio.TimerHandle | None = None  # when those that include it are told of its text
    told_by: float = 0.0  # then at the latest, whoever types (time.monotonic)

    @property
    def current(self) -> bool:
        """Whether all is known of the document as it is."""
        return self.fresh is not None and self.fresh.stamp == self.stamp and self.fresh.last

    @property
    def busy(self) -> bool:
        return self.doing is not None

    def look(self) -> Doing | None:
        """What its worker does now: `doing`, or what it has begun since."""
        doing = self.doing
        if doing is not None and self.worker is not None:
            since, seconds, what = page.read(self.worker.child.place)
            if what and (what, since, seconds) != (doing.what, doing.since, doing.expected):
                return Doing(what, since, seconds, doing.missed)
        return doing


class Worker(asyncio.Protocol):
    """A child process as the server talks to it.

    hear -- is called with what it says, at once; without it `receive` gives that
    """

    def __init__(self, child: Child, hear: Callable[[Any], None] | None = None) -> None:
        self.child = child
        self.listener: asyncio.Task[None] | None = None
        self._unsent: list[bytes] = []
        self._transport: asyncio.WriteTransport | None = None
        self._received = Received()
        self._heard: deque[Any] = deque()
        self._hear = hear or self._heard.append
        self._news = asyncio.Event()
        self._gone = asyncio.Event()

    def send(self, message: Any) -> None:
        if self._transport is None:
            self._unsent.append(frame(message))
        else:
            self._transport.write(frame(message))

    async def listen(self) -> None:
        """Hear what it says until it has ended."""
        await self._connect()
        await self._gone.wait()

    async def receive(self) -> Any:
        """What it says next.  Raises ConnectionError when it has ended."""
        await self._connect()
        while not self._heard:
            if self._gone.is_set():
                raise ConnectionError("its process has ended")
            self._news.clear()
            await self._news.wait()
        return self._heard.popleft()

    async def _connect(self) -> None:
        if self._transport is None:
            loop = asyncio.get_running_loop()
            self._transport, _ = await loop.create_unix_connection(lambda: self, sock=self.child.connection)
            self._transport.writelines(self._unsent)
            self._unsent.clear()

    def data_received(self, data: bytes) -> None:
        self._received.add(data)
        for message in self._received.values():
            self._hear(message)
        self._news.set()

    def connection_lost(self, problem: Exception | None) -> None:
        self._gone.set()
        self._news.set()

    def end(self) -> None:
        self.child.end()
        if self._transport is not None:
            self._transport.abort()
        else:
            self.child.connection.close()
        if self.listener is not None:
            self.listener.cancel()
