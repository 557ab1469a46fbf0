// Run by test_vscode_server.py: what `findServer` of the extension answers in each of the cases on stdin.
// `vscode` is an object with what that function asks: whether the workspace is trusted, its folders, and a setting.
import fs from 'node:fs';
import { load } from './extension.mjs';

const vscode = { workspace: {} };
const { findServer } = load(process.argv[2], 'server.ts', vscode);
const answers = JSON.parse(fs.readFileSync(0, 'utf8')).map(({ trusted, folder, settings, PATH }) => {
  Object.assign(vscode.workspace, {
    isTrusted: trusted,
    workspaceFolders: [{ uri: { fsPath: folder } }],
    getConfiguration: () => ({ inspect: () => settings }),
  });
  process.env.PATH = PATH;
  const ignore = () => {};
  return findServer({ info: ignore, warn: ignore, error: ignore }) ?? null;
});
process.stdout.write(JSON.stringify(answers));
