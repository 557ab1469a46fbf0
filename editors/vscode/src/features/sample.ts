// The sample project of the walkthrough: a folder of the user's own, outside of the workspace, with a program, in whose region
// the cursor is put, and a project file.  They are there from the first time on, and stay as they were edited.  Needs nothing
// of the server.
import * as vscode from 'vscode';

const FILES = { 'sample.c': 'sample.c', '.ompls.toml': 'project.toml' }; // in the package they have the second names

export function activate(context: vscode.ExtensionContext): void {
  const open = async (): Promise<void> => {
    const { fs, openTextDocument } = vscode.workspace;
    const folder = vscode.Uri.joinPath(context.globalStorageUri, 'sample');
    await fs.createDirectory(folder);
    for (const [name, brought] of Object.entries(FILES)) {
      const file = vscode.Uri.joinPath(folder, name);
      const there = await fs.stat(file).then(() => true, () => false);
      if (!there) await fs.writeFile(file, await fs.readFile(vscode.Uri.joinPath(context.extensionUri, 'dist/sample', brought)));
    }
    const document = await openTextDocument(vscode.Uri.joinPath(folder, 'sample.c'));
    const cursor = document.positionAt(Math.max(document.getText().indexOf('y[i] ='), 0));
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(cursor, cursor) });
  };
  context.subscriptions.push(vscode.commands.registerCommand('ompls.openSample', open));
}
