"""`refactor.rewrite` of `textDocument/codeAction`: what `analysis/features/refactor` offers, tried out first."""

from __future__ import annotations

from lsprotocol import types

from ompls.server.actions import Actions
from ompls.server.convert import Json
from ompls.server.engine import Result, Session
from ompls.server.work import refactor

REWRITE = "refactor.rewrite"


async def refactorings(actions: Actions, session: Session, result: Result, asked: types.Range) -> list[Json]:
    """The refactorings for a selection; none while the headers are not known or the text is not analysed to its end."""
    server, engine = actions.server, actions.server.engine
    if session.snapshot is None or not result.tu.complete:
        return []
    encoding = server.client.encoding
    ends = (asked.start, asked.end)
    start, end = (result.lines.offset(p.line, p.character, encoding) for p in ends)
    offered = await engine.call(refactor, session.analyzer, result.tu, session.snapshot, session.settings, (start, end))
    done = [actions.action(a.title, a.kind, a.edits, session, result) for a in offered if a.edits]
    if not server.client.disabled_actions:
        return done
    return done + [{"title": a.title, "kind": a.kind, "disabled": {"reason": a.refused}} for a in offered if a.refused]
