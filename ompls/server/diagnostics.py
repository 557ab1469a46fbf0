"""Diagnostics to the client: pulled when it can pull (with resultId and refresh), else published; never both.

A diagnostic in a header is shown in the header when that is open, else at the `#include` of the document that was
analysed.  So what one document shows is its own analysis plus what others found in it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

from ompls.analysis.notes import IDS
from ompls.server.convert import range_of
from ompls.server.guard import logged
from ompls.server.messages import Elsewhere
from ompls.server.protocol import Written
from ompls.server.session import Session

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

log = logging.getLogger("ompls.server")


class Shown:
    """What a document shows: the items of its own analysis (each as JSON), with an id that changes when they do."""

    def __init__(self) -> None:
        self.items: list[bytes] = []
        self.inactive = b"[]"
        self.number = 0
        self.stamp = -1  # of the session, when it had these
        self.pulled = -1  # of the session, when the client had them last
        self.pulling = 0  # requests for them


class DiagnosticsFeature:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._shown: dict[str, Shown] = {}  # by URI
        self._in_headers: dict[str, dict[str, list[bytes]]] = {}  # URI analysed -> header path -> items
        self._refresh: asyncio.Task[None] | None = None

    # --- from the engine -----------------------------------------------------------------------------------------

    def fresh(self, session: Session) -> None:
        """`session` has a new result, or its analysis was ended and is left out."""
        uri = session.document.uri
        shown = self._shown.setdefault(uri, Shown())
        own, headers = self._items(session)
        shown.stamp = session.stamp
        self._dim(session, shown)
        new = own != shown.items
        if new:
            shown.items = own
            shown.number += 1
        self._contribute(uri, headers)
        if not self.server.client.pulls:
            self._publish(session)
        elif new and shown.pulled == session.stamp and not shown.pulling:
            self.refresh()

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

    async def pull(self, params: Any) -> Written:
        session = self.server.session(params.text_document.uri)
        if session is None:
            return Written([b'{"kind":"full","items":[]}'])
        shown = self._shown.setdefault(session.document.uri, Shown())
        shown.pulling += 1
        try:
            await self.server.engine.known(session, headers=not self.server.client.refreshes_diagnostics)
        finally:
            shown.pulling -= 1
        shown.pulled = session.stamp
        result_id, items = self._report(session)
        if params.previous_result_id == result_id:
            return Written([b'{"kind":"unchanged","resultId":"%s"}' % result_id.encode()])
        return Written([b'{"kind":"full","resultId":"%s","items":[' % result_id.encode(), b",".join(items), b"]}"])

    def _dim(self, session: Session, shown: Shown) -> None:
        """Tell clients that want to dim them which branches are not compiled, when that is new."""
        result = session.fresh
        if not self.server.client.dims or result is None or result.inactive == shown.inactive:
            return
        shown.inactive = result.inactive
        document = {"uri": session.document.uri, "version": result.version}
        regions = json.loads(result.inactive)
        self.server.protocol.notify_raw("ompls/inactiveRegions", {"textDocument": document, "regions": regions})

    # --- inside --------------------------------------------------------------------------------------------------

    def _items(self, session: Session) -> tuple[list[bytes], dict[str, list[bytes]]]:
        """(what `session`'s document shows, what open headers show)."""
        own = [_ended(session.ended)] if session.ended else []
        headers: dict[str, list[bytes]] = {}
        current = session.fresh is not None and session.fresh.stamp == session.stamp
        for item in session.fresh.items if session.fresh is not None and current else ():
            if not isinstance(item, Elsewhere):
                own.append(item)
            elif self.server.engine.by_path(item.path) is not None:
                headers.setdefault(item.path, []).append(item.there)
            else:
                own.append(item.here)
        return own, headers

    def _contribute(self, uri: str, headers: dict[str, list[bytes]]) -> None:
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
                self._publish(header)

    def _report(self, session: Session) -> tuple[str, list[bytes]]:
        """(result id, items) of a document: its own and what others found in it."""
        shown = self._shown.setdefault(session.document.uri, Shown())
        items = list(shown.items)
        for uri, headers in self._in_headers.items():
            if uri != session.document.uri:
                items += [i for i in headers.get(session.document.path, ()) if i not in items]
        return str(shown.number), items

    def _publish(self, session: Session) -> None:
        _, items = self._report(session)
        document = session.document
        head = f'{{"uri":{json.dumps(document.uri)},"version":{document.version},"diagnostics":['
        self.server.protocol.notify_written(
            "textDocument/publishDiagnostics", Written([head.encode(), b",".join(items), b"]}"])
        )

    def refresh(self) -> None:
        """Ask the client to pull again; several reasons within a moment are one request."""
        if self.server.client.refreshes_diagnostics and (self._refresh is None or self._refresh.done()):
            self._refresh = asyncio.create_task(logged("workspace/diagnostic/refresh", self._ask()))

    async def _ask(self) -> None:
        await asyncio.sleep(0.02)
        await self.server.request("workspace/diagnostic/refresh", None)


def _ended(why: str) -> bytes:
    """An analysis that was ended, as a hint at the first line."""
    item = {"range": range_of((0, 0, 1, 0)), "severity": 4, "code": IDS["budget"], "source": "ompls", "message": why}
    return json.dumps(item).encode()
