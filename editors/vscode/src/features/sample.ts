// The sample program of the walkthrough, as a document that nobody has saved yet.  Needs nothing of the server.
import * as vscode from 'vscode';

export function activate(context: vscode.ExtensionContext): void {
  const open = async (): Promise<void> => {
    const file = vscode.Uri.joinPath(context.extensionUri, 'dist', 'sample.c');
    const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'c', content }));
  };
  context.subscriptions.push(vscode.commands.registerCommand('ompls.openSample', open));
}
