// "Why is there no answer here?": a page about the place of the cursor, beside the source; nobody has to save it.
// Needs `ompls/whyNoAnswer` (experimental).
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { activePlace } from '../documents';
import { showProblem } from '../messages';

const PAGE = vscode.Uri.from({ scheme: 'ompls-why', path: '/Why is there no answer.md' });

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  let text = '';
  const show = async (): Promise<void> => {
    const place = activePlace();
    if (!place) {
      void vscode.window.showInformationMessage('ompls: open a C file to ask why there is no answer.');
      return;
    }
    try {
      const params = { textDocument: { uri: place.uri.toString() }, position: place.position };
      const answer = await connection.request<{ markdown: string }>('ompls/whyNoAnswer', params);
      text = answer.markdown;
      changed.fire(PAGE);
      const page = await vscode.workspace.openTextDocument(PAGE);
      await vscode.window.showTextDocument(page, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    } catch (problem) {
      showProblem(problem);
    }
  };
  context.subscriptions.push(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(PAGE.scheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: () => text,
    }),
    vscode.commands.registerCommand('ompls.whyNoAnswer', show),
  );
}
