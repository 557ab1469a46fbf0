// Which documents the server hears of, and which of them a command is about.
import * as vscode from 'vscode';
import type { DocumentSelector } from 'vscode-languageclient/node';

export const PREVIEW = 'ompls-preview';

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

/** What a command is about: the active editor, or the source of the preview in it; beside a page without text, what is visible. */
export function activePlace(): Place | undefined {
  const isSource = (editor: vscode.TextEditor) => vscode.languages.match(SOURCES, editor.document) > 0;
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors.find(isSource);
  if (!editor || !vscode.languages.match(SOURCES, editor.document)) {
    return undefined;
  }
  const { uri } = editor.document;
  if (uri.scheme !== PREVIEW) {
    return { uri, position: editor.selection.active };
  }
  const source = sourceOf(uri);
  const shown = vscode.window.visibleTextEditors.find((other) => other.document.uri.toString() === source.uri.toString());
  return { ...source, ...(shown && { position: shown.selection.active }) };
}

/** What a preview shows, by its URI: ompls-preview://DEVICE/PATH/REGION.EXT[?URI] */
export function sourceOf(preview: vscode.Uri): { uri: vscode.Uri; region: string; device: string } {
  const slash = preview.path.lastIndexOf('/');
  const uri = preview.query ? vscode.Uri.parse(preview.query) : vscode.Uri.file(preview.path.slice(0, slash));
  return { uri, region: preview.path.slice(slash + 1).replace(/\.\w+$/, ''), device: preview.authority };
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
