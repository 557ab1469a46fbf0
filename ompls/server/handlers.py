"""The protocol's methods: each converts, calls, converts.  `Handlers.register` puts every one behind the guard."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

import ompls
from ompls.server.announced import FIX_ALL, LEGEND, QUICK_FIX, REWRITE, SHOW, unresolved
from ompls.server.convert import Json, path_of
from ompls.server.documents import Document
from ompls.server.guard import guarded, logged
from ompls.server.params import DEVICES, ENVIRONMENT, ENVIRONMENT_OF_REGION, LENS, PREVIEW, RUN, RUN_INPUT, WHY, checked
from ompls.server.protocol import Awaited, Raw, Written
from ompls.server.refusal import refuse
from ompls.server.wide import uris_of

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

Handler = Callable[[Any], Any]


class Handlers:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self.started = time.monotonic()
        self._setup: asyncio.Task[None] | None = None

    def register(self) -> None:
        """One table of methods: name, handler, options."""
        diagnostics = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True)
        completion = types.CompletionOptions(trigger_characters=[" ", "(", ",", ":", "[", ".", ">"])
        signatures = types.SignatureHelpOptions(trigger_characters=["(", ",", ":"])
        actions = types.CodeActionOptions([QUICK_FIX, FIX_ALL, REWRITE, SHOW])
        tokens = types.SemanticTokensLegend(LEGEND, [])
        everywhere: tuple[tuple[str, Any, Any], ...] = (  # method, what is said of an unknown document, options
            ("textDocument/hover", None, None),
            ("textDocument/documentSymbol", [], None),
            ("textDocument/semanticTokens/full", None, tokens),
            ("textDocument/semanticTokens/full/delta", None, tokens),
            ("textDocument/semanticTokens/range", None, tokens),
            ("textDocument/foldingRange", None, None),  # an editor's own folds are better than none
            ("textDocument/selectionRange", None, None),
            # everywhere: who does not ask whether there is something to rename has to hear that there is not
            ("textDocument/rename", None, types.RenameOptions(prepare_provider=True)),
        )
        in_pragmas: tuple[tuple[str, Any], ...] = (
            ("textDocument/completion", completion),
            ("textDocument/signatureHelp", signatures),
        )
        in_code: tuple[tuple[str, Any], ...] = (
            ("textDocument/definition", None),
            ("textDocument/references", None),
            ("textDocument/documentHighlight", None),
            ("textDocument/prepareRename", None),
        )
        table: list[tuple[str, Handler, Any]] = [
            ("initialized", self.initialized, None),
            ("textDocument/diagnostic", self.diagnostic, diagnostics),
            ("workspace/diagnostic", self.workspace_diagnostic, None),
            ("textDocument/codeLens", self.code_lens, types.CodeLensOptions()),
            ("textDocument/codeAction", self.code_action, actions),
            ("textDocument/inlayHint", self.inlay_hint, types.InlayHintOptions(resolve_provider=True)),
            ("inlayHint/resolve", self.inlay_resolve, None),
            ("textDocument/didSave", self.saved, None),
            ("workspace/didChangeWatchedFiles", self.files_changed, None),
            ("workspace/didChangeWorkspaceFolders", self.folders_changed, None),
            ("workspace/didChangeConfiguration", self.configuration_changed, None),
            ("workspace/textDocumentContent", self.text_document_content, None),
            ("ompls/runInput", self.run_input, None),
        ]
        table += [(method, handler.__get__(self), None) for method, handler in REQUESTS.items()]
        table += [(method, self._asked(method, otherwise), options) for method, otherwise, options in everywhere]
        table += [(method, self._asked(method, None, Document.near_pragma), options) for method, options in in_pragmas]
        table += [(method, self._asked(method, None, Document.below_pragma), options) for method, options in in_code]
        for method, handler, options in table:
            self.server.feature(method, options)(guarded(method)(handler))
        for command, made in COMMANDS.items():
            self.server.command(command)(guarded(command)(made.__get__(self)))

    # --- connection ----------------------------------------------------------------------------------------------

    async def initialized(self, params: Any) -> None:
        # Not awaited: it asks the client things, and the client may rather say shutdown than answer.
        self._setup = asyncio.create_task(logged("initialized", self.server.initialized))

    async def saved(self, params: types.DidSaveTextDocumentParams) -> None:
        await self.files_changed(params)
        if (session := self.server.session(params.text_document.uri)) is not None:
            self.server.prices.look(session)

    async def files_changed(self, params: Any) -> None:
        uris = uris_of(params)
        self.server.engine.files_changed(map(path_of, uris))
        self.server.wide.changed(uris)

    async def folders_changed(self, params: Any) -> None:
        uris = [folder.uri for folder in self.server.workspace.folders.values()]
        self.server.set_roots(uris)
        self.server.wide.changed()
        await self.server.fetch_settings()

    async def configuration_changed(self, params: types.DidChangeConfigurationParams) -> None:
        if self.server.client.configuration:
            await self.server.fetch_settings()
        elif isinstance(params.settings, dict):
            self.server.configure(params.settings.get("ompls"))

    # --- diagnostics ---------------------------------------------------------------------------------------------

    async def workspace_diagnostic(self, params: types.WorkspaceDiagnosticParams) -> Raw:
        return Raw(await self.server.wide.pull(params))

    async def diagnostic(self, params: types.DocumentDiagnosticParams) -> Written:
        return await self.server.diagnostics.pull(params)

    # --- what a document's worker answers ------------------------------------------------------------------------

    def _asked(self, method: str, otherwise: Any, where: Callable[[Document, int], bool] | None = None) -> Handler:
        """A handler that has the document's worker answer; `otherwise`: what to say of one that is not open here.

        where -- which lines of a document it may have an answer at: nothing is waited for at the others
        """

        def ask(params: Any) -> Raw | Awaited:
            session = self.server.session(params.text_document.uri)
            if session is None or (where is not None and not where(session.document, params.position.line)):
                return Raw(otherwise)
            return Awaited(self.server.engine.ask(session, method, params))

        return ask

    def code_lens(self, params: types.CodeLensParams) -> Raw | Awaited:
        session = self.server.session(params.text_document.uri)
        if session is None:
            return Raw([])
        known = {"prices": dict(self.server.prices.of(session)), "refused": self.server.prices.refused(session)}
        return Awaited(self.server.engine.ask(session, "textDocument/codeLens", known))

    def code_action(self, params: types.CodeActionParams) -> Raw | Awaited:
        session = self.server.session(params.text_document.uri)
        if session is None:
            return Raw([])
        asked = (params, self.server.prices.of_all(session))
        return Awaited(self.server.engine.ask(session, "textDocument/codeAction", asked))

    def inlay_hint(self, params: types.InlayHintParams) -> Raw | Awaited:
        session = self.server.session(params.text_document.uri)
        if session is None:
            return Raw([])
        asked = (params, session.typing)
        return Awaited(self.server.engine.ask(session, "textDocument/inlayHint", asked))

    def inlay_resolve(self, params: types.InlayHint) -> Raw | Awaited:
        uri = params.data.get("uri", "") if isinstance(params.data, dict) else ""
        session = self.server.session(uri)
        if session is None:
            return Raw(unresolved(params))
        return Awaited(self.server.engine.ask(session, "inlayHint/resolve", params))

    # --- previews and runs ---------------------------------------------------------------------------------------

    async def text_document_content(self, params: types.TextDocumentContentParams) -> Raw:
        return Raw({"text": await self.server.previews.content(params.uri)})

    async def preview(self, params: Any) -> Written:
        return Written([await self.server.previews.preview(checked(params, PREVIEW))])

    async def preview_command(self, argument: Any = None) -> Raw:
        """For clients that leave it to us: show the virtual document, else its text as a message, and give it back."""
        asked = checked(argument, LENS)
        made = json.loads(await self.server.previews.preview({**asked, "textDocument": {"uri": asked["uri"]}}))
        if self.server.client.shows_documents and self.server.client.virtual_documents:
            await self.server.request("window/showDocument", {"uri": made["uri"], "takeFocus": False})
        else:
            self.server.say("info", made["text"])
        return Raw(made)

    async def devices(self, params: Any) -> Raw:
        answer = await self.server.runs.devices()
        asked = checked(params or {}, DEVICES)
        if asked.get("textDocument") is not None and self.server.session(asked["textDocument"]["uri"]) is not None:
            names = [device["name"] for device in answer["devices"]]
            why = json.loads(await self._of_document("ompls/devices", {**asked, "names": names}))
            for device in answer["devices"]:
                if device["name"] in why:
                    device["cannot"] = why[device["name"]]
        return Raw(answer)

    async def run(self, params: Any) -> Raw:
        return Raw(await self.server.runs.run(checked(params, RUN)))

    async def run_input(self, params: Any) -> None:
        self.server.runs.input(checked(params, RUN_INPUT))

    async def run_command(self, argument: Any = None) -> Raw:
        asked = checked(argument, LENS)
        return Raw(await self.server.runs.run_command(asked["uri"], asked.get("device")))

    async def why_no_answer(self, params: Any) -> Raw:
        return Raw(json.loads(await self._of_document("ompls/whyNoAnswer", checked(params, WHY))))

    async def data_environment(self, params: Any) -> Written:
        of_region = isinstance(params, dict) and params.get("position") is None and params.get("region") is not None
        asked = checked(params, ENVIRONMENT_OF_REGION if of_region else ENVIRONMENT)
        return Written([await self._of_document("ompls/dataEnvironment", asked)])

    async def _of_document(self, method: str, params: Json) -> bytes:
        """What the worker of an open document answers to a request of ours."""
        uri = params["textDocument"]["uri"]
        session = self.server.session(uri)
        if session is None:
            absent = f"{uri or 'no document'} is not open here: only C files that are open are analysed"
            raise refuse(self.server.foreign.reason(uri) or absent)
        return b"".join(await self.server.engine.ask(session, method, params))

    async def why_command(self, argument: Any = None) -> Raw:
        """For clients without a command of their own: the page as a message, and as the result."""
        asked = checked(argument, LENS)
        params = {**asked, "textDocument": {"uri": asked["uri"]}}
        made = json.loads(await self._of_document("ompls/whyNoAnswer", params))
        self.server.say("info", made["markdown"])
        return Raw(made)

    async def server_status(self, params: Any) -> Raw:
        documents = []
        for session in self.server.engine.sessions.values():
            entry: Json = {"uri": session.document.uri, "version": session.document.version}
            if (result := session.fresh) is not None:
                entry |= {
                    "analysedVersion": result.version,
                    "regions": result.regions,
                    "diagnostics": len(result.items),
                    "complete": result.complete and not session.ended,
                    "milliseconds": round(result.seconds * 1000, 2),
                }
            if session.process:
                entry["worker"] = session.process
            if (doing := session.look()) is not None:
                entry |= {"doing": doing.what, "since": round(time.monotonic() - doing.since, 2)}
            if session.ended:
                entry["ended"] = session.ended
            documents.append(entry)
        return Raw(
            {
                "version": ompls.__version__,
                "process": os.getpid(),
                "seconds": round(time.monotonic() - self.started, 1),
                "documents": documents,
            }
        )


# Requests and commands of our own: `initialize` announces them, docs/lsp-extensions.md describes them.
REQUESTS: dict[str, Callable[[Handlers, Any], Any]] = {
    "ompls/preview": Handlers.preview,
    "ompls/dataEnvironment": Handlers.data_environment,
    "ompls/devices": Handlers.devices,
    "ompls/run": Handlers.run,
    "ompls/serverStatus": Handlers.server_status,
    "ompls/whyNoAnswer": Handlers.why_no_answer,
}
COMMANDS: dict[str, Callable[[Handlers, Any], Any]] = {
    "ompls.preview": Handlers.preview_command,
    "ompls.run": Handlers.run_command,
    "ompls.whyNoAnswer": Handlers.why_command,
}
