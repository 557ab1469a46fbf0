// Run by test_vscode_server.py: what `findServer` of the extension answers in each of the cases on stdin.
// `vscode` is an object with what that function asks: whether the workspace is trusted, its folders, and a setting.
import fs from 'node:fs';
import { load } from './extension.mjs';

const vscode = { workspace: {}, extensions: {} };
const { findServer } = load(process.argv[2], 'server.ts', vscode);
const answers = [];
const later = globalThis.setTimeout;
for (const { trusted, folder, settings, PATH, bundled, active, waits, silent, HOME } of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  Object.assign(vscode.workspace, {
    isTrusted: trusted,
    workspaceFolders: [{ uri: { fsPath: folder } }],
    getConfiguration: () => ({ inspect: () => settings }),
  });
  const python = active && { isActive: true, exports: { environments: { getActiveEnvironmentPath: () => ({ path: active }) } } };
  vscode.extensions.getExtension = () => (silent ? { isActive: false, activate: () => new Promise(() => {}) } : python);
  if (silent) globalThis.setTimeout = (work, ms) => later(work, Math.min(ms, 100));
  if (waits) later(() => fs.writeFileSync(waits, ''), 100); // the program waits for what happens meanwhile
  process.env.PATH = PATH;
  if (HOME !== undefined) process.env.HOME = HOME;
  const ignore = () => {};
  answers.push((await findServer({ info: ignore, warn: ignore, error: ignore }, bundled ?? '/none')) ?? null);
  if (!waits && process.getActiveResourcesInfo().includes('Timeout')) throw new Error('a timer runs on when the server is found');
}
process.stdout.write(JSON.stringify(answers));
