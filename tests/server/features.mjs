// Run by test_vscode_features.py: commands of the extension for VS Code, without one.  Prints what came of them.
import { load } from './extension.mjs';

const said = {};
const commands = new Map();
const providers = new Map();
const terminals = [];
const cleared = '\x1b[2J\x1b[3J\x1b[H';

class Uri {
  constructor(scheme, authority, path, query) {
    Object.assign(this, { scheme, authority, path, query, fsPath: path });
  }
  static parse(text) {
    const [, scheme, , authority = '', path, , query = ''] = /^([\w-]+):(\/\/([^/]*))?([^?#]*)(\?([^#]*))?/.exec(text);
    return new Uri(scheme, authority, decodeURIComponent(path), decodeURIComponent(query));
  }
  static file = (path) => new Uri('file', '', path, '');
  static from = ({ scheme, path }) => new Uri(scheme, '', path, '');
  toString() {
    const place = this.authority || this.scheme === 'file' ? `//${this.authority}` : '';
    return `${this.scheme}:${place}${this.path}${this.query && `?${this.query}`}`;
  }
}
class EventEmitter {
  listeners = [];
  event = (listener) => this.listeners.push(listener);
  fire = (value) => this.listeners.forEach((listener) => listener(value));
}
class CancellationTokenSource {
  token = { isCancellationRequested: false };
  cancel() {
    this.token.isCancellationRequested = true;
    this.token.onCancelled?.();
  }
}
const closing = new EventEmitter();
const active = new EventEmitter();
const opened = (uri, languageId = 'c') => ({ uri: Uri.parse(uri), languageId, isDirty: false });
const vscode = {
  Uri,
  EventEmitter,
  CancellationTokenSource,
  ThemeIcon: class {},
  ViewColumn: { Beside: -2 },
  languages: {
    match: (selectors, { uri, languageId }) =>
      selectors.some(({ language = languageId, scheme = uri.scheme, pattern = '' }) =>
        language === languageId && scheme === uri.scheme && uri.path.endsWith(pattern.replace('**/*', ''))),
  },
  window: {
    visibleTextEditors: [],
    onDidChangeActiveTextEditor: active.event,
    onDidCloseTerminal: closing.event,
    showErrorMessage: (text) => (said.errors = [...(said.errors ?? []), text]),
    showInformationMessage: (text) => (said.informed = [...(said.informed ?? []), text]),
    showTextDocument: async (document) => (said.shown = document),
    createTerminal: ({ pty }) => {
      const terminal = { pty, show: () => pty.open({ columns: 100, rows: 30 }), text: '' };
      pty.onDidWrite((text) => (terminal.text += text));
      terminals.push(terminal);
      return terminal;
    },
  },
  workspace: {
    isTrusted: true,
    onDidOpenTextDocument: () => {},
    registerTextDocumentContentProvider: (scheme, provider) => providers.set(scheme, provider),
    openTextDocument: async (uri) => ({ uri, isDirty: false, text: providers.get(uri.scheme)?.provideTextDocumentContent() }),
  },
  commands: {
    registerCommand: (name, run) => commands.set(name, run),
    executeCommand: (name, ...given) => (said.contexts = [...(said.contexts ?? []), given]),
  },
};
const requests = [];
const devices = [
  { name: 'host', available: true, description: 'cores' },
  { name: 'cuda', available: false, reason: 'no driver', hint: 'install it' },
  { name: 'nano', available: true, description: 'over SSH', board: true, login: 'failed' },
];
let output;
const connection = {
  measured: { fire: () => (said.refreshed = true) },
  onClient: (take) => take({ onNotification: (_, handler) => (output = handler) }),
  notify: (method, params) => requests.push([method, params]),
  request: (method, params, token) => {
    requests.push([method, JSON.parse(JSON.stringify(params))]);
    if (method === 'ompls/devices') return Promise.resolve({ devices });
    if (method === 'ompls/whyNoAnswer') return Promise.resolve({ markdown: `page ${requests.length}` });
    return new Promise((resolve, reject) => {
      connection.end = (exitCode) => resolve({ exitCode, seconds: 1, ...(params.trace && { measured: true }) });
      token.onCancelled = () => reject(new Error('cancelled'));
    });
  },
};
const context = { subscriptions: [] };
const settled = () => new Promise((resolve) => setImmediate(resolve));
const focus = (document, line = 0) => {
  const editor = document && { document, selection: { active: { line, character: 0 } } };
  vscode.window.activeTextEditor = editor;
  if (document && document.uri.scheme !== 'ompls-preview') vscode.window.visibleTextEditors = [editor];
  active.fire(editor);
};

for (const module of ['documents.ts', 'features/why.ts', 'features/run.ts']) {
  load(process.argv[2], module, vscode).activate(context, connection);
}
focus(opened('file:///w/a.h', 'cpp'), 3);
await commands.get('ompls.whyNoAnswer')();
said.first = said.shown.text;
focus(opened('ompls-preview://cuda/w/a.h/f_0.cu', 'cuda-cpp'), 8);
await commands.get('ompls.whyNoAnswer')();
said.second = said.shown.text;
said.page = said.shown.uri.toString();
focus(opened('ompls-preview://host/untitled/f_0.c?untitled%3AUntitled-1', 'c'));
await commands.get('ompls.whyNoAnswer')();
focus(opened('file:///w/a.c'), 5);
focus(undefined); // the walkthrough, beside the source
await commands.get('ompls.whyNoAnswer')();
focus(opened('file:///w/a.cpp', 'cpp'));
focus(undefined);
await commands.get('ompls.whyNoAnswer')();
said.questions = requests.splice(0).map(([, params]) => params);

// one run that is typed to, one that another one ends, and two at once
focus(opened('ompls-preview://cuda/w/a.c/main_0.cu', 'cuda-cpp'));
const run = commands.get('ompls.run');
void run();
await settled();
output({ run: 'vscode-1', text: 'one\r\n' });
output({ run: 'another', text: 'not mine' });
const [terminal] = terminals;
terminal.pty.handleInput('x\r');
terminal.pty.setDimensions({ columns: 9, rows: 8 });
connection.end(3);
await settled();
terminal.pty.handleInput('nobody reads it');
void run({ uri: 'file:///w/b.c', device: 'host' });
await settled();
void run();
void run({ uri: 'file:///w/c.c' });
await settled();
await settled();
output({ run: 'vscode-2', text: 'too late' });
output({ run: 'vscode-4', text: 'four' });
said.screens = terminal.text.split(cleared).slice(1);
terminal.pty.close();
closing.fire(terminal);
await settled();
void run();
await settled();
said.terminals = terminals.length;
void commands.get('ompls.runMeasured')();
await settled();
await settled();
connection.end(0);
await settled();
await settled();
said.measured = terminals.at(-1).text;

// on a device or a board that is chosen
said.typed = requests.splice(0);
const chosen = async (index) => {
  vscode.window.showQuickPick = async (items) => {
    said.choices = items.map(({ label, description = '', detail }) => [label, description, detail]);
    return items[index];
  };
  void commands.get('ompls.runOn')();
  for (let i = 0; i < 9; i++) await settled();
};
for (const index of [2, 3]) await chosen(index);
vscode.workspace.isTrusted = false;
await chosen(0);
said.chosen = requests.map(([method, params]) => [method, params.device ?? '', params.remote ?? '']);
delete said.shown;
process.stdout.write(JSON.stringify(said));
