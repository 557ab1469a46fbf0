"""What the kernels of a saved file need of their devices, for titles: `Preview CUDA (25 registers)`.

Where a device can tell it, `ompls preview --resources` asks its compiler, in a child process, when a file was opened or
saved, or its headers have changed.  A price holds for the text, the headers and the settings that it was asked for, and
for no others.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ompls.analysis.amount import rounded
from ompls.project.devices import of_settings
from ompls.project.files import read_source
from ompls.project.problem import FileProblem
from ompls.project.words import words
from ompls.server.guard import logged
from ompls.server.refusal import Refused

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer
    from ompls.server.documents import Document
    from ompls.server.session import Session

log = logging.getLogger("ompls.server")

_LIMIT = 60.0  # seconds for the compiler
_NONE: Mapping[str, str] = {}
_State = tuple[int, str]  # of a session: of its text and settings, and of its headers


class PriceFeature:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._due: dict[str, None] = {}  # URIs, in their order
        self._known: dict[str, dict[str, tuple[_State, Mapping[str, str]]]] = {}  # by URI and device; then by region
        self._unable: set[tuple[str, str]] = set()  # URIs and devices of which no compiler tells it: nobody asks again
        self._asking: asyncio.Task[None] | None = None
        self._refused: dict[str, Mapping[str, str]] = {}  # by URI; then by region

    def of(self, session: Session) -> Mapping[str, str]:
        """The prices of the document as it is, on the device of its lenses, by region."""
        there = self.of_all(session)
        return there.get(next(iter(_named(session)), ""), _NONE) if there else _NONE

    def of_all(self, session: Session) -> dict[str, Mapping[str, str]]:
        """What is known of the document as it is, by device and region."""
        known, now = self._known.get(session.document.uri, {}), _state(session)
        there = {device: prices for device, (state, prices) in known.items() if state == now}
        named = _named(session) if there else ()  # else, and so at every key, nobody looks for devices on the disk
        return {device: prices for device, prices in there.items() if device in named}

    def refused(self, session: Session) -> Mapping[str, str]:
        """The regions that devices of a run cannot run, with their names; as it was when somebody looked last."""
        return self._refused.get(session.document.uri, _NONE)

    def look(self, session: Session) -> None:
        """The document was opened or saved, and what it is now is on the disk; or settings or headers changed."""
        self._due[session.document.uri] = None
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(logged("asking for prices", self._ask))

    def configured(self) -> None:
        """There are other settings."""
        self._unable.clear()
        for session in self.server.engine.sessions.values():
            self.look(session)

    def closed(self, uri: str) -> None:
        self._due.pop(uri, None)
        self._known.pop(uri, None)
        self._refused.pop(uri, None)
        self._unable = {(known, device) for known, device in self._unable if known != uri}

    async def _ask(self) -> None:
        while self._due:
            uri = next(iter(self._due))
            del self._due[uri]
            session = self.server.session(uri)
            if session is None:
                continue
            # Who has opened a file waits for that, not for prices.
            await self.server.engine.known(session, headers=True)
            if self.server.session(uri) is not session:
                continue  # it was closed, perhaps by who leaves
            await self._look_for_refusals(session)
            for device in self._devices(session):
                state = _state(session)
                prices = await self._found(session, device)
                if self.server.session(uri) is not session:
                    break
                before = self.of(session)
                self._known.setdefault(uri, {})[device] = state, prices
                if self.of(session) != before:
                    await self.server.refresh_lenses()
                self.server.previews.source_changed(session)

    async def _look_for_refusals(self, session: Session) -> None:
        uri = session.document.uri
        try:
            made = json.loads(b"".join(await self.server.engine.ask(session, "textDocument/codeLens, refused", {})))
        except Refused:
            return  # it was closed
        if self.server.session(uri) is session and made != self._refused.get(uri, _NONE):
            self._refused[uri] = made
            await self.server.refresh_lenses()

    def _devices(self, session: Session) -> list[str]:
        """Those to ask about, the lenses' first; none where a program must not run on what is on the disk."""
        settings, path, uri = session.settings, session.document.path, session.document.uri
        shown = settings.lens.preview and settings.lens.price and self.server.trusted and os.path.isabs(path)
        devices = [device for device in _named(session) if (uri, device) not in self._unable] if shown else []
        try:
            return devices if devices and all(map(_saved, self._read_by(session))) else []
        except FileProblem:
            return []

    def _read_by(self, session: Session) -> list[Document]:
        """The document, and those that it includes of which an editor has a text."""
        others = (other.document for other in self.server.engine.sessions.values())
        return [session.document, *(document for document in others if document.path in session.includes)]

    async def _found(self, session: Session, device: str) -> Mapping[str, str]:
        path = session.document.path
        flags = self.server.engine.given.flags_for(path)
        command = [*words("preview", session.settings, device=device), "--resources", "--json", *flags, path]
        try:
            _, output, _ = await self.server.commands.said(command, os.path.dirname(path), _LIMIT)
            told = json.loads(output)
        except (asyncio.TimeoutError, ValueError):  # wrong flags, say, or no region while somebody writes it
            log.info("no prices of %s", path)
            return _NONE
        if told["device"] != device or "unable" in told:
            self._unable.add((session.document.uri, device))
            return _NONE
        return {region: _price(needs) for region, needs in told["regions"].items()}


def _state(session: Session) -> _State:
    return session.stamp, session.headers


def _saved(document: Document) -> bool:
    """Whether the disk has what the editor shows.  Raises FileProblem."""
    return read_source(document.path) == document.source


def _named(session: Session) -> list[str]:
    """The devices of the setting; the first is that of the lenses, which a planned one has none of."""
    devices = of_settings(session.settings.preview.device)
    return [d.name for d in devices if not d.planned] if devices and not devices[0].planned else []


def _price(needs: Mapping[str, float]) -> str:
    """`25 registers, 256 shared bytes`, `6 messages, 1.53 MiB`: the first in any case, of the others what is needed."""
    needed = [(what, count) for place, (what, count) in enumerate(needs.items()) if count or not place]
    return ", ".join(rounded(int(count)) if what == "bytes" else f"{count} {what}" for what, count in needed)
