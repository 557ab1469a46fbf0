"""`refactor.rewrite` of `textDocument/codeAction`: what `analysis/features/refactor` offers, tried out first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ompls.analysis import features
from ompls.server.actions import Actions
from ompls.server.convert import Json
from ompls.server.work import refactor

if TYPE_CHECKING:
    from lsprotocol import types


def refactorings(actions: Actions, asked: types.Range) -> list[Json]:
    """The refactorings for a selection, and why others cannot be done; none where not enough is known of the text."""
    opened, result = actions.opened, actions.result
    start, end = (opened.offset(result, place) for place in (asked.start, asked.end))
    if opened.snapshot is None or not result.tu.complete:
        why = "the headers are not read yet" if opened.snapshot is None else "the file is not analysed to its end"
        offered = [replace(a, edits=(), refused=why) for a in features.refactorings(result.tu, start, end)]
    else:
        offered = refactor(opened.analyzer, result.tu, opened.snapshot, opened.settings, (start, end))
    done = [actions.action(a.title, a.kind, a.edits) for a in offered if a.edits]
    if not opened.context.client.disabled_actions:
        return done
    return done + [{"title": a.title, "kind": a.kind, "disabled": {"reason": a.refused}} for a in offered if a.refused]
