// The data environment: the present table of each device at the cursor, as a tree that follows it; each row leads to its
// source.  Needs `ompls/dataEnvironment` (experimental).
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { activePlace } from '../documents';

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
  location?: Location;
  facts: Fact[];
}

interface Environment {
  message: string;
  devices: { title: string; entries: Entry[] }[];
}

const ICONS: Record<string, string> = { certain: 'pass', possible: 'question', unknown: 'circle-slash' };

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const tree = new Tree();
  const view = vscode.window.createTreeView(VIEW, { treeDataProvider: tree, showCollapseAll: true });
  let timer: NodeJS.Timeout | undefined;
  let asked = 0;
  const show = async (): Promise<void> => {
    const place = view.visible ? activePlace() : undefined;
    if (!place?.position) {
      return; // what was shown stays: the focus is in the view itself, or in another editor
    }
    const number = ++asked;
    try {
      const params = { textDocument: { uri: place.uri.toString() }, position: place.position };
      const answer = await connection.request<Environment>('ompls/dataEnvironment', params);
      if (number === asked) {
        view.message = answer.message;
        tree.replace(answer.devices.map(({ title, entries }) => ({ label: title, icon: 'circuit-board', rows: entries.map(row) })));
      }
    } catch (problem) {
      if (number === asked) {
        view.message = problem instanceof Error ? problem.message : String(problem);
        tree.replace([]);
      }
    }
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void show(), PAUSE);
  };
  context.subscriptions.push(
    view,
    view.onDidChangeVisibility(soon),
    vscode.window.onDidChangeTextEditorSelection(soon),
    vscode.window.onDidChangeActiveTextEditor(soon),
    connection.onHealth(soon),
    vscode.commands.registerCommand('ompls.dataEnvironment', () => vscode.commands.executeCommand(`${VIEW}.focus`)),
    { dispose: () => clearTimeout(timer) },
  );
}

function row({ label, detail, certainty, location, facts }: Entry): Row {
  const rows = facts.map((fact) => ({ label: fact.text, location: fact.location }));
  return { label, detail, icon: ICONS[certainty] ?? 'question', location, rows };
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
