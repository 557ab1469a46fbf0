"""A run as an editor shows it: by construct, and the present tables when it came by a place of the source."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ompls.traces import index as indices
from ompls.traces import present
from ompls.traces.events import FROM_DEVICE, Event, Unreadable, recorded
from ompls.traces.regions import Region, of_sums, profile

_LARGEST = 64 << 20  # bytes of a trace without an index that is read
_LEAVING = ("free", "map_exit", "env_pop")


@dataclass(frozen=True)
class Measured:
    """regions -- by construct and device;  events, rows -- of the present tables: none of a trace that is too long"""

    regions: tuple[Region, ...]
    events: tuple[Event, ...] = ()
    rows: tuple[present.Row, ...] = ()

    def at(self, event: int) -> list[present.Row]:
        """The present tables when this event has happened."""
        return present.at(self.rows, event)


def measured(path: str, directory: str) -> Measured:
    """What a trace says of a program that was translated in `directory`: files have absolute names.

    Raises Unreadable, also where there would be too much to read.
    """
    found = indices.index(path)
    if found is not None and found.events > indices.MANY:
        return Measured(tuple(of_sums(_located(found.sums, directory))))
    if found is None and os.path.getsize(path) > _LARGEST:
        raise Unreadable("the trace is too long to show: use 'ompls report'")
    events = _located(recorded(path).events, directory)
    return Measured(tuple(profile(events)), tuple(events), tuple(present.rows(events)))


def _located(events: Iterable[Event], directory: str) -> list[Event]:
    found, names = [], {"": ""}
    for event in events:
        region = str(event.get("region", ""))
        name = names.setdefault(region, os.path.join(directory, region))
        found.append(event | {"region": name} if name != region else event)
    return found


def visits(events: Sequence[Event], region: str, inside: bool) -> list[int]:
    """The events after which the present tables are those of a place: each time that the run came by.

    region -- `file:line` of the directive that the place is in (`inside`), else of the last one before it
    """
    own = [index for index, event in enumerate(events) if event.get("region") == region]
    launches = [index for index in own if events[index].get("kind") == "launch"]
    if inside and launches:
        return launches
    leaves = [_leaves(events[index]) for index in own]
    found = []
    for n, index in enumerate(own):
        follows = leaves[n + 1] if n + 1 < len(own) else None
        if inside and not leaves[n] and follows is not False:
            found.append(index)  # all has entered
        elif not inside and (follows is None or (leaves[n] and not follows)):
            found.append(index)  # all has left, or what stands alone is done
    return found


def _leaves(event: Event) -> bool:
    kind = event.get("kind")
    return kind in _LEAVING or (kind == "copy" and event.get("direction") == FROM_DEVICE)
