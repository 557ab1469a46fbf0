// How the server is found.
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';

const LIMIT = 10_000; // ms for what another program or extension says

export interface Server {
  command: string;
  args: string[];
  options: { cwd: string };
}

/**
 * Look for the server, by its absolute path; the first that exists wins:
 *
 * 1. the setting `ompls.server.path` (of the user only, where the workspace is not trusted): a path, in a trusted workspace
 *    with `${workspaceFolder}`, or a name that is looked for on the PATH as below,
 * 2. what the extension carries (`bundled`), if it does, with the `python3` on the PATH, if its version is one of those,
 * 3. in trusted workspaces `ompls` beside the Python that the Python extension has active, then in `.venv/bin` or `venv/bin` of
 *    a workspace folder,
 * 4. `ompls` on the PATH (absolute directories only, and none of a workspace that is not trusted).
 */
export async function findServer(log: vscode.LogOutputChannel, bundled: string): Promise<Server | undefined> {
  const trusted = vscode.workspace.isTrusted;
  const setting = vscode.workspace.getConfiguration('ompls').inspect<string>('server.path');
  const configured =
    (trusted ? (setting?.workspaceFolderValue ?? setting?.workspaceValue) : undefined) ?? setting?.globalValue;
  if (configured) {
    const file = expanded(configured, trusted);
    if (file && !file.includes(path.sep)) {
      const found = onPath(file, trusted, log);
      if (found) {
        return chosen(found, `1. the setting ompls.server.path is ${configured}, on the PATH`, log);
      }
      log.warn(`1. ompls.server.path is ${configured}, which is not on the PATH`);
    } else if (file && path.isAbsolute(file) && isExecutable(file)) {
      return chosen(file, '1. the setting ompls.server.path', log);
    } else if (file) {
      log.warn(`1. ompls.server.path is ${file}, which is not the absolute path of an executable file`);
    } else {
      log.warn(`1. ompls.server.path is ${configured}: there is no folder or home directory, or the workspace is not trusted`);
    }
  } else {
    log.info('1. the setting ompls.server.path is not set');
  }

  const carried = await carriedServer(bundled, trusted, log);
  if (carried) {
    return carried;
  }

  if (trusted) {
    const active = await activePython();
    const beside = active && path.join(path.dirname(active), 'ompls');
    if (beside && isExecutable(beside)) {
      return chosen(beside, '3. the active Python environment', log);
    }
    log.info(active ? `3. there is no ompls beside the active Python, ${active}` : '3. no Python environment is active');
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      for (const name of ['.venv', 'venv']) {
        const file = path.join(folder.uri.fsPath, name, 'bin', 'ompls');
        if (isExecutable(file)) {
          return chosen(file, '3. the virtual environment of the workspace', log);
        }
      }
    }
    log.info('3. no virtual environment of the workspace has ompls');
  } else {
    log.info('3. the workspace is not trusted: its environments are not looked at');
  }

  const found = onPath('ompls', trusted, log);
  if (found) {
    return chosen(found, '4. the PATH', log);
  }
  log.error('4. there is no ompls on the PATH');
  return undefined;
}

/** The same program with other words than `serve`. */
export function commandOf(server: Server, words: string[]): { command: string; args: string[] } {
  return { command: server.command, args: [...server.args.slice(0, -1), ...words] };
}

/** The server in the extension itself: any Python that it carries libraries for will do, and nothing is installed. */
async function carriedServer(bundled: string, trusted: boolean, log: vscode.LogOutputChannel): Promise<Server | undefined> {
  if (!fs.existsSync(path.join(bundled, 'lib'))) {
    log.info('2. this extension carries no server');
    return undefined;
  }
  const python = onPath('python3', trusted, log);
  if (!python) {
    log.warn('2. the extension carries a server, but there is no python3 on the PATH');
    return undefined;
  }
  const version = await versionOf(python);
  if (!version || !fs.existsSync(path.join(bundled, `cp${version}`))) {
    log.warn(`2. the extension carries no libraries for ${python} (${version ?? 'it does not say its version'})`);
    return undefined;
  }
  return chosen(python, '2. the server in the extension, with', log, [path.join(bundled, 'serve.py')]);
}

/** `311` of Python 3.11. */
async function versionOf(python: string): Promise<string | undefined> {
  try {
    const print = 'import sys; print("%d%d" % sys.version_info[:2])';
    const said = await promisify(execFile)(python, ['-I', '-c', print], { cwd: '/', timeout: LIMIT, killSignal: 'SIGKILL' });
    return said.stdout.trim();
  } catch {
    return undefined;
  }
}

/** The interpreter that the Python extension has active; one that takes too long to begin is not waited for. */
async function activePython(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension('ms-python.python');
  const begun = async () => Promise.resolve(extension?.activate()).catch(() => undefined);
  const api = extension?.isActive ? extension.exports : await inTime(begun());
  return api?.environments?.getActiveEnvironmentPath?.()?.path;
}

/** What is promised, or nothing where that takes too long. */
async function inTime<T>(promised: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, LIMIT, undefined);
  });
  return Promise.race([promised, late]).finally(() => clearTimeout(timer));
}

/** With what `~` and `${workspaceFolder}` stand for; nothing where a folder is meant that is not there, or not trusted. */
function expanded(setting: string, trusted: boolean): string | undefined {
  const home = os.homedir(); // as HOME says, even if that is empty
  if (/^~(?=\/|$)/.test(setting) && !path.isAbsolute(home)) {
    return undefined;
  }
  const file = setting.replace(/^~(?=\/|$)/, () => home);
  const folder = trusted ? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath : undefined;
  return folder ? file.replaceAll('${workspaceFolder}', () => folder) : file.includes('${workspaceFolder}') ? undefined : file;
}

function onPath(name: string, trusted: boolean, log: vscode.LogOutputChannel): string | undefined {
  for (const directory of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const file = path.join(directory, name);
    if (!path.isAbsolute(directory) || !isExecutable(file)) {
      continue;
    }
    if (trusted || !inWorkspace(file)) {
      return file;
    }
    log.warn(`${file} belongs to the workspace, which is not trusted`);
  }
  return undefined;
}

/** It starts in the root directory: a Python program must not find modules of the workspace where it starts. */
function chosen(file: string, how: string, log: vscode.LogOutputChannel, before: string[] = []): Server {
  log.info(`${how}: ${file}`);
  return { command: file, args: [...before, 'serve'], options: { cwd: path.parse(file).root } };
}

function inWorkspace(file: string): boolean {
  const spellings = (name: string) => [name, fs.realpathSync(name)];
  const there = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath).filter(fs.existsSync);
  const folders = there.flatMap(spellings);
  return spellings(file).some((name) => folders.some((folder) => name.startsWith(folder + path.sep)));
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
