// Task graphs: the picture of the static task graph at the cursor, beside its source, made anew while typing.  A click on a
// task selects its line, and unfolds what is shown as one; the tasks of the cursor's line are marked.  In another graph the
// picture follows the cursor there.  The server makes the picture (SVG): so every editor and `ompls graph` have the same.
// Needs `ompls/preview` (experimental) with `picture`.
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { activePlace } from '../documents';
import { reasonOf, showProblem } from '../messages';
import { page } from './graphpage';

/** In place of a device. */
export const GRAPH = 'taskgraph';

interface Made {
  region: string;
  held: boolean;
  /** The graph in words; where there is no picture, why not. */
  text: string;
  picture: string | null;
  /** The source does not parse: the text says so in its first line, and what was shown before is better. */
  stale: boolean;
}

export interface Wanted {
  uri?: string;
  region?: string;
}

/** What the page says: a task was clicked. */
interface Clicked {
  line?: number;
  fold?: string;
}

const PAUSE = 100; // ms without a key or a move of the cursor before the server is asked

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const graphs = new Graphs(connection);
  context.subscriptions.push(
    graphs,
    vscode.commands.registerCommand('ompls.graph', (wanted?: Wanted) => graphs.show(wanted).catch(showProblem)),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => graphs.moved(textEditor)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => graphs.changed(document)),
    connection.onHealth((health) => health === 'running' && graphs.again()),
  );
}

class Graphs implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** What the panel shows. */
  private shown: { uri: string; region: string } | undefined;
  private unfolded: string[] = [];
  private asked = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly connection: Connection) {}

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
  }

  /** Show the graph that is wanted, else the one at the cursor. */
  async show(wanted: Wanted = {}): Promise<void> {
    const place = wanted.uri ? undefined : activePlace();
    const uri = wanted.uri ?? place?.uri.toString();
    if (!uri) {
      void vscode.window.showInformationMessage('ompls: open a C file to see its task graphs.');
      return;
    }
    const made = await this.ask(uri, wanted.region ? { region: wanted.region } : { position: place?.position });
    if (made) {
      this.open();
      this.take(uri, made);
    }
  }

  /** The cursor has moved in a source: mark its tasks, or show the graph that it is in now. */
  moved(editor: vscode.TextEditor): void {
    const uri = editor.document.uri.toString();
    if (!this.panel || editor.document.languageId !== 'c') {
      return;
    }
    if (uri === this.shown?.uri) {
      this.mark(editor);
    }
    this.later(async () => {
      const made = await this.ask(uri, { position: editor.selection.active });
      if (made?.held && (uri !== this.shown?.uri || made.region !== this.shown.region)) {
        this.take(uri, made);
      }
    });
  }

  /** Somebody types in the source of what is shown. */
  changed(document: vscode.TextDocument): void {
    if (this.panel && document.uri.toString() === this.shown?.uri) {
      this.later(() => this.refresh());
    }
  }

  again(): void {
    if (this.panel) {
      this.later(() => this.refresh());
    }
  }

  private later(work: () => Promise<void>): void {
    clearTimeout(this.timer);
    // What nobody has asked for is refused in silence: the graph may come back with the next key.
    this.timer = setTimeout(() => void work().catch((why) => this.connection.log.info(reasonOf(why))), PAUSE);
  }

  /** The answer; undefined when another one was asked for meanwhile. */
  private async ask(uri: string, which: object): Promise<Made | undefined> {
    const number = ++this.asked;
    const params = { textDocument: { uri }, device: GRAPH, picture: true, unfolded: this.unfolded, ...which };
    const made = await this.connection.request<Made>('ompls/preview', params);
    return number === this.asked ? made : undefined;
  }

  private async refresh(): Promise<void> {
    const shown = this.shown;
    const made = shown && (await this.ask(shown.uri, { region: shown.region }));
    if (made) {
      this.take(shown.uri, made);
    }
  }

  private open(): void {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      return;
    }
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel('ompls.graph', 'Task graph', place, {
      enableScripts: true,
      localResourceRoots: [],
      retainContextWhenHidden: true,
    });
    this.panel.webview.html = page();
    this.panel.webview.onDidReceiveMessage((clicked: Clicked) => void this.clicked(clicked).catch(showProblem));
    this.panel.onDidDispose(() => {
      this.panel = undefined;
      this.shown = undefined;
      this.unfolded = [];
    });
  }

  private take(uri: string, made: Made): void {
    if (!this.panel) {
      return; // closed meanwhile
    }
    if (uri !== this.shown?.uri || made.region !== this.shown.region) {
      this.unfolded = [];
    }
    this.shown = { uri, region: made.region };
    this.panel.title = `Task graph: ${made.region.replace(/_0$/, '')}`;
    const [head] = made.text.split('\n');
    const { picture, stale, text } = made;
    void this.panel.webview.postMessage(stale ? { head } : { head: picture ? head : text, picture });
    const editor = this.source();
    if (editor) {
      this.mark(editor);
    }
  }

  private source(): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.shown?.uri);
  }

  private mark({ selection }: vscode.TextEditor): void {
    void this.panel?.webview.postMessage({ from: selection.start.line + 1, to: selection.end.line + 1 });
  }

  private async clicked({ line, fold }: Clicked): Promise<void> {
    if (fold !== undefined) {
      this.unfolded.push(fold);
      await this.refresh();
    }
    if (line !== undefined && this.shown) {
      const place = new vscode.Position(line - 1, 0);
      const viewColumn = this.source()?.viewColumn ?? vscode.ViewColumn.One;
      const selection = new vscode.Range(place, place);
      await vscode.window.showTextDocument(vscode.Uri.parse(this.shown.uri), { viewColumn, selection });
    }
  }
}
