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
    """theirs -- the program's end, for its three streams"""

    def __init__(self, columns: int, rows: int) -> None:
        ours, theirs = os.openpty()
        self.theirs = os.fdopen(theirs, "rb", 0)
        self._ours = os.fdopen(ours, "wb", 0)
        self._reader: asyncio.ReadTransport | None = None
        self._writer: asyncio.WriteTransport | None = None
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        size = struct.pack("HHHH", min(rows, 0xFFFF), min(columns, 0xFFFF), 0, 0)
        with contextlib.suppress(OSError, ValueError):  # it is closed
            fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)

    async def open(self) -> asyncio.StreamReader:
        """What the program prints, when it has been started; its end of the terminal is its own then."""
        loop = asyncio.get_running_loop()
        self.theirs.close()
        reader = asyncio.StreamReader()
        printed = os.fdopen(os.dup(self._ours.fileno()), "rb", 0)
        self._reader, _ = await loop.connect_read_pipe(lambda: _Ending(reader), printed)
        self._writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._ours)
        return reader

    def write(self, text: str) -> None:
        if self._writer is not None:
            self._writer.write(text.encode("utf-8", "replace"))

    def close(self) -> None:
        """At any time, also when `open` was cut off: what has a transport is closed by that, and no file twice."""
        self.theirs.close()
        if self._reader is not None:
            self._reader.close()
        if self._writer is not None:
            self._writer.abort()
        else:
            self._ours.close()


class _Ending(asyncio.StreamReaderProtocol):
    """That the program's end was closed is an error to the transport (EIO), and the end to the reader."""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(None)
