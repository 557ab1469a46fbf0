"""How bytes get in and out: stdio, or one client on a TCP port of the loopback interface.

Standard input is read by one daemon thread that hands chunks to the event loop: reading never depends on a thread pool
that something else may fill, and a blocked read does not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
from collections.abc import AsyncIterator
from typing import BinaryIO

_HEADER = 200  # bytes; no header of ours is longer
_LENGTH = re.compile(rb"Content-Length:[ \t]*(\d{1,9})[ \t]*\r?\n\Z", re.I)  # also behind what a wrong length left


async def bodies(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The bodies of the client's messages, until it leaves.  What is between messages is passed over."""
    length = 0
    while True:
        line = await _line(reader)
        if not line:
            return
        if (match := _LENGTH.search(line)) is not None:
            length = int(match[1])
        elif not line.strip() and length:
            try:
                yield await reader.readexactly(length)
            except asyncio.IncompleteReadError:
                return
            length = 0


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line, with its end; of one that is longer than any header only its last bytes.  At the end nothing."""
    line = b""
    while True:
        try:
            return line + await reader.readuntil()
        except asyncio.IncompleteReadError as end:
            return line + end.partial
        except asyncio.LimitOverrunError as longer:
            line = (line + await reader.readexactly(longer.consumed))[-_HEADER:]


class StreamWriter:
    """Writes whole messages to a blocking stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        self._stream.close()


def open_stdio() -> tuple[asyncio.StreamReader, StreamWriter]:
    """The protocol's streams.  Afterwards descriptor 1 is the log: a stray `print` cannot break the protocol."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    source = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)  # child processes must not eat the client's messages
    os.close(null)
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()

    def pump() -> None:
        try:
            while chunk := os.read(source, 1 << 16):
                loop.call_soon_threadsafe(reader.feed_data, chunk)
            loop.call_soon_threadsafe(reader.feed_eof)
        except (OSError, RuntimeError):  # the loop has ended
            return

    threading.Thread(target=pump, name="stdin", daemon=True).start()
    return reader, StreamWriter(output)


async def accept_one(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Listen on 127.0.0.1:`port` (0: any free one), say where on stderr, and give the first client's streams.

    Raises OSError when the port cannot be had.
    """
    client: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Future()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if client.done():
            writer.close()
        else:
            client.set_result((reader, writer))

    listener = await asyncio.start_server(connected, "127.0.0.1", port)
    host, number = listener.sockets[0].getsockname()[:2]
    print(f"ompls: listening on {host}:{number}", file=sys.stderr, flush=True)
    streams = await client
    listener.close()
    return streams
