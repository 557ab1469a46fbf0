"""Values between the server and its children: each is a length in four bytes (big-endian) and a pickled value.

Both ends are our own code, forked from one process: nobody else can write to these sockets.
"""

from __future__ import annotations

import pickle
import select
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

_SIZE = 4
_CHUNK = 1 << 20


def frame(value: Any) -> bytes:
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return len(body).to_bytes(_SIZE, "big") + body


async def read(reader: asyncio.StreamReader) -> Any:
    """The next value.  Raises asyncio.IncompleteReadError at the end, ConnectionError when the other end was killed."""
    size = int.from_bytes(await reader.readexactly(_SIZE), "big")
    return pickle.loads(await reader.readexactly(size))  # noqa: S301 - from our own child


class Frames:
    """The child's end of a socket: it takes what has arrived, and waits only when it is told to."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._held = bytearray()
        self.ended = False  # the server has closed its end

    def fileno(self) -> int:
        return self._connection.fileno()

    def send(self, value: Any) -> None:
        """Raises OSError when nobody reads any more."""
        self._connection.sendall(frame(value))

    def next(self) -> Any:
        """Wait for a value; None at the end."""
        while not self.ended:
            for value in self.arrived():
                return value
            select.select([self], [], [])
        return None

    def arrived(self) -> Iterator[Any]:
        """The values that are there, in their order."""
        while not self.ended and select.select([self._connection], [], [], 0)[0]:
            chunk = self._connection.recv(_CHUNK)
            self.ended = not chunk
            self._held += chunk
        while len(self._held) >= _SIZE:
            end = _SIZE + int.from_bytes(self._held[:_SIZE], "big")
            if len(self._held) < end:
                return
            body = bytes(self._held[_SIZE:end])
            del self._held[:end]
            yield pickle.loads(body)  # noqa: S301 - from our own server
