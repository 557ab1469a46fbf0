"""Editors to test with: real LSP clients that negotiate as VS Code, Neovim and Emacs do.

`Editor` hides what differs between them (pull or push, columns), so that a test says what a user sees.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Union

import pytest
import pytest_asyncio
from command import server
from lsprotocol import types
from pygls.io_ import run_async
from pytest_lsp import LanguageClient, client_capabilities
from waiting import LIMIT

from ompls.analysis.text import LineIndex
from ompls.server.protocol import converter

SERVER = [sys.executable, "-m", "ompls", "serve", "--stdio"]
WAIT = LIMIT


def visual_studio_code() -> types.ClientCapabilities:
    """The recorded capabilities are of 2022; what vscode-languageclient 11 and our extension add is put in."""
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    assert capabilities.workspace is not None
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(dynamic_registration=True)
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    capabilities.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    capabilities.workspace.text_document_content = types.TextDocumentContentClientCapabilities(True)
    capabilities.general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16])
    commands = ["ompls.preview", "ompls.run", "ompls.whyNoAnswer"]
    capabilities.experimental = {"ompls": {"commands": commands, "inactiveRegions": True, "choosesDevice": True}}
    return capabilities


EDITORS: dict[str, Callable[[], types.ClientCapabilities]] = {
    "vscode": visual_studio_code,
    "neovim": lambda: client_capabilities("neovim@v0.11"),
    "emacs": lambda: client_capabilities("emacs"),
}
ENCODING = {"vscode": "utf-16", "neovim": "utf-8", "emacs": "utf-32"}
PULLS = {"vscode": True, "neovim": True, "emacs": False}


def of_clients() -> Any:
    """lsprotocol takes a code action with a command for a command (2025.0.0)."""
    made = converter()

    def action(given: Any, _: Any) -> types.Command | types.CodeAction:
        kind = types.Command if isinstance(given.get("command"), str) else types.CodeAction
        return made.structure(given, kind)  # type: ignore[no-any-return]

    made.register_structure_hook(types.Command | types.CodeAction, action)
    made.register_structure_hook(Union[types.Command, types.CodeAction], action)  # noqa: UP007 -- as it is written there
    return made


class Editor:
    def __init__(self, name: str) -> None:
        self.name = name
        self.encoding: Any = ENCODING[name]
        self.client = LanguageClient(converter_factory=of_clients)
        self.published: list[types.PublishDiagnosticsParams] = []
        self.registered: list[types.Registration] = []
        self.requested: list[tuple[str, Any]] = []  # what the server asked
        self.notified: list[tuple[str, Any]] = []
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.result: Any = None
        self.process: Any = None  # the server's, unless a command has started it
        self.settings: dict[str, Any] = {}
        self.folders: dict[str, Any] = {}  # settings, by the folder's URI
        self.told = 0  # times that the server has asked for the settings
        self._arrived = asyncio.Event()
        self._listen()

    def _listen(self) -> None:
        feature = self.client.feature

        @feature("textDocument/publishDiagnostics")
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published.append(params)
            self._arrived.set()

        @feature("client/registerCapability")
        def register(params: types.RegistrationParams) -> None:
            self.registered += params.registrations

        @feature("workspace/configuration")
        def configuration(params: types.ConfigurationParams) -> list[Any]:
            self.told += 1
            self._arrived.set()
            return [self.folders.get(item.scope_uri or "", self.settings) for item in params.items]

        def note_request(method: str) -> Callable[[Any], None]:
            def note(params: Any) -> None:
                self.requested.append((method, params))
                self._arrived.set()

            return note

        for method in (
            "workspace/diagnostic/refresh",
            "workspace/codeLens/refresh",
            "workspace/inlayHint/refresh",
            "workspace/textDocumentContent/refresh",
            "window/showDocument",
        ):
            feature(method)(note_request(method))
        for method in (
            "window/showMessage",
            "window/logMessage",
            "ompls/runOutput",
            "ompls/inactiveRegions",
            "$/progress",
        ):

            def note(params: Any, method: str = method) -> None:
                self.notified.append((method, params))
                self._arrived.set()

            feature(method)(note)

    async def start(
        self,
        command: list[str] | None = None,
        root: Path | None = None,
        options: Any = None,
        roots: list[str] | None = None,
    ) -> Any:
        """With a server that `command` starts, or one that is there at once."""
        if command is not None:
            await self.client.start_io(*command)
        else:
            await self._connect()
        params = types.InitializeParams(
            capabilities=EDITORS[self.name](),
            root_uri=root.as_uri() if root else None,
            initialization_options=options,
            workspace_folders=roots and [types.WorkspaceFolder(uri, uri) for uri in roots],
        )
        self.result = await self.client.initialize_session(params)
        return self.result

    async def _connect(self) -> None:
        """As pygls does it with a socket (pygls.client, start_tcp)."""
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = server(theirs)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        client = self.client
        client.protocol.set_writer(writer)
        listening = run_async(client._stop_event, reader, client.protocol, error_handler=client.report_server_error)
        client._async_tasks.append(asyncio.create_task(listening))

    # --- what a user does ----------------------------------------------------------------------------------------

    def open(self, uri: str, text: str, language: str = "c") -> None:
        self.texts[uri], self.versions[uri] = text, 1
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def replace(self, uri: str, old: str, new: str) -> None:
        """Type `new` in place of the first `old`, as an incremental change."""
        text = self.texts[uri]
        start = len(text[: text.index(old)].encode())
        range_ = types.Range(self.position(uri, start), self.position(uri, start + len(old.encode())))
        self.texts[uri] = text.replace(old, new, 1)
        self.change(uri, [types.TextDocumentContentChangePartial(range=range_, text=new)])

    def change(self, uri: str, changes: list[Any]) -> None:
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(version=self.versions[uri], uri=uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    # --- what a user sees ----------------------------------------------------------------------------------------

    def position(self, uri: str, offset: int) -> types.Position:
        return types.Position(*LineIndex(self.texts[uri].encode()).position(offset, self.encoding))

    def at(self, uri: str, needle: str) -> types.Position:
        return self.position(uri, len(self.texts[uri][: self.texts[uri].index(needle)].encode()))

    def under(self, uri: str, range_: types.Range) -> str:
        """The text that a range covers."""
        index = LineIndex(self.texts[uri].encode())
        start = index.offset(range_.start.line, range_.start.character, self.encoding)
        end = index.offset(range_.end.line, range_.end.character, self.encoding)
        return self.texts[uri].encode()[start:end].decode()

    async def pull(self, uri: str, previous: str | None = None) -> Any:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await asyncio.wait_for(self.client.text_document_diagnostic_async(params), WAIT)

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """What is shown for the document as it is now, header snapshot included."""
        if PULLS[self.name]:
            return list((await self.pull(uri)).items)
        await self.until(lambda: any(p.uri == uri and p.version == self.versions[uri] for p in self.published))
        return list([p for p in self.published if p.uri == uri][-1].diagnostics)

    async def shows(self, uri: str, codes: list[str]) -> list[types.Diagnostic]:
        """Wait until exactly these rules are shown (the background tier may come after the live one)."""
        deadline = asyncio.get_running_loop().time() + WAIT
        while True:
            found = await self.diagnostics(uri)
            if sorted(str(d.code) for d in found) == sorted(codes):
                return found
            if asyncio.get_running_loop().time() > deadline:
                raise AssertionError(f"expected {codes}, shown: {[(d.code, d.message) for d in found]}")
            await asyncio.sleep(0.05)

    async def request(self, method: str, params: Any) -> Any:
        return await asyncio.wait_for(self.client.protocol.send_request_async(method, params), WAIT)

    async def content(self, uri: str) -> str:
        """The text of a virtual document."""
        return str((await self.request("workspace/textDocumentContent", types.TextDocumentContentParams(uri))).text)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something the server sends."""

        async def wait() -> None:
            while not condition():
                self._arrived.clear()
                await self._arrived.wait()

        await asyncio.wait_for(wait(), WAIT)

    def messages(self) -> list[str]:
        return [p.message for m, p in self.notified if m == "window/showMessage"]

    async def stop(self) -> None:
        if self.process is None or self.process.is_alive():
            await asyncio.wait_for(self.client.shutdown_session(), WAIT)
        with suppress(ConnectionResetError):  # who has left reads no answers: a socket says so, a pipe does not
            await self.client.stop()
        if self.process is not None:
            await asyncio.to_thread(self.process.join, WAIT)


@asynccontextmanager
async def running(
    name: str, settings: dict[str, Any] | None = None, options: dict[str, Any] | None = None, **how: Any
) -> AsyncIterator[Editor]:
    editor = Editor(name)
    if settings:
        editor.settings, options = settings, {**(options or {}), "settings": settings}
    await editor.start(options=options, **how)
    try:
        yield editor
    finally:
        await editor.stop()


ALL_EDITORS = [pytest.param(name, marks=() if name == "vscode" else pytest.mark.thorough) for name in EDITORS]
SOME = [*ALL_EDITORS[:2], pytest.param("emacs", marks=[pytest.mark.thorough, pytest.mark.exhaustive])]


@pytest_asyncio.fixture(params=SOME, scope="module", loop_scope="module")
async def editor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """Each of the editors in turn; one server for a module's tests, which open documents of their own."""
    async with running(request.param, root=tmp_path_factory.mktemp("workspace")) as it:
        yield it


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def one_vscode(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One server for all tests of a module."""
    async with running("vscode", root=tmp_path_factory.mktemp("workspace")) as it:
        yield it


@pytest_asyncio.fixture
async def vscode(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Editor]:
    """With the settings of the test's module, where it has such."""
    async with running("vscode", getattr(request.module, "SETTINGS", None), root=tmp_path) as it:
        yield it


@pytest_asyncio.fixture
async def emacs(tmp_path: Path) -> AsyncIterator[Editor]:
    async with running("emacs", root=tmp_path) as it:
        yield it
