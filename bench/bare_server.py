"""A server that knows nothing and answers at once, in the place of ours: what an editor itself needs to show a file.

One lens, one diagnostic and the colours of one word, all fixed.  `make bench-vscode` has VS Code start it in turns with
`ompls serve` (editors/vscode/test/bench.mjs).
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

LINE = 7  # a pragma with these words in it
MISTAKE, COLOURED = "nowiat", "values"

server = LanguageServer("bare", version("ompls"))  # a version that the extension does not warn of


def _range(params: Any, word: str) -> types.Range:
    start = server.workspace.get_text_document(params.text_document.uri).lines[LINE].index(word)
    return types.Range(types.Position(LINE, start), types.Position(LINE, start + len(word)))


@server.feature("textDocument/codeLens")
def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
    return [types.CodeLens(_range(params, MISTAKE), types.Command("Preview CUDA", "ompls.preview"))]


@server.feature("textDocument/diagnostic", types.DiagnosticOptions(False, False))
def diagnostics(params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
    found = types.Diagnostic(_range(params, MISTAKE), "a mistake", types.DiagnosticSeverity.Error)
    return types.RelatedFullDocumentDiagnosticReport([found])


def _tokens(params: Any) -> types.SemanticTokens:
    start = _range(params, COLOURED).start
    return types.SemanticTokens([start.line, start.character, len(COLOURED), 0, 0])


LEGEND = types.SemanticTokensLegend(["variable"], [])
server.feature("textDocument/semanticTokens/full", LEGEND)(_tokens)
server.feature("textDocument/semanticTokens/range", LEGEND)(_tokens)

server.start_io()
