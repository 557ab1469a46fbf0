"""`ompls/whyNoAnswer`: why there is no answer at a place, or a weaker one than expected.

What the unit says is `analysis/features/explain.py`'s; the server adds what only it knows: the tier, the flags and
where they come from, the settings, problems with the surroundings.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from ompls.analysis import features
from ompls.analysis.features import Reason
from ompls.server.convert import Json
from ompls.server.engine import Result, Session
from ompls.server.runs import refuse

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer


class Explanation:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server

    async def answer(self, params: Json) -> Json:
        """`{ reasons, markdown }` for a position of an open document; without one, for its first line."""
        uri = str((params.get("textDocument") or {}).get("uri", ""))
        session = self.server.session(uri)
        if session is None:
            problem = f"{uri} is not open here" if uri else "no document is named"
            raise refuse(f"{problem}: only C files that are open are analysed")
        result = await self.server.engine.result(session)
        offset = _offset(params.get("position"), result, self.server.client.encoding)
        origin = await self._origin(session)
        reasons = [*self._surroundings(session, result), *features.explain(result.tu, offset)]
        reasons += _here(result, offset, session)
        reasons += [Reason("flags", text, False) for text in origin]
        reasons.sort(key=lambda reason: not reason.decisive)
        places = self.server.places(result)
        line = result.lines.line_of(offset) + 1
        return {
            "reasons": [_shown(reason, places) for reason in reasons],
            "markdown": _page(f"{os.path.basename(session.document.path)}, line {line}", reasons),
        }

    def _surroundings(self, session: Session, result: Result) -> list[Reason]:
        """The settings and the state of the server."""
        settings, found = session.settings, []
        if not settings.diagnostics.enable:
            found.append(Reason("settings", "`ompls.diagnostics.enable` is off: nothing is reported.", True))
        if session.document.size > settings.diagnostics.max_file_size:
            limit = settings.diagnostics.max_file_size
            text = f"The file is above {limit:,} bytes (`ompls.diagnostics.maxFileSize`): it is not analysed."
            found.append(Reason("settings", text, True))
        for problem in map(str, self.server.engine.workspace.problems.values()):
            found.append(Reason("surroundings", problem[:1].upper() + problem[1:] + ".", True))
        waiting = session.headers_job is not None and not session.headers_job.done()
        tier = "live: the headers are being read" if waiting or session.snapshot is None else "full"
        version = f"OpenMP {result.tu.settings.openmp}, device class `{result.tu.settings.device}`"
        took = f"{result.seconds * 1000:.0f} ms for version {result.version}"
        found.append(Reason("tier", f"Tier: {tier}. {version}. {took}.", tier != "full"))
        return found

    async def _origin(self, session: Session) -> list[str]:
        """The flags in use, and the file that has them."""
        path, workspace = session.document.path, self.server.engine.workspace
        if not os.path.isabs(path):
            return ["The document is no file: no flags but those of `ompls.flags`."]
        loop = asyncio.get_running_loop()
        flags = await loop.run_in_executor(None, workspace.flags, path)
        origin = await loop.run_in_executor(None, workspace.flags_origin, path)
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


def _here(result: Result, offset: int, session: Session) -> list[Reason]:
    """What is reported on the line, for those who look for something else."""
    line = result.lines.line_of(offset)
    path = session.document.path
    on_line = [d for d in result.diagnostics if d.where.path == path and result.lines.line_of(d.where.start) == line]
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
