"""A run as an editor shows it: by construct, and the present tables when it came by a place of the source."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ompls.traces import index as indices
from ompls.traces import present
from ompls.traces.events import FROM_DEVICE, Event, Unreadable, address, recorded
from ompls.traces.index import Index
from ompls.traces.regions import Region, of_sums, profile

_LARGEST = 64 << 20  # bytes of a trace without an index that is read
_LEAVING = ("free", "map_exit", "env_pop")
_COUNTED = ("map_enter", "map_exit")
_NAME = re.compile(r"\W*(\w*)")


@dataclass(frozen=True)
class Measured:
    """A run, or the beginning of a long one.

    regions -- of the whole run, by construct and device
    events, rows -- of the present tables
    left_out -- how many events are not among `events`;  places -- `file:line` of all that ran, where some are left out
    """

    regions: tuple[Region, ...]
    events: tuple[Event, ...]
    rows: tuple[present.Row, ...]
    left_out: int = 0
    places: frozenset[str] = frozenset()

    def at(self, event: int) -> list[present.Row]:
        """The present tables when this event has happened."""
        return present.at(self.rows, event)

    def of_item(self, region: str, item: str, event: int) -> list[int]:
        """The host addresses that a list item of the construct at `region` has had up to this event, the last first."""
        return self._addresses((region, unspaced(item)), event)

    def of_name(self, name: str, event: int) -> list[int]:
        """Those that any list item has had which begins with this variable."""
        return self._addresses(("", name), event)

    def _addresses(self, key: tuple[str, str], event: int) -> list[int]:
        return list(dict.fromkeys(host for at, host in reversed(self._seen.get(key, ())) if at <= event))

    @cached_property
    def _seen(self) -> dict[tuple[str, str], list[tuple[int, int]]]:
        """With the events: by construct and list item, and by the variables that these begin with."""
        found: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for index, event in enumerate(self.events):
            if event.get("kind") in _COUNTED and (host := address(event, "host")):
                item = str(event.get("var", ""))
                for key in ((str(event.get("region", "")), unspaced(item)), ("", _NAME.match(item)[1])):  # type: ignore[index]
                    found.setdefault(key, []).append((index, host))
        return found


def measured(path: str, directory: str) -> Measured:
    """What a trace says of a program that was translated in `directory`: files have absolute names.

    Raises Unreadable, also where there would be too much to read, and OSError.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise Unreadable("the program has put something else in the place of its trace")
    found = indices.index(path)
    if found is not None and found.events > indices.MANY:
        return _beginning(path, found, directory)
    if found is None and os.path.getsize(path) > _LARGEST:
        size = f"it is longer than {_LARGEST >> 20} MiB and has no end"
        raise Unreadable(f"{size}; record it with 'ompls run --trace FILE' and read 'ompls report FILE --html OUT'")
    events = _located(recorded(path).events, directory)
    return Measured(tuple(profile(events)), tuple(events), tuple(present.rows(events)))


def _beginning(path: str, index: Index, directory: str) -> Measured:
    """The first MANY events, up to the end of a construct; what is in the index is of all of them."""
    events = _whole(_located(indices.beginning(path, index).events, directory))
    sums = _located(index.sums, directory)
    places = frozenset(str(event.get("region", "")) for event in sums)
    left_out = index.events - len(events)
    return Measured(tuple(of_sums(sums)), tuple(events), tuple(present.rows(events)), left_out, places)


def _whole(events: list[Event]) -> list[Event]:
    """Without the last construct, which may go on behind them."""
    for n in range(len(events) - 1, 0, -1):
        before, event = events[n - 1], events[n]
        again = (_leaves(before) and not _leaves(event)) or before.get("kind") == event.get("kind") == "launch"
        if again or before.get("region") != event.get("region"):
            return events[:n]
    return events


def _located(events: Iterable[Event], directory: str) -> list[Event]:
    found, names = [], {"": ""}
    for event in events:
        region = str(event.get("region", ""))
        name = names.setdefault(region, os.path.join(directory, region))
        found.append(event | {"region": name} if name != region else event)
    return found


def unspaced(item: str) -> str:
    """A list item without its blanks."""
    return re.sub(r"\s", "", item)


def visits(events: Sequence[Event], region: str, inside: bool) -> list[int]:
    """The events after which the present tables are those of a place: each time that the run came by.

    region -- `file:line` of the directive that the place is in (`inside`), else of the last one before it
    """
    own = [index for index, event in enumerate(events) if event.get("region") == region]
    launches = [index for index in own if events[index].get("kind") == "launch"]
    if inside and launches:
        return launches
    leaves = [_leaves(events[index]) for index in own]
    kinds = [events[index].get("kind") for index in own]
    left = kinds.count("env_push") <= kinds.count("env_pop")  # the program may have been ended in `target data`
    found = []
    for n, index in enumerate(own):
        follows = leaves[n + 1] if n + 1 < len(own) else None
        if inside and not leaves[n] and follows is not False:
            found.append(index)  # all has entered
        elif not inside and (left if follows is None else leaves[n] and not follows):
            found.append(index)  # all has left, or what stands alone is done
    return found


def _leaves(event: Event) -> bool:
    kind = event.get("kind")
    return kind in _LEAVING or (kind == "copy" and event.get("direction") == FROM_DEVICE)
