// "Why is there no answer here?": a page about the place of the cursor, in a preview beside the source.
// Needs `ompls/whyNoAnswer` (experimental).
import * as vscode from 'vscode';
import type { Connection } from '../connection';

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const show = async (): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      return;
    }
    const { document, selection } = editor;
    const position = { line: selection.active.line, character: selection.active.character };
    try {
      const textDocument = { uri: document.uri.toString() };
      const answer = await connection.request<{ markdown: string }>('ompls/whyNoAnswer', { textDocument, position });
      const page = await vscode.workspace.openTextDocument({ language: 'markdown', content: answer.markdown });
      await vscode.window.showTextDocument(page, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    } catch (problem) {
      void vscode.window.showErrorMessage(problem instanceof Error ? problem.message : String(problem));
    }
  };
  context.subscriptions.push(vscode.commands.registerCommand('ompls.whyNoAnswer', show));
}
