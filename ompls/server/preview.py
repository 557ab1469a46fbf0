"""Previews: the code that a device gets for a region, as virtual documents that follow the source.

    ompls-preview://DEVICE/PATH/REGION.EXT[?URI]      e.g. ompls-preview://cuda/home/u/saxpy.c/main_0.cu
    ompls-rule:/RULE.md                               the manual page of a rule

REGION is the function's name and the region's ordinal in it, so it survives edits above.  A document that is not a
file puts its URI into the query.  The client is asked to fetch a preview again only when its text has changed.
"""

from __future__ import annotations

import asyncio
import os
import posixpath
import re
import urllib.parse
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ompls.analysis import features, rules
from ompls.analysis.model.tu import TU
from ompls.analysis.text import LineIndex
from ompls.server.convert import Json, path_of, uri_of
from ompls.server.engine import Session
from ompls.server.guard import logged
from ompls.server.runs import refuse

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

SCHEME = "ompls-preview"
MANUAL_SCHEME = "ompls-rule"
WATCHED = 16  # previews that are kept up to date at a time
LANGUAGES = {".cu": "cuda-cpp", ".c": "c"}


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
            rule = os.path.splitext(parts.path.strip("/"))[0]
            if rule not in rules.RULES:
                raise refuse(f"{virtual}: there is no rule '{rule}'")
            return rules.manual(rule)
        target = self._target(virtual)
        if target is None:
            raise refuse(f"{virtual}: not a preview; the form is {SCHEME}://DEVICE/PATH/REGION.EXT")
        text = str((await self._make(target))["text"])
        self._watched[virtual] = text
        self._watched.move_to_end(virtual)
        while len(self._watched) > WATCHED:
            self._watched.popitem(last=False)
        return text

    async def preview(self, params: Json) -> Json:
        """`ompls/preview`: of the region that is named, or that holds the position, or the first one."""
        uri = params.get("textDocument", {}).get("uri", "")
        session = self.server.session(uri)
        if session is None:
            raise refuse(f"preview: {uri or 'no document'} is not open; open the source first")
        device = str(params.get("device") or session.settings.preview.device)
        tu = (await self.server.engine.result(session)).tu
        region = params.get("region")
        if not isinstance(region, str):
            region = _region_at(tu, params.get("position"))
        if (absent := _absent(tu, region)) is not None:
            raise refuse(f"preview: {absent}")
        return await self._make(Target(uri, device, region, params.get("explain") is True))

    def source_changed(self, session: Session) -> None:
        """The source of some previews was analysed again."""
        self._changed.add(session.document.uri)
        if self._watched and (self._refreshing is None or self._refreshing.done()):
            self._refreshing = asyncio.create_task(logged("refreshing previews", self._refresh()))

    # --- inside --------------------------------------------------------------------------------------------------

    def _target(self, virtual: str) -> Target | None:
        """What a virtual document shows, with the client's own spelling of the source's URI."""
        target = target_of(virtual)
        return target and replace(target, uri=self.server.uri(path_of(target.uri)))

    async def _refresh(self) -> None:
        """Ask the client to fetch those previews again whose text has changed, until no source changes any more.

        A client does not say when it closes one.  What it does not fetch after a refresh is not watched any more.
        """
        while self._changed:
            changed, self._changed = self._changed, set()
            for virtual in list(self._watched):
                target = self._target(virtual)
                if target is None or target.uri not in changed or self.server.session(target.uri) is None:
                    continue
                text = (await self._make(target))["text"]
                if self._watched.get(virtual, text) != text:
                    self._watched.pop(virtual)
                    params = types.TextDocumentContentRefreshParams(virtual)
                    await self.server.request("workspace/textDocumentContent/refresh", params)

    async def _make(self, target: Target) -> Json:
        session = self.server.session(target.uri)
        if session is None:
            raise refuse(f"preview of {target.region}: {target.uri} is not open; open the source first")
        result = await self.server.engine.result(session)
        made = await self.server.engine.call(_translate, result.tu, target)
        places = self.server.places(result)
        roots = self.server.engine.workspace.roots or (os.path.dirname(session.document.path),)
        text = _shortened(made.text, roots)
        if (absent := _absent(result.tu, target.region)) is not None:
            text = f"// {absent}\n"
        elif not text:
            lines = [_reason(result.tu, places.range(d.where), d) for d in made.diagnostics]
            text = "\n".join([f"// {target.region} is not translated for {target.device}:", *lines, ""])
        extension = "." + made.extension.lstrip(".")
        return {
            "uri": target.virtual_uri(session.document.path, extension),
            "languageId": LANGUAGES.get(extension, "plaintext"),
            "region": target.region,
            "device": target.device,
            "version": result.version,
            "text": text,
            "lineMap": [list(pair) for pair in made.line_map],
            "diagnostics": [places.diagnostic(d, d.where, None) for d in made.diagnostics],
        }


def _region_at(tu: TU, position: Any) -> str:
    """The region that holds the position or is above it, else the first one."""
    lenses = features.lenses(tu)
    if not lenses:
        raise refuse(f"preview: {os.path.basename(tu.path)} has no target region")
    if not isinstance(position, dict):
        return lenses[0][1]
    line = int(position.get("line", 0))
    lines = LineIndex(tu.source)
    starts = [(lines.line_of(where.start), region) for where, region in lenses]
    return max((s for s in starts if s[0] <= line), default=min(starts))[1]


def _absent(tu: TU, region: str) -> str | None:
    """Why there is nothing to show of a region that does not exist."""
    known = [place.id for place in features.regions(tu)]
    if region in known:
        return None
    has = f"it has {', '.join(known[:20])}" if known else "it has none"
    return f"{os.path.basename(tu.path)} has no region '{region}'; {has}"


def _translate(tu: TU, target: Target) -> Any:
    from ompls.translate import preview  # noqa: PLC0415 - the templates' engine is not needed to start

    return preview(tu, target.device, target.region, explain=target.explain)


def _shortened(text: str, roots: Sequence[str]) -> str:
    """With the files that comments name relative to the workspace: a preview is read beside its source."""
    inside = "|".join(re.escape(root.rstrip("/") + "/") for root in roots if os.path.isabs(root))
    return re.sub(rf"(?m)^(//.*?|/\*.*?)(?:{inside})", r"\1", text) if inside else text


def _reason(tu: TU, range_: Json, diagnostic: Any) -> str:
    line = range_["start"]["line"] + 1
    return f"// {os.path.basename(tu.path)}:{line}: {diagnostic.severity}: {diagnostic.message}"
