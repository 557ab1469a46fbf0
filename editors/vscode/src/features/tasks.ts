// Tasks: `ompls check` and `ompls run` as VS Code's own, with the problem matchers, for *Tasks: Run Task* and tasks.json.
// Needs the server's program, not the server.  VS Code runs no task in a workspace that is not trusted.
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { commandOf } from '../server';

const TYPE = 'ompls';
const MATCHERS = ['$ompls', '$ompls-nvrtc'];

/** The options that settings are, as ompls/project/words.py has them: what nobody has set is left to the project file. */
const OPTIONS: Record<Definition['task'], Record<string, string>> = {
  check: {
    openmpVersion: '--openmp',
    'preview.device': '--device',
    'diagnostics.select': '--select',
    'diagnostics.ignore': '--ignore',
  },
  run: { openmpVersion: '--openmp', 'run.device': '--device', 'run.timeout': '--timeout' },
};

/** A task in tasks.json; what is not said of it is as the settings say. */
interface Definition extends vscode.TaskDefinition {
  task: 'check' | 'run';
  file?: string;
  device?: string;
  arguments?: string[];
}

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const made = (definition: Definition, scope: vscode.WorkspaceFolder | vscode.TaskScope): vscode.Task | undefined => {
    const folder = typeof scope === 'object' ? scope : vscode.workspace.workspaceFolders?.[0];
    const server = connection.server;
    if (!server || !folder) {
      return undefined;
    }
    const { command, args } = commandOf(server, words(definition, folder));
    const execution = new vscode.ProcessExecution(command, args, { cwd: folder.uri.fsPath });
    const task = new vscode.Task(definition, scope, nameOf(definition), TYPE, execution, MATCHERS);
    if (definition.task === 'check') {
      task.group = vscode.TaskGroup.Build;
    }
    return task;
  };
  const provider: vscode.TaskProvider = {
    provideTasks: () =>
      (vscode.workspace.workspaceFolders ?? []).flatMap((folder) =>
        offered().flatMap((definition) => made(definition, folder) ?? []),
      ),
    resolveTask: ({ definition, scope }) => made(definition as Definition, scope ?? vscode.TaskScope.Workspace),
  };
  context.subscriptions.push(vscode.tasks.registerTaskProvider(TYPE, provider));
}

function offered(): Definition[] {
  return [
    { type: TYPE, task: 'check', file: '${file}' },
    { type: TYPE, task: 'check', file: '.' },
    { type: TYPE, task: 'run', file: '${file}' },
  ];
}

function nameOf({ task, file, device }: Definition): string {
  const what = file === '.' ? 'the folder' : !file || file === '${file}' ? 'the active file' : file;
  return `${task} ${what}${device ? ` on ${device}` : ''}`;
}

/** Of `ompls`; VS Code puts in what `${file}` and its like stand for. */
function words({ task, file = '${file}', device, arguments: given }: Definition, folder: vscode.WorkspaceFolder): string[] {
  const settings = vscode.workspace.getConfiguration('ompls', folder);
  const said = Object.entries(OPTIONS[task]).flatMap(([name, option]) => {
    const chosen = (option === '--device' && device) || undefined;
    const value = settings.get(name);
    const unset = JSON.stringify(value) === JSON.stringify(settings.inspect(name)?.defaultValue);
    return chosen !== undefined ? [option, chosen] : unset ? [] : [option, String(value)];
  });
  const all = [task, ...said, ...settings.get<string[]>('flags', []), file];
  return task === 'check' ? all : [...all, '--', ...(given ?? settings.get<string[]>('run.arguments', []))];
}
