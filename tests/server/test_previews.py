"""Previews that are kept up to date, without an editor."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ompls.runtime.boards import registered
from ompls.server.preview import PreviewFeature
from ompls.server.runs import refuse
from ompls.server.virtual import Target, target_of

from .conftest import Editor
from .test_editors import SAXPY

pytestmark = pytest.mark.asyncio


class Server:
    """What the feature asks of the server: three open sources, of which `a.c` gets no answer."""

    def __init__(self) -> None:
        self.text = "before"
        self.refuses = False
        self.refreshed: list[str] = []
        self.sessions = {uri: SimpleNamespace(document=SimpleNamespace(uri=uri)) for uri in SOURCES}
        self.engine = self
        self.prices = SimpleNamespace(of_all=lambda _: {})

    def session(self, uri: str) -> Any:
        return self.sessions.get(uri)

    def uri(self, path: str) -> str:
        return f"file://{path}"

    async def ask(self, session: Any, _: str, target: Target) -> tuple[bytes, ...]:
        if self.refuses and target.uri.endswith("a.c"):
            raise refuse("a.c: its worker was ended")
        return (json.dumps({"text": self.text, "device": "cuda", "region": "f_0"}).encode(),)

    async def request(self, _: str, params: Any) -> None:
        self.refreshed.append(params.uri)


SOURCES = ("file:///w/a.c", "file:///w/b.c", "file:///w/c.c")


async def test_a_refused_answer_costs_no_other_preview_its_refresh() -> None:
    server = Server()
    previews = PreviewFeature(server)  # type: ignore[arg-type]
    virtual = {uri: f"ompls-preview://cuda{uri.removeprefix('file://')}/f_0.cu" for uri in SOURCES}
    for uri in SOURCES:
        assert await previews.content(virtual[uri]) == "before"
    server.text, server.refuses = "after", True
    for session in server.sessions.values():
        previews.source_changed(session)
    assert previews._refreshing is not None
    await asyncio.wait_for(previews._refreshing, 60)
    assert server.refreshed == [virtual[uri] for uri in SOURCES[1:]]
    server.refuses = False
    previews.source_changed(server.sessions[SOURCES[0]])
    await asyncio.wait_for(previews._refreshing, 60)
    assert server.refreshed[-1] == virtual[SOURCES[0]]


async def test_a_device_is_known_as_vscode_writes_it(
    vscode: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """vscode-uri prints the authority in lower case, and percent-encodes its parentheses."""
    file = tmp_path / "a.c"
    file.write_text(SAXPY)
    vscode.open(file.as_uri(), SAXPY)
    asked = {"textDocument": {"uri": file.as_uri()}, "device": "mpinode(cudasim)"}
    made = await vscode.request("ompls/preview", asked)
    printed = made["uri"].replace("(", "%28").replace(")", "%29")
    assert await vscode.content(printed) == made["text"]

    monkeypatch.setattr(registered, "boards", lambda: {"MyBoard": None})
    for said, device in (("myboard", "MyBoard"), ("mpinode%28myboard%29:2", "mpinode(MyBoard):2"), ("none", "none")):
        target = target_of(f"ompls-preview://{said}/w/a.c/f_0.cu")
        assert target is not None
        assert target.device == device
