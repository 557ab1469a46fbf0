// Preview: the generated kernel of a region, beside the source, refreshed while typing.
// Needs `ompls/preview` (experimental) for the document's name; VS Code's client fetches and refreshes the text itself
// through `workspace/textDocumentContent`.
import * as vscode from 'vscode';
import type { Connection } from '../connection';

interface Preview {
  uri: string;
  languageId: string;
  /** Pairs [line of the preview, line of the source], 1-based. */
  lineMap: [number, number][];
}

interface Wanted {
  uri?: string;
  region?: string;
  device?: string;
}

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const show = async (wanted: Wanted = {}): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    const uri = wanted.uri ?? editor?.document.uri.toString();
    if (!uri) {
      void vscode.window.showInformationMessage('ompls: open a C file to preview its kernels.');
      return;
    }
    try {
      const made = await connection.request<Preview>('ompls/preview', {
        textDocument: { uri },
        device: wanted.device,
        ...(wanted.region ? { region: wanted.region } : { position: editor?.selection.active }),
      });
      await open(made);
    } catch (problem) {
      void vscode.window.showErrorMessage(problem instanceof Error ? problem.message : String(problem));
    }
  };
  context.subscriptions.push(vscode.commands.registerCommand('ompls.preview', show));
}

async function open(made: Preview): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(made.uri));
  const known = await vscode.languages.getLanguages();
  const language = [made.languageId, 'cpp', 'c'].find((name) => known.includes(name));
  if (language) {
    await vscode.languages.setTextDocumentLanguage(document, language);
  }
  const options = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true };
  await vscode.window.showTextDocument(document, options);
}
