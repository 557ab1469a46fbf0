"""A call over a login: a function of board.sh that runs on the board, and our end of its standard streams.

A board may hang, or write without end, at any moment.  So whatever we wait for has a deadline: ANSWER seconds, and one
more for each SLOWEST bytes that are under way or have come, so that a board gains nothing by single bytes.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Optional, Sequence

from ..errors import RuntimeProblem, one_line
from .registered import Board

BOARD = Path(__file__).resolve().parent / "board.sh"
ANSWER = 60.0  # seconds
SLOWEST = 50_000  # bytes a second
_UNDER_WAY = 4 << 20  # bytes that ssh may have taken, and the board not yet
LONGEST = 1 << 16  # bytes that a shell may write at its start
LOST = 255  # ssh's own code
UNTRUE = "it is no board as we know them: look what runs there"


class Call:
    """What the function writes on standard output is read from `output`, or with a deadline by `read`."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        link: socket.socket,
        mark: str,
        board: Board,
        errors: "Optional[Errors]",
    ) -> None:
        """errors -- None: they go elsewhere than to ours"""
        self.process, self.link, self._mark, self._board, self.errors = process, link, mark.encode(), board, errors
        self._function, self._given = "", 0
        self.has_arrived = True  # all that was sent, as far as we know
        self.output = link.makefile("rb", buffering=0)

    def begin(self, directory: str, function: str, arguments: Sequence[str]) -> None:
        """Say what is to be done: the number of the bytes that follow, and these."""
        self._function = function
        line = "set -- " + " ".join(map(shlex.quote, (function, self._mark.decode(), directory, *arguments))) + "\n"
        text = os.fsencode(line) + BOARD.read_bytes()
        try:
            self.send(b"%d\n" % len(text) + text)
        except OSError:  # it says why it ended
            self.has_arrived = False

    def begun(self) -> bool:
        """Wait until the function says so; what shells wrote before it is skipped.  False: it ended before that.

        Raises RuntimeProblem for a board that does not answer, or with what cannot be.
        """
        seen = b""
        wanted = b"\n" + self._mark + b"\n"
        patience = Patience(self._given)
        while len(seen) <= LONGEST:
            self._expect(patience)
            try:
                more = self.link.recv(LONGEST, socket.MSG_PEEK)  # what follows is for who reads the output
            except OSError:  # ssh ended, and had not read what we sent (ECONNRESET)
                more, self.has_arrived = b"", False
            at = (seen + more).find(wanted)
            taken = at + len(wanted) - len(seen) if at >= 0 else len(more)
            if taken == 0:
                return False
            seen += self.link.recv(taken)
            if at >= 0:
                return True
        raise self._ended_for("it answers what cannot be", UNTRUE)

    def read(self, most: int) -> bytes:
        """All that the function writes, once it has begun.  Raises RuntimeProblem when it does not come, or is more."""
        output, patience = bytearray(), Patience()
        while True:
            self._expect(patience)
            more = self.output.read(1 << 16)
            if not more:
                return bytes(output)
            output += more
            patience.goes_on(len(more))
            if len(output) > most:
                raise self._ended_for("it answers more than was asked", UNTRUE)

    def _expect(self, patience: "Patience") -> None:
        if not patience.waits(self.link, select.POLLIN):
            raise self._silent()

    def _silent(self) -> RuntimeProblem:
        hint = "log in by hand, and look what its shell does at its start: ssh {}".format(self._board.address)
        return self._ended_for("it does not answer", hint)

    def _ended_for(self, why: str, hint: str) -> RuntimeProblem:
        self.kill()
        return RuntimeProblem("board '{}'".format(self._board.name), "{} ({})".format(why, self._function), hint)

    def send(self, data: Any) -> None:
        """However long that takes.  Raises OSError when nobody reads any more."""
        view = memoryview(data).cast("B")
        while len(view) > 0:
            view = view[self.link.send(view[: 1 << 20], socket.MSG_NOSIGNAL) :]

    def give(self, data: Any) -> None:
        """The same, and no more.  Raises RuntimeProblem when in the usual time it takes none of it."""
        view = memoryview(data).cast("B")
        self._given = min(len(view), _UNDER_WAY)
        with contextlib.suppress(OSError):  # it says why it ended
            while len(view) > 0:
                if not Patience().waits(self.link, select.POLLOUT):
                    raise self._silent()
                view = view[self.link.send(view[: 1 << 20], socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT) :]
        self.no_more()

    def no_more(self) -> None:
        """What is read there ends here."""
        with contextlib.suppress(OSError):
            self.link.shutdown(socket.SHUT_WR)

    def ended(self, seconds: Optional[float] = None) -> int:
        """Its exit code; LOST when it has to be ended after so many seconds, or else the usual ones."""
        try:
            code = self.process.wait(ANSWER if seconds is None else seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.output.close()
        self.link.close()
        return LOST if code < 0 else code

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        self.ended()


class Patience:
    """How long a board may take."""

    def __init__(self, size: int = 0) -> None:
        self._end = time.monotonic() + ANSWER
        self.goes_on(size)

    def goes_on(self, size: int) -> None:
        """So many bytes are under way, or have come."""
        self._end += size / SLOWEST

    def waits(self, link: socket.socket, event: int) -> bool:
        """Until the socket is ready.  False: not in time."""
        return is_ready(link, event, max(0.0, self._end - time.monotonic()))


def is_ready(link: socket.socket, event: int, seconds: float) -> bool:
    """Whether it is within that time, for select.POLLIN or POLLOUT; its end counts."""
    waiting = select.poll()
    waiting.register(link, event)
    return bool(waiting.poll(seconds * 1000))


class Errors(threading.Thread):
    """What comes on standard error, to ours: as it is from `mark` on, which `begin` of board.sh writes there, too.

    Before that shells and ssh speak: each line of theirs without what moves a terminal's cursor, LONGEST bytes in all.
    """

    def __init__(self, mark: str) -> None:
        super().__init__(daemon=True)
        self._wanted = b"\n" + mark.encode() + b"\n"
        self._source, self.sink = os.pipe()  # a new process takes `sink` and closes it here

    def run(self) -> None:
        with contextlib.suppress(OSError, ValueError), open(self._source, "rb", buffering=0) as source:
            kept, left = b"", LONGEST
            while data := source.read(1 << 16):
                before, begun, after = (kept + data).partition(self._wanted)
                if begun:
                    self._tell(before[:left])
                    write_all(2, after)
                    while data := source.read(1 << 16):
                        write_all(2, data)
                    return
                whole = max(0, before.rfind(b"\n"))  # the mark begins with the end of a line
                self._tell(before[: min(whole, left)])
                left -= min(whole, left)
                kept = before[whole:][-LONGEST:]
            self._tell(kept[:left])

    @staticmethod
    def _tell(said: bytes) -> None:
        lines = [one_line(line) for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
        write_all(2, "".join(line + "\n" for line in lines).encode())


def write_all(descriptor: int, data: bytes) -> None:
    """Raises OSError."""
    while data:
        data = data[os.write(descriptor, data) :]
