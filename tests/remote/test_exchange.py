"""What a far side does when another one, which it copies to or from, does not do its part: the test plays that one and
the program, and speaks the protocol (library/wire.h) with a real far side."""

from __future__ import annotations

import itertools
import os
import random
import re
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from thinned import thinned
from waiting import LIMIT

from .conftest import ROOT, Built, environment, run
from .disturb import exactly

OPEN, ALLOC, WRITE, READ, SYNC, CLOSE, PORT, ACCEPT, CONNECT, GIVE, TAKE, PART = 1, 2, 4, 5, 12, 13, *range(14, 20)
DATA, ERROR, DONE, NAMED = 34, 36, 37, 38
PAYLOAD, PIECE, INLINE = 1 << 63, 1 << 22, 1 << 13
RECORD, REASON = struct.Struct("<IIQQQ"), 512
PATIENCE, LONG = 500, 100_000  # milliseconds with one that is silent, and with one that may be slow
ARENA = (0x3C0000000000, 1 << 38)
SIZES = (1, 5000, 9000, PIECE + 77)
NAMES = itertools.count()
SEEDS = range(120) if "OMPLS_EXHAUSTIVE" in os.environ else range(0, 120, 4)


class Program:
    """The program's side of a far side, of which memory of so many bytes is at `address`."""

    def __init__(self, far: Path, size: int, arena: bool) -> None:
        self._process = subprocess.Popen([far], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._said = self._syncs = 0
        self.address = ARENA[0] if arena else (1 << 40) + (1 << 39)
        self.say((OPEN, *(ARENA if arena else (0, 0)), 0), (ALLOC, self.address, size, 0))
        assert self.sync()[1] == ""

    def _send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._to, data) :]

    def say(self, *records: tuple[int, int, int, int], data: bytes = b"") -> None:
        """A frame; `data` are the bytes of its last record."""
        self._said += 1
        parts = [struct.pack("<Q", self._said)]
        for number, (what, *numbers) in enumerate(records, 1):
            mine = data if number == len(records) else b""
            parts += [RECORD.pack(what, len(mine), *numbers), mine, bytes(-len(mine) % 8)]
        frame = b"".join(parts)
        self._send(struct.pack("<Q", len(frame)) + frame)

    def write(self, data: bytes) -> None:
        self.say((WRITE, self.address, len(data), 0), data=data if len(data) <= INLINE else b"")
        if len(data) > INLINE:
            self._send(struct.pack("<Q", len(data) | PAYLOAD) + data)

    def sync(self) -> tuple[bytes, str]:
        """What was read or named, and the reason of an error."""
        self._syncs += 1
        self.say((SYNC, self._syncs, 0, 0))
        found, reason = b"", ""
        while True:
            frame = exactly(self._from, struct.unpack("<Q", exactly(self._from, 8))[0])
            at = 8 if any(frame) else len(frame)  # zeros are a sign of life
            while at < len(frame):
                what, length, a, b, _ = RECORD.unpack_from(frame, at)
                data = frame[at + RECORD.size : at + RECORD.size + length]
                at += RECORD.size + length + -length % 8
                if what == ERROR:
                    reason = data[:REASON].split(b"\0")[0].decode()
                elif what == NAMED:
                    found = data.rstrip(b"\0")
                elif what == DATA:
                    found = data or exactly(self._from, 8 + b)[8:]
                elif what == DONE:
                    assert a == self._syncs
                    return found, reason

    def read(self, size: int) -> tuple[bytes, str]:
        self.say((READ, self.address, size, 0))
        return self.sync()

    def end(self) -> int:
        """Its exit code."""
        self.say((CLOSE, 0, 0, 0))
        try:
            return self._process.wait(LIMIT)
        finally:
            self._process.kill()
            for file in (self._process.stdin, self._process.stdout):
                assert file is not None
                file.close()


@pytest.fixture(scope="module")
def far(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The far side that a program has in it."""
    place = tmp_path_factory.mktemp("far")
    script = place / "keep"
    script.write_text(f'#!/bin/sh\ncp "$1" {place}/far && exec "$1"\n')
    script.chmod(0o700)
    assert run(built("few", "away"), AWAY_COMMAND=str(script)).returncode == 0
    return place / "far"


def met(program: Program, connects: bool, patience: int = LONG) -> socket.socket:
    """The other far side's end, number 3, `peer`."""
    if connects:
        name = f"ompls-test-{os.getpid()}-{next(NAMES)}"
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("\0" + name)
            listening.listen()
            program.say((CONNECT, 3, patience, 0), data=f"{name}\0peer\0".encode())
            other = listening.accept()[0]
    else:
        program.say((PORT, 0, 0, 0))
        name = program.sync()[0].decode()
        program.say((ACCEPT, 3, patience, 0), data=b"peer\0")
        other = socket.socket(socket.AF_UNIX)
        other.connect("\0" + name)
    assert program.sync() == (b"", "")
    return other


def pieces(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), PIECE):
        piece = data[at : at + PIECE]
        yield struct.pack("<Q", len(piece) | PAYLOAD) + piece


@pytest.mark.parametrize("seed", thinned(SEEDS, 6, of_rest=3))
def test_a_bad_giver_is_told_and_the_far_side_goes_on(far: Path, seed: int) -> None:
    chance = random.Random(seed)
    size, kind = chance.choice(SIZES), chance.choice(("good", "empty", "short", "long", "frame", "cut", "silent"))
    program = Program(far, size, arena=chance.random() < 0.5)
    sent, before = chance.randbytes(size), chance.randbytes(size)
    program.write(before)
    with met(program, chance.random() < 0.5, PATIENCE if kind == "silent" else LONG) as other:
        other.settimeout(1 if kind != "good" else None)
        program.say((TAKE, program.address, size, 3))
        for data in pieces(sent):
            bad = {
                "empty": struct.pack("<Q", PAYLOAD),
                "short": struct.pack("<Q", len(data) - 9 | PAYLOAD) + data[8:-1],
                "long": struct.pack("<Q", len(data) - 7 | PAYLOAD) + data[8:] + b"x",
                "frame": struct.pack("<Q", len(data) - 8) + data[8:],
                "cut": data[: chance.randrange(len(data))],
                "silent": data[: chance.randrange(len(data))],
            }.get(kind, data)
            try:
                other.sendall(bad)
            except (BrokenPipeError, ConnectionResetError, TimeoutError):
                break  # it reads no more
            if kind != "good":
                break
        if kind == "cut":
            other.close()
        _, reason = program.sync()
        if kind == "good":
            assert (reason, program.read(size)) == ("", (sent, ""))
        else:
            assert reason.endswith("peer"), reason
            program.say((TAKE, program.address, size, 3))
            assert "lost before" in program.sync()[1]
            program.write(before)
            assert program.read(size) == (before, "")
    assert program.end() == 0


@pytest.mark.parametrize("seed", thinned(SEEDS, 6, of_rest=3))
def test_a_bad_taker_is_told_and_the_far_side_goes_on(far: Path, seed: int) -> None:
    chance = random.Random(seed)
    size, kind = chance.choice(SIZES), chance.choice(("good", "cut", "silent"))
    program = Program(far, size, arena=chance.random() < 0.5)
    data = chance.randbytes(size)
    program.write(data)
    with met(program, chance.random() < 0.5, PATIENCE if kind == "silent" else LONG) as other:
        if kind == "cut":
            other.close()
        program.say((GIVE, program.address, size, 3))
        if kind == "good":
            for piece in pieces(data):
                assert exactly(other.fileno(), len(piece)) == piece
        _, reason = program.sync()
        small = size < 1 << 16 and kind == "silent"  # it is in the socket
        assert reason.endswith("peer") if kind != "good" and not small else reason == ""
        assert program.read(size) == (data, "")
    assert program.end() == 0


def test_rows_are_packed(far: Path) -> None:
    """Three times two rows of five bytes, out of a row of ten of them each time."""
    program = Program(far, 300, arena=False)
    data = bytes(range(250)) + bytes(50)
    program.write(data)
    with met(program, True) as other:
        program.say((GIVE, program.address + 7, 5, 3), data=struct.pack("<4Q", 3, 100, 2, 10))
        rows = b"".join(data[7 + 100 * i + 10 * j :][:5] for i in range(3) for j in range(2))
        assert exactly(other.fileno(), 8 + len(rows))[8:] == rows
        program.say((TAKE, program.address, 5, 3), data=struct.pack("<2Q", 6, 6))
        other.sendall(next(pieces(rows)))
        assert program.read(36)[0] == b"".join(rows[5 * i :][:5] + data[6 * i + 5 :][:1] for i in range(6))
    assert program.end() == 0


def test_a_giver_that_has_failed_says_so(far: Path) -> None:
    """It does nothing until it is asked for its error, and the other one does not wait for it."""
    program = Program(far, 100, arena=True)
    with met(program, True) as other:
        program.say((READ, 8, 20, 0), (GIVE, program.address, 100, 3))  # address 8 is nobody's
        assert exactly(other.fileno(), 8) == struct.pack("<Q", PAYLOAD)
        assert "0x8" in program.sync()[1]
    program.end()


@pytest.mark.parametrize("seed", thinned(range(40), 8, of_rest=3))
def test_damaged_records_of_other_far_sides_are_told(far: Path, seed: int) -> None:
    chance = random.Random(seed)
    program = Program(far, 100, arena=False)
    what = chance.choice((ACCEPT, CONNECT, GIVE, TAKE, PART))
    numbers = [chance.choice((0, 1, 3, 4095, 4096, 1 << 40, 2**64 - 1)) for _ in range(3)]
    data = chance.choice((b"", b"\0", b"a", b"a\0", b"a\0b", chance.randbytes(16 * 9), chance.randbytes(31)))
    if what in (ACCEPT, CONNECT):
        numbers[1] = PATIENCE
    program.say((what, *numbers), data=data)
    _, reason = program.sync()
    assert (what == PART) == (reason == "")
    program.end()


def test_the_numbers_here_are_those_of_the_protocol() -> None:
    header = (ROOT / "ompls/devices/remote/library/wire.h").read_text()
    numbers, value = {}, 0
    for name, given in re.findall(r"^    WIRE_([A-Z]+)(?: = (\d+))?", header, re.M):
        value = int(given) if given else value + 1
        numbers[name] = value
    here = {name: globals()[name] for name in numbers if name in globals()}
    assert len(here) == 16
    assert here == {name: numbers[name] for name in here}
    assert "OMPLS_PEER_PIECE = 1 << 22" in header
