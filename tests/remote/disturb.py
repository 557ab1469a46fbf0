"""A bad line: disturb.py SEED KIND COMMAND… runs the command and carries its standard streams, with a fault somewhere.

What travels are messages of 8 bytes of length and their bytes (library/stream_line.c).  The fault comes before a
message that the seed chooses, in the direction that it chooses.
"""

from __future__ import annotations

import os
import random
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

FIRST, LAST = 2, 90  # of the messages of `everything.c`, one is disturbed
GRACE = 2.0  # seconds
PIECES = (1, 7, 500, 1 << 16)


def messages(file: int) -> Iterator[bytes]:
    while True:
        head = exactly(file, 8)
        if len(head) < 8:
            return
        body = exactly(file, struct.unpack("<Q", head)[0] & ~(1 << 63))
        yield head + body


def read(file: int, size: int) -> bytes:
    try:
        return os.read(file, size)
    except ConnectionResetError:  # it was closed, and something was not read
        return b""


def exactly(file: int, size: int) -> bytes:
    parts = []
    while size > 0 and (part := read(file, min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def crumbs(file: int, data: bytes, chance: random.Random) -> None:
    """In pieces, with pauses."""
    left = 3
    while data:
        size = chance.choice(PIECES) if left else len(data)
        write(file, data[:size])
        data = data[size:]
        left -= 1 if left else 0
        time.sleep(chance.random() * 0.002)


@dataclass(frozen=True)
class Way:
    """One direction: what happens to message `at` of it."""

    source: int
    sink: int
    kind: str
    at: int
    chance: random.Random
    process: subprocess.Popen[bytes]

    def carry(self) -> None:
        kept = b""
        for number, message in enumerate(messages(self.source)):
            if self.kind == "delay" and number % 5 == 0:
                crumbs(self.sink, message, self.chance)
                continue
            if number == self.at:
                if self.kind == "drop":
                    continue
                if self.kind == "reorder":
                    kept = message
                    continue
                self.break_down(message)
            write(self.sink, message + kept)
            kept = b""
        os.close(self.sink)

    def break_down(self, message: bytes) -> None:
        if self.kind == "cut":
            write(self.sink, message[: self.chance.randrange(len(message))])
            self.process.kill()
            os._exit(1)
        if self.kind == "kill":
            self.process.kill()
        if self.kind == "stop":
            self.process.send_signal(signal.SIGSTOP)


def ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        return False
    return True


def between(process: subprocess.Popen[bytes], there: Callable[[], None], back: Callable[[], None]) -> None:
    """Carry both directions until the process has ended; then end as it did."""
    threads = [threading.Thread(target=way, daemon=True) for way in (there, back)]
    for thread in threads:
        thread.start()
    while process.poll() is None:
        threads[0].join(0.05)
        if not threads[0].is_alive() and not ended(process):
            process.kill()  # as a login does, when nobody is at its other end any more
            process.wait()
    threads[1].join(1)
    os._exit(process.returncode & 0x7F)


def main() -> None:
    chance, kind = random.Random(int(sys.argv[1])), sys.argv[2]
    process = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    there, at = chance.random() < 0.5, chance.randint(FIRST, LAST)
    ways = [
        Way(0, process.stdin.fileno(), kind if there or kind == "delay" else "", at, chance, process),
        Way(process.stdout.fileno(), 1, kind if not there or kind == "delay" else "", at, chance, process),
    ]
    between(process, *(way.carry for way in ways))


if __name__ == "__main__":
    main()
