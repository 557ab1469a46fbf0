// The colours of pragma lines (semantic tokens).  Needs textDocument/semanticTokens.
//
// VS Code shows the tokens of one server for a document, not of several: where a server for C gives some, ours would take
// the colours of all other lines away, so the extension then leaves them to it.
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

/** Extensions that give semantic tokens for C. */
const OTHERS = ['llvm-vs-code-extensions.vscode-clangd', 'ms-vscode.cpptools', 'ccls-project.ccls'];

export function othersColour(): boolean {
  return OTHERS.some((id) => vscode.extensions.getExtension(id) !== undefined);
}

export const colours: Middleware = {
  provideDocumentSemanticTokens: (document, token, next) => (othersColour() ? null : next(document, token)),
  provideDocumentRangeSemanticTokens: (document, range, token, next) =>
    othersColour() ? null : next(document, range, token),
};
