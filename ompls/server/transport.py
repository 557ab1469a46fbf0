"""How bytes get in and out: stdio, or one client on a TCP port of the loopback interface.

Standard input is read by one daemon thread that hands chunks to the event loop: reading never depends on a thread pool
that something else may fill, and a blocked read does not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

_HEADER = 200  # bytes; no header of ours is longer
_LENGTH = re.compile(rb"Content-Length:[ \t]*(\d{1,9})[ \t]*\r?\n\Z", re.I)  # also behind what a wrong length left


class Conversation(asyncio.Protocol):
    """The client's messages, as they come.  What is between messages is passed over.

    opened(writer) -- there is a client
    said(body)     -- the body of a message
    left()         -- the client does not say anything any more
    """

    def __init__(
        self, opened: Callable[[Any], None], said: Callable[[bytes], None], left: Callable[[], object]
    ) -> None:
        self._opened, self._said, self._left = opened, said, left
        self._held = bytearray()
        self._length = 0  # of the body that follows the headers
        self._in_body = False

    def connection_made(self, transport: Any) -> None:
        self._opened(transport)

    def data_received(self, data: bytes) -> None:
        self._held += data
        while (body := self._body()) is not None:
            self._said(body)

    def connection_lost(self, problem: Exception | None) -> None:
        self._left()

    def _body(self) -> bytes | None:
        """The next one that is there as a whole."""
        while not self._in_body:
            if (line := self._line()) is None:
                return None
            if (match := _LENGTH.search(line)) is not None:
                self._length = int(match[1])
            else:
                self._in_body = bool(self._length) and not line.strip()
        if len(self._held) < self._length:
            return None
        body = bytes(self._held[: self._length])
        del self._held[: self._length]
        self._length, self._in_body = 0, False
        return body

    def _line(self) -> bytes | None:
        """The next one, with its end; of one that is longer than any header only its last bytes."""
        end = self._held.find(b"\n") + 1
        line = bytes(self._held[max(0, end - _HEADER) : end])
        del self._held[: end or -_HEADER]
        return line or None


class StreamWriter:
    """Writes whole messages to a blocking stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        self._stream.close()


def open_stdio(conversation: asyncio.Protocol) -> None:
    """Have the conversation over the protocol's streams.  Afterwards descriptor 1 is the log: a stray `print` cannot
    break the protocol."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    source = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)  # child processes must not eat the client's messages
    os.close(null)
    loop = asyncio.get_running_loop()

    def pump() -> None:
        try:
            while chunk := os.read(source, 1 << 16):
                loop.call_soon_threadsafe(conversation.data_received, chunk)
            loop.call_soon_threadsafe(conversation.connection_lost, None)
        except (OSError, RuntimeError):  # the loop has ended
            return

    conversation.connection_made(StreamWriter(output))  # type: ignore[arg-type]
    threading.Thread(target=pump, name="stdin", daemon=True).start()


async def accept_one(port: int, conversation: asyncio.Protocol) -> None:
    """Listen on 127.0.0.1:`port` (0: any free one), say where on stderr, and converse with the first client.

    Raises OSError when the port cannot be had.
    """
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", port)) as listener:
        listener.setblocking(False)
        host, number = listener.getsockname()
        print(f"ompls: listening on {host}:{number}", file=sys.stderr, flush=True)
        client, _ = await loop.sock_accept(listener)
    await loop.create_connection(lambda: conversation, sock=client)
