"""Diagnostics to the client: pulled when it can pull (with resultId and refresh), else published; never both.

A diagnostic in a header is shown in the header when that is open, else at the `#include` of the document that was
analysed.  So what one document shows is its own analysis plus what others found in it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from ompls.analysis import features
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.source import Location
from ompls.server.convert import Json
from ompls.server.engine import Result, Session
from ompls.server.guard import logged

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

log = logging.getLogger("ompls.server")


class Shown:
    """What a document shows: the items of its own analysis, with an id that changes when they do."""

    def __init__(self) -> None:
        self.items: list[Json] = []
        self.inactive: list[Json] = []
        self.number = 0
        self.stamp = -1


class DiagnosticsFeature:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._shown: dict[str, Shown] = {}  # by URI
        self._in_headers: dict[str, dict[str, list[Json]]] = {}  # URI analysed -> header path -> items
        self._refresh: asyncio.Task[None] | None = None

    # --- from the engine -----------------------------------------------------------------------------------------

    def fresh(self, session: Session) -> None:
        """`session` has a new result."""
        result = session.result
        assert result is not None
        uri = session.document.uri
        shown = self._shown.setdefault(uri, Shown())
        own, headers = self._items(session, result)
        shown.stamp = result.stamp
        self._dim(session, result, shown)
        if own != shown.items:
            shown.items = own
            shown.number += 1
        self._contribute(uri, headers)
        if not self.server.client.pulls:
            self._publish(session, result.version)

    def headers_changed(self) -> None:
        """The background look at the headers found something new: what the client pulled may be wrong."""
        if self.server.client.pulls:
            self.refresh()

    def closed(self, session: Session) -> None:
        uri = session.document.uri
        self._shown.pop(uri, None)
        self._contribute(uri, {})
        if not self.server.client.pulls:
            self.server.protocol.notify_raw("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []})

    # --- from the client -----------------------------------------------------------------------------------------

    async def pull(self, params: Any) -> Json:
        session = self.server.session(params.text_document.uri)
        if session is None:
            return {"kind": "full", "items": []}
        engine = self.server.engine
        await (engine.result(session) if self.server.client.refreshes_diagnostics else engine.full(session))
        result_id, items = self._report(session)
        if params.previous_result_id == result_id:
            return {"kind": "unchanged", "resultId": result_id}
        return {"kind": "full", "resultId": result_id, "items": items}

    def _dim(self, session: Session, result: Result, shown: Shown) -> None:
        """Tell clients that want to dim them which branches are not compiled, when that is new."""
        if not self.server.client.dims:
            return
        places = self.server.places(result)
        ranges = [places.range(where) for where in features.inactive(result.tu)]
        if ranges != shown.inactive:
            shown.inactive = ranges
            document = {"uri": session.document.uri, "version": result.version}
            self.server.protocol.notify_raw("ompls/inactiveRegions", {"textDocument": document, "regions": ranges})

    # --- inside --------------------------------------------------------------------------------------------------

    def _items(self, session: Session, result: Result) -> tuple[list[Json], dict[str, list[Json]]]:
        """(what `session`'s document shows, what open headers show)."""
        main = session.document.path
        places = self.server.places(result)
        own: list[Json] = []
        headers: dict[str, list[Json]] = {}
        for diagnostic in result.diagnostics:
            path = diagnostic.where.path
            manual = self.server.manual_uri(diagnostic.rule)
            if path == main:
                own.append(places.diagnostic(diagnostic, diagnostic.where, manual))
            elif self.server.engine.by_path(path) is not None:
                items = headers.setdefault(path, [])
                items.append(places.diagnostic(diagnostic, diagnostic.where, manual))
            else:
                own.append(places.diagnostic(diagnostic, included_at(result, diagnostic), manual))
        return own, headers

    def _contribute(self, uri: str, headers: dict[str, list[Json]]) -> None:
        before = self._in_headers.get(uri, {})
        if headers == before:
            return
        self._in_headers[uri] = headers
        for path in {*before, *headers}:
            header = self.server.engine.by_path(path)
            if header is None or before.get(path) == headers.get(path):
                continue
            shown = self._shown.setdefault(header.document.uri, Shown())
            shown.number += 1
            if self.server.client.pulls:
                self.refresh()
            elif shown.stamp == header.stamp:
                self._publish(header, header.document.version)

    def _report(self, session: Session) -> tuple[str, list[Json]]:
        """(result id, items) of a document: its own and what others found in it."""
        shown = self._shown.setdefault(session.document.uri, Shown())
        items = list(shown.items)
        for uri, headers in self._in_headers.items():
            if uri != session.document.uri:
                items += [i for i in headers.get(session.document.path, ()) if i not in items]
        return str(shown.number), items

    def _publish(self, session: Session, version: int) -> None:
        _, items = self._report(session)
        params = {"uri": session.document.uri, "version": version, "diagnostics": items}
        self.server.protocol.notify_raw("textDocument/publishDiagnostics", params)

    def refresh(self) -> None:
        """Ask the client to pull again; several reasons within a moment are one request."""
        if self.server.client.refreshes_diagnostics and (self._refresh is None or self._refresh.done()):
            self._refresh = asyncio.create_task(logged("workspace/diagnostic/refresh", self._ask()))

    async def _ask(self) -> None:
        await asyncio.sleep(0.02)
        await self.server.request("workspace/diagnostic/refresh", None)


def included_at(result: Result, diagnostic: Diagnostic) -> Location:
    """The main file's `#include` that brought the header of `diagnostic` in (else the file's start)."""
    path = diagnostic.where.path
    for run in result.tu.map.runs:
        if run.path == path and run.included_at is not None:
            return run.included_at
    return Location(result.tu.path, 0, 0)
