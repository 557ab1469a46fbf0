"""The index of a long trace: what its events are in all, and where those of a piece of its time are.

The run time writes it, as the line before the last.  It is small; so a first view of a trace need not read the events.
A program that was ended in between has left none.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from ompls.traces.events import Event, Recorded, heading, number, opened, parsed, read, unopened

MANY = 100_000  # events that are not all read for a first view
_TAIL = 1 << 16  # bytes that are read from the end at first
_MOST = 1 << 24  # bytes of an index
_PIECES = 1024  # of the run's time, at most
_PARTS = {"lanes": 64, "sums": 4096, "notable": 64}  # at most


@dataclass(frozen=True)
class Lane:
    """What a device did in one `way`: `to` and `from` it, `kernels`; `host` is what the host did for all of them.

    pieces -- by their numbers: how many events began in it, nanoseconds that it was busy, bytes of the events
    """

    way: str
    device: str
    pieces: dict[int, tuple[int, int, int]]


@dataclass(frozen=True)
class Index:
    """events -- how many there are; left_out -- of them in no sum
    base -- when the first one began, in nanoseconds; width -- of a piece of time
    sums -- events that are alike, as events with a `count`, the `bytes` of each, and the sum of their `duration`s
    notable -- errors, and the locks of devices, as they are in the trace
    """

    head: Event
    events: int
    left_out: int
    base: int
    width: int
    lanes: tuple[Lane, ...]
    sums: tuple[Event, ...]
    notable: tuple[Event, ...]
    lines: dict[int, tuple[int, int]]  # by a piece's number: where its lines are, in bytes

    @property
    def span(self) -> int:
        """Nanoseconds from the first event to the end of the last piece where something happened."""
        return self.width * (1 + max((piece for lane in self.lanes for piece in lane.pieces), default=0))


def index(path: str) -> Index | None:
    """The index of a trace; None where it has none that can be used.  Raises Unreadable."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None  # a pipe is read once
        with opened(path) as file:
            head = heading(path, file.readline(_MOST))
            line = _line_before_last(file)
            return None if line is None else _index(head, line, file)
    except OSError as error:
        raise unopened(path, error) from error
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        return None  # it is somebody else's


def beginning(path: str, index: Index) -> Recorded:
    """The first MANY events.  Raises Unreadable."""
    try:
        with opened(path) as file:
            file.readline(_MOST)
            return read(index.head, b"".join(itertools.islice(file, MANY)))
    except OSError as error:
        raise unopened(path, error) from error


def part(path: str, index: Index, begin: int, end: int) -> Recorded:
    """The events that began between two times of the trace.  Raises Unreadable."""
    places = [
        place
        for piece, place in index.lines.items()
        if index.base + piece * index.width <= end and begin <= index.base + (piece + 1) * index.width
    ]
    try:
        with opened(path) as file:
            file.seek(min((first for first, _ in places), default=0))
            text = file.read(max((last for _, last in places), default=0) - file.tell()) if places else b""
    except OSError as error:
        raise unopened(path, error) from error
    found = read(index.head, text)
    return replace(found, events=[event for event in found.events if begin <= number(event, "t") <= end])


def _line_before_last(file: BinaryIO) -> bytes | None:
    size, tail = file.seek(0, os.SEEK_END), _TAIL
    while True:
        file.seek(max(size - tail, 0))
        lines = file.read().rstrip(b"\n").split(b"\n")
        if b'"kind": "end"' not in lines[-1]:
            return None
        if len(lines) > 2:
            return lines[-2] if b'"kind": "index"' in lines[-2][:200] else None
        if tail >= min(size, _MOST):
            return None
        tail *= 8


def _index(head: Event, line: bytes, file: BinaryIO) -> Index | None:
    found = parsed(line.decode("utf-8", "replace"))
    if found is None or number(found, "width") <= 0 or any(len(found[part]) > most for part, most in _PARTS.items()):
        return None
    lanes = tuple(
        Lane(
            str(lane["way"]),
            str(lane["device"]),
            {_piece(n): (_sum(c), _sum(b), _sum(s)) for n, c, b, s in lane["pieces"]},
        )
        for lane in found["lanes"]
    )
    size = file.seek(0, os.SEEK_END)
    lines = {_piece(piece): (_sum(begin), _sum(end)) for piece, begin, end in found["lines"]}
    if any(not begin <= end <= size for begin, end in lines.values()):
        return None
    return Index(
        head,
        number(found, "events"),
        number(found, "left_out"),
        number(found, "base"),
        number(found, "width"),
        lanes,
        tuple(event for event in found["sums"] if isinstance(event, dict)),
        tuple(_at(file, [int(offset) for offset in found["notable"] if 0 <= int(offset) < size])),
        lines,
    )


def _piece(value: object) -> int:
    """The number of a piece.  Raises ValueError where it is none: what is drawn of a lane is bounded."""
    return _below(value, _PIECES)


def _sum(value: object) -> int:
    return _below(value, 1 << 64)


def _below(value: object, end: int) -> int:
    if not isinstance(value, int) or not 0 <= value < end:
        raise ValueError(value)
    return value


def _at(file: BinaryIO, offsets: list[int]) -> Iterator[Event]:
    for offset in offsets:
        file.seek(offset)
        event = parsed(file.readline(_TAIL).decode("utf-8", "replace"))
        if event is not None:
            yield event
