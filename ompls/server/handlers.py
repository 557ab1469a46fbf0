"""The protocol's methods: each converts, calls, converts.  `Handlers.register` puts every one behind the guard."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

import ompls
from ompls.analysis import features
from ompls.analysis.model.ast import FunctionDef
from ompls.analysis.source import Location
from ompls.server.actions import Actions
from ompls.server.convert import Json, Places, path_of
from ompls.server.editing import Editing
from ompls.server.engine import Result
from ompls.server.guard import guarded, logged
from ompls.server.lenses import lenses
from ompls.server.protocol import Raw, Written
from ompls.server.refactorings import REWRITE, refactorings
from ompls.server.wide import uris_of

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer


class Handlers:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self.started = time.monotonic()
        self._setup: asyncio.Task[None] | None = None

    def register(self) -> None:
        """One table of methods: name, handler, options."""
        diagnostics = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True)
        actions = Actions(self.server)
        actions.providers[REWRITE] = refactorings
        table: list[tuple[str, Callable[[Any], Any], Any]] = [
            ("initialized", self.initialized, None),
            ("textDocument/diagnostic", self.diagnostic, diagnostics),
            ("workspace/diagnostic", self.workspace_diagnostic, None),
            ("textDocument/hover", self.hover, None),
            ("textDocument/codeAction", actions.code_action, actions.options()),
            ("textDocument/codeLens", self.code_lens, types.CodeLensOptions()),
            ("textDocument/documentSymbol", self.document_symbol, None),
            ("textDocument/didSave", self.files_changed, None),
            ("workspace/didChangeWatchedFiles", self.files_changed, None),
            ("workspace/didChangeWorkspaceFolders", self.folders_changed, None),
            ("workspace/didChangeConfiguration", self.configuration_changed, None),
            ("workspace/textDocumentContent", self.text_document_content, None),
            ("ompls/preview", self.preview, None),
            ("ompls/devices", self.devices, None),
            ("ompls/run", self.run, None),
            ("ompls/serverStatus", self.server_status, None),
            ("ompls/whyNoAnswer", self.why_no_answer, None),
        ]
        for method, handler, options in [*table, *Editing(self.server).table()]:
            self.server.feature(method, options)(guarded(method)(handler))
        commands = (
            ("ompls.preview", self.preview_command),
            ("ompls.run", self.run_command),
            ("ompls.whyNoAnswer", self.why_command),
        )
        for command, handler in commands:
            self.server.command(command)(guarded(command)(handler))

    # --- connection ----------------------------------------------------------------------------------------------

    async def initialized(self, params: Any) -> None:
        # Not awaited: it asks the client things, and the client may rather say shutdown than answer.
        self._setup = asyncio.create_task(logged("initialized", self.server.initialized()))

    async def files_changed(self, params: Any) -> None:
        self.server.engine.files_changed()
        self.server.wide.changed(uris_of(params))

    async def folders_changed(self, params: Any) -> None:
        uris = [folder.uri for folder in self.server.workspace.folders.values()]
        self.server.engine.set_roots([path_of(u) for u in uris if u.startswith("file:")])
        self.server.wide.changed()

    async def configuration_changed(self, params: types.DidChangeConfigurationParams) -> None:
        if self.server.client.configuration:
            await self.server.fetch_settings()
        elif isinstance(params.settings, dict):
            self.server.configure(params.settings.get("ompls"))

    # --- diagnostics ---------------------------------------------------------------------------------------------

    async def workspace_diagnostic(self, params: types.WorkspaceDiagnosticParams) -> Raw:
        return Raw(await self.server.wide.pull(params))

    async def diagnostic(self, params: types.DocumentDiagnosticParams) -> Raw:
        return Raw(await self.server.diagnostics.pull(params))

    # --- reading -------------------------------------------------------------------------------------------------

    async def hover(self, params: types.HoverParams) -> Raw:
        session = self.server.session(params.text_document.uri)
        if session is None:
            return Raw(None)
        result = await self.server.engine.result(session)
        position = params.position
        offset = result.lines.offset(position.line, position.character, self.server.client.encoding)
        text = features.hover(result.tu, offset)
        if not text:
            return Raw(None)
        word = Location(result.tu.path, *features.word_at(result.tu.source, offset))
        range_ = self.server.places(result).range(word)
        return Raw({"contents": {"kind": "markdown", "value": text}, "range": range_})

    async def code_lens(self, params: types.CodeLensParams) -> Written:
        session = self.server.session(params.text_document.uri)
        if session is None:
            return Written([b"[]"])
        result = await self.server.engine.result(session)
        return Written(lenses(session, result, self.server.client.encoding, self.server.trusted))

    async def document_symbol(self, params: types.DocumentSymbolParams) -> Raw:
        """The functions with their target regions."""
        session = self.server.session(params.text_document.uri)
        if session is None:
            return Raw([])
        result = await self.server.engine.result(session)
        return Raw(_symbols(result, self.server.places(result)))

    # --- previews and runs ---------------------------------------------------------------------------------------

    async def text_document_content(self, params: types.TextDocumentContentParams) -> Raw:
        return Raw({"text": await self.server.previews.content(params.uri)})

    async def preview(self, params: Any) -> Raw:
        return Raw(await self.server.previews.preview(_object(params)))

    async def preview_command(self, argument: Any) -> Raw:
        """For clients that leave the lens to us: show the virtual document, and give it back."""
        asked = _object(argument)
        made = await self.server.previews.preview({**asked, "textDocument": {"uri": asked.get("uri", "")}})
        if self.server.client.shows_documents and self.server.client.virtual_documents:
            await self.server.request("window/showDocument", {"uri": made["uri"], "takeFocus": False})
        return Raw(made)

    async def devices(self, params: Any) -> Raw:
        return Raw(await self.server.runs.devices())

    async def run(self, params: Any) -> Raw:
        return Raw(await self.server.runs.run(_object(params)))

    async def run_command(self, argument: Any) -> Raw:
        asked = _object(argument)
        return Raw(await self.server.runs.run_command(str(asked.get("uri", "")), asked.get("device")))

    async def why_no_answer(self, params: Any) -> Raw:
        return Raw(await self.server.explanation.answer(_object(params)))

    async def why_command(self, argument: Any) -> Raw:
        """For clients without a command of their own: the page as a message, and as the result."""
        asked = _object(argument)
        made = await self.server.explanation.answer({**asked, "textDocument": {"uri": asked.get("uri", "")}})
        self.server.say("info", made["markdown"])
        return Raw(made)

    async def server_status(self, params: Any) -> Raw:
        documents = []
        for session in self.server.engine.sessions.values():
            entry: Json = {"uri": session.document.uri, "version": session.document.version}
            if (result := session.result) is not None:
                entry |= {
                    "analysedVersion": result.version,
                    "regions": len(features.lenses(result.tu)),
                    "diagnostics": len(result.diagnostics),
                    "complete": result.complete,
                    "milliseconds": round(result.seconds * 1000, 2),
                }
            documents.append(entry)
        return Raw(
            {
                "version": ompls.__version__,
                "process": os.getpid(),
                "seconds": round(time.monotonic() - self.started, 1),
                "documents": documents,
            }
        )


def _symbols(result: Result, places: Places) -> list[Json]:
    """Functions (kind 12) with their regions (kind 19, object) below them; a `target data` has those inside of it."""
    symbols: list[Json] = []
    for item in result.tu.items:
        node = item.content.node
        where = result.tu.locate(item, node.span)
        if not isinstance(node, FunctionDef) or where.path != result.tu.path:
            continue
        name = result.tu.locate(item, node.name_span)
        top: Json = {"name": node.symbol.name, "kind": 12, "range": places.range(where),
                     "selectionRange": places.range(name), "children": []}  # fmt: skip
        symbols.append(top)
        around = [(where.end, top)]
        ids = {id(r.stmt): r.id for r in item.content.regions}
        shown = [s for s in item.content.directives if id(s) in ids or s.directive.name == "target data"]
        for stmt in sorted(shown, key=lambda s: (s.span.start, -s.span.end)):
            whole, directive, known = result.tu.locate(item, stmt.span), stmt.directive, ids.get(id(stmt))
            if whole.path != result.tu.path:
                continue
            while whole.start >= around[-1][0] and len(around) > 1:
                around.pop()
            ranges = {
                "range": places.range(whole),
                "selectionRange": places.range(result.tu.locate(item, directive.span)),
            }
            symbol = {"name": directive.name + (f" ({known})" if known else ""), "kind": 19, **ranges, "children": []}
            around[-1][1]["children"].append(symbol)
            around.append((whole.end, symbol))
    return symbols


def _object(params: Any) -> Json:
    if not isinstance(params, dict):
        raise JsonRpcInvalidParams(f"expected an object, got {params!r:.60}")
    return params
