// Run by test_vscode_previews.py: the task graph of the extension for VS Code, without an editor: what it asks for, what it
// tells its page, and what a click does.
import { load } from './extension.mjs';

const said = { asked: [], told: [], selected: [], informed: [], logged: [] };
const commands = new Map();
const event = () => {
  const listeners = [];
  return Object.assign((listener) => listeners.push(listener), { fire: (value) => listeners.forEach((tell) => tell(value)) });
};
const [selection, changed, health, clicked, disposed] = Array.from({ length: 5 }, event);
const uri = (name) => ({ toString: () => name, scheme: 'file', path: name });
const editorOf = (name) => ({
  document: { uri: uri(name), languageId: 'c' },
  viewColumn: 1,
  selection: { active: { line: 0, character: 0 }, start: { line: 0 }, end: { line: 0 } },
});
const vscode = {
  Uri: { parse: uri },
  Position: class {
    constructor(line) {
      this.line = line;
    }
  },
  Range: class {
    constructor(start) {
      this.start = start;
    }
  },
  ViewColumn: { Beside: -2, One: 1 },
  languages: { match: () => 1 },
  window: {
    visibleTextEditors: [],
    onDidChangeTextEditorSelection: selection,
    createWebviewPanel: (kind, title, { preserveFocus }) => {
      said.opened = [...(said.opened ?? []), [kind, preserveFocus]];
      const webview = { postMessage: (message) => said.told.push(message), onDidReceiveMessage: clicked };
      vscode.panel = { webview, reveal() {}, dispose() {}, onDidDispose: disposed };
      return vscode.panel;
    },
    showTextDocument: async (document, { selection }) => said.selected.push([document.toString(), selection.start.line]),
    showInformationMessage: (text) => said.informed.push(text),
    showErrorMessage: (text) => said.informed.push(text),
  },
  workspace: { onDidChangeTextDocument: changed },
  commands: { registerCommand: (name, run) => commands.set(name, run) },
};
// the graph f_0 is on the lines 4 to 6, g_0 on 14 to 16, from 0; there is none in the second file
const connection = {
  onHealth: health,
  log: { info: (text) => said.logged.push(text) },
  request: async (_, { textDocument, region, position, device, picture, unfolded }) => {
    said.asked.push([region ?? position.line, device, picture, [...unfolded]]);
    if (textDocument.uri.endsWith('b.c')) {
      throw new Error('b.c has no task graph');
    }
    const found = region ?? (position.line < 10 ? 'f_0' : 'g_0');
    const held = region !== undefined || [4, 5, 6, 14, 15, 16].includes(position.line);
    if (said.asked.length === 3) {
      return { region: found, held, text: '// it does not parse\nf: 3 tasks\n', picture: null, stale: true };
    }
    const text = found === 'f_0' ? 'f: 3 tasks\n * level 1' : 'g: not static\na.c:15: why\n';
    return { region: found, held, text, picture: found === 'f_0' ? '<svg/>' : null, stale: false };
  },
};
const { activate } = load(process.argv[2], 'features/graph.ts', vscode);
activate({ subscriptions: [] }, connection);
const [source, other] = [editorOf('file:///w/a.c'), editorOf('file:///w/b.c')];
const pause = () => new Promise((resolve) => setTimeout(resolve, 150));
const move = async (editor, line) => {
  editor.selection = { active: { line, character: 0 }, start: { line }, end: { line } };
  selection.fire({ textEditor: editor });
  await pause();
};

await commands.get('ompls.graph')();
vscode.window.visibleTextEditors = [source, other];
vscode.window.activeTextEditor = source;
await move(source, 5);
await commands.get('ompls.graph')();
said.nonces = new Set([...vscode.panel.webview.html.matchAll(/nonce[-=]"?(\w+)/g)].map(([, nonce]) => nonce)).size;
clicked.fire({ line: 5, fold: 'f:10:2:0' });
await pause();
changed.fire({ document: source.document });
changed.fire({ document: other.document });
await pause();
await move(source, 9);
await move(source, 15);
said.title = vscode.panel.title;
await move(other, 0);
await commands.get('ompls.graph')({ uri: 'file:///w/b.c', region: 'x_0' });
disposed.fire();
await move(source, 5);
console.log(JSON.stringify(said));
