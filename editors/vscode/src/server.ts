// How the server is found.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

export interface Server {
  command: string;
  args: string[];
}

/**
 * Look for the `ompls` command; the first that exists wins:
 *
 * 1. the setting `ompls.server.path` (of the user only, where the workspace is not trusted),
 * 2. `.venv/bin/ompls` or `venv/bin/ompls` in a workspace folder (trusted workspaces only),
 * 3. `ompls` on the PATH (absolute directories only: the workspace must not slip one in).
 */
export function findServer(log: vscode.LogOutputChannel): Server | undefined {
  const trusted = vscode.workspace.isTrusted;
  const setting = vscode.workspace.getConfiguration('ompls').inspect<string>('server.path');
  const configured =
    (trusted ? (setting?.workspaceFolderValue ?? setting?.workspaceValue) : undefined) ?? setting?.globalValue;
  if (configured) {
    const file = configured.replace(/^~(?=\/|$)/, os.homedir());
    if (isExecutable(file)) {
      return chosen(file, '1. the setting ompls.server.path', log);
    }
    log.warn(`1. ompls.server.path is ${file}, which is no executable file`);
  } else {
    log.info('1. the setting ompls.server.path is not set');
  }

  if (trusted) {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      for (const name of ['.venv', 'venv']) {
        const file = path.join(folder.uri.fsPath, name, 'bin', 'ompls');
        if (isExecutable(file)) {
          return chosen(file, '2. the virtual environment of the workspace', log);
        }
      }
    }
    log.info('2. no virtual environment of the workspace has ompls');
  } else {
    log.info('2. the workspace is not trusted: its virtual environments are not looked at');
  }

  for (const directory of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const file = path.join(directory, 'ompls');
    if (path.isAbsolute(directory) && isExecutable(file)) {
      return chosen(file, '3. the PATH', log);
    }
  }
  log.error('3. there is no ompls on the PATH');
  return undefined;
}

function chosen(file: string, how: string, log: vscode.LogOutputChannel): Server {
  log.info(`${how}: ${file}`);
  return { command: file, args: ['serve'] };
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
