"""The server: pygls' connection, our engine, and one object per feature.  `serve` runs it.

Everything here happens on one event loop and takes moments; what takes longer is done by processes of their own
(`workers.py`).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import ompls
from ompls.project.devices import registry
from ompls.server import client as clients
from ompls.server.commands import GRACE, Commands
from ompls.server.convert import MANUAL_SCHEME, path_of, uri_of
from ompls.server.diagnostics import DiagnosticsFeature
from ompls.server.documents import Change, Document
from ompls.server.engine import Engine
from ompls.server.foreign import ForeignFeature
from ompls.server.guard import is_here, logged, watch_client
from ompls.server.handlers import COMMANDS, REQUESTS, Handlers
from ompls.server.harmless import harmless
from ompls.server.lean import forget_sources
from ompls.server.messages import Context
from ompls.server.nursery import Nursery
from ompls.server.preview import PreviewFeature
from ompls.server.prices import PriceFeature
from ompls.server.protocol import Protocol, converter
from ompls.server.runs import RunFeature
from ompls.server.session import Session
from ompls.server.settings import read
from ompls.server.transport import Conversation, accept_one, open_stdio
from ompls.server.virtual import SCHEME
from ompls.server.wide import WorkspaceDiagnostics

log = logging.getLogger("ompls.server")

NOTIFICATIONS = ("ompls/runOutput", "ompls/inactiveRegions")
TYPING = 1.0  # seconds without an edit after which nobody types any more
LEAVING = 2 + int(2 * GRACE)  # seconds; what runs was asked to stop by then, and killed
PROJECT = ("**/.ompls.toml", "**/pyproject.toml")


class OmplsServer(LanguageServer):
    protocol: Protocol

    def __init__(self, nursery: Nursery) -> None:
        super().__init__("ompls", ompls.__version__, protocol_cls=Protocol, converter_factory=converter)
        self.client = clients.Client()
        self.trusted = True
        self.roots: dict[str, str] = {}  # the folders that are open: by path, the client's URI
        self.exit_code = 1  # unless the client says goodbye
        self._main: asyncio.Task[None] | None = None
        self._lens_refresh: asyncio.Task[None] | None = None
        self._inlay_refresh: asyncio.Task[None] | None = None
        self._stop = threading.Event()
        self.engine = Engine(
            nursery, self._fresh, self._headers_changed, self._more, lambda problem: self.say("warning", problem)
        )
        self.diagnostics = DiagnosticsFeature(self)
        self.foreign = ForeignFeature(self)
        self.previews = PreviewFeature(self)
        self.commands = Commands(self)
        self.runs = RunFeature(self)
        self.prices = PriceFeature(self)
        self.wide = WorkspaceDiagnostics(self)
        Handlers(self).register()

    # --- the connection ------------------------------------------------------------------------------------------

    def adapt(self, params: types.InitializeParams, capabilities: types.ServerCapabilities) -> None:
        """Take in what the client is, and complete what we announce to it."""
        self.client = clients.read(params.capabilities)
        options = params.initialization_options
        given = options if isinstance(options, dict) else {}
        self.trusted = given.get("trusted") is not False
        self.set_roots([f.uri for f in params.workspace_folders or ()] or [params.root_uri or ""])
        if given:
            self.configure(given.get("settings"))
        client = params.process_id
        watched = client if client is not None and is_here(client) else None
        asyncio.get_running_loop().call_soon(self._answered, watched)
        if not self.client.pulls:
            capabilities.diagnostic_provider = None
        commands = [c for c in COMMANDS if c not in self.client.commands]
        capabilities.execute_command_provider = types.ExecuteCommandOptions(commands) if commands else None
        capabilities.experimental = {
            "ompls": {"requests": list(REQUESTS), "notifications": list(NOTIFICATIONS), "previewScheme": SCHEME}
        }

    def _answered(self, client: int | None) -> None:
        """`initialize` has its answer: what it did not need begins, without threads first; and what documents need."""
        forget_sources(types)
        with suppress(OSError):  # whoever needs a worker says so
            self.engine.workers.nursery.begin()
        if client is not None:
            loop = asyncio.get_running_loop()

            def gone() -> None:
                loop.call_soon_threadsafe(self.exit, 1)
                time.sleep(LEAVING)
                os._exit(1)  # the loop has not come to it

            watch_client(client, gone)
        self.foreign.prepare()
        registry()

    def set_roots(self, uris: list[str]) -> None:
        paths = ((path_of(uri), uri) for uri in uris if uri.startswith("file:"))
        self.roots = {path: uri for path, uri in paths if os.path.isabs(path)}
        self.engine.set_context(Context(self.client, tuple(self.roots), trusted=self.trusted))

    async def initialized(self) -> None:
        """Register what can only be registered now, and ask for the settings."""
        wanted: list[types.Registration] = []
        if self.client.virtual_documents:
            options = {"schemes": [SCHEME, MANUAL_SCHEME]}
            wanted.append(types.Registration("ompls-text", "workspace/textDocumentContent", options))
        if self.client.registers_configuration:
            section = {"section": "ompls"}
            wanted.append(types.Registration("ompls-settings", "workspace/didChangeConfiguration", section))
        if self.client.watches_files:
            patterns = ("**/*.{c,h}", "**/compile_commands.json", "**/compile_flags.txt", *PROJECT)
            watchers = {"watchers": [{"globPattern": p} for p in patterns]}
            wanted.append(types.Registration("ompls-files", "workspace/didChangeWatchedFiles", watchers))
        if wanted:
            await self.request("client/registerCapability", types.RegistrationParams(wanted))
        await self.fetch_settings()

    async def request(self, method: str, params: Any) -> Any:
        """Send a request to the client.  A refusal is logged and is None."""
        try:
            return await self.protocol.send_request_async(method, params)
        except asyncio.CancelledError:
            raise
        except Exception as problem:  # noqa: BLE001 - whatever the client answers must not end anything here
            log.warning("the client refused %s: %s", method, problem)
            return None

    def report_server_error(self, error: Exception, source: Any) -> None:
        log.error("%s: %s", getattr(source, "__name__", source), error)

    def say(self, kind: Literal["error", "warning", "info"], message: str) -> None:
        """Show a message to the user."""
        number = {"error": 1, "warning": 2, "info": 3}[kind]
        self.protocol.notify_raw("window/showMessage", {"type": number, "message": harmless(message)})

    # --- settings ------------------------------------------------------------------------------------------------

    async def fetch_settings(self) -> None:
        """Those of the window, and of each folder."""
        if not self.client.configuration:
            return
        roots = dict(self.roots)
        items = [types.ConfigurationItem(scope_uri=uri, section="ompls") for uri in (None, *roots.values())]
        answer = await self.request("workspace/configuration", types.ConfigurationParams(items))
        if isinstance(answer, (list, tuple)) and answer and roots == self.roots:  # else it is asked again
            self.configure(answer[0], dict(zip(roots, answer[1:], strict=False)))

    def configure(self, value: object, folders: Mapping[str, object] | None = None) -> None:
        """folders -- by root; a client without settings for a folder says nothing of it."""
        said = {root: read(its) for root, its in (folders or {}).items() if its is not None}
        given, problems = read(value)
        for problem in dict.fromkeys([*problems, *itertools.chain.from_iterable(wrong for _, wrong in said.values())]):
            self.say("warning", problem)
        if self.engine.configure(given, {root: layer for root, (layer, _) in said.items()}):
            self.diagnostics.refresh()
            self.foreign.configured()
            self.wide.changed()
            self._refresh_lenses()
            self.prices.configured()

    # --- documents -----------------------------------------------------------------------------------------------

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        given = params.text_document
        path, called = path_of(given.uri), str(given.language_id)
        if given.uri.startswith((SCHEME, MANUAL_SCHEME)):
            self.previews.opened(given.uri, given.text)
            return
        self._close(given.uri)  # a client that opens it twice
        document = Document(given.uri, path, given.version, given.text, self.client.encoding)
        if language := self.foreign.language(path, called):
            self.foreign.opened(document, language)
        elif called == "c" or path.endswith((".c", ".h")):
            session = self.engine.open(document)
            self.diagnostics.opened(session)
            self.prices.look(session)
        else:
            log.info("%s is %s, not C: left alone", given.uri, called)

    def did_change(self, uri: str, version: int, changes: list[Change]) -> None:
        session = self.session(uri)
        if session is None:
            self.foreign.changed(uri, version, changes)
        else:
            self.engine.changed(session, version, changes)
            self._typed(session, changes)

    def _typed(self, session: Session, changes: list[Change]) -> None:
        """Remember where somebody types in a directive, until they stop: hints come then."""
        if session.typed is not None:
            session.typed.cancel()
        line = changes[0].last_line if len(changes) == 1 else None
        session.typing = session.typed = None
        if line is not None and self.client.refreshes_inlays and session.document.near_pragma(line):
            session.typing = line
            session.typed = asyncio.get_running_loop().call_later(TYPING, self._stopped_typing, session)

    def _stopped_typing(self, session: Session) -> None:
        session.typing = session.typed = None
        self._inlay_refresh = asyncio.create_task(logged("inlay hint refresh", self.refresh_inlays))

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self.previews.closed(params.text_document.uri)
        self._close(params.text_document.uri)

    def _close(self, uri: str) -> None:
        session = self.engine.close(uri)
        if session is not None:
            self.diagnostics.closed(session)
            self.prices.closed(uri)
            self.wide.changed([session.document.uri])
        self.foreign.closed(uri)

    def session(self, uri: str) -> Session | None:
        return self.engine.sessions.get(uri)

    def uri(self, path: str) -> str:
        """The client's own spelling for what it has open."""
        session = self.engine.by_path(path)
        return session.document.uri if session is not None else uri_of(path)

    # --- from the engine -----------------------------------------------------------------------------------------

    def _fresh(self, session: Session) -> None:
        self.diagnostics.fresh(session)
        self.previews.source_changed(session)

    def _headers_changed(self, session: Session) -> None:
        self.diagnostics.headers_changed()
        self._refresh_lenses()
        self.prices.look(session)

    def _more(self, _: Session) -> None:
        self._refresh_lenses()

    def _refresh_lenses(self) -> None:
        if self.engine.sessions:
            self._lens_refresh = asyncio.create_task(logged("code lens refresh", self._ask_for_lenses))

    async def refresh_lenses(self) -> None:
        if self.client.refreshes_lenses:
            await self.request("workspace/codeLens/refresh", None)

    async def _ask_for_lenses(self) -> None:
        await self.refresh_lenses()
        await self.refresh_inlays()

    def measured(self) -> None:
        """A run was: there are other hints."""
        self._inlay_refresh = asyncio.create_task(logged("inlay hint refresh", self.refresh_inlays))

    async def refresh_inlays(self) -> None:
        if self.client.refreshes_inlays:
            await self.request("workspace/inlayHint/refresh", None)

    # --- running -------------------------------------------------------------------------------------------------

    async def run(self, port: int | None) -> None:
        """Serve one client until it leaves."""
        self._main = asyncio.current_task()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self.exit, 128 + number)
            signal.signal(number, lambda number, _: _end_soon(128 + number))  # and the loop hears of it, too
        try:
            await self._converse(port)
        except (asyncio.CancelledError, ConnectionError):
            log.info("leaving")
        finally:
            self._stop.set()
            _end_soon(self.exit_code)
            self.wide.stop()
            self.engine.shutdown()
            await self.commands.stop_all()

    async def _converse(self, port: int | None) -> None:
        left = asyncio.Event()
        conversation = Conversation(self.protocol.set_writer, self._said, left.set)
        try:
            if port is None:
                open_stdio(conversation)
            else:
                await accept_one(port, conversation)
        except OSError as problem:
            reason = os.strerror(problem.errno or 0)
            print(f"ompls: error: cannot listen on 127.0.0.1:{port}: {reason}; name another port", file=sys.stderr)
            self.exit_code = 2
            return
        await left.wait()

    def _said(self, body: bytes) -> None:
        if not self._stop.is_set():
            self.protocol.receive(body)

    def exit(self, code: int) -> None:
        """Leave; whoever says so once more changes nothing."""
        if self._stop.is_set():
            return
        self.exit_code = code
        self._stop.set()
        if self._main is not None:
            self._main.cancel()


def _end_soon(code: int) -> None:
    """End this process in `LEAVING` seconds, whatever it does then.

    The loop leaves before that; but it hears of no signal while it waits in a write to a client that does not read.
    """

    def end(*_: object) -> None:
        with suppress(OSError):  # nobody may read it
            os.write(2, b"ompls: the server did not leave by itself\n")
        os._exit(code)

    if not signal.getitimer(signal.ITIMER_REAL)[0]:
        signal.signal(signal.SIGALRM, end)
        signal.alarm(LEAVING)


def serve(port: int | None, nursery: Nursery) -> int:
    """The language server on stdio, or for one client on 127.0.0.1:`port`; returns the process's exit code."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # what it reports we log ourselves, with the context
    server = OmplsServer(nursery)
    asyncio.run(server.run(port))
    signal.alarm(0)
    return server.exit_code
