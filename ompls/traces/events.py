"""Reading a recorded trace.  A last line that was cut off is skipped: the program may have been killed."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO

Event = dict[str, Any]
TO_DEVICE = "to"
FROM_DEVICE = "from"
UNFINISHED = "The trace has no end: the program was ended in between, or the disk was full. What came then is not known"
_RECORD = "record one with 'ompls run --trace FILE'"


class Unreadable(Exception):
    """The file cannot be read, or it is not a trace; str() is a message for people."""


@dataclass(frozen=True)
class Recorded:
    """head -- what the trace says of the run;  events -- in the order of their times
    unread -- lines that are no events, and left out: the trace was changed, or the disk lost them
    """

    head: Event
    events: list[Event]
    unread: int = 0


def unopened(path: str, error: OSError) -> Unreadable:
    return Unreadable(f"cannot read {path}: {error.strerror}; {_RECORD}")


def opened(path: str) -> BinaryIO:
    """The trace, a file or a pipe, for reading.  A pipe that nobody writes is empty.  Raises OSError, Unreadable."""
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))  # noqa: SIM115
    mode = os.fstat(file.fileno()).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        file.close()
        raise Unreadable(f"cannot read {path}: it is neither a file nor a pipe; {_RECORD}")
    os.set_blocking(file.fileno(), True)
    return file


def recorded(path: str) -> Recorded:
    """All events of a trace.  Raises Unreadable."""
    try:
        with opened(path) as file:
            text = file.read()
    except OSError as error:
        raise unopened(path, error) from error
    first, _, rest = text.partition(b"\n")
    return read(heading(path, first), rest)


def read(head: Event, text: bytes) -> Recorded:
    """The events of some lines; of the last one only if it is whole."""
    *whole, last = text.decode("utf-8", "replace").split("\n")
    found = [parsed(line) for line in whole if line]
    events = [event for event in [*found, parsed(last)] if event is not None and event.get("kind") != "index"]
    return Recorded(head, in_order(events), found.count(None))


def in_order(events: Iterable[Event]) -> list[Event]:
    return sorted(events, key=lambda event: number(event, "t"))


def heading(path: str, line: bytes) -> Event:
    """The object of the first line of a trace.  Raises Unreadable."""
    if not line:
        raise Unreadable(f"cannot read {path}: it is empty; {_RECORD}")
    head = parsed(line.decode("utf-8", "replace"))
    if head is None or "ompls_trace" not in head:
        raise Unreadable(f"cannot read {path}: it is not a trace of ours; {_RECORD}")
    if head["ompls_trace"] != 1:
        raise Unreadable(f"cannot read {path}: its format is version {head['ompls_trace']!r:.40}; update ompls")
    return head


def parsed(line: str) -> Event | None:
    """The object of a line; None where there is none."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def number(event: Event, name: str) -> int:
    """A number of an event, of 64 bits; 0 where the file has something else."""
    value = event.get(name)
    return value if isinstance(value, int) and abs(value) < 1 << 63 else 0


def address(event: Event, name: str) -> int:
    """An address of an event, on the host or on a device; 0 where the file has none."""
    try:
        return int(str(event.get(name, "")), 16)
    except ValueError:
        return 0
