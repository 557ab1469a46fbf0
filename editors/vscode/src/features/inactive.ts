// Inactive branches of `#if`, dimmed. Needs the notification `ompls/inactiveRegions` (experimental).
// Where an extension for C dims them already, ours leaves it to that.
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { othersColour } from './colours';

interface Inactive {
  textDocument: { uri: string };
  regions: { start: { line: number; character: number }; end: { line: number; character: number } }[];
}

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const dimmed = vscode.window.createTextEditorDecorationType({ opacity: '0.55', isWholeLine: true });
  const known = new Map<string, vscode.Range[]>();
  const show = (editor: vscode.TextEditor): void => {
    const ranges = known.get(editor.document.uri.toString());
    if (ranges && !othersColour()) {
      editor.setDecorations(dimmed, ranges);
    }
  };
  const take = ({ textDocument, regions }: Inactive): void => {
    const uri = vscode.Uri.parse(textDocument.uri).toString();
    // A branch ends at the start of the line of its `#else` or `#endif`, which is not dimmed.
    const ranges = regions.map(({ start, end }) => {
      const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
      return new vscode.Range(start.line, 0, last, Number.MAX_SAFE_INTEGER);
    });
    known.set(uri, ranges);
    vscode.window.visibleTextEditors.filter((e) => e.document.uri.toString() === uri).forEach(show);
  };
  context.subscriptions.push(
    dimmed,
    connection.onClient((client) => client.onNotification('ompls/inactiveRegions', take)),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(show)),
    vscode.workspace.onDidCloseTextDocument((document) => known.delete(document.uri.toString())),
  );
}
