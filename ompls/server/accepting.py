"""`inlayHint/resolve`: accepting a hint writes the clauses that it shows, where that changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ompls.analysis import features
from ompls.server.convert import Json
from ompls.server.engine import Result, Session
from ompls.server.work import refactor

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer


def asked_later(session: Session, offset: int) -> Json:
    """What a hint carries, so that its edits need to be found only when somebody accepts it."""
    return {"uri": session.document.uri, "version": session.document.version, "offset": offset}


async def resolved(server: OmplsServer, hint: types.InlayHint) -> Json:
    """The hint with its edits; without, when the text has changed since or the clauses cannot be written down."""
    answer: Json = {
        "position": {"line": hint.position.line, "character": hint.position.character},
        "label": hint.label if isinstance(hint.label, str) else "".join(part.value for part in hint.label),
        "paddingLeft": True,
    }
    if isinstance(hint.tooltip, types.MarkupContent):
        answer["tooltip"] = {"kind": "markdown", "value": hint.tooltip.value}
    data: Any = hint.data
    session = server.session(data.get("uri", "")) if isinstance(data, dict) else None
    if session is not None and isinstance(data.get("offset"), int) and data.get("version") == session.document.version:
        result = await server.engine.unit(session)
        edits = await _edits(server, session, result, data["offset"])
        if edits and data["version"] == session.document.version:
            answer["textEdits"] = edits
    return answer


async def _edits(server: OmplsServer, session: Session, result: Result, offset: int) -> list[Json]:
    if session.snapshot is None or not result.tu.complete:
        return []
    engine, selection = server.engine, (offset, offset)
    offered = await engine.call(refactor, session.analyzer, result.tu, session.snapshot, session.settings, selection)
    places = server.places(result)
    said = next((a for a in offered if a.title == features.IMPLIED), None)
    return [places.text_edit(edit) for edit in said.edits] if said is not None else []
