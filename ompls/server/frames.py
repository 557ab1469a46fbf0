"""Values between the server and its children: each is a length in four bytes (big-endian) and a pickled value.

Both ends are our own code, forked from one process: nobody else can write to these sockets.
"""

from __future__ import annotations

import pickle
import select
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

_SIZE = 4
_PIECE = 1 << 18  # bytes; what is written at once of a long message
_CHUNK = 1 << 16  # bytes; what a socket holds, more or less


def frame(value: Any) -> bytes:
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return len(body).to_bytes(_SIZE, "big") + body


class Received:
    """What has come of a stream, until it is taken as values."""

    def __init__(self) -> None:
        self._held = bytearray()

    def add(self, chunk: bytes) -> None:
        self._held += chunk

    def values(self) -> Iterator[Any]:
        """Those that are there as a whole, in their order."""
        while len(self._held) >= _SIZE:
            end = _SIZE + int.from_bytes(self._held[:_SIZE], "big")
            if len(self._held) < end:
                return
            with memoryview(self._held) as held, held[_SIZE:end] as body:
                value = pickle.loads(body)  # noqa: S301 - both ends are our own
            del self._held[:end]
            yield value


class Frames:
    """The child's end of a socket: it takes what has arrived, and waits only when it is told to."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = Received()
        self._held = b""
        self.ended = False  # the server has closed its end

    def fileno(self) -> int:
        return self._connection.fileno()

    def send(self, value: Any) -> None:
        """Raises OSError when nobody reads any more."""
        self.hold(value)
        self.flush()

    def hold(self, value: Any) -> None:
        """Send it with the next one, or at `flush`: the server wakes once for both."""
        self._held += frame(value)

    def flush(self) -> None:
        """As `send`."""
        held, self._held = self._held, b""
        if held:
            self._connection.sendall(held)

    def next(self) -> Any:
        """Wait for a value; None at the end."""
        while not self.ended:
            for value in self.arrived():
                return value
            select.select([self], [], [])
        return None

    def arrived(self) -> Iterator[Any]:
        """The values that are there, in their order."""
        with suppress(BlockingIOError):  # there is nothing more
            while not self.ended:
                chunk = self._connection.recv(_CHUNK, socket.MSG_DONTWAIT)
                self.ended = not chunk
                self._received.add(chunk)
        yield from self._received.values()


def pieces(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts joined to pieces of about this size; a larger part is a piece of its own, and not copied."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        if held and size + len(part) > _PIECE:
            yield b"".join(held)
            held, size = [], 0
        held.append(part)
        size += len(part)
    yield b"".join(held)
