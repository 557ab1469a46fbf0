// Run: builds the program and runs it on a device, in a terminal; Ctrl-C or closing the terminal stops it.
// Needs `ompls/run` and the notification `ompls/runOutput` (experimental). Never in an untrusted workspace.
import * as vscode from 'vscode';
import type { Connection } from '../connection';

interface Output {
  run: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

interface Ended {
  exitCode: number;
  seconds: number;
}

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const outputs = new vscode.EventEmitter<Output>();
  let count = 0;
  const run = async (wanted: { uri?: string; device?: string } = {}): Promise<void> => {
    const given = wanted.uri ? vscode.Uri.parse(wanted.uri) : vscode.window.activeTextEditor?.document.uri;
    if (!given || !vscode.workspace.isTrusted) {
      void vscode.window.showInformationMessage('ompls: open a C file in a trusted workspace to run it.');
      return;
    }
    const document = await vscode.workspace.openTextDocument(given);
    if (document.isDirty && !(await document.save())) {
      void vscode.window.showErrorMessage('ompls: the file was not saved, so it was not run.');
      return;
    }
    const name = given.path.slice(given.path.lastIndexOf('/') + 1);
    const pty = new RunTerminal(connection, outputs.event, given, wanted.device, `vscode-${++count}`);
    vscode.window.createTerminal({ name: `ompls: ${name}`, pty }).show(true);
  };
  context.subscriptions.push(
    outputs,
    connection.onClient((client) => client.onNotification('ompls/runOutput', (o: Output) => outputs.fire(o))),
    vscode.commands.registerCommand('ompls.run', run),
  );
}

/** A terminal that shows what one run prints. */
class RunTerminal implements vscode.Pseudoterminal {
  private readonly writer = new vscode.EventEmitter<string>();
  private readonly source = new vscode.CancellationTokenSource();
  private subscription: vscode.Disposable | undefined;
  readonly onDidWrite = this.writer.event;

  constructor(
    private readonly connection: Connection,
    private readonly outputs: vscode.Event<Output>,
    private readonly uri: vscode.Uri,
    private readonly device: string | undefined,
    private readonly id: string,
  ) {}

  open(): void {
    this.subscription = this.outputs((output) => {
      if (output.run === this.id) {
        this.writer.fire(output.text.replace(/\r?\n/g, '\r\n'));
      }
    });
    void this.start();
  }

  close(): void {
    this.source.cancel();
    this.subscription?.dispose();
  }

  handleInput(data: string): void {
    if (data === '\x03') {
      this.source.cancel();
    }
  }

  private async start(): Promise<void> {
    const params = { textDocument: { uri: this.uri.toString() }, device: this.device, run: this.id };
    try {
      const ended = await this.connection.request<Ended>('ompls/run', params, this.source.token);
      this.writer.fire(`\r\nexit code ${ended.exitCode} after ${ended.seconds} s\r\n`);
    } catch (problem) {
      const cancelled = this.source.token.isCancellationRequested;
      const text = cancelled ? 'stopped' : problem instanceof Error ? problem.message : String(problem);
      this.writer.fire(`\r\n${text}\r\n`);
    }
    this.subscription?.dispose();
  }
}
