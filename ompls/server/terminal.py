"""A pseudo-terminal for a program that runs for an editor: what it prints comes out here, what somebody types goes in.

It is not the program's controlling terminal: when the process that has one ends, the kernel throws away what was not
read yet.  So Ctrl-C is the server's to deliver; everything else (echo, line editing, Ctrl-D) is the kernel's, as ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import struct
import termios

INTERRUPT = "\x03"


class Terminal:
    def __init__(self, columns: int, rows: int) -> None:
        self._ours, self.theirs = os.openpty()  # `theirs`: the program's end, for its three streams
        self.resize(columns, rows)
        self._writer: asyncio.WriteTransport | None = None

    def resize(self, columns: int, rows: int) -> None:
        size = struct.pack("HHHH", min(rows, 0xFFFF), min(columns, 0xFFFF), 0, 0)
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)

    async def open(self) -> asyncio.StreamReader:
        """What the program prints, when it has been started; its end of the terminal is its own then."""
        loop = asyncio.get_running_loop()
        os.close(self.theirs)
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: _Ending(reader), os.fdopen(os.dup(self._ours), "rb", 0))
        transport, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(self._ours, "wb", 0))
        self._writer = transport
        return reader

    def write(self, text: str) -> None:
        if self._writer is not None:
            self._writer.write(text.encode("utf-8", "replace"))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.abort()
        else:  # nothing was started
            os.close(self._ours)
            os.close(self.theirs)


class _Ending(asyncio.StreamReaderProtocol):
    """That the program's end was closed is an error to the transport (EIO), and the end to the reader."""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(None)
