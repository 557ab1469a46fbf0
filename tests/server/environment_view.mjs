// Run by test_vscode_features.py: the view of the data environment in the extension for VS Code, without one, after a run that
// was measured.  Prints what came of it.
import { load } from './extension.mjs';

const commands = new Map();
const contexts = [];
const nothing = () => ({ dispose: () => {} });
const uri = { toString: () => 'file:///w/a.c', path: '/w/a.c', scheme: 'file', query: '' };
class EventEmitter {
  event = nothing;
  fire = nothing;
}
const view = { visible: true, onDidChangeVisibility: nothing };
let tree;
const vscode = {
  EventEmitter,
  ThemeIcon: class {
    constructor(id) {
      this.id = id;
    }
  },
  TreeItem: class {
    constructor(label) {
      this.label = label;
    }
  },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  languages: { match: () => 1 },
  window: {
    createTreeView: (_, { treeDataProvider }) => ((tree = treeDataProvider), view),
    onDidChangeTextEditorSelection: nothing,
    onDidChangeActiveTextEditor: nothing,
    activeTextEditor: { document: { uri, languageId: 'c' }, selection: { active: { line: 4, character: 2 } } },
    visibleTextEditors: [],
  },
  workspace: { textDocuments: [] },
  commands: {
    registerCommand: (name, run) => commands.set(name, run),
    executeCommand: (...given) => contexts.push(given),
  },
};
const asked = [];
let refresh;
const entry = { label: 'x', detail: 'references: 1', certainty: 'certain', facts: [{ text: 'mapped here' }] };
const connection = {
  onHealth: nothing,
  measured: { event: (listener) => (refresh = listener) },
  request: async (method, params) => {
    asked.push([method, params.visit ?? 0, params.position.line]);
    const visit = params.visit ?? 3;
    const entries = [
      { ...entry, measured: `references: ${visit}`, differs: visit !== 1 },
      { ...entry, label: 'y', certainty: 'measured', detail: 'not predicted', facts: [], measured: 'references: 1', differs: true },
    ];
    return { message: '', measured: { text: `As it ran: ${visit} of 3`, visit, visits: 3 }, devices: [{ title: 'device 0', entries }] };
  },
};
load(process.argv[2], 'features/environment.ts', vscode).activate({ subscriptions: [] }, connection);
const settled = () => new Promise((resolve) => setTimeout(resolve, 150));
const shown = () => {
  const [device] = tree.getChildren();
  const item = (row) => {
    const made = tree.getTreeItem(row);
    return [made.label, made.description, made.iconPath?.id ?? '', ...tree.getChildren(row).map(item)];
  };
  return [view.message, ...tree.getChildren(device).map(item)];
};
refresh();
await settled();
const states = [shown()];
vscode.window.activeTextEditor = undefined; // the focus is in the view
for (const name of ['earlier', 'earlier', 'earlier', 'later']) {
  commands.get(`ompls.environment.${name}`)();
  await settled();
  states.push(shown());
}
process.stdout.write(JSON.stringify({ states, asked, contexts }));
