// How long a user of VS Code waits, in a real one (code.mjs): `make bench-vscode`, on an idle machine.
//
// Times are taken in the page, from the key to the change of the page that shows its effect.  A figure above its goal is a failure.
// How soon a file is shown depends on VS Code as well: a server that answers at once (bench/bare_server.py) shows how much.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { data, ompls, repository, serve, withWindow, work, workspace } from './code.mjs';

const KEYS = 50;
const left = '.editor-group-container:first-child';
const MISTAKE = `document.querySelector('${left} .squiggly-error, ${left} .squiggly-warning') !== null`;
const KERNEL = `[...document.querySelectorAll('.editor-group-container')].at(-1).textContent.replace(/\\u00a0/g, ' ').includes('+ 12.0f')`;
const LINKED = `[...document.querySelectorAll('.editor-group-container')].at(-1).querySelector('.view-overlays [class*="ced-"]') !== null`;
// What a user sees of a file first: lenses, diagnostics, and the colours of what is in sight (a variable in a pragma).
const MISSPELT = `[...document.querySelectorAll('.view-line')].find((e) => e.textContent.includes('nowiat'))`;
const SEEN = {
  lenses: `[...document.querySelectorAll('.codelens-decoration')].some((e) => e.textContent.includes('Preview CUDA'))`,
  colours: `[...(${MISSPELT}?.querySelectorAll('span span') ?? [])].some((e) => e.textContent === 'values')`,
  diagnostics: `document.querySelector('.squiggly-error') !== null`,
};

const figures = [];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function report(name, times, goal) {
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  figures.push(median <= goal);
  const spread = times.length > 1 ? `, of ${times.length}: ${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)}` : '';
  console.log(`${median <= goal ? 'ok  ' : 'MISS'} ${name}: ${median.toFixed(0)} ms (goal ${goal} ms${spread})`);
}

/** Milliseconds from the key until `condition`, an expression in the page, is `wanted`. */
async function until(page, key, condition, wanted) {
  await page.evaluate(
    ([text, value]) => {
      const holds = new Function(`return (${text}) === ${value}`);
      let started;
      document.addEventListener('keydown', () => (started = performance.now()), { capture: true, once: true });
      globalThis.waited = new Promise((resolve, reject) => {
        const seen = new MutationObserver(() => {
          if (started !== undefined && holds()) {
            seen.disconnect();
            resolve(performance.now() - started);
          }
        });
        seen.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
        setTimeout(() => reject(new Error(`${text} is not ${value}`)), 20_000);
      });
    },
    [condition, wanted],
  );
  await page.keyboard.press(key);
  return page.evaluate(() => globalThis.waited);
}

/** One key makes the condition true, the other one false; some time goes by between them, as somebody types. */
async function toggled(page, [on, off], condition) {
  const times = [];
  for (let count = 0; count < KEYS; count++) {
    await pause(300 + 10 * (count % 20));
    const made = count % 2 === 0;
    times.push(await until(page, made ? on : off, condition, made));
  }
  return times;
}

async function measure(s) {
  const source = fs.readFileSync(path.join(workspace, 'saxpy.c'), 'utf8').split('\n');
  const pragma = source.findIndex((text) => text.includes('omp target')) + 1;
  const statement = source.findIndex((text) => text.includes('y[i] =')) + 1;

  await s.step('activation', async () => {
    await s.open('saxpy.c');
    await s.visible('.codelens-decoration', 'Preview CUDA');
    await s.command('Developer: Show Running Extensions');
    await s.visible('.runtime-extensions-editor', 'Activation');
    const text = await s.page
      .locator('.runtime-extensions-editor .monaco-list-row:has-text("OpenMP offloading for C") .activation-time')
      .first()
      .textContent();
    report('activation', [Number(/(\d+)\s*ms/.exec(text)[1])], 500);
    await s.page.keyboard.press('Control+F4');
  });
  await s.step('diagnostics after a key', async () => {
    await s.open('saxpy.c');
    await s.visible('.codelens-decoration', 'Preview CUDA');
    await s.page.click(`${left} .view-lines`);
    await s.place(pragma, source[pragma - 1].indexOf('target') + 3);
    await pause(3000);
    report('diagnostics after a key', await toggled(s.page, ['x', 'Backspace'], MISTAKE), 150);
  });
  await s.step('the preview after a key', async () => {
    await s.page.click('.codelens-decoration a:has-text("Preview CUDA")');
    await s.visible('.editor-group-container .view-lines', '__global__');
    await s.page.click(`${left} .view-lines`);
    await s.place(statement, source[statement - 1].indexOf(';') + 1);
    await s.press(' + 1.0f');
    await s.place(statement, source[statement - 1].indexOf(';') + 5);
    await pause(3000);
    report('the preview after a key', await toggled(s.page, ['2', 'Backspace'], KERNEL), 200);
  });
  await s.step('the cursor to the highlight', async () => {
    await s.place(1, 1);
    await s.place(pragma - 1, 1);
    await pause(1000);
    const off = await s.page.evaluate((text) => !new Function(`return ${text}`)(), LINKED);
    if (!off) throw new Error(`line ${pragma - 1} is linked with the kernel`);
    report('the cursor to the highlight', await toggled(s.page, ['ArrowDown', 'ArrowUp'], LINKED), 50);
  });
  await s.step('a file of 2,000 lines', async () => {
    await s.page.addInitScript((seen) => {
      const left = new Map(Object.entries(seen).map(([name, text]) => [name, new Function(`return ${text}`)]));
      globalThis.seenAt = {};
      const observer = new MutationObserver(() => {
        for (const [name, holds] of left) {
          if (holds()) {
            globalThis.seenAt[name] = performance.timeOrigin + performance.now();
            left.delete(name);
          }
        }
        if (!left.size) observer.disconnect();
      });
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    }, SEEN);
    const servers = { bare: path.join(work, 'bare'), ours: ompls };
    fs.writeFileSync(servers.bare, `#!${python}\n${fs.readFileSync(path.join(repository, 'bench/bare_server.py'), 'utf8')}`, { mode: 0o755 });
    const times = { bare: [], ours: [] };
    for (let count = 0; count < 3; count++) {
      for (const [name, command] of Object.entries(servers)) {
        await s.page.goto('about:blank');
        await pause(3000); // the server of the window that was closed has ended
        serve(command);
        const began = Date.now();
        await s.open('big.c');
        const all = (count) => Object.keys(globalThis.seenAt).length === count;
        await s.page.waitForFunction(all, Object.keys(SEEN).length);
        const answered = answers().find((time) => time > began);
        const seenAt = Object.entries(await s.page.evaluate(() => globalThis.seenAt));
        times[name].push(Object.fromEntries(seenAt.map(([what, at]) => [what, at - answered])));
      }
    }
    for (const what of Object.keys(SEEN)) {
      const [bare, ours] = [times.bare, times.ours].map((found) => found.map((each) => each[what]));
      report(`2,000 lines after the answer to initialize: ${what}`, ours, 500);
      const [floor, own] = [bare, ours].map((found) => found.toSorted((a, b) => a - b)[1]);
      console.log(`     a server that answers at once: ${floor.toFixed(0)} ms; ours takes ${(own / floor).toFixed(2)} of that`);
    }
  });
  if (figures.includes(false)) throw new Error('a goal is missed');
}

/** When a server has answered `initialize`, in ms since the epoch: the extension's log says so. */
function answers() {
  const logs = fs.readdirSync(data, { recursive: true }).filter((name) => /ompls\.log$/.test(name));
  const lines = logs.flatMap((name) => fs.readFileSync(path.join(data, name), 'utf8').split('\n'));
  return lines.filter((line) => line.includes('the server answers')).map((line) => Date.parse(line.slice(0, 23))).sort((a, b) => a - b);
}

const python = path.join(repository, '.venv/bin/python');
await withWindow(
  {
    'saxpy.c': fs.readFileSync(path.join(repository, 'examples/saxpy.c'), 'utf8'),
    'big.c': execFileSync(python, [path.join(repository, 'bench/generate.py')], { encoding: 'utf8' }).replace('(+: total)', '(+: total) nowiat'),
  },
  measure,
);
