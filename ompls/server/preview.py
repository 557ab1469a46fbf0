"""Previews: the code that a device gets for a region, as virtual documents that follow the source.

    ompls-preview://DEVICE/PATH/REGION.EXT[?URI]      e.g. ompls-preview://cuda/home/u/saxpy.c/main_0.cu
    ompls-rule:/RULE.md                               the manual page of a rule

REGION is the function's name and the region's ordinal in it, so it survives edits above.  A document that is not a
file puts its URI into the query.  The client is asked to fetch a preview again only when its text has changed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import posixpath
import urllib.parse
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ompls.server.convert import MANUAL_SCHEME, Json, path_of, uri_of
from ompls.server.guard import logged, refuse

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer
    from ompls.server.session import Session

log = logging.getLogger("ompls.server")

SCHEME = "ompls-preview"
WATCHED = 16  # previews that are kept up to date at a time


@dataclass(frozen=True, slots=True)
class Target:
    """What a preview shows."""

    uri: str  # of the source
    device: str
    region: str
    explain: bool = False  # with what the host does for it, and the source lines between

    def virtual_uri(self, path: str, extension: str) -> str:
        isfile = os.path.isabs(path)
        place = path if isfile else "/" + posixpath.basename(urllib.parse.urlsplit(self.uri).path or "untitled")
        query = "" if isfile else "?" + urllib.parse.quote(self.uri, safe="")
        fragment = "#explain" if self.explain else ""
        return f"{SCHEME}://{self.device}{urllib.parse.quote(place)}/{self.region}{extension}{query}{fragment}"


def target_of(virtual: str) -> Target | None:
    """The other way round; None for what is not of this form."""
    parts = urllib.parse.urlsplit(virtual)
    place, _, name = urllib.parse.unquote(parts.path).rpartition("/")
    if parts.scheme != SCHEME or not place or not name:
        return None
    uri = urllib.parse.unquote(parts.query) or uri_of(place)
    return Target(uri, parts.netloc, os.path.splitext(name)[0], parts.fragment == "explain")


class PreviewFeature:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._watched: OrderedDict[str, str] = OrderedDict()  # virtual URI -> text last sent
        self._changed: set[str] = set()  # URIs of sources with a new result
        self._refreshing: asyncio.Task[None] | None = None

    async def content(self, virtual: str) -> str:
        """The text of a virtual document."""
        parts = urllib.parse.urlsplit(virtual)
        if parts.scheme == MANUAL_SCHEME:
            from ompls.analysis import rules  # noqa: PLC0415 - it is only needed for somebody who reads

            rule = os.path.splitext(parts.path.strip("/"))[0]
            if rule not in rules.RULES:
                raise refuse(f"{virtual}: there is no rule '{rule}'")
            return rules.manual(rule)
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
        return b"".join(await self.server.engine.ask(session, "ompls/preview", params))

    def source_changed(self, session: Session) -> None:
        """The source of some previews was analysed again."""
        self._look_again(session.document.uri)

    # --- inside --------------------------------------------------------------------------------------------------

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
                except JsonRpcException as refused:  # there is another result to come, unless it was closed
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
        return str(json.loads(b"".join(parts))["text"])
