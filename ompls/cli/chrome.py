"""A trace in the Trace Event Format, which chrome://tracing and Perfetto show."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ompls.traces.events import Event, number

_OWN = ("t", "thread", "kind", "device", "duration")


def chrome(events: Iterable[Event]) -> str:
    """One JSON object.  A device is a process with a row each for kernels, copies and its data environment."""
    out: list[dict[str, Any]] = []
    devices: dict[str, int] = {}
    for event in events:
        kind, device = str(event.get("kind", "")), str(event.get("device") or "host")
        if device not in devices:
            devices[device] = len(devices) + 1
            out += _names(devices[device], device)
        row = _ROWS.index(_row(event))
        made: dict[str, Any] = {
            "name": str(event.get("region") or kind)
            if kind == "launch"
            else f"{kind} {event.get('var') or ''}".strip(),
            "cat": kind,
            "pid": devices[device],
            "tid": row,
            "ts": number(event, "t") / 1000,  # microseconds
            "args": {k: v for k, v in event.items() if k not in _OWN},
        }
        if "duration" in event:
            made |= {"ph": "X", "dur": number(event, "duration") / 1000}
        else:
            made |= {"ph": "i", "s": "t"}
        out.append(made)
    return json.dumps({"traceEvents": out, "displayTimeUnit": "ns"}) + "\n"


_ROWS = ("kernels", "copies to the device", "copies back", "data environment")


def _row(event: Event) -> str:
    kind = event.get("kind")
    if kind in ("launch", "sync"):
        return _ROWS[0]
    if kind == "copy":
        return _ROWS[1] if event.get("direction") == "to" else _ROWS[2]
    return _ROWS[3]


def _names(process: int, device: str) -> list[dict[str, Any]]:
    named: list[dict[str, Any]] = [{"name": "process_name", "ph": "M", "pid": process, "args": {"name": device}}]
    for row, name in enumerate(_ROWS):
        named.append({"name": "thread_name", "ph": "M", "pid": process, "tid": row, "args": {"name": name}})
    return named
