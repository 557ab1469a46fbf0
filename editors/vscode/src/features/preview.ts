// Preview: the generated kernel of a region, beside the source, refreshed while typing.
// Needs `ompls/preview` (experimental) for the document's name; VS Code's client fetches and refreshes the text itself
// through `workspace/textDocumentContent`.
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { activePlace } from '../documents';

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
    const place = wanted.uri ? undefined : activePlace();
    const uri = wanted.uri ?? place?.uri.toString();
    if (!uri) {
      void vscode.window.showInformationMessage('ompls: open a C file to preview its kernels.');
      return;
    }
    const region = wanted.region ?? place?.region;
    try {
      const made = await connection.request<Preview>('ompls/preview', {
        textDocument: { uri },
        device: wanted.device ?? place?.device,
        ...(region ? { region } : { position: place?.position }),
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
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  const options = { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.Beside, preserveFocus: true, preview: true };
  await vscode.window.showTextDocument(document, options);
}
