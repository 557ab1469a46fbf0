// Run: builds the program and runs it on a device, in one terminal for all runs; Ctrl-C, another run, or closing the
// terminal ends it.  Needs `ompls/run` and the notifications `ompls/runOutput` and `ompls/runInput` (experimental).
// Never in an untrusted workspace.
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { type Device, iconOf } from './devices';
import { activePlace } from '../documents';
import { reasonOf, showProblem } from '../messages';

interface Output {
  run: string;
  text: string;
}

/** What `ompls/run` is asked for; `remote`: the whole program on that board; `trace`: it is measured. */
interface Wanted {
  trace?: boolean;
  uri?: string;
  device?: string;
  remote?: string;
}

interface Ended {
  measured?: boolean;
  exitCode: number;
  seconds: number;
}

let count = 0; // runs that were asked for

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  let runs: RunTerminal | undefined;
  let terminal: vscode.Terminal | undefined;
  const run = async (wanted: Wanted = {}): Promise<void> => {
    const place = wanted.uri ? { uri: vscode.Uri.parse(wanted.uri) } : activePlace();
    if (!place || !vscode.workspace.isTrusted) {
      void vscode.window.showInformationMessage('ompls: open a C file in a trusted workspace to run it.');
      return;
    }
    const document = await vscode.workspace.openTextDocument(place.uri);
    if (document.isDirty && !(await document.save())) {
      void vscode.window.showErrorMessage('ompls: the file was not saved, so it was not run.');
      return;
    }
    if (!runs || !terminal) {
      runs = new RunTerminal(connection);
      terminal = vscode.window.createTerminal({ name: 'ompls: run', pty: runs, iconPath: new vscode.ThemeIcon('play') });
    }
    terminal.show(true);
    await runs.run(place.uri, wanted);
  };
  const runOn = async (): Promise<void> => {
    if (!vscode.workspace.isTrusted) {
      return run(); // it says so
    }
    try {
      const place = activePlace();
      const params = place ? { textDocument: { uri: place.uri.toString() } } : {};
      const answer = await connection.request<{ devices: Device[] }>('ompls/devices', params);
      const chosen = await vscode.window.showQuickPick(answer.devices.flatMap(choices), { placeHolder: 'Run on' });
      if (chosen) {
        await run(chosen.wanted);
      }
    } catch (problem) {
      showProblem(problem);
    }
  };
  context.subscriptions.push(
    connection.onClient((client) => client.onNotification('ompls/runOutput', (o: Output) => runs?.shows(o))),
    vscode.window.onDidCloseTerminal((closed) => {
      if (closed === terminal) {
        terminal = runs = undefined;
      }
    }),
    vscode.commands.registerCommand('ompls.run', run),
    vscode.commands.registerCommand('ompls.runOn', runOn),
    vscode.commands.registerCommand('ompls.runMeasured', () => run({ trace: true })),
  );
}

/** A device to choose; a board also runs whole programs. */
function choices(device: Device): (vscode.QuickPickItem & { wanted: Wanted })[] {
  const { name, board, available, cannot, description = '' } = device;
  const able = cannot ? `cannot run it: ${cannot}` : description;
  const detail = available ? able : [device.reason, device.hint].filter(Boolean).join('; ');
  const regions = { label: `${iconOf(device)} ${name}`, detail, wanted: { device: name } };
  return board
    ? [
        { label: `${iconOf(device)} ${name}`, description: 'the whole program', detail: description, wanted: { remote: name } },
        { ...regions, description: 'its regions' },
      ]
    : [regions];
}

/** The terminal: what the present run prints, and what is typed for it. */
class RunTerminal implements vscode.Pseudoterminal {
  private readonly writer = new vscode.EventEmitter<string>();
  private opening: () => void = () => {};
  private readonly opened = new Promise<void>((resolve) => {
    this.opening = resolve;
  });
  private size = { columns: 80, rows: 24 };
  private present: { id: string; source: vscode.CancellationTokenSource; ended: Promise<void> } | undefined;
  readonly onDidWrite = this.writer.event;

  constructor(private readonly connection: Connection) {}

  /** What is written before that is lost, so the first run waits for it. */
  open(size: vscode.TerminalDimensions | undefined): void {
    this.size = size ? { columns: size.columns, rows: size.rows } : this.size;
    this.opening();
  }

  close(): void {
    this.present?.source.cancel();
    this.present = undefined;
  }

  setDimensions(size: vscode.TerminalDimensions): void {
    this.size = { columns: size.columns, rows: size.rows };
    this.tell({ terminal: this.size });
  }

  handleInput(text: string): void {
    this.tell({ text });
  }

  shows(output: Output): void {
    if (output.run === this.present?.id) {
      this.writer.fire(output.text);
    }
  }

  /** Ends the run that is going on, and begins another one. */
  async run(uri: vscode.Uri, wanted: Wanted): Promise<void> {
    const number = ++count;
    this.present?.source.cancel();
    await Promise.all([this.opened, this.present?.ended]);
    if (number !== count) {
      return; // somebody was faster
    }
    const id = `vscode-${number}`;
    const source = new vscode.CancellationTokenSource();
    this.writer.fire('\x1b[2J\x1b[3J\x1b[H'); // nothing of the last one is left
    const ended = this.request(id, uri, wanted, source.token);
    this.present = { id, source, ended };
    await ended;
  }

  private async request(id: string, uri: vscode.Uri, wanted: Wanted, token: vscode.CancellationToken): Promise<void> {
    const { device, remote, trace } = wanted;
    const params = { textDocument: { uri: uri.toString() }, device, remote, trace, run: id, terminal: this.size };
    let last: string;
    try {
      const ended = await this.connection.request<Ended>('ompls/run', params, token);
      last = `exit code ${ended.exitCode} after ${ended.seconds} s`;
      if (ended.measured !== undefined) {
        last += ended.measured ? ': measured, see the data environment' : ': nothing was measured';
        this.connection.measured.fire();
      }
    } catch (problem) {
      last = token.isCancellationRequested ? 'stopped' : reasonOf(problem);
    }
    if (this.present?.id === id) {
      this.present = undefined;
      this.writer.fire(`\r\n${last.replace(/\r?\n/g, '\r\n')}\r\n`);
    }
  }

  private tell(input: { text?: string; terminal?: { columns: number; rows: number } }): void {
    if (this.present) {
      this.connection.notify('ompls/runInput', { run: this.present.id, ...input });
    }
  }
}
