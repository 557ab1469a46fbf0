"""`ompls/whyNoAnswer`: why there is no answer at a place, or a weaker one than expected.

What the unit says is `analysis/features/explain.py`'s; the worker adds what only it knows: the tier, the flags and
where they come from, the settings, problems with the surroundings.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from ompls.analysis import features, notes
from ompls.analysis.features import Reason
from ompls.server.convert import Json
from ompls.server.harmless import harmless_line
from ompls.server.opened import Opened, Result


def answer(opened: Opened, result: Result, params: Json) -> Json:
    """`{ reasons, markdown }` for a position of the document; without one, for its first line."""
    offset = _offset(params.get("position"), result, opened.context.client.encoding)
    reasons = [*_surroundings(opened, result), *features.explain(result.tu, offset)]
    reasons += _here(result, offset, opened)
    reasons += [Reason("flags", text, False) for text in _origin(opened)]
    reasons = [replace(reason, text=harmless_line(reason.text)) for reason in reasons]
    reasons.sort(key=lambda reason: not reason.decisive)
    places = opened.places(result)
    line = result.lines.line_of(offset) + 1
    return {
        "reasons": [_shown(reason, places) for reason in reasons],
        "markdown": _page(harmless_line(f"{os.path.basename(opened.document.path)}, line {line}"), reasons),
    }


def _surroundings(opened: Opened, result: Result) -> list[Reason]:
    """The settings and the state of the server."""
    settings, found = opened.settings, []
    if not settings.diagnostics.enable:
        found.append(Reason("settings", "`ompls.diagnostics.enable` is off: nothing is reported.", True))
    if opened.too_large:
        text = notes.too_large(opened.document.path, settings.diagnostics.max_file_size).message
        found.append(Reason("settings", text[:1].upper() + text[1:] + ".", True))
    for problem in map(str, opened.workspace.problems.values()):
        found.append(Reason("surroundings", problem[:1].upper() + problem[1:] + ".", True))
    tier = "live: the headers are being read" if opened.reading or opened.snapshot is None else "full"
    devices = "device " + ", ".join(f"`{device.name}`" for device in result.tu.settings.devices)
    version = f"OpenMP {result.tu.settings.openmp}, {devices}"
    took = f"{result.seconds * 1000:.0f} ms for version {result.version}"
    found.append(Reason("tier", f"Tier: {tier}. {version}. {took}.", tier != "full"))
    return found


def _origin(opened: Opened) -> list[str]:
    """The flags in use, and the file that has them."""
    path, workspace = opened.document.path, opened.workspace
    if not os.path.isabs(path):
        return ["The document is no file: no flags but those of `ompls.flags`."]
    flags, origin = workspace.flags(path), workspace.flags_origin(path)
    shown = " ".join(f"`{flag}`" for flag in flags) or "none"
    where = f"`{origin}`" if origin else "no `compile_commands.json` or `compile_flags.txt` has this file"
    return [f"Flags: {shown}. Compile database: {where}."]


def _offset(position: Any, result: Result, encoding: Any) -> int:
    if not isinstance(position, dict):
        return 0
    line, character = position.get("line", 0), position.get("character", 0)
    if not isinstance(line, int) or not isinstance(character, int):
        return 0
    return result.lines.offset(line, character, encoding)


def _here(result: Result, offset: int, opened: Opened) -> list[Reason]:
    """What is reported on the line, for those who look for something else."""
    line = result.lines.line_of(offset)
    path = opened.document.path
    on_line = [d for d in result.found if d.where.path == path and result.lines.line_of(d.where.start) == line]
    return [Reason("reported", f"Reported here: `{d.rule}`, {d.severity}: {d.message}", False) for d in on_line[:5]]


def _shown(reason: Reason, places: Any) -> Json:
    shown: Json = {"topic": reason.topic, "text": reason.text, "decisive": reason.decisive}
    return {**shown, "location": places.location(reason.where)} if reason.where is not None else shown


def _page(title: str, reasons: list[Reason]) -> str:
    parts = [f"# {title}"]
    for heading, decisive in (("Why there may be no answer", True), ("What the analysis stands on", False)):
        lines = [f"* {r.text}" for r in reasons if r.decisive is decisive]
        if decisive and not lines:
            lines = ["* Nothing is in the way: what is not reported here, no rule found."]
        if lines:
            parts += [f"## {heading}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"
