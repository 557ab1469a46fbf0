"""`textDocument/codeAction`: quick fixes, comments that silence a diagnostic, everything at once.

A fix that may change more than what is reported (`Fix.safe` False) says so in its title, is never the preferred one,
and is not part of what fixes many at once: *fix all of this rule* and `source.fixAll.ompls`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from ompls.analysis.diagnostic import Diagnostic, Edit, Fix
from ompls.analysis.source import EMPTY_SNAPSHOT, Location
from ompls.analysis.suppression import added
from ompls.server.convert import Json, Places
from ompls.server.engine import Result, Session
from ompls.server.protocol import Raw
from ompls.server.work import fixable, tried

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

FIX_ALL = "source.fixAll.ompls"
QUICK_FIX = "quickfix"
_RISKY = " (may change what the program does)"

Provider = Callable[["Actions", Session, Result, types.Range], Awaitable[Iterable[Json]]]


class Actions:
    """`providers`: by kind of action, who else has some (`refactor.rewrite`, …); asked only when the kind is wanted."""

    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self.providers: dict[str, Provider] = {}

    def options(self) -> types.CodeActionOptions:
        return types.CodeActionOptions([QUICK_FIX, FIX_ALL, *self.providers])

    async def code_action(self, params: types.CodeActionParams) -> Raw:
        session = self.server.session(params.text_document.uri)
        only = None if params.context.only is None else [_value(kind) for kind in params.context.only]
        if session is None or not any(_wanted(kind, only) for kind in (QUICK_FIX, FIX_ALL, *self.providers)):
            return Raw([])
        result = await self.server.engine.result(session)
        actions: list[Json] = []
        if _wanted(QUICK_FIX, only):
            actions += await self._quick_fixes(session, result, params.range)
        for kind, provider in self.providers.items():
            if _wanted(kind, only):
                actions += await provider(self, session, result, params.range)
        if only is not None and _wanted(FIX_ALL, only):  # a menu of its own: nobody sees it unasked
            (edits,) = await self._fixable(session, result, [result.diagnostics])
            if edits:
                actions.append(self.action("Fix all that is safe to fix", FIX_ALL, edits, session, result))
        return Raw(actions)

    def action(self, title: str, kind: str, edits: Iterable[Edit], session: Session, result: Result) -> Json:
        """One action that makes `edits`.

        Versioned where the client can: an edit of a text that has changed since must not be applied.
        """
        places = self.server.places(result)
        by_uri: dict[str, list[Json]] = {}
        for edit in edits:
            by_uri.setdefault(self.server.uri(edit.where.path), []).append(places.text_edit(edit))
        change: Json = {"changes": by_uri}
        if self.server.client.document_changes:
            own = session.document.uri
            change = {
                "documentChanges": [
                    {"textDocument": {"uri": uri, "version": result.version if uri == own else None}, "edits": its}
                    for uri, its in by_uri.items()
                ]
            }
        return {"title": title, "kind": kind, "edit": change}

    # --- quick fixes ---------------------------------------------------------------------------------------------

    async def _quick_fixes(self, session: Session, result: Result, asked: types.Range) -> list[Json]:
        places = self.server.places(result)
        here = [(d, shown) for d in result.diagnostics if (shown := self._shown(d, places, session, asked))]
        arguments = session.analyzer, result.tu, session.snapshot or EMPTY_SNAPSHOT, session.settings
        good = await self.server.engine.call(tried, *arguments, [d for d, _ in here])
        actions: list[Json] = []
        for diagnostic, (_, shown) in zip(good, here, strict=True):
            for fix in diagnostic.fixes:
                title = fix.title if fix.safe else fix.title + _RISKY
                action = self.action(title, QUICK_FIX, fix.edits, session, result)
                preferred = fix.safe and len(diagnostic.fixes) == 1
                actions.append({**action, "diagnostics": [shown], "isPreferred": preferred})
        groups = {rule: [d for d in result.diagnostics if d.rule == rule] for rule in {d.rule: d for d, _ in here}}
        many = {rule: its for rule, its in groups.items() if sum(any(f.safe for f in d.fixes) for d in its) > 1}
        for rule, edits in zip(many, await self._fixable(session, result, list(many.values())), strict=True):
            if edits:
                title = f"Fix all `{rule}` in this file"
                actions.append(self.action(title, QUICK_FIX, edits, session, result))
        for diagnostic, shown in here:
            for fix in silencing(result.tu.source, diagnostic):
                action = self.action(fix.title, QUICK_FIX, fix.edits, session, result)
                actions.append({**action, "diagnostics": [shown]})
        return actions

    def _shown(self, diagnostic: Diagnostic, places: Places, session: Session, asked: types.Range) -> Json | None:
        """The diagnostic as the client has it, if it is on the lines of `asked`."""
        if diagnostic.where.path != session.document.path:
            return None
        shown = places.diagnostic(diagnostic, diagnostic.where, self.server.manual_uri(diagnostic.rule))
        range_ = shown["range"]
        within = range_["start"]["line"] <= asked.end.line and range_["end"]["line"] >= asked.start.line
        return shown if within else None

    async def _fixable(self, session: Session, result: Result, groups: list[list[Diagnostic]]) -> list[list[Edit]]:
        """For each of the groups, the edits of its safe fixes that touch this document only."""
        path = result.tu.path
        own = [[d for d in its if all(e.where.path == path for f in d.fixes for e in f.edits)] for its in groups]
        if not any(d.fixes for its in own for d in its):
            return [[] for _ in groups]
        arguments = session.analyzer, result.tu, session.snapshot or EMPTY_SNAPSHOT, session.settings
        edits: list[list[Edit]] = await self.server.engine.call(fixable, *arguments, own)
        return edits


def silencing(source: bytes, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The comments that would silence a diagnostic: here, and in the whole file."""
    where, rule = diagnostic.where, diagnostic.rule
    for title, whole_file in ((f"Silence {rule} here", False), (f"Silence {rule} in this file", True)):
        offset, text = added(source, where.start, rule, whole_file=whole_file)
        yield Fix(title, (Edit(Location(where.path, offset, offset), text),))


def _wanted(kind: str, only: list[str] | None) -> bool:
    """Kinds are hierarchical: who asks for `source` wants `source.fixAll.ompls`, too."""
    return only is None or any(k in ("", kind) or kind.startswith(f"{k}.") for k in only)


def _value(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind
