"""What the page's script needs to draw the time axis, and to show the source and the present tables at an instant.

Times are nanoseconds since the run's first event.  A short trace has a bar for each launch and copy.  A long one has
*buckets*: equal pieces of its time, with what a lane did in each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ompls.traces import present
from ompls.traces.events import FROM_DEVICE, TO_DEVICE, Event, number
from ompls.traces.index import Index
from ompls.traces.words import geometry, size

Json: TypeAlias = dict[str, Any]
MOST = 5000  # bars, and rows of present tables, that a page has
BUCKETS = 1000  # of a lane, where there are more
_STACKED = 4  # bars of a lane that are drawn below one another at the same time
_STAGE = {"launch": 1, "sync": 1, "free": 2, "map_exit": 2, "env_pop": 2}  # what a construct does comes in this order
_KINDS = ("to", "kernels", "back")
_LABELS = {"to": "copies to it", "kernels": "kernels", "back": "copies back"}


@dataclass
class Bar:
    """A piece of a lane.  busy -- how much of its time something happened; count -- how often"""

    start: int
    length: int
    region: str
    text: str
    row: int = 0
    count: int = 1
    busy: int = 0


@dataclass
class Lane:
    title: str  # `host`, or a device's name
    kind: str
    bars: list[Bar] = field(default_factory=list)

    @property
    def label(self) -> str:
        return _LABELS.get(self.kind, "constructs")


def data(events: Sequence[Event], origin: int) -> Json:
    """As a JSON object: see `page.js`.  `origin` is when the run's first event began."""
    found = lanes(events, origin)
    span = max((bar.start + bar.length for lane in found for bar in lane.bars), default=0)
    span = max(span, number(events[-1], "t") - origin if events else 0, 1)
    bucket = 0
    if sum(len(lane.bars) for lane in found) > MOST:
        bucket = -(-span // BUCKETS)
        for lane in found:
            lane.bars = _in_buckets(lane, bucket)
    rows, left_out = _rows(events, origin)
    return shown(found, span, bucket) | {"rows": rows, "leftOut": left_out}


def of_index(index: Index) -> Json:
    """As `data`, of a long trace's index."""
    made: dict[tuple[str, str], Lane] = {}
    for lane in index.lanes:
        kind = "back" if lane.way == FROM_DEVICE else lane.way
        bars = [
            Bar(piece * index.width, index.width, "", "", count=count, busy=busy)
            for piece, (count, busy, _) in sorted(lane.pieces.items())
        ]
        made[lane.device, kind] = Lane(lane.device or "host", kind, bars)
    order = ("host", *_KINDS)
    found = [made[key] for key in sorted(made, key=lambda key: (key[0], order.index(key[1]))) if key[1] in order]
    return shown(found, index.span, index.width) | {"rows": [], "leftOut": False}


def shown(lanes: Iterable[Lane], span: int, bucket: int) -> Json:
    """Lanes as JSON; `bucket` is the length of one, 0 where each bar is one launch, copy or construct."""
    regions: dict[str, int] = {}
    found = [lane for lane in lanes if lane.bars]
    drawn = [
        {
            "title": lane.title,
            "kind": lane.kind,
            "label": lane.label,
            "bars": [
                [b.start, b.length, regions.setdefault(b.region, len(regions)), b.text, b.row, b.count, b.busy]
                for b in lane.bars
            ],
        }
        for lane in found
    ]
    timed = [bar for lane in found if lane.kind in _KINDS for bar in lane.bars]
    start = min((bar.start for bar in timed), default=0)
    end = max((bar.start + bar.length for bar in timed), default=span)
    return {
        "span": span,
        "work": [start, max(end, start + 1)],
        "bucket": bucket,
        "lanes": drawn,
        "regions": list(regions),
    }


def lanes(events: Iterable[Event], origin: int) -> list[Lane]:
    """The host's lane, and three of each device; bars in the order of their starts."""
    host = Lane("host", "host")
    devices: dict[str, dict[str, Lane]] = {}
    threads: dict[object, tuple[int, int]] = {}  # its row, and the stage that its construct has reached
    last: dict[object, Bar] = {}
    for event in events:
        kind, region = str(event.get("kind", "")), str(event.get("region", ""))
        start, length = max(number(event, "t") - origin, 0), max(number(event, "duration"), 0)
        if kind in ("launch", "copy"):
            name = str(event.get("device", ""))
            made = devices.setdefault(name, {way: Lane(name, way) for way in _KINDS})
            way = "kernels" if kind == "launch" else "to" if event.get("direction") == TO_DEVICE else "back"
            made[way].bars.append(Bar(start, length, region, _text(event), busy=length))
        if not region:
            continue
        thread = event.get("thread") if isinstance(event.get("thread"), int) else 0
        stage = 2 if kind == "copy" and event.get("direction") != TO_DEVICE else _STAGE.get(kind, 0)
        row, reached = threads.setdefault(thread, (min(len(threads), _STACKED - 1), 0))
        bar = last.get(thread)
        if bar is None or bar.region != region or stage < reached or stage == reached == 1:
            last[thread] = bar = Bar(start, 0, region, "", row)
            host.bars.append(bar)
        threads[thread] = row, stage
        bar.length = bar.busy = max(bar.length, start + length - bar.start)
    for lane in (of for made in devices.values() for of in made.values()):
        _stack(lane.bars)
    return [host, *(lane for made in devices.values() for lane in made.values())]


def _text(event: Event) -> str:
    if event.get("kind") == "launch":
        return geometry(event.get("grid"), event.get("block"))
    return f"{event.get('var') or '(unnamed)'}, {size(number(event, 'bytes'))}"


def _stack(bars: list[Bar]) -> None:
    """Bars that overlap get rows of their own."""
    ends = [0] * _STACKED
    for bar in bars:
        bar.row = next((row for row, end in enumerate(ends) if end <= bar.start), _STACKED - 1)
        ends[bar.row] = max(ends[bar.row], bar.start + bar.length)


def _in_buckets(lane: Lane, length: int) -> list[Bar]:
    """The lane's bars by the buckets that they are in; they count where they start.

    One pass over the buckets: what a long bar covers costs nothing of its own.
    """
    first: dict[int, list[Bar]] = defaultdict(list)
    last: dict[int, list[Bar]] = defaultdict(list)
    for bar in lane.bars:
        first[bar.start // length].append(bar)
        last[_end(bar) // length].append(bar)
    made: list[Bar] = []
    here: dict[str, int] = {}  # the regions of the bars that are in this bucket, and how many each has
    covering = 0  # bars
    for n in range(max(last, default=-1) + 1):
        begin, end = n * length, (n + 1) * length
        for bar in first[n]:
            here[bar.region] = here.get(bar.region, 0) + 1
        covering += len(first[n])
        if covering:
            region = next(iter(here)) if len(here) == 1 else ""
            busy = covering * length - sum(bar.start - begin for bar in first[n])
            busy -= sum(end - bar.start - bar.length for bar in last[n])
            made.append(Bar(begin, length, region, "", count=sum(bar.count for bar in first[n]), busy=busy))
        for bar in last[n]:
            here[bar.region] -= 1
            if not here[bar.region]:
                del here[bar.region]
        covering -= len(last[n])
    return made


def _end(bar: Bar) -> int:
    """The last nanosecond that is the bar's."""
    return bar.start + max(bar.length, 1) - 1


def _rows(events: Sequence[Event], origin: int) -> tuple[list[Json], bool]:
    """The rows of the measured tables by the times they stood; where there are too many, those that stood longest."""
    found = present.rows(events)
    kept = sorted(sorted(found, key=lambda row: row.first - row.end)[:MOST], key=lambda row: row.first)
    times = [number(event, "t") - origin for event in events]
    return [_row(row, times) for row in kept], len(kept) < len(found)


def _row(row: present.Row, times: list[int]) -> Json:
    made: Json = {
        "device": row.device,
        "section": row.section,
        "bytes": size(row.bytes),
        "references": "∞" if row.references == present.FOR_EVER else str(row.references),
        "region": row.region,
        "from": times[row.first],
    }
    if row.end < len(times):
        made["to"] = times[row.end]
    if row.copied is not None:
        way = "to the device" if row.inward else "back"
        made |= {"copied": times[row.copied], "way": way, "values": row.values}
    return made
