// Which documents the server hears of, and which of them a command is about.
import * as vscode from 'vscode';
import type { DocumentSelector } from 'vscode-languageclient/node';

const PREVIEW = 'ompls-preview';

/** What is not C it does not check: it says so there.  VS Code calls all headers C++. */
const NOT_C = ['cpp', 'cuda-cpp', 'fortran', 'fortran-modern', 'FortranFreeForm', 'FortranFixedForm'];

/** Previews are among them: a server that was started again learns so what is shown, and has it refreshed. */
export const DOCUMENTS: DocumentSelector = [
  { language: 'c' },
  { scheme: PREVIEW },
  ...NOT_C.map((language) => ({ scheme: 'file', language })),
];

/** Where our commands are offered: in C, in headers, and in previews. */
export const SOURCES: vscode.DocumentSelector = [{ language: 'c' }, { pattern: '**/*.h' }, { scheme: PREVIEW }];

/** A source, and where in it: a region that a preview shows, else a position. */
export interface Place {
  uri: vscode.Uri;
  position?: vscode.Position;
  region?: string;
  device?: string;
}

/** What a command is about: the active editor, or the source of the preview in it. */
export function activePlace(): Place | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !vscode.languages.match(SOURCES, editor.document)) {
    return undefined;
  }
  const { uri } = editor.document;
  if (uri.scheme !== PREVIEW) {
    return { uri, position: editor.selection.active };
  }
  // ompls-preview://DEVICE/PATH/REGION.EXT[?URI]
  const slash = uri.path.lastIndexOf('/');
  const source = uri.query ? vscode.Uri.parse(uri.query) : vscode.Uri.file(uri.path.slice(0, slash));
  const shown = vscode.window.visibleTextEditors.find((other) => other.document.uri.toString() === source.toString());
  const region = uri.path.slice(slash + 1).replace(/\.\w+$/, '');
  return { uri: source, region, device: uri.authority, ...(shown && { position: shown.selection.active }) };
}

/** Keeps the context `ompls.source`: `editorLangId` is gone when the focus is in a terminal, and another one in previews. */
export function activate(context: vscode.ExtensionContext): void {
  const tell = () => vscode.commands.executeCommand('setContext', 'ompls.source', activePlace() !== undefined);
  context.subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor(tell),
    vscode.workspace.onDidOpenTextDocument(tell), // also when a document changes its language
  );
  void tell();
}
