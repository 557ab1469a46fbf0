// Run by test_vscode_features.py: what the extension for VS Code shows of failures and settings that somebody else wrote.
import { load } from './extension.mjs';

const EVIL = '[Fix it](command:x.y) \x1b[31m\u202ea\tb\r\nc';
const said = { errors: [] };
const commands = new Map();
const nothing = () => ({ dispose: () => {} });
const status = {};
class EventEmitter {
  event = nothing;
  fire = () => {};
}
const uri = { scheme: 'file', path: '/w/a.c', toString: () => 'file:///w/a.c' };
const vscode = {
  EventEmitter,
  LanguageStatusSeverity: {},
  ThemeColor: class {},
  Uri: { from: () => uri },
  languages: { createLanguageStatusItem: () => status, match: () => 1 },
  window: {
    activeTextEditor: { document: { uri, languageId: 'c' }, selection: { active: { line: 1, character: 0 } } },
    visibleTextEditors: [],
    createTextEditorDecorationType: nothing,
    onDidChangeActiveTextEditor: nothing,
    onDidChangeTextEditorSelection: nothing,
    onDidChangeVisibleTextEditors: nothing,
    onDidCloseTerminal: nothing,
    showErrorMessage: (text) => said.errors.push(text),
  },
  workspace: {
    isTrusted: true,
    getConfiguration: () => ({ get: () => EVIL }),
    onDidChangeConfiguration: nothing,
    onDidChangeTextDocument: nothing,
    onDidCloseTextDocument: nothing,
    registerTextDocumentContentProvider: nothing,
  },
  commands: { registerCommand: (name, run) => commands.set(name, run) },
};
const connection = {
  health: 'running',
  onClient: nothing,
  onHealth: nothing,
  request: () => Promise.reject(new Error(EVIL)),
};
for (const feature of ['status', 'why', 'preview', 'devices', 'run']) {
  load(process.argv[2], `features/${feature}.ts`, vscode).activate({ subscriptions: [] }, connection);
}
for (const name of ['whyNoAnswer', 'preview', 'devices', 'runOn']) await commands.get(`ompls.${name}`)();

const languageclient = { CloseAction: {}, LanguageClient: class { clientOptions = {}; } };
const { Client } = load(process.argv[2], 'client.ts', vscode, { 'vscode-languageclient/node': languageclient });
new Client().clientOptions.initializationFailedHandler(new Error(EVIL));
said.status = status.detail;
process.stdout.write(JSON.stringify(said));
