"""A trace as one self-contained page: what took the time, when it happened, and what to do about it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from importlib import resources

from markupsafe import Markup, escape

from ompls.cli import profile
from ompls.cli.trace import duration, size, summarize
from ompls.traces.events import UNFINISHED, Event, number

_WIDTH = 1000.0  # of the timeline, in its own units
_ROWS = ("to", "kernels", "from")


@dataclass
class _Bar:
    """Something on the timeline; several that are closer than can be seen are one."""

    row: int
    start: float
    end: float
    kind: str
    title: str
    count: int = 1


def page(events: list[Event], head: Event, name: str) -> str:
    """The page's text; `head` is what the trace says of the run, `name` that of its file."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(size=size, duration=duration, coded=_coded)
    text = (resources.files("ompls.cli") / "page.html.jinja").read_text(encoding="utf-8")
    regions = profile.profile(events)
    total = sum(r.time for r in regions)
    devices = list(
        dict.fromkeys(str(e["device"]) for e in events if e.get("kind") in ("launch", "copy") and "device" in e)
    )
    timed = [e for e in events if e.get("kind") in ("launch", "copy")]
    first = min((number(e, "t") for e in timed), default=0)
    last = max((number(e, "t") + number(e, "duration") for e in timed), default=1)
    span = max(last - first, 1)
    summary = summarize(events)
    return environment.from_string(text).render(
        program=os.path.basename(str(head.get("program") or "")) or name,
        command=_typed(head.get("command")),
        date=_date(head.get("start")),
        compared=profile.looked_at(regions),
        regions=[(r, 100 * r.time / total if total else 0.0, profile.advice(r, total)) for r in regions],
        copies=summary.copies,
        errors=summary.errors if summary.ended else [*summary.errors, f"{UNFINISHED}."],
        devices=[(d, list(_bars([e for e in timed if e.get("device") == d], first, span))) for d in devices],
        span=span,
        rows=("to the device", "kernels", "back"),
        totals=[
            sum(getattr(r, name) for r in regions)
            for name in ("kernel_time", "to_bytes", "from_bytes", "redundant_bytes", "launches")
        ],
    )


def _typed(command: object) -> str:
    """The command line, without the directory of the program, which may have been made for the run."""
    words = [str(word) for word in command] if isinstance(command, list) else []
    return shlex.join([os.path.basename(words[0]), *words[1:]]) if words else ""


def _date(start: object) -> str:
    """Seconds since 1970 for people, in the zone of who reads it."""
    try:
        return datetime.fromtimestamp(float(str(start))).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
    except (ValueError, OverflowError, OSError):
        return ""


def _coded(text: str) -> Markup:
    """What stands between backticks is code."""
    parts = [escape(part) for part in text.split("`")]
    return Markup("").join(Markup("<code>{}</code>").format(p) if n % 2 else p for n, p in enumerate(parts))


def _bars(events: Iterable[Event], first: int, span: int) -> Iterable[_Bar]:
    """The bars of one device; neighbours of a row that touch on the screen are put together."""
    open_bars: dict[int, _Bar] = {}
    for event in events:
        launch = event.get("kind") == "launch"
        row = 1 if launch else 0 if event.get("direction") == "to" else 2
        start = (number(event, "t") - first) / span * _WIDTH
        end = max(start + 0.4, start + number(event, "duration") / span * _WIDTH)
        what = str(event.get("region", "")) if launch else f"{event.get('var') or ''} {size(number(event, 'bytes'))}"
        before = open_bars.get(row)
        if before is not None and start - before.end < 0.3:
            before.end, before.count = max(before.end, end), before.count + 1
            before.title = f"{before.count} {'launches' if launch else 'copies'}, the last: {what}"
            continue
        if before is not None:
            yield before
        open_bars[row] = _Bar(row, start, end, _ROWS[row], f"{what}, {duration(number(event, 'duration'))}")
    yield from open_bars.values()
