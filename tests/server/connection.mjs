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
  commands: { registerCommand: (name, run) => (events[name] = run), executeCommand: async (...command) => said.warned.push(command) },
  window: {
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
const languageclient = {
  State: { Running: 2, Starting: 3, Stopped: 1 },
  TransportKind: { stdio: 0 },
  LanguageClient: class {
    initializeResult = { serverInfo: { version: version.answered } };
    constructor(id, name, server, options) {
      this.options = options;
    }
    registerFeature() {}
    onDidChangeState(listener) {
      this.tell = (newState) => listener({ newState });
    }
    async start() {
      said.started.push(this.options.initializationOptions.trusted);
      this.tell(2);
    }
    async dispose() {}
  },
};
const log = Object.fromEntries(['info', 'warn', 'error'].map((level) => [level, (text) => said.log.push(`${level}: ${text}`)]));
const { Connection } = load(process.argv[2], 'connection.ts', vscode, { 'vscode-languageclient/node': languageclient });
const kept = {};
const globalState = { get: (name) => kept[name], update: async (name, value) => void (kept[name] = value) };
const context = { globalState, subscriptions: [], extensionPath: '/nowhere', extension: { packageJSON: { version: '0.1.0' } } };
const connection = new Connection(context, log);
connection.onHealth((health) => said.health.push(health));
await connection.restart('start');
vscode.workspace.isTrusted = true;
await events.trusted();
version.answered = '0.0.9';
const first = events['ompls.restart']();
void events['ompls.restart']();
void events['ompls.restart'](); // while it restarts: once more, not twice
await first;
events.configured({ affectsConfiguration: () => false });
process.stdout.write(JSON.stringify(said));
