// One file for VS Code to load, and the licences of the packages in it; `--watch` rebuilds it while you work.
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
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
  metafile: true,
};
/** The packages that these files are of, each with its licence; one without is an error. */
async function notice(files) {
  const packages = new Set(files.map((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean));
  const texts = ['dist/extension.js has parts of these packages, each under its own licence.'];
  for (const folder of [...packages].sort()) {
    const { name, version } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence with it: it must not be packaged`);
    texts.push(`${name} ${version}\n\n${(await readFile(`${folder}/${file}`, 'utf8')).trim()}`);
  }
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

await mkdir('dist', { recursive: true });
await mkdir('dist/sample', { recursive: true }); // of the walkthrough
await copyFile('../../examples/saxpy.c', 'dist/sample/sample.c');
await copyFile('sample/.ompls.toml', 'dist/sample/project.toml');
if (process.argv.includes('--watch')) {
  await (await esbuild.context(options)).watch();
} else {
  const { metafile } = await esbuild.build(options);
  await writeFile('dist/NOTICE.txt', await notice(Object.keys(metafile.inputs)));
}
