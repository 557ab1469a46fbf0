// Previews: the kernels of regions beside their source, refreshed while typing, and linked with it: the lines that belong
// to the cursor's are coloured and brought into view on the other side.  A preview follows the cursor to another region,
// of another file, too, unless it is pinned.
// Needs `ompls/preview` (experimental) for names and line maps; VS Code's client fetches and refreshes the texts itself
// through `workspace/textDocumentContent`.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import type { Connection } from '../connection';
import { activePlace, PREVIEW, SOURCES, sourceOf } from '../documents';
import { fromPreview, fromSource, type LineMap } from '../lines';
import { showProblem } from '../messages';
import type { Device } from './devices';
import { GRAPH } from './graph';

interface Preview {
  uri: string;
  languageId: string;
  region: string;
  device: string;
  /** Whether the position that was asked for is in the region. */
  held: boolean;
  lineMap: LineMap;
}

interface Wanted {
  uri?: string;
  region?: string;
  device?: string;
  /** Ask for the device. */
  choose?: boolean;
}

const BEFORE = 'ompls-before'; // what a preview showed at some moment, which the URI's fragment numbers
const PAUSE = 100; // ms without a move of the cursor before a preview follows it to another region

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const previews = new Previews(connection);
  context.subscriptions.push(
    previews,
    vscode.commands.registerCommand('ompls.preview', (wanted?: Wanted) => told(previews.show(wanted))),
    vscode.commands.registerCommand('ompls.previewFor', () => told(previews.chooseDevice())),
    vscode.commands.registerCommand('ompls.compare', () => told(previews.compare())),
    vscode.commands.registerCommand('ompls.compareBefore', () => told(previews.compareBefore())),
    vscode.workspace.registerTextDocumentContentProvider(BEFORE, previews),
    vscode.commands.registerCommand('ompls.pin', () => previews.pin(true)),
    vscode.commands.registerCommand('ompls.unpin', () => previews.pin(false)),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => previews.moved(textEditor)),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && previews.moved(editor)),
    vscode.window.onDidChangeVisibleTextEditors((editors) => previews.parted(editors)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => void previews.changed(document)),
    vscode.workspace.onDidCloseTextDocument((document) => previews.closed(document)),
  );
}

/** A preview whose source was closed stays as it is: the server could only refuse what it may just have asked to be fetched. */
export const texts: Middleware = {
  provideTextDocumentContent: (preview, token, next) => {
    const open = (uri: vscode.Uri) => vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
    const shown = open(preview);
    return shown && !open(sourceOf(preview).uri) ? shown.getText() : next(preview, token);
  },
};

/** What is refused is shown. */
async function told(command: Promise<void>): Promise<void> {
  try {
    await command;
  } catch (problem) {
    showProblem(problem);
  }
}

class Previews implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly colour = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.wordHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.wordHighlightForeground'),
  });
  /** By the URI of each preview that is open. */
  private readonly maps = new Map<string, LineMap>();
  private readonly pinned = new Set<string>();
  /** By URI of the scheme BEFORE, while it is open. */
  private readonly before = new Map<string, string>();
  private moments = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly connection: Connection) {}

  dispose(): void {
    clearTimeout(this.timer);
    this.colour.dispose();
  }

  /** Show the preview that is wanted, else the one at the cursor. */
  async show(wanted: Wanted = {}): Promise<void> {
    if (wanted.device === GRAPH) {
      await vscode.commands.executeCommand('ompls.graph', wanted);
      return;
    }
    const place = wanted.uri ? undefined : activePlace();
    const uri = wanted.uri ?? place?.uri.toString();
    if (!uri) {
      void vscode.window.showInformationMessage('ompls: open a C file to preview its kernels.');
      return;
    }
    const region = wanted.region ?? place?.region;
    const device = wanted.choose ? await this.chosen() : (wanted.device ?? place?.device);
    if (wanted.choose && !device) {
      return;
    }
    const made = await this.connection.request<Preview>('ompls/preview', {
      textDocument: { uri },
      device,
      ...(region ? { region } : { position: place?.position }),
    });
    await this.open(made);
  }

  /** The same region for another device, beside this one. */
  async chooseDevice(): Promise<void> {
    const place = activePlace();
    const device = place && (await this.chosen());
    if (device) {
      const { uri, region } = place;
      await this.show(region ? { uri: uri.toString(), region, device } : { device });
    }
  }

  /** What the region of the active preview becomes for another device, and what differs. */
  async compare(): Promise<void> {
    const shown = activePreview();
    const chosen = shown && (await this.chosen());
    if (!chosen) {
      return;
    }
    const { uri, region, device } = sourceOf(shown.uri);
    const params = { textDocument: { uri: uri.toString() }, region, device: chosen };
    const made = await this.connection.request<Preview>('ompls/preview', params);
    await differ(shown.uri, vscode.Uri.parse(made.uri), titleOf(shown.uri, `${device} ↔ ${chosen}`));
  }

  /** The active preview as it is now, and what your edits make of it. */
  async compareBefore(): Promise<void> {
    const shown = activePreview();
    if (shown) {
      const uri = shown.uri.with({ scheme: BEFORE, fragment: String(++this.moments) });
      this.before.set(uri.toString(), shown.getText());
      await differ(uri, shown.uri, titleOf(shown.uri, `${sourceOf(shown.uri).device}, before ↔ now`));
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.before.get(uri.toString()) ?? '';
  }

  private async chosen(): Promise<string | undefined> {
    const { devices } = await this.connection.request<{ devices: Device[] }>('ompls/devices', {});
    const items = devices.map(({ name, description }) => ({ label: name, description: description ?? '' }));
    return (await vscode.window.showQuickPick(items, { placeHolder: 'Show what this device gets' }))?.label;
  }

  /** Keep what the active preview shows, wherever the cursor goes. */
  pin(pinned: boolean): void {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri?.scheme === PREVIEW) {
      this.pinned[pinned ? 'add' : 'delete'](uri.toString());
      this.tellPinned();
    }
  }

  /** The cursor has moved: colour the lines that belong together, on both sides. */
  moved(editor: vscode.TextEditor): void {
    const others = othersOf(editor);
    if (editor.document.uri.scheme === PREVIEW) {
      this.link(editor, others.length ? [editor] : [], others);
      return;
    }
    this.link(editor, others, others.length ? [editor] : []);
    if (vscode.languages.match(SOURCES, editor.document) > 0 && this.following(editor).length) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.follow(editor), PAUSE);
    }
  }

  /** The previews that follow the cursor in a source: its own, else all that are in sight and not pinned. */
  private following(editor: vscode.TextEditor): vscode.TextEditor[] {
    const own = previewsOf(editor);
    const all = vscode.window.visibleTextEditors.filter(({ document }) => document.uri.scheme === PREVIEW);
    return (own.length ? own : all).filter(({ document }) => !this.pinned.has(document.uri.toString()));
  }

  /** Colours say what belongs together: there are none where the other side is not shown. */
  parted(editors: readonly vscode.TextEditor[]): void {
    for (const editor of editors.filter((editor) => !othersOf(editor).length)) {
      editor.setDecorations(this.colour, []);
    }
  }

  /** The text of a preview is a new one: so are its lines. */
  async changed(document: vscode.TextDocument): Promise<void> {
    const [name, version] = [document.uri.toString(), document.version];
    if (document.uri.scheme !== PREVIEW || !this.maps.has(name)) {
      return;
    }
    const { uri, region, device } = sourceOf(document.uri);
    const params = { textDocument: { uri: uri.toString() }, region, device };
    const made = await this.connection.request<Preview>('ompls/preview', params).catch(() => undefined);
    if (made && this.maps.has(name) && document.version === version) {
      this.maps.set(name, made.lineMap);
      const active = vscode.window.activeTextEditor;
      if (active) {
        this.moved(active);
      }
    }
  }

  closed(document: vscode.TextDocument): void {
    this.maps.delete(document.uri.toString());
    this.before.delete(document.uri.toString());
    if (this.pinned.delete(document.uri.toString())) {
      this.tellPinned();
    }
  }

  private async open(made: Preview, column?: vscode.ViewColumn): Promise<void> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(made.uri));
    const known = await vscode.languages.getLanguages();
    const language = [made.languageId, 'cpp', 'c'].find((name) => known.includes(name));
    if (language) {
      await vscode.languages.setTextDocumentLanguage(document, language);
    }
    this.maps.set(document.uri.toString(), made.lineMap);
    const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
    const viewColumn = shown?.viewColumn ?? column ?? besideSource(document);
    // Not by `showTextDocument`: this one takes a title, and a tab would be called as the last part of the URI.
    const options: vscode.TextDocumentShowOptions = { viewColumn, preserveFocus: true, preview: true };
    await vscode.commands.executeCommand('vscode.open', document.uri, options, titleOf(document.uri, made.device));
    await visible(document);
    const active = vscode.window.activeTextEditor;
    if (active) {
      this.moved(active);
    }
  }

  /** Show another region where the cursor is in one that a preview does not have. */
  private async follow(editor: vscode.TextEditor): Promise<void> {
    const { line, character } = editor.selection.active;
    for (const shown of this.following(editor)) {
      const { uri, region, device } = sourceOf(shown.document.uri);
      const map = this.maps.get(shown.document.uri.toString());
      const elsewhere = uri.toString() !== editor.document.uri.toString();
      if (!map || (!elsewhere && fromSource(map, [line]).length)) {
        continue;
      }
      const params = { textDocument: { uri: editor.document.uri.toString() }, position: { line, character }, device };
      const made = await this.connection.request<Preview>('ompls/preview', params).catch(() => undefined);
      const stands = editor === vscode.window.activeTextEditor && editor.selection.active.line === line;
      const free = !this.pinned.has(shown.document.uri.toString()) && vscode.window.visibleTextEditors.includes(shown);
      if (made?.held && (elsewhere || made.region !== region) && stands && free) {
        await this.open(made, shown.viewColumn);
      }
    }
  }

  private link(moved: vscode.TextEditor, previews: vscode.TextEditor[], sources: vscode.TextEditor[]): void {
    const { start, end } = moved.selection;
    const lines = Array.from({ length: end.line - start.line + 1 }, (_, index) => start.line + index);
    for (const preview of previews) {
      const map = this.maps.get(preview.document.uri.toString()) ?? [];
      const there = moved === preview ? fromPreview(map, lines) : fromSource(map, lines);
      this.paint(preview, moved === preview ? lines : there, moved);
      for (const source of sources) {
        this.paint(source, moved === preview ? there : lines, moved);
      }
    }
  }

  private paint(editor: vscode.TextEditor, lines: number[], moved: vscode.TextEditor): void {
    const ranges = lines.map((line) => new vscode.Range(line, 0, line, 0));
    editor.setDecorations(this.colour, ranges);
    if (editor !== moved && ranges[0]) {
      editor.revealRange(ranges[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  private tellPinned(): void {
    const uris = Object.fromEntries([...this.pinned].map((uri) => [uri, true]));
    void vscode.commands.executeCommand('setContext', 'ompls.pinned', uris);
  }
}

/** Beside the active editor; where the focus is in a page without text, the walkthrough for one, beside the source. */
function besideSource(preview: vscode.TextDocument): vscode.ViewColumn {
  const uri = sourceOf(preview.uri).uri.toString();
  const source = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri);
  return vscode.window.activeTextEditor || !source?.viewColumn ? vscode.ViewColumn.Beside : source.viewColumn + 1;
}

/** Once an editor shows the document, of which the extension hears a little after it was opened; or after a second. */
async function visible(document: vscode.TextDocument): Promise<void> {
  const isShown = () => vscode.window.visibleTextEditors.some((editor) => editor.document === document);
  if (isShown()) {
    return;
  }
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      heard.dispose();
      resolve();
    };
    const timer = setTimeout(done, 1000);
    const heard = vscode.window.onDidChangeVisibleTextEditors(() => isShown() && done());
  });
}

/** What a tab is called: `saxpy.c: main_0 (cuda)`. */
function titleOf(preview: vscode.Uri, device: string): string {
  const { uri, region } = sourceOf(preview);
  return `${path.posix.basename(uri.path)}: ${region} (${device})`;
}

function activePreview(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.uri.scheme === PREVIEW ? document : undefined;
}

async function differ(left: vscode.Uri, right: vscode.Uri, title: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: false });
}

/** The editors of the other side. */
function othersOf(editor: vscode.TextEditor): vscode.TextEditor[] {
  return editor.document.uri.scheme === PREVIEW ? sourcesOf(editor) : previewsOf(editor);
}

function previewsOf(source: vscode.TextEditor): vscode.TextEditor[] {
  const uri = source.document.uri.toString();
  return vscode.window.visibleTextEditors.filter(
    ({ document }) => document.uri.scheme === PREVIEW && sourceOf(document.uri).uri.toString() === uri,
  );
}

function sourcesOf(preview: vscode.TextEditor): vscode.TextEditor[] {
  const source = sourceOf(preview.document.uri).uri.toString();
  return vscode.window.visibleTextEditors.filter(({ document }) => document.uri.toString() === source);
}
