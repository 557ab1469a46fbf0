// Run by test_vscode_previews.py: how previews of the extension for VS Code follow the cursor, without an editor.  The word
// behind the extension's folder names the scene; what came of it is printed.
import { load } from './extension.mjs';

const said = {};
const commands = new Map();
const documents = new Map();
const event = () => {
  const listeners = [];
  return Object.assign((listener) => listeners.push(listener), { fire: (value) => listeners.forEach((tell) => tell(value)) });
};
const [selection, active, changed, closed, visible] = Array.from({ length: 5 }, event);
class Uri {
  static parse(text) {
    const [, scheme, authority, path] = /^([\w-]+):\/\/([^/]*)([^?#]*)/.exec(text);
    return Object.assign(new Uri(), { scheme, authority, path, query: '', fsPath: path });
  }
  static file = (path) => Uri.parse(`file://${path}`);
  toString() {
    return `${this.scheme}://${this.authority}${this.path}`;
  }
}
const opened = (uri, languageId) => ({ uri: Uri.parse(uri), languageId });
const place = (line) => ({ active: { line, character: 0 }, start: { line }, end: { line } });
const editorOf = (document) => ({
  document,
  coloured: [],
  selection: place(0),
  setDecorations(_, ranges) {
    this.coloured = ranges.map(({ line }) => line);
  },
  revealRange() {},
});
const vscode = {
  Uri,
  Range: class {
    constructor(line) {
      this.line = line;
    }
  },
  ThemeColor: class {},
  EventEmitter: class {
    event = () => {};
    fire() {}
  },
  ViewColumn: { Beside: -2 },
  TextEditorRevealType: {},
  languages: { match: () => 1, getLanguages: async () => ['c', 'cpp'], setTextDocumentLanguage: async (document) => document },
  window: {
    visibleTextEditors: [],
    createTextEditorDecorationType: () => ({ dispose() {} }),
    onDidChangeTextEditorSelection: selection,
    onDidChangeActiveTextEditor: active,
    onDidChangeVisibleTextEditors: visible,
    showErrorMessage: (text) => (said.errors = [...(said.errors ?? []), text]),
    showInformationMessage() {},
    showQuickPick: async (items) => items[0],
  },
  workspace: {
    onDidChangeTextDocument: changed,
    onDidCloseTextDocument: closed,
    registerTextDocumentContentProvider() {},
    openTextDocument: async (uri) => {
      const name = uri.toString();
      documents.set(name, documents.get(name) ?? opened(name, 'cpp'));
      return documents.get(name);
    },
  },
  commands: {
    registerCommand: (name, run) => commands.set(name, run),
    async executeCommand(name, uri, _options, title) {
      if (name !== 'vscode.open') {
        return;
      }
      const document = documents.get(uri.toString());
      said.shown = [...(said.shown ?? []), regionOf(document)];
      said.titles = [...(said.titles ?? []), title];
      const editors = vscode.window.visibleTextEditors;
      if (!editors.some((editor) => editor.document === document)) {
        // one preview at a time, as VS Code shows what is opened with `preview: true`
        show(...editors.filter((editor) => editor.document.uri.scheme === 'file'), editorOf(document));
      }
    },
  },
};
const regionOf = (document) => document.uri.path.match(/\w+(?=\.cu$)/)[0];
const show = (...editors) => {
  vscode.window.visibleTextEditors = editors;
  visible.fire(editors);
};
const pause = (ms = 150) => new Promise((resolve) => setTimeout(resolve, ms));

// the source: region f_0 on the lines 4 to 6, g_0 on 14 to 16, all from 0
const lineMaps = { f_0: [[3, 6], [4, 7]], g_0: [[3, 16], [4, 17]] }; // prettier-ignore
const held = (line) => ({ 4: 'f_0', 5: 'f_0', 6: 'f_0', 14: 'g_0', 15: 'g_0', 16: 'g_0' })[line];
let answering = async () => {};
const connection = {
  request: async (method, { textDocument, region, position }) => {
    said.asked = [...(said.asked ?? []), [method, region ?? position?.line ?? null]];
    await answering(method);
    const found = region ?? held(position.line) ?? (position.line < 14 ? 'f_0' : 'g_0');
    const uri = `ompls-preview://cuda${textDocument?.uri.slice('file://'.length)}/${found}.cu`;
    const isHeld = region !== undefined || held(position.line) === found;
    return { uri, languageId: 'cpp', region: found, device: 'cuda', held: isHeld, lineMap: lineMaps[found] };
  },
};
const { activate, texts } = load(process.argv[2], 'features/preview.ts', vscode);
activate({ subscriptions: [] }, connection);
const source = editorOf(opened('file:///w/a.c', 'c'));
show(source);
vscode.window.activeTextEditor = source;
const move = (line) => {
  source.selection = place(line);
  selection.fire({ textEditor: source });
};
const preview = () => vscode.window.visibleTextEditors.find((editor) => editor.document.uri.scheme === 'ompls-preview');
const begin = async () => {
  move(5);
  await commands.get('ompls.preview')();
};

const scenes = {
  async follows() {
    await begin();
    for (const line of [9, 15, 9, 0, 20, 5]) {
      move(line);
      await pause();
    }
  },
  async elsewhere() {
    await begin();
    const other = editorOf(opened('file:///w/b.c', 'c'));
    const go = async (line) => {
      other.selection = place(line);
      selection.fire({ textEditor: other });
      await pause();
    };
    show(other, preview());
    vscode.window.activeTextEditor = other;
    await go(9); // in no region
    await go(15);
    said.coloured = [other.coloured, preview().coloured];
    vscode.window.activeTextEditor = preview();
    await commands.get('ompls.pin')();
    vscode.window.activeTextEditor = source;
    show(source, preview());
    move(5);
    await pause();
  },
  async colours() {
    await begin();
    const beside = preview();
    said.both = [source.coloured, beside.coloured];
    show(source); // the preview is closed
    said.alone = source.coloured;
    show(source, beside);
    move(5);
    said.again = source.coloured;
    show(beside); // the source is
    said.preview = beside.coloured;
  },
  async late() {
    await begin();
    const pin = async (command) => {
      vscode.window.activeTextEditor = preview();
      await commands.get(command)();
      vscode.window.activeTextEditor = source;
    };
    const before = async (meanwhile) => {
      let arrive;
      answering = () => new Promise((resolve) => (arrive = resolve));
      move(15);
      await pause();
      answering = async () => {};
      await meanwhile();
      arrive();
      await pause();
    };
    await before(() => pin('ompls.pin'));
    await pin('ompls.unpin');
    await before(() => move(5));
    await before(() => show(source));
  },
  async fetched() {
    const [shown, absent] = ['f_0', 'g_0'].map((region) => Uri.parse(`ompls-preview://cuda/w/a.c/${region}.cu`));
    const documents = [{ uri: shown, getText: () => 'as it was' }, source.document];
    const fetch = (uri) => texts.provideTextDocumentContent(uri, {}, () => 'asked for');
    vscode.workspace.textDocuments = documents;
    said.open = fetch(shown);
    vscode.workspace.textDocuments = documents.slice(0, 1); // the source is closed
    said.closed = [fetch(shown), fetch(absent)];
  },
  async refused() {
    await begin();
    answering = async (method) => {
      throw new Error(`${method}: no server`);
    };
    vscode.window.activeTextEditor = preview();
    for (const [name, wanted] of [['preview', { choose: true, uri: 'file:///w/a.c' }], ['previewFor'], ['compare']]) {
      await commands.get(`ompls.${name}`)(wanted).catch((problem) => (said.unheard = problem.message));
    }
  },
};
await scenes[process.argv[3]]();
process.stdout.write(JSON.stringify(said));
