"""What a recorded trace says in all: copies by variable, locks and errors, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ompls.cli.problem import Problem
from ompls.runtime.errors import one_line
from ompls.traces import events as reading
from ompls.traces.events import FROM_DEVICE, TO_DEVICE, UNFINISHED, Event, Recorded, number
from ompls.traces.words import duration, size


def recorded(path: str) -> Recorded:
    """All of a trace.  Raises Problem when it is none."""
    try:
        return reading.recorded(path)
    except reading.Unreadable as problem:
        raise Problem(str(problem)) from problem


@dataclass
class Copies:
    """What was copied for one variable in one direction between the host and a device."""

    count: int = 0
    bytes: int = 0
    nanoseconds: int = 0

    def add(self, event: Event, times: int) -> None:
        """So many copies that are alike; `duration` is that of all."""
        self.count += times
        self.bytes += times * number(event, "bytes")
        self.nanoseconds += number(event, "duration")


@dataclass
class Summary:
    copies: dict[tuple[str, str, str], Copies] = field(default_factory=dict)  # (device, variable, direction)
    locks: dict[str, tuple[int, int]] = field(default_factory=dict)  # device: its lock was taken, and slept for
    errors: list[str] = field(default_factory=list)
    ended: bool = False  # the trace is whole: it has what the program did up to its end


def summarize(events: Iterable[Event]) -> Summary:
    summary = Summary()
    for event in events:
        device, kind = str(event.get("device", "")), event.get("kind")
        if kind == "copy":
            copied(summary, event, 1)
        elif kind == "locks":
            summary.locks[device] = (number(event, "acquisitions"), number(event, "contended"))
        elif kind == "error":
            summary.errors.append(str(event.get("message") or event.get("what") or event))
        elif kind == "end":
            summary.ended = True
    return summary


def copied(summary: Summary, event: Event, times: int) -> None:
    """Add copies that are alike."""
    key = str(event.get("device", "")), str(event.get("var") or "(unnamed)"), str(event.get("direction", ""))
    summary.copies.setdefault(key, Copies()).add(event, times)


def tables(summary: Summary) -> str:
    """What was copied as text, and the errors; it says so when nothing was copied."""
    parts = ["Nothing was copied."]
    if summary.copies:
        rows = [
            (variable, device, direction, str(entry.count), size(entry.bytes), duration(entry.nanoseconds))
            for (device, variable, direction), entry in summary.copies.items()
        ]
        total = {
            way: sum(entry.bytes for key, entry in summary.copies.items() if key[2] == way)
            for way in (TO_DEVICE, FROM_DEVICE)
        }
        parts = [table(("variable", "device", "direction", "copies", "size", "time"), rows)]
        parts.append(f"In all {size(total[TO_DEVICE])} to devices, {size(total[FROM_DEVICE])} back.")
    parts += [
        f"The present table of {device} was locked {taken} times, and {slept} of them had to wait."
        for device, (taken, slept) in summary.locks.items()
    ]
    parts += [f"error: {one_line(message)}" for message in summary.errors]
    if not summary.ended:
        parts.append(f"{UNFINISHED}.")
    return "\n\n".join(parts)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rows = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)
