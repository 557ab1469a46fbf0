// One file for VS Code to load; `--watch` rebuilds it while you work.
import { copyFile, mkdir } from 'node:fs/promises';
import * as esbuild from 'esbuild';

const options = {
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  minify: true,
  sourcemap: true,
  logLevel: 'warning',
};
await mkdir('dist', { recursive: true });
await copyFile('../../examples/saxpy.c', 'dist/sample.c'); // of the walkthrough
if (process.argv.includes('--watch')) {
  await (await esbuild.context(options)).watch();
} else {
  await esbuild.build(options);
}
