// Run by test_vscode_features.py: the connection of the extension for VS Code to its server, without either.
import { load } from './extension.mjs';

const said = { started: [], log: [], health: [], warned: [] };
const events = {};
const version = { answered: '0.1.0' };
const vscode = {
  EventEmitter: class {
    listeners = [];
    event = (listener) => this.listeners.push(listener);
    fire = (value) => this.listeners.forEach((listener) => listener(value));
  },
  commands: { registerCommand: (name, run) => (events[name] = run), executeCommand: async (...command) => (events[command[0]] ?? ((...sent) => said.warned.push(sent)))(...command) },
  window: {
    showErrorMessage: async (text, ...buttons) => {
      said.failed = [text, ...buttons];
      await settled();
      return buttons[0];
    },
    showWarningMessage: async (text, ...buttons) => {
      said.warned.push(text);
      return buttons[0];
    },
  },
  extensions: { getExtension: () => undefined },
  workspace: {
    isTrusted: false,
    workspaceFolders: [],
    getConfiguration: () => ({ get: () => ({}), inspect: () => ({ globalValue: '/bin/sh' }) }),
    onDidGrantWorkspaceTrust: (listener) => (events.trusted = listener),
    onDidChangeConfiguration: (listener) => (events.configured = listener),
  },
};
const hung = { now: false, disposed: 0 };
const languageclient = {
  CloseAction: { DoNotRestart: 1 },
  State: { Running: 2, Starting: 3, Stopped: 1 },
  TransportKind: { stdio: 0 },
  LanguageClient: class {
    initializeResult = { serverInfo: { version: version.answered } };
    constructor(id, name, server, options) {
      this.options = options;
      this.clientOptions = {};
    }
    registerFeature() {}
    onDidChangeState(listener) {
      this.tell = (newState) => listener({ newState });
    }
    async start() {
      this.hangs = hung.now;
      if (this.hangs) return new Promise(() => {});
      said.started.push(this.options.initializationOptions.trusted);
      this.tell(2);
    }
    async dispose() {
      if (this.hangs) {
        hung.disposed++;
        throw new Error('Client is not running'); // as the library's own says
      }
    }
  },
};
const log = Object.fromEntries(['info', 'warn', 'error'].map((level) => [level, (text) => said.log.push(`${level}: ${text}`)]));
const { Connection } = load(process.argv[2], 'connection.ts', vscode, { 'vscode-languageclient/node': languageclient });
const kept = {};
const settled = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};
const globalState = { get: (name) => kept[name], update: async (name, value) => void (kept[name] = value) };
const context = { globalState, subscriptions: [], extensionPath: '/nowhere', extension: { packageJSON: { version: '0.1.0' } } };
const connection = new Connection(context, log);
connection.onHealth((health) => said.health.push(health));
const scenes = {
  async versions() {
    await connection.restart('start');
    vscode.workspace.isTrusted = true;
    await events.trusted();
    version.answered = '0.0.9';
    const first = events['ompls.restart']();
    void events['ompls.restart']();
    void events['ompls.restart'](); // while it restarts: once more, not twice
    await first;
    events.configured({ affectsConfiguration: () => false });
  },
  // a restart does not wait for a server that does not answer, nor does anybody for ever
  async unanswered() {
    hung.now = true;
    void events['ompls.restart']();
    await settled();
    hung.now = false;
    said.began = said.started.length;
    await events['ompls.restart']();
    said.afterRestart = [said.started.length - said.began, hung.disposed, connection.health];
    hung.now = true;
    const { setTimeout: later } = globalThis;
    let limit;
    globalThis.setTimeout = (work, ms) => (ms > 1000 ? (limit = work) : later(work, ms));
    const waiting = events['ompls.restart']();
    await settled();
    const asked = connection.request('ompls/devices', {}).catch((problem) => problem.message);
    hung.now = false;
    limit?.();
    await waiting;
    said.afterLimit = [await asked, hung.disposed];
    await settled();
    await settled();
    said.health.push(connection.health);
  },
};
await scenes[process.argv[3]]();
process.stdout.write(JSON.stringify(said));
