"""Reading a recorded trace.  A last line that was cut off is skipped: the program may have been killed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Event = dict[str, Any]
TO_DEVICE = "to"
FROM_DEVICE = "from"
UNFINISHED = "The trace has no end: the program was ended in between, or the disk was full. What came then is not known"
_RECORD = "record one with 'ompls run --trace FILE'"


class Unreadable(Exception):
    """The file cannot be read, or it is not a trace; str() is a message for people."""


def unopened(path: str, error: OSError) -> Unreadable:
    return Unreadable(f"cannot read {path}: {error.strerror}; {_RECORD}")


def recorded(path: str) -> tuple[Event, list[Event]]:
    """What the trace says of the run, and its events in the order of their times.  Raises Unreadable."""
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise unopened(path, error) from error
    head = heading(path, lines[0].encode() if lines else b"")
    events = [event for event in map(parsed, lines[1:]) if event is not None and event.get("kind") != "index"]
    return head, sorted(events, key=lambda event: number(event, "t"))


def heading(path: str, line: bytes) -> Event:
    """The object of the first line of a trace.  Raises Unreadable."""
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
