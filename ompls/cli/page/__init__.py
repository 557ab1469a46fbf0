"""A trace as one self-contained page: what took the time, when it happened, and what to do about it.

The page loads nothing, which its policy says to the browser, too.  What its script draws is data beside it; the tables
are there without a script.
"""

from __future__ import annotations

import json
import os
import shlex
from datetime import datetime
from importlib import resources

from markupsafe import Markup, escape

from ompls.cli import profile
from ompls.cli.page.sources import sources
from ompls.cli.views import View
from ompls.traces.events import UNFINISHED, Event
from ompls.traces.regions import Region, advice
from ompls.traces.words import duration, size


def page(view: View, name: str) -> str:
    """The page's text; `name` is that of the trace's file."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(size=size, duration=duration, coded=_coded)
    head, regions, summary = view.head, view.regions, view.summary
    total = sum(r.time for r in regions)
    drawn = view.drawn()
    places = list(filter(None, dict.fromkeys([*(r.place for r in regions), *drawn["regions"]])))
    drawn["sources"] = sources(places, _seconds(head))
    drawn["directory"] = directory = _directory(places)
    drawn["shares"] = _shares(regions, total)
    drawn["command"] = _typed(["ompls", "report", _argument(os.path.basename(name))])
    return environment.from_string(_part("page.html.jinja")).render(
        program=os.path.basename(str(head.get("program") or "")) or name,
        command=_typed(head.get("command")),
        date=_date(head.get("start")),
        compared=profile.looked_at(regions) if view.whole else "",
        note=view.note,
        whole=view.whole,
        regions=[(r, 100 * r.time / total if total else 0.0, advice(r, total)) for r in regions],
        copies=summary.copies,
        errors=summary.errors if summary.ended else [*summary.errors, f"{UNFINISHED}."],
        short=lambda place: place.removeprefix(directory),
        totals={
            name: sum(getattr(r, name) for r in regions)
            for name in ("kernel_time", "to_bytes", "from_bytes", "redundant_bytes", "launches")
        },
        lanes=len(drawn["lanes"]),
        bucket=drawn["bucket"],
        left_out=drawn["leftOut"],
        data=_embedded(drawn),
        style=_part("page.css"),
        script=_part("page.js"),
    )


def _part(name: str) -> str:
    return (resources.files("ompls.cli.page") / name).read_text(encoding="utf-8")


def _embedded(data: object) -> str:
    """JSON for a script element: nothing in it can end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _directory(places: list[str]) -> str:
    """The directory that all files are in, with its slash: people need not read it.  "" where there is none."""
    try:
        return os.path.join(os.path.commonpath([os.path.dirname(place) for place in places]), "")
    except ValueError:
        return ""


def _shares(regions: list[Region], total: int) -> dict[str, float]:
    """How much of the time of all regions each `file:line` took, in percent."""
    shares: dict[str, float] = {}
    for region in regions if total else ():
        shares[region.place] = round(shares.get(region.place, 0.0) + 100 * region.time / total, 1)
    return shares


def _seconds(head: Event) -> float:
    try:
        return float(str(head.get("start")))
    except ValueError:
        return float("inf")


def _typed(command: object) -> str:
    """The command line, without the directory of the program, which may have been made for the run."""
    words = [str(word) for word in command] if isinstance(command, list) else []
    return shlex.join([os.path.basename(words[0]), *words[1:]]) if words else ""


def _argument(name: str) -> str:
    """The name of a file where a command takes it for nothing else."""
    return os.path.join(".", name) if name.startswith("-") else name


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
