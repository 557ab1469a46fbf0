"""A trace by region: what each launch, copy and byte was for, and what to do about those that were for nothing.

What is said to be for nothing is seen in the trace alone: bytes that came back although no region had run on the device
since they were copied there, bytes that were copied to a device and taken away before any region ran, and, where the
trace tells contents apart, bytes that the copy before of the same storage had, too (a region may have changed them on
the device meanwhile: the advice says so).  Whether the host reads what came back is not known: nothing watches its
memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ompls.traces.events import TO_DEVICE, Event, address, number
from ompls.traces.words import size, size_of_grid

_OFTEN = 3  # the same copy by the same region: a loop
_SHARE = 0.1  # of all the time: worth saying


@dataclass
class Region:
    """What one directive did on one device.  Times in nanoseconds."""

    place: str
    device: str
    launches: int = 0
    kernel_time: int = 0
    copy_time: int = 0
    to_bytes: int = 0
    from_bytes: int = 0
    redundant_bytes: int = 0
    grid: str = ""
    block: str = ""
    copies: dict[tuple[str, str, int], int] = field(default_factory=dict)  # (variable, direction, bytes): times
    unchanged: dict[str, int] = field(default_factory=dict)  # variable: bytes that came back as they were
    unused: dict[str, int] = field(default_factory=dict)  # variable: bytes that no region could have used
    again: dict[tuple[str, str], list[int]] = field(
        default_factory=dict
    )  # (variable, direction): bytes, times the same
    seen_bytes: int = 0  # of copies whose content is known
    allocated: dict[tuple[str, int], int] = field(default_factory=dict)  # (variable, bytes): times

    @property
    def time(self) -> int:
        return self.kernel_time + self.copy_time

    def add(self, event: Event, times: int = 1) -> None:
        """Launches, copies or allocations that are alike: `bytes` are those of each, `duration` is that of all."""
        kind, name, each = event.get("kind"), str(event.get("var") or ""), number(event, "bytes")
        if kind == "launch":
            self.launches += times
            self.kernel_time += number(event, "duration")
            self.grid, self.block = size_of_grid(event.get("grid")), size_of_grid(event.get("block"))
        elif kind == "alloc":
            self.allocated[name, each] = self.allocated.get((name, each), 0) + times
        elif kind == "copy":
            way = str(event.get("direction", ""))
            key = (name or "(unnamed)", way, each)
            self.copies[key] = self.copies.get(key, 0) + times
            self.copy_time += number(event, "duration")
            if way == TO_DEVICE:
                self.to_bytes += times * each
            else:
                self.from_bytes += times * each


def profile(events: Iterable[Event]) -> list[Region]:
    """The regions with launches or copies, the most expensive first."""
    regions: dict[tuple[str, str], Region] = {}
    launched: dict[str, int] = {}  # device: launches so far
    present: dict[tuple[str, int], tuple[int, str, int, Region]] = {}  # storage: launches before, name, bytes, by whom
    contents: dict[tuple[str, str], tuple[int, str]] = {}  # device and host address: bytes and hash of the last copy
    for event in events:
        device, kind = str(event.get("device", "")), event.get("kind")
        if kind not in ("copy", "launch", "alloc", "free"):
            continue
        place = str(event.get("region", ""))
        region = regions.setdefault((place, device), Region(place, device))
        region.add(event)
        storage = (device, address(event, "address"))
        if kind == "launch":
            launched[device] = launched.get(device, 0) + 1
        elif kind == "copy":
            said = region.redundant_bytes
            _copied(region, event, launched.get(device, 0), present, storage)
            _compared(region, event, contents, said != region.redundant_bytes)
        elif (
            kind == "free" and (entry := present.pop(storage, None)) is not None and entry[0] == launched.get(device, 0)
        ):
            _, name, count, owner = entry
            owner.unused[name] = owner.unused.get(name, 0) + count
            owner.redundant_bytes += count
    found = [r for r in regions.values() if r.launches or r.copies]
    return sorted(found, key=lambda r: -r.time)


def of_sums(sums: Iterable[Event]) -> list[Region]:
    """As `profile`, from the sums of a trace's index.  They have no order: what was for nothing is not known."""
    regions: dict[tuple[str, str], Region] = {}
    for event in sums:
        if event.get("kind") in ("copy", "launch", "alloc"):
            key = str(event.get("region", "")), str(event.get("device", ""))
            regions.setdefault(key, Region(*key)).add(event, number(event, "count"))
    return sorted((r for r in regions.values() if r.launches or r.copies), key=lambda r: -r.time)


def _copied(
    region: Region,
    event: Event,
    launches: int,
    present: dict[tuple[str, int], tuple[int, str, int, Region]],
    storage: tuple[str, int],
) -> None:
    """Whether a copy back brings what was sent, as no region ran in between."""
    name, count = str(event.get("var") or "(unnamed)"), number(event, "bytes")
    if event.get("direction") == TO_DEVICE:
        present[storage] = (launches, name, count, region)
        return
    entry = present.get(storage)
    if entry is not None and entry[0] == launches and entry[2] == count:
        region.unchanged[name] = region.unchanged.get(name, 0) + count
        region.redundant_bytes += count
        del present[storage]  # said once; what it was copied for is another question


def _compared(region: Region, event: Event, contents: dict[tuple[str, str], tuple[int, str]], said: bool) -> None:
    """Whether a copy brought what was there already; `said`: it is counted as for nothing, for another reason."""
    name, count, content = str(event.get("var") or "(unnamed)"), number(event, "bytes"), str(event.get("content", ""))
    place = (str(event.get("device", "")), str(event.get("host", "")))
    before = contents.pop(place, None)
    if content:
        region.seen_bytes += count
        contents[place] = (count, content)
        if before == contents[place] and not said:
            entry = region.again.setdefault((name, str(event.get("direction", ""))), [0, 0])
            entry[0] += count
            entry[1] += 1
            region.redundant_bytes += count


def advice(region: Region, total: int) -> list[str]:
    """What to do about a region, with the rule that knows more; [] when there is nothing to say.

    total -- nanoseconds of all regions
    """
    said = []
    for (name, way, count), times in region.copies.items():
        if times >= _OFTEN and times >= region.launches > 1 and count >= 64:
            direction = "to the device" if way == "to" else "back"
            said.append(
                f"`{name}` ({size(count)}) was copied {direction} {times} times: a `target data` around the loop "
                "copies it once (rule transfer-in-loop)"
            )
    said += [
        f"`{name}`: {size(count)} came back as they were: `map(to: …)` is enough (rule map-more-than-needed)"
        for name, count in region.unchanged.items()
    ]
    said += [
        f"`{name}`: {size(count)} were copied to the device, and nothing ran before they were gone (rule unused-map)"
        for name, count in region.unused.items()
    ]
    for (name, way), (count, times) in region.again.items():
        if way == "to":
            what = "were sent again unchanged ({}): a `target data` around keeps them, if no region changes them"
        else:
            what = "came back unchanged ({}): `map(to: …)` is enough, if that is so for any input"
        what = f"{size(count)} {what.format('once' if times == 1 else f'{times} times')}"
        said.append(f"`{name}`: {what} (rule {'transfer-in-loop' if way == 'to' else 'map-more-than-needed'})")
    copied = {(name, count) for name, _, count in region.copies}
    for (name, count), times in region.allocated.items():
        if times >= _OFTEN and times >= region.launches > 1 and (name or "(unnamed)", count) not in copied:
            of = f"`{name}` ({size(count)})" if name else size(count)
            said.append(
                f"{of} was allocated {times} times: `target enter data map(alloc: …)` before the loop does it once"
            )
    if total and region.kernel_time > _SHARE * total and region.launches:
        if region.grid == "1" and region.block == "1":
            said.append("one thread of the device did all of the work (rule serial-kernel)")
        elif region.block == "1":
            said.append("each team had one thread: add `parallel for` (rule one-thread-teams)")
        elif region.grid == "1":
            said.append(
                "one team did all of the work: there is no `teams distribute`, it has few iterations, or the device "
                "has one team"
            )
    return said
