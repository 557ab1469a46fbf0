// The sample program of the walkthrough: a file of the user's own, outside of the workspace, with the cursor in its region.
// It is there from the first time on, and stays as it was edited.  Needs nothing of the server.
import * as vscode from 'vscode';

export function activate(context: vscode.ExtensionContext): void {
  const open = async (): Promise<void> => {
    const { fs } = vscode.workspace;
    const brought = vscode.Uri.joinPath(context.extensionUri, 'dist', 'sample.c');
    const file = vscode.Uri.joinPath(context.globalStorageUri, 'sample.c');
    const there = await fs.stat(file).then(() => true, () => false);
    if (!there) {
      await fs.createDirectory(context.globalStorageUri);
      await fs.writeFile(file, await fs.readFile(brought));
    }
    const document = await vscode.workspace.openTextDocument(file);
    const cursor = document.positionAt(Math.max(document.getText().indexOf('y[i] ='), 0));
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(cursor, cursor) });
  };
  context.subscriptions.push(vscode.commands.registerCommand('ompls.openSample', open));
}
