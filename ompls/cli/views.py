"""What `report` shows of a trace: all events, those between two times, or, of a long trace, what its index says.

An index has sums and pieces of time.  What follows from the order of events (what travelled for nothing, the present
tables) is not in it: whoever asks for that has all events read, or those of a part.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ompls.cli import profile, trace
from ompls.cli.problem import Problem
from ompls.cli.trace import Summary
from ompls.traces import index as indices
from ompls.traces.events import Event, Recorded, Unreadable, number
from ompls.traces.index import Index
from ompls.traces.regions import Region, of_sums
from ompls.traces.regions import profile as by_region
from ompls.traces.words import duration

_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_LONGEST = 1 << 63  # nanoseconds
_SHOWN = 40  # characters of what is no time


@dataclass(frozen=True)
class View:
    """drawn -- the data of the page's time axis (page/timeline.py);  note -- what is not shown; "" where all is"""

    head: Event
    regions: list[Region]
    summary: Summary
    drawn: Callable[[], dict[str, Any]]
    note: str = ""
    whole: bool = True  # what follows from the order of events is known


def view(path: str, between: tuple[int, int] | None = None, everything: bool = False) -> View:
    """What to show of a trace.  Raises Problem.

    between -- nanoseconds since the first event;  everything -- all events, however many there are
    """
    try:
        found = None if everything else indices.index(path)
        if found is not None and between is None and found.events > indices.MANY:
            return _of_index(found)
        if found is not None and between is not None:
            begin, end = (found.base + time for time in between)
            return of_events(indices.part(path, found, begin, end), found.base, between)
    except Unreadable as problem:
        raise Problem(str(problem)) from problem
    all_of_it = trace.recorded(path)
    events = all_of_it.events
    origin = number(events[0], "t") if events else 0
    if between is not None:
        events = [event for event in events if between[0] <= number(event, "t") - origin <= between[1]]
    return of_events(replace(all_of_it, events=events), origin, between)


def of_events(recorded: Recorded, origin: int, between: tuple[int, int] | None = None) -> View:
    """All events of a run or of a part; `origin` is when the first one of the run began."""
    from ompls.cli.page import timeline

    events, notes, summary = recorded.events, [], trace.summarize(recorded.events)
    if between is not None:
        summary.ended = True
        notes.append(
            f"A part of the run, from {duration(between[0])} to {duration(between[1])} after its first event. What was "
            "mapped before is in no table."
        )
    if recorded.unread:
        lines = "1 line of the trace is no event, and is" if recorded.unread == 1 else None
        notes.append(f"{lines or f'{recorded.unread:,} lines of the trace are no events, and are'} left out.")
    return View(recorded.head, by_region(events), summary, lambda: timeline.data(events, origin), " ".join(notes))


def _of_index(found: Index) -> View:
    from ompls.cli.page import timeline

    note = (
        f"The trace has {found.events:,} events; this is from its index. What travelled for nothing and the present "
        "tables are not in it: `--between FROM TO` shows all of a part, `--all` reads everything."
    )
    if found.left_out:
        note += f" {found.left_out:,} events are in no sum: there were too many kinds of them."
    summary = trace.summarize(found.notable)
    summary.ended = True
    for event in found.sums:
        if event.get("kind") == "copy":
            trace.copied(summary, event, number(event, "count"))
    return View(found.head, of_sums(found.sums), summary, lambda: timeline.of_index(found), note, whole=False)


def time(text: str) -> int:
    """Nanoseconds of `12ms`, `1.5s`, `40us`.  Raises ValueError."""
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|ms|s)", text)
    if found is None:
        raise ValueError(f"{shown}: not a time like 12ms")
    nanoseconds = float(found[1]) * _UNITS[found[2]]
    if nanoseconds >= _LONGEST:
        raise ValueError(f"{shown}: no run is that long")
    return round(nanoseconds)


def text(shown: View) -> str:
    """The tables of `report` and of `run --profile`."""
    parts = [shown.note] if shown.note else []
    parts += [profile.tables(shown.regions, shown.whole), trace.tables(shown.summary)]
    return "\n\n".join(parts)
