"""Previews: the code that a device gets for a region, as virtual documents (`virtual.py`) that follow the source.

The client is asked to fetch a preview again only when its text has changed.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from ompls.server.convert import Json, path_of
from ompls.server.guard import logged
from ompls.server.refusal import Refused, refuse
from ompls.server.session import Worker
from ompls.server.virtual import SCHEME, WATCHED, Target, headed, rule_of, target_of

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer
    from ompls.server.session import Session

log = logging.getLogger("ompls.server")


class PreviewFeature:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._watched: OrderedDict[str, str] = OrderedDict()  # virtual URI -> text last sent
        self._changed: set[str] = set()  # URIs of sources with a new result
        self._refreshing: asyncio.Task[None] | None = None

    async def content(self, virtual: str) -> str:
        """The text of a virtual document."""
        if (rule := rule_of(virtual)) is not None:
            page = await self._manual(rule)
            if page is None:
                raise refuse(f"{virtual}: there is no rule '{rule}'")
            return page
        target = self._target(virtual)
        if target is None:
            raise refuse(f"{virtual}: not a preview; the form is {SCHEME}://DEVICE/PATH/REGION.EXT")
        text = await self._text(target)
        self._watch(virtual, text)
        return text

    def opened(self, virtual: str, text: str) -> None:
        """The client shows this text.  After a restart it is what another server has sent, and may be out of date."""
        target = self._target(virtual)
        if target is not None and virtual not in self._watched:
            self._watch(virtual, text)
            self._look_again(target.uri)

    def closed(self, virtual: str) -> None:
        self._watched.pop(virtual, None)

    async def preview(self, params: Json) -> bytes:
        """`ompls/preview`: the answer's JSON."""
        uri = params.get("textDocument", {}).get("uri", "")
        session = self.server.session(uri)
        if session is None:
            absent = f"{uri or 'no document'} is not open; open the source first"
            raise refuse(f"preview: {self.server.foreign.reason(uri) or absent}")
        made = b"".join(await self.server.engine.ask(session, "ompls/preview", params))
        return json.dumps(self._priced(session, json.loads(made))).encode()

    def source_changed(self, session: Session) -> None:
        """The source of some previews was analysed again."""
        self._look_again(session.document.uri)

    # --- inside --------------------------------------------------------------------------------------------------

    async def _manual(self, rule: str) -> str | None:
        try:
            reader = Worker(self.server.engine.workers.nursery.fork("manual"))
        except OSError as problem:
            raise refuse(f"the page of {rule}: no process can be started: {problem.strerror}; try again") from problem
        try:
            reader.send(rule)
            page: str | None = await reader.receive()
        except ConnectionError as problem:
            raise refuse(f"the page of {rule}: the process that reads it has ended; try again") from problem
        finally:
            reader.end()
        return page

    def _watch(self, virtual: str, text: str) -> None:
        self._watched[virtual] = text
        self._watched.move_to_end(virtual)
        while len(self._watched) > WATCHED:
            self._watched.popitem(last=False)

    def _look_again(self, source: str) -> None:
        self._changed.add(source)
        if self._watched and (self._refreshing is None or self._refreshing.done()):
            self._refreshing = asyncio.create_task(logged("refreshing previews", self._refresh))

    def _target(self, virtual: str) -> Target | None:
        """What a virtual document shows, with the client's own spelling of the source's URI."""
        target = target_of(virtual)
        return target and replace(target, uri=self.server.uri(path_of(target.uri)))

    async def _refresh(self) -> None:
        """Ask the client to fetch those previews again whose text has changed, until no source changes any more.

        Not every client says when it closes one.  What it does not fetch after a refresh is not watched any more.
        """
        while self._changed:
            changed, self._changed = self._changed, set()
            for virtual in list(self._watched):
                target = self._target(virtual)
                if target is None or target.uri not in changed or self.server.session(target.uri) is None:
                    continue
                try:
                    text = await self._text(target)
                except Refused as refused:  # there is another result to come, unless it was closed
                    log.info("%s: not looked at: %s", virtual, refused)
                    continue
                if self._watched.get(virtual, text) != text:
                    self._watched.pop(virtual)
                    params = types.TextDocumentContentRefreshParams(virtual)
                    await self.server.request("workspace/textDocumentContent/refresh", params)

    async def _text(self, target: Target) -> str:
        session = self.server.session(target.uri)
        if session is None:
            raise refuse(f"preview of {target.region}: {target.uri} is not open; open the source first")
        parts = await self.server.engine.ask(session, "workspace/textDocumentContent", target)
        return str(self._priced(session, json.loads(b"".join(parts)))["text"])

    def _priced(self, session: Session, made: Json) -> Json:
        """With a line that says what the kernel needs, where that is known of the document as it is."""
        needs = self.server.prices.of_all(session).get(made["device"], {}).get(made["region"])
        if needs and not made["stale"]:
            made["text"], made["lineMap"] = headed(needs, made["text"], made["lineMap"])
        return made
