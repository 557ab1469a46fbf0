"""The present tables that a run really had, from its trace.

The events of the trace are replayed once.  What comes out are the *rows* of all tables, each with the events between
which it stood there as it is; the tables at an event are the rows that cover it.  A change of a row makes another row.

Variables of `declare target` are there for ever: the trace tells of one when a construct maps it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ompls.traces.events import TO_DEVICE, Event, address, number

FOR_EVER = -1  # the reference count of what never leaves


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of a device's present table, from the event `first` on, up to the one before `end`.

    section -- the list item that made the entry, as it is written
    host, bytes -- the storage on the host that corresponds
    references -- the reference count; FOR_EVER
    region -- `file:line` of the construct that mapped it
    values -- the first bytes of the last copy in hexadecimal; "" where the trace has none
    copied -- that copy's event; None: nothing was copied.  inward -- it went to the device
    """

    device: str
    section: str
    host: int
    bytes: int
    references: int
    region: str
    first: int
    end: int
    values: str = ""
    copied: int | None = None
    inward: bool = True


def rows(events: Sequence[Event]) -> list[Row]:
    """All rows that the present tables of a run had, by their first events; `events` in the order of their times."""
    tables: dict[str, _Table] = {}
    for index, event in enumerate(events):
        kind = event.get("kind")
        if kind not in ("map_enter", "map_exit", "copy"):
            continue
        device = str(event.get("device", ""))
        if device not in tables:
            tables[device] = _Table(device)
        if kind == "copy":
            tables[device].copy(index, event)
        else:
            tables[device].count(index, event)
    found = [row for table in tables.values() for row in table.all(len(events))]
    return sorted(found, key=lambda row: row.first)


def at(rows: Iterable[Row], event: int) -> list[Row]:
    """The present tables when this event has happened."""
    return [row for row in rows if row.first <= event < row.end]


class _Table:
    """One device's table while its events are replayed.  No two of its entries have storage in common."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._entries: dict[int, Row] = {}  # by the host address, which `_begins` has in order
        self._begins: list[int] = []
        self._done: list[Row] = []
        self._arriving: dict[int, tuple[int, Event]] = {}  # copies of what has not entered yet, by the host address

    def all(self, end: int) -> list[Row]:
        return [*self._done, *(replace(row, end=end) for row in self._entries.values() if row.first < end)]

    def count(self, index: int, event: Event) -> None:
        """An item enters or leaves: perhaps a part of what is there."""
        host, references = address(event, "host"), number(event, "refcount")
        row = self._containing(host)
        if row is None and event.get("kind") == "map_enter":
            self._enter(index, event, host, references)
        elif row is not None and references == 0:
            self._end(index, row)
            del self._entries[row.host]
            self._begins.remove(row.host)
        elif row is not None and references != row.references:
            self._change(index, row, replace(row, references=references))

    def copy(self, index: int, event: Event) -> None:
        host = address(event, "host")
        if not host:  # a pointer that was attached: it has no bytes on the host
            return
        row = self._containing(host)
        if row is None:
            self._arriving[host] = index, event
        elif row.host == host:
            self._change(index, row, _copied(row, index, event))

    def _enter(self, index: int, event: Event, host: int, references: int) -> None:
        section, region = str(event.get("var") or "(unnamed)"), str(event.get("region", ""))
        row = Row(self._device, section, host, number(event, "bytes"), references, region, index, index)
        if (arrived := self._arriving.pop(host, None)) is not None:
            row = _copied(row, *arrived)
        self._entries[host] = row
        insort(self._begins, host)

    def _containing(self, host: int) -> Row | None:
        place = bisect_right(self._begins, host) - 1
        row = self._entries[self._begins[place]] if place >= 0 else None
        return row if row is not None and host < row.host + max(row.bytes, 1) else None

    def _change(self, index: int, row: Row, changed: Row) -> None:
        self._end(index, row)
        self._entries[row.host] = replace(changed, first=index)

    def _end(self, index: int, row: Row) -> None:
        if row.first < index:
            self._done.append(replace(row, end=index))


def _copied(row: Row, index: int, event: Event) -> Row:
    inward = event.get("direction") == TO_DEVICE
    return replace(row, values=str(event.get("values", "")), copied=index, inward=inward)
