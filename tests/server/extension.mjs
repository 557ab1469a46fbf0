// A module of the extension for VS Code, with an object in the place of `vscode`, and of other packages that are named:
// for tests without an editor.
import { createRequire } from 'node:module';
import path from 'node:path';

export function load(extension, source, vscode, others = {}) {
  const given = { vscode, ...others };
  const require = createRequire(path.join(extension, 'package.json'));
  const built = require('esbuild').buildSync({
    entryPoints: [path.join(extension, 'src', source)],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: Object.keys(given),
    write: false,
  });
  const module = { exports: {} };
  const find = (name) => given[name] ?? require(name);
  new Function('module', 'exports', 'require', built.outputFiles[0].text)(module, module.exports, find);
  return module.exports;
}
