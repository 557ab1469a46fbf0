// The entry point: builds the connection to the server and gives it to each feature.
// A feature is one file in features/; its header says which server capability it needs.
import * as vscode from 'vscode';
import { Connection } from './connection';
import * as documents from './documents';
import * as devices from './features/devices';
import * as environment from './features/environment';
import * as graph from './features/graph';
import * as inactive from './features/inactive';
import * as preview from './features/preview';
import * as run from './features/run';
import * as sample from './features/sample';
import * as status from './features/status';
import * as tasks from './features/tasks';
import * as why from './features/why';

const FEATURES = [status, preview, graph, run, devices, environment, why, inactive, sample, tasks];

let connection: Connection | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('ompls', { log: true });
  connection = new Connection(context, log);
  context.subscriptions.push(log, vscode.commands.registerCommand('ompls.showLog', () => log.show()));
  documents.activate(context);
  for (const feature of FEATURES) {
    feature.activate(context, connection);
  }
  await connection.restart('start');
}

export async function deactivate(): Promise<void> {
  await connection?.stop();
}
