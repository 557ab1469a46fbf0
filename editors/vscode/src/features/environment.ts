// The data environment: the present table of each device at the cursor, as a tree that follows it; each row leads to its
// source.  After a run that was measured each row says what was there, too.  Needs `ompls/dataEnvironment` (experimental).
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { activePlace } from '../documents';
import { reasonOf } from '../messages';

const VIEW = 'ompls.environment';
const PAUSE = 100; // ms without a move of the cursor before the server is asked

interface Location {
  uri: string;
  range: { start: vscode.Position; end: vscode.Position };
}

/** A row of any level: what it shows, where it leads, what is below. */
interface Row {
  label: string;
  detail?: string;
  icon?: string;
  location?: Location | undefined;
  rows?: Row[];
}

interface Fact {
  text: string;
  location?: Location;
}

interface Entry {
  label: string;
  detail: string;
  certainty: string;
  measured?: string;
  differs?: boolean;
  location?: Location;
  facts: Fact[];
}

interface Environment {
  message: string;
  measured?: { text: string; visit: number; visits: number };
  devices: { title: string; entries: Entry[] }[];
}

const ICONS: Record<string, string> = { certain: 'pass', possible: 'question', unknown: 'circle-slash' };
const DIFFERS = 'warning';

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const tree = new Tree();
  const view = vscode.window.createTreeView(VIEW, { treeDataProvider: tree, showCollapseAll: true });
  let timer: NodeJS.Timeout | undefined;
  let asked = 0;
  let last: { textDocument: { uri: string }; position?: vscode.Position; region?: string } | undefined;
  let measured: Environment['measured'];
  const show = async (visit?: number): Promise<void> => {
    const place = view.visible ? activePlace() : undefined;
    if (place?.position) {
      last = { textDocument: { uri: place.uri.toString() }, position: place.position };
    } else if (place?.region) {
      last = { textDocument: { uri: place.uri.toString() }, region: place.region }; // of a preview alone
    } else if (visit === undefined || !last) {
      return; // what was shown stays: the focus is in the view itself, or in another editor
    }
    const number = ++asked;
    try {
      const params = { ...last, visit };
      const answer = await connection.request<Environment>('ompls/dataEnvironment', params);
      if (number === asked) {
        measured = answer.measured;
        void vscode.commands.executeCommand('setContext', 'ompls.measured', measured !== undefined && measured.visits > 1);
        view.message = [answer.message, measured?.text].filter(Boolean).join(' ');
        tree.replace(answer.devices.map(({ title, entries }) => ({ label: title, icon: 'circuit-board', rows: entries.map(row) })));
      }
    } catch (problem) {
      if (number === asked) {
        view.message = reasonOf(problem);
        tree.replace([]);
      }
    }
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void show(), PAUSE);
  };
  const step = (by: number): void => {
    if (measured) {
      void show(Math.min(Math.max(measured.visit + by, 1), measured.visits));
    }
  };
  context.subscriptions.push(
    view,
    view.onDidChangeVisibility(soon),
    vscode.window.onDidChangeTextEditorSelection(soon),
    vscode.window.onDidChangeActiveTextEditor(soon),
    connection.onHealth(soon),
    connection.measured.event(soon),
    vscode.commands.registerCommand('ompls.environment.earlier', () => step(-1)),
    vscode.commands.registerCommand('ompls.environment.later', () => step(1)),
    vscode.commands.registerCommand('ompls.dataEnvironment', () => vscode.commands.executeCommand(`${VIEW}.focus`)),
    { dispose: () => clearTimeout(timer) },
  );
}

function row({ label, detail, certainty, measured, differs, location, facts }: Entry): Row {
  const rows: Row[] = facts.map((fact) => ({ label: fact.text, location: fact.location }));
  if (measured !== undefined) {
    rows.unshift({ label: `the run: ${measured}`, icon: differs ? DIFFERS : 'dashboard' });
  }
  const beside = measured === undefined ? detail : `${detail} │ the run: ${measured}`;
  return { label, detail: beside, icon: differs ? DIFFERS : (ICONS[certainty] ?? 'question'), location, rows };
}

class Tree implements vscode.TreeDataProvider<Row> {
  private readonly changed = new vscode.EventEmitter<void>();
  private rows: Row[] = [];
  readonly onDidChangeTreeData = this.changed.event;

  replace(rows: Row[]): void {
    this.rows = rows;
    this.changed.fire();
  }

  getChildren(row?: Row): Row[] {
    return row ? (row.rows ?? []) : this.rows;
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(row.label, !row.rows?.length ? None : row.detail ? Collapsed : Expanded);
    item.description = row.detail ?? '';
    item.tooltip = [row.label, row.detail].filter(Boolean).join('\n');
    if (row.icon) {
      item.iconPath = new vscode.ThemeIcon(row.icon);
    }
    if (row.location) {
      const { uri, range } = row.location;
      const selection = new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
      item.command = { command: 'vscode.open', title: 'Show', arguments: [vscode.Uri.parse(uri), { selection, preserveFocus: true }] };
    }
    return item;
  }
}
