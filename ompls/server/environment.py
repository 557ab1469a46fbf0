"""`ompls/dataEnvironment`: the present tables at a place, made by the worker of the document.

What is known is `analysis/features/environment.py`'s; this says it in the protocol's terms, each fact with its place.
"""

from __future__ import annotations

import os
from itertools import groupby
from typing import Any

from ompls.analysis import features
from ompls.analysis.features.environment import Known
from ompls.analysis.source import Location
from ompls.server import measured
from ompls.server.convert import Json, Places
from ompls.server.opened import Opened, Result
from ompls.server.refusal import refuse
from ompls.server.work import Deadline

_SECONDS = 2.0  # for the walks to the place: somebody moves a cursor and waits


def answer(opened: Opened, result: Result, params: Json) -> Json:
    offset = _offset(opened, result, params)
    found = features.environment(result.tu, offset, Deadline(_SECONDS))
    places = opened.places(result)
    shown: Json = {
        "version": result.version,
        "function": found.function,
        "complete": found.complete,
        "message": found.message,
        "devices": [
            {"device": device, "title": _title(device, found.device), "entries": [_entry(k, places) for k in entries]}
            for device, entries in groupby(found.rows, key=lambda known: known.row.device)
        ],
    }
    if found.where is not None:
        shown |= {"location": places.location(found.where), "at": "end" if found.end else "before"}
    if found.device:
        shown["runsOn"] = found.device
    measured.beside(shown, found, opened, result, params.get("visit"))
    return shown


def _offset(opened: Opened, result: Result, params: Json) -> int:
    """The place that is meant: a position, or the beginning of a region's body."""
    if (position := params.get("position")) is not None:
        return result.lines.offset(position["line"], position["character"], opened.context.client.encoding)
    region = str(params.get("region") or "")
    body = features.body_of(result.tu, region)
    if body is None or body.path != result.tu.path:
        name = os.path.basename(result.tu.path)
        raise refuse(f"data environment: {name} has no region '{region}'; give a position")
    return body.start


def _title(device: str, running: str) -> str:
    if not device:
        return "not known"
    return f"device {device}" + (", which runs here" if device == running else "")


def _entry(known: Known, places: Places) -> Json:
    row = known.row
    return {
        "name": row.name,
        "section": row.section,
        "references": row.references,
        "bytes": row.bytes,
        "valid": list(row.valid),
        "certainty": row.certainty,
        "attached": list(row.attached),
        "label": row.section if row.section.startswith(row.name) else " = ".join(filter(None, (row.name, row.section))),
        "detail": known.text,
        "facts": [{"text": text, **_where(where, places)} for text, where in known.facts],
        **_where(known.mapped, places),
    }


def _where(where: Location | None, places: Places) -> dict[str, Any]:
    return {} if where is None else {"location": places.location(where)}
