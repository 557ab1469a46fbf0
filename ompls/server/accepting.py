"""`inlayHint/resolve`: accepting a hint writes the clauses that it shows, where that changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ompls.analysis import features
from ompls.server.announced import unresolved
from ompls.server.convert import Json
from ompls.server.opened import Opened, Result
from ompls.server.work import refactor

if TYPE_CHECKING:
    from lsprotocol import types


def asked_later(opened: Opened, offset: int) -> Json:
    """What a hint carries, so that its edits need to be found only when somebody accepts it."""
    return {"uri": opened.document.uri, "version": opened.document.version, "offset": offset}


def resolved(opened: Opened, result: Result, hint: types.InlayHint) -> Any:
    """The hint with its edits; without, when the text has changed since or the clauses cannot be written down."""
    answer, data = unresolved(hint), hint.data
    if isinstance(data, dict) and isinstance(data.get("offset"), int) and data.get("version") == result.version:
        edits = _edits(opened, result, data["offset"])
        if edits:
            answer["textEdits"] = edits
    return answer


def _edits(opened: Opened, result: Result, offset: int) -> list[Json]:
    if opened.snapshot is None or not result.tu.complete:
        return []
    offered = refactor(opened.analyzer, result.tu, opened.snapshot, opened.settings, (offset, offset))
    places = opened.places(result)
    said = next((a for a in offered if a.title == features.IMPLIED), None)
    return [places.text_edit(edit) for edit in said.edits] if said is not None else []
