// A real VS Code to drive: code-server with our .vsix, in Chromium.  The arguments of who imports this are
//
//   CODE_SERVER_DIR EXTENSION.vsix REPOSITORY OMPLS_COMMAND WORK_DIR      (no command: "", the extension finds one)
import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as net from 'node:net';
import * as path from 'node:path';
import { chromium } from 'playwright-core';

export const [codeServer, vsix, repository, ompls, work] = process.argv.slice(2);
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const QUIET = {
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'files.hotExit': 'off',
  'remote.autoForwardPorts': false,
  'security.workspace.trust.enabled': false,
  'terminal.integrated.gpuAcceleration': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
};

/** How long anything may take that is waited for, in milliseconds: longer than on any busy machine. */
export const LIMIT = 300_000;
/** When a key is pressed again, for what it should open: a window that is still loading does not hear it. */
export const SOON = { timeout: 10_000 };

/** What `begin` leaves open and shown: nothing.  One key, as VS Code offers no single command. */
const CLEAR = [
  'notifications.clearAll',
  'workbench.action.terminal.killAll',
  'workbench.action.closePanel',
  'workbench.view.explorer',
  'workbench.action.closeAllEditors',
];
const FIRST = 'saxpy.c'; // of those who use `alone`: its lens tells that the server answers
const CLEAR_KEY = 'Control+Alt+F12';
const only = new RegExp(process.env['STEPS'] ?? '');
export const workspace = path.join(work, 'workspace');
export const data = path.join(work, 'data');
const extensions = path.join(work, 'extensions');
const entry = path.join(codeServer, 'out/node/entry.js');
const common = ['--user-data-dir', data, '--extensions-dir', extensions, '--config', path.join(work, 'config.yaml')];

/** What the window is opened with: settings, and the files of the workspace. */
function prepare() {
  for (const directory of [workspace, path.join(data, 'User'), path.join(data, 'Machine')]) {
    fs.mkdirSync(directory, { recursive: true });
  }
  fs.writeFileSync(path.join(work, 'config.yaml'), 'auth: none\ncert: false\n');
  serve(ompls);
  const keys = [{ key: CLEAR_KEY.replace('Control', 'ctrl').toLowerCase(), command: 'runCommands', args: { commands: CLEAR } }];
  fs.writeFileSync(path.join(data, 'User/keybindings.json'), JSON.stringify(keys));
  execFileSync(process.execPath, [entry, ...common, '--install-extension', vsix], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The workspace has these files (name → text), as they are here, and no other ones. */
function fill(files) {
  const wanted = new Map(Object.entries(files).map(([name, text]) => [path.resolve(workspace, name), text]));
  for (const found of fs.readdirSync(workspace, { recursive: true, withFileTypes: true })) {
    const file = path.join(found.parentPath, found.name);
    if (!found.isDirectory() && !wanted.has(file)) fs.rmSync(file);
  }
  for (const [file, text] of wanted) {
    if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) continue;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}

/** Which server windows start from now on. */
export function serve(command) {
  fs.writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify({ ...QUIET, 'ompls.server.path': command }));
  // The window of a busy machine may come up without the user's settings; those of the machine come with the server.
  fs.writeFileSync(path.join(data, 'Machine/settings.json'), JSON.stringify({ 'ompls.server.path': command }));
}

const freePort = () =>
  new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/** Do it again and again until it gives something, and give that. */
export async function until(action, failure) {
  for (const end = Date.now() + LIMIT; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const found = await action();
    if (found) return found;
  }
  throw new Error(failure);
}

const listening = (port) =>
  new Promise((resolve) => {
    http.get({ host: '127.0.0.1', port, path: '/healthz' }, (r) => resolve(r.resume().statusCode === 200)).on('error', () => resolve(false));
  });

/** Steps with a name, in order; `visible` waits for text in elements of the page. */
export class Session {
  constructor(browser, host, files) {
    this.browser = browser;
    this.host = host;
    this.files = files;
    this.passed = 0;
    this.failed = 0;
    this.usable = false; // whether the next step can have this window
  }
  /** A step that goes on where the one before it has ended; nothing goes on behind one that fails. */
  async step(name, action) {
    if (!only.test(name)) return;
    const started = Date.now();
    try {
      await action();
    } catch (problem) {
      const picture = path.join(repository, '.cache', `test-vscode-failure-${this.failed}.png`);
      fs.mkdirSync(path.dirname(picture), { recursive: true });
      await this.page.screenshot({ path: picture }).catch(() => {});
      const notes = await this.page.locator('.notification-list-item-message').allTextContents().catch(() => []);
      console.log(notes.map((text) => `# ${text}`).join('\n'));
      throw new Error(`${name}: ${problem.message.split('\n')[0]} (screenshot: ${picture})`);
    }
    this.passed++;
    console.log(`ok ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  }
  /** A step that needs no other one: it begins with all files as they were, and with nothing open but `file`, if any. */
  async alone(name, file, action) {
    const whole = this.step(name, async () => {
      await this.begin(file);
      await action();
      this.usable = true;
    });
    await whole.catch((problem) => this.fail(problem));
  }
  fail(problem) {
    this.failed++;
    console.log(`not ok ${problem.message}`);
  }
  async begin(file) {
    const inWindow = this.usable && this.page.url().includes('?folder=');
    this.usable = false;
    if (inWindow) {
      await this.clear();
      fill(this.files);
    } else {
      fill(this.files);
      await this.fresh(FIRST);
      await this.visible('.codelens-decoration', 'Preview');
      await this.clear();
    }
    if (file) await this.find(file);
  }
  /** A window that opens next knows nothing of those before it: VS Code keeps layouts, workspaces and more in the browser. */
  async leave() {
    await this.page?.context().close();
    this.page = await this.browser.newPage({ viewport: { width: 1600, height: 1000 } });
    this.page.setDefaultTimeout(LIMIT);
    this.page.on('dialog', (dialog) => dialog.accept()); // a page with changes may be left
  }
  async fresh(file, where) {
    await this.leave();
    await this.open(file, where);
  }
  clear() {
    const empty = () =>
      document.querySelectorAll('.editor-group-container').length === 1 &&
      document.querySelector('.editor-group-container.empty') &&
      !document.querySelector('.part.panel')?.checkVisibility();
    return until(async () => {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press(CLEAR_KEY);
      return this.page.waitForFunction(empty, undefined, SOON).catch(() => undefined);
    }, 'what the step before has opened cannot be closed');
  }
  /** A window of our folder, else of the workspace that is named, with a file, if any. */
  open(file, where = `folder=${workspace}`) {
    const payload = file ? [['openFile', `vscode-remote://${this.host}${path.resolve(workspace, file)}`]] : [];
    return this.page.goto(`http://${this.host}/?${where}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
  }
  /** One more file, in the window as it is: much quicker than a new window. */
  async find(file) {
    await this.ask('Control+p', file);
    await this.page.click(`.quick-input-list .monaco-list-row:has-text("${file}")`);
    await this.page.waitForSelector(`.tab.active[data-resource-name="${file}"]`);
  }
  visible(selector, text, options) {
    return this.page.waitForFunction(
      ([s, t]) => [...document.querySelectorAll(s)].some((e) => e.textContent.replace(/\u00a0/g, ' ').includes(t)),
      [selector, text],
      options,
    );
  }
  /** The box that a key opens, with the text typed. */
  async ask(key, text) {
    const box = '.quick-input-widget:not([style*="display: none"]) input:focus';
    await until(async () => {
      await this.page.keyboard.press(key);
      return this.page.waitForSelector(box, SOON).catch(() => undefined);
    }, `${key} opens nothing`);
    await this.press(text);
  }
  async place(line, column) {
    await this.ask('Control+g', `${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.waitForSelector('.quick-input-widget', { state: 'hidden' });
  }
  /** Once the command is there: it is offered when the extension has looked at what is open. */
  async command(title) {
    const row = `.quick-input-list .monaco-list-row:has-text("${title}")`;
    await until(async () => {
      await this.ask('F1', title.includes(':') ? title : `ompls: ${title}`);
      const offered = await this.page.waitForSelector(row, SOON).catch(() => undefined);
      if (!offered) await this.page.keyboard.press('Escape');
      return offered;
    }, `"${title}" is not offered`);
    await this.page.click(row);
  }
  /** A command of ours by its keys. */
  async keys(last) {
    await this.page.keyboard.press('Control+Alt+g');
    await this.page.keyboard.press(last);
  }
  async press(text) {
    await this.page.keyboard.type(text, { delay: 10 });
  }
  /** The row of a code action at the cursor, once it is there: who offers it may come after what else is shown. */
  async action(title) {
    const row = `.action-widget .monaco-list-row:has-text("${title}")`;
    await until(async () => {
      await this.page.keyboard.press('Control+.');
      const offered = await this.page.waitForSelector(row, SOON).catch(() => undefined);
      if (!offered) await this.page.keyboard.press('Escape');
      return offered;
    }, `"${title}" is not offered`);
    return row;
  }
  /** With SHOTS in the environment, what the window shows becomes a picture of the extension's pages. */
  async shot(name, height = 600) {
    const file = path.join(repository, 'editors/vscode/walkthrough', `${name}.png`);
    if (process.env['SHOTS']) await this.page.screenshot({ path: file, clip: { x: 0, y: 0, width: 1600, height } });
  }
  /** Keys are dealt with later, on a busy machine much later; the page must not be left before. */
  saved(file, text) {
    return until(() => fs.readFileSync(path.join(workspace, file), 'utf8') === text, `${file} is not saved as it was`);
  }
}

/** Drive a window whose workspace has these files (name → text); the process's exit code says whether it went well. */
export async function withWindow(files, drive) {
  prepare();
  fill(files);
  const port = await freePort();
  const options = ['--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'];
  const server = spawn(process.execPath, [entry, ...common, ...options, workspace], { stdio: 'ignore', detached: true });
  const executablePath = BROWSERS.find((file) => fs.existsSync(file));
  const browser = await chromium.launch({
    executablePath,
    timeout: LIMIT,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const session = new Session(browser, `127.0.0.1:${port}`, files);
  try {
    await session.leave();
    await until(() => listening(port), 'code-server does not listen');
    await drive(session);
    if (!session.passed && !session.failed) throw new Error(`no step has a name like STEPS=${only.source}`);
  } catch (problem) {
    session.fail(problem);
  } finally {
    await browser.close();
    process.kill(-server.pid, 'SIGTERM');
  }
  if (session.failed) {
    for (const file of fs.readdirSync(data, { recursive: true }).filter((name) => /ompls[^/]*\.log$/.test(name))) {
      console.log(`--- ${file}\n${fs.readFileSync(path.join(data, file), 'utf8').split('\n').slice(-40).join('\n')}`);
    }
  }
  console.log(`${session.passed} passed, ${session.failed} failed`);
  process.exitCode = session.failed ? 1 : 0;
}
