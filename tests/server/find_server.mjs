// Run by test_vscode_server.py: what `findServer` of the extension answers in each of the cases on stdin.
// `vscode` is an object with what that function asks: whether the workspace is trusted, its folders, and a setting.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [extension] = process.argv.slice(2);
const require = createRequire(path.join(extension, 'package.json'));
const built = require('esbuild').buildSync({
  entryPoints: [path.join(extension, 'src', 'server.ts')],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  external: ['vscode'],
  write: false,
});
const answers = JSON.parse(fs.readFileSync(0, 'utf8')).map(({ trusted, folder, settings, PATH }) => {
  const vscode = {
    workspace: {
      isTrusted: trusted,
      workspaceFolders: [{ uri: { fsPath: folder } }],
      getConfiguration: () => ({ inspect: () => settings }),
    },
  };
  process.env.PATH = PATH;
  const module = { exports: {} };
  new Function('module', 'exports', 'require', built.outputFiles[0].text)(module, module.exports, (name) =>
    name === 'vscode' ? vscode : require(name),
  );
  const ignore = () => {};
  return module.exports.findServer({ info: ignore, warn: ignore, error: ignore }) ?? null;
});
process.stdout.write(JSON.stringify(answers));
