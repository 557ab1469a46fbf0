"""Diagnostics to the client: pulled when it can pull (with resultId and refresh), else published; never both.

A diagnostic in a header is shown in the header when that is open, else at the `#include` of the document that was
analysed.  So what one document shows is its own analysis plus what others found in it, and opening or closing a header
moves what was found in it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

from ompls.server.convert import digest, incomplete
from ompls.server.guard import logged
from ompls.server.messages import Elsewhere
from ompls.server.protocol import Written
from ompls.server.session import Session

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

log = logging.getLogger("ompls.server")


class Shown:
    """What the analysis of an open document has found, each item as JSON: in the document itself, and in open headers
    (by path)."""

    def __init__(self) -> None:
        self.own: list[bytes] = []
        self.in_headers: dict[str, list[bytes]] = {}
        self.inactive = b"[]"
        self.stamp = -1  # of the session, when it had these
        self.pulled = -1  # of the session, when the client had them last
        self.pulling = 0  # requests for them


class DiagnosticsFeature:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._shown: dict[str, Shown] = {}  # by URI, of the documents that are open
        self._refresh: asyncio.Task[None] | None = None
        self._stale = False  # there is a reason to pull that the client has not been told

    # --- from the engine -----------------------------------------------------------------------------------------

    def opened(self, session: Session) -> None:
        self._place_again(session.document.path)

    def fresh(self, session: Session) -> None:
        """`session` has a new result, or its analysis was ended and is left out."""
        shown = self._of(session)
        shown.stamp = session.stamp
        self._dim(session, shown)
        new = self._place(session, shown)
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
        for path in self._shown.pop(uri, Shown()).in_headers:
            self._changed(self.server.engine.by_path(path))
        if not self.server.client.pulls:
            self.server.protocol.notify_raw("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []})
        self._place_again(session.document.path)

    # --- from the client -----------------------------------------------------------------------------------------

    async def pull(self, params: Any) -> Written:
        session = self.server.session(params.text_document.uri)
        if session is None:
            return Written([b'{"kind":"full","items":[', self.server.foreign.items(params.text_document.uri), b"]}"])
        shown = self._of(session)
        shown.pulling += 1
        try:
            await self.server.engine.known(session, headers=not self.server.client.refreshes_diagnostics)
        finally:
            shown.pulling -= 1
        if self.server.session(session.document.uri) is not session:
            return await self.pull(params)  # it was closed, or opened anew
        shown.pulled = session.stamp
        items = self._report(session)
        result_id = digest(items)  # what it says does not depend on what was open, or which server said it
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

    def _of(self, session: Session) -> Shown:
        return self._shown.setdefault(session.document.uri, Shown())

    def _place(self, session: Session, shown: Shown) -> bool:
        """Decide where each finding of `session` is shown.  Whether its own document shows something else then."""
        own, headers = self._items(session)
        own_before, headers_before = shown.own, shown.in_headers
        shown.own, shown.in_headers = own, headers
        for path in {*headers_before, *headers}:
            if headers_before.get(path) != headers.get(path):
                self._changed(self.server.engine.by_path(path))
        return own != own_before

    def _place_again(self, header: str) -> None:
        """The file `header` was opened or closed: what others found in it is shown there, or not any more."""
        for session in list(self.server.engine.sessions.values()):
            shown, result = self._of(session), session.fresh
            found = result is not None and any(isinstance(i, Elsewhere) and i.path == header for i in result.items)
            if found and shown.stamp == session.stamp and self._place(session, shown):
                self._changed(session)

    def _changed(self, session: Session | None) -> None:
        """What a document shows has changed, by no analysis of its own."""
        if session is None:
            return
        if self.server.client.pulls:
            self.refresh()
        elif self._of(session).stamp == session.stamp:  # else there is a result to come
            self._publish(session)

    def _items(self, session: Session) -> tuple[list[bytes], dict[str, list[bytes]]]:
        """(what `session`'s document shows, what open headers show)."""
        own = [json.dumps(incomplete(session.ended)).encode()] if session.ended else []
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

    def _report(self, session: Session) -> list[bytes]:
        """What a document shows: its own and what others found in it."""
        uri, path = session.document.uri, session.document.path
        items = list(self._of(session).own)
        for other, shown in self._shown.items():
            if other != uri:
                items += [i for i in shown.in_headers.get(path, ()) if i not in items]
        return items

    def _publish(self, session: Session) -> None:
        document = session.document
        head = f'{{"uri":{json.dumps(document.uri)},"version":{document.version},"diagnostics":['
        self.server.protocol.notify_written(
            "textDocument/publishDiagnostics", Written([head.encode(), b",".join(self._report(session)), b"]}"])
        )

    def refresh(self) -> None:
        """Ask the client to pull again; several reasons within a moment are one request."""
        if not self.server.client.refreshes_diagnostics:
            return
        self._stale = True
        if self._refresh is None or self._refresh.done():
            self._refresh = asyncio.create_task(logged("workspace/diagnostic/refresh", self._ask))

    async def _ask(self) -> None:
        while self._stale:  # the client may take its time to answer, and there may be another reason by then
            await asyncio.sleep(0.02)
            self._stale = False
            await self.server.request("workspace/diagnostic/refresh", None)
