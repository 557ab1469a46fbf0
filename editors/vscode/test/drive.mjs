// What a user of VS Code sees, in a real one (code.mjs).
//
// Each step begins from the same state, and waits for something to be visible; what does not come is a failure, with a screenshot.
// STEPS=REGEXP in the environment: only those whose name matches.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { repository, SOON, until, withWindow, work, workspace } from './code.mjs';

const ASKS = `#include <stdio.h>
int main(void) {
  char answer[9];
  puts("what?");
  return scanf("%8s", answer) != 1 || printf("you said %s\\n", answer) < 0;
}
`;
const LIMITED = `int f(int *a) {
#pragma omp target map(tofrom: a[0:9])
  {
    long double x = a[0];
    a[1] = x;
  }
  return a[0];
}
`;
const WIDE = `#include <stdio.h>
int main(void) {
  long double s = 0;
#pragma omp target map(tofrom: s)
  for (int i = 0; i < 10; i++) s += i;
  printf("%Lg\\n", s);
}
`;
const SECOND = `void second(int n, double *a) {
#pragma omp target map(tofrom: a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = i;
}
`;
const FOLDERS = { one: 'host', two: 'epiphany' }; // of a workspace of several, with the device of each
function files() {
  const example = fs.readFileSync(path.join(repository, 'examples/saxpy.c'), 'utf8');
  const tasks = [{ type: 'ompls', task: 'check', file: 'limited.c', device: 'epiphany' }];
  const made = {
    'saxpy.c': example,
    'mistake.c': example.replace('omp target', 'omp tarrget'),
    'typed.c': 'void typed(void) {\n\n}\n',
    'asks.c': ASKS,
    'limited.c': LIMITED,
    'wide.c': WIDE,
    'second.c': SECOND,
    'listed.c': 'void listed(int n, double *a) {\n\n  for (int i = 0; i < n; i++) a[i] = i;\n}\n',
    'graph.c': [
      'enum { N = 3 };',
      'float a[4];',
      'void steps(void) {',
      '#pragma omp taskgraph',
      '  for (int i = 0; i < N; i++) {',
      '#pragma omp task depend(in: a[i]) depend(out: a[i + 1])',
      '    a[i + 1] = a[i];',
      '  }',
      '}',
      '',
    ].join('\n'),
    'alone.h': 'static inline void f(int *a) {\n#pragma omp target map(a[0:9])\n  a[a[0]] = 1;\n}\n',
    'inactive.c': '#if 0\nint never(void);\n#endif\nint always(void);\n',
    '.vscode/tasks.json': JSON.stringify({ version: '2.0.0', tasks }),
    '../folders.code-workspace': JSON.stringify({ folders: Object.keys(FOLDERS).map((name) => ({ path: name })) }),
  };
  for (const [name, device] of Object.entries(FOLDERS)) {
    made[`../${name}/saxpy.c`] = example;
    made[`../${name}/.vscode/settings.json`] = JSON.stringify({ 'ompls.preview.device': device });
  }
  return made;
}

async function drive(s) {
  const source = fs.readFileSync(path.join(workspace, 'saxpy.c'), 'utf8').split('\n');
  const left = '.editor-group-container:first-child';
  const editors = '.editor-group-container .view-lines';

  const squiggle = async () => {
    await s.visible(editors, 'tarrget');
    await s.page.waitForSelector('.squiggly-error, .squiggly-warning', { state: 'attached' });
  };
  const preview = async () => {
    await s.visible('.codelens-decoration', 'Preview CUDA');
    await s.page.click('.codelens-decoration a:has-text("Preview CUDA")');
    await s.visible(editors, '__global__');
  };
  await s.alone('a mistake gets a squiggle', 'mistake.c', squiggle);
  await s.alone('its quick fix repairs the text', 'mistake.c', async () => {
    await squiggle();
    const line = source.findIndex((text) => text.includes('omp target')) + 1;
    await s.page.click(`${left} .view-lines`);
    await s.place(line, source[line - 1].indexOf('target') + 3);
    await s.page.keyboard.press('Control+.');
    await s.page.waitForSelector('.action-widget .monaco-list-row.action, .action-widget .monaco-list-row');
    await s.page.keyboard.press('Enter');
    await s.page.waitForFunction(
      (selector) => ![...document.querySelectorAll(selector)].some((e) => e.textContent.includes('tarrget')),
      editors,
    );
    await s.page.keyboard.press('Control+s');
    await s.saved('mistake.c', source.join('\n'));
  });
  await s.alone('Enter behind a directive that is complete accepts nothing', 'typed.c', async () => {
    await s.visible(editors, 'void typed');
    await s.page.click(`${left} .view-lines`);
    await s.place(2, 1);
    await s.press('#pragma omp target');
    await s.visible('.suggest-widget.visible .monaco-list-row', 'target teams'); // the list is open
    await s.press(' ');
    await s.page.keyboard.press('Enter');
    await s.press(';');
    await s.page.keyboard.press('Control+s');
    await s.saved('typed.c', 'void typed(void) {\n#pragma omp target \n;\n}\n');
  });
  for (const [typed, first] of [
    ['#pragma omp target map(', 'to'],
    ['#pragma omp target te', 'teams distribute parallel for'],
  ]) {
    await s.alone(`"${first}" is proposed first behind "${typed}"`, 'listed.c', async () => {
      await s.visible(editors, 'void listed');
      await s.page.click(`${left} .view-lines`);
      await s.place(2, 1);
      await s.press(typed);
      await s.page.keyboard.press('Control+Space');
      await s.page.waitForFunction(
        (wanted) => document.querySelector('.suggest-widget.visible .monaco-list-row[data-index="0"].focused .label-name')?.textContent.replace(/\u00a0/g, ' ') === wanted,
        first,
      );
      await s.page.keyboard.press('Escape');
      await s.command('File: Revert File');
    });
  }
  await s.alone('the lenses stand over the region', 'saxpy.c', async () => {
    await s.visible('.codelens-decoration', 'Preview CUDA');
    await s.visible('.codelens-decoration', 'Run');
  });
  await s.alone('the title has buttons', 'saxpy.c', async () => {
    for (const title of ['Preview Generated Kernel', 'Run Program on a Device']) {
      await s.page.waitForSelector(`${left} .editor-actions [aria-label^="${title}"]`);
    }
  });
  await s.alone('Preview CUDA opens the kernel beside the source', 'saxpy.c', preview);
  await s.alone('its tab names source, kernel and device', 'saxpy.c', async () => {
    await preview();
    await s.visible('.tab.active', 'saxpy.c: saxpy_0 (cuda)');
  });
  const follows = async () => {
    const line = source.findIndex((text) => text.includes('y[i] =')) + 1;
    await s.page.click(`${left} .view-lines`);
    await s.place(line, source[line - 1].indexOf('y[i] =') + 'y[i] ='.length + 1);
    await s.press(' 2.5f *');
    await s.page.waitForFunction(
      (selector) =>
        [...document.querySelectorAll(selector)].filter((e) => e.textContent.replace(/\u00a0/g, ' ').includes('= 2.5f *')).length >= 2,
      editors,
    );
    for (let count = 0; count < ' 2.5f *'.length; count++) {
      await s.page.keyboard.press('Backspace');
    }
    await s.page.keyboard.press('Control+s');
    await s.saved('saxpy.c', source.join('\n'));
  };
  await s.alone('the preview follows what is typed', 'saxpy.c', async () => {
    await preview();
    await follows();
  });
  await s.alone('preview and source are linked both ways', 'saxpy.c', async () => {
    await preview();
    const statement = source.findIndex((text) => text.includes('y[i] =')) + 1;
    const coloured = (side, count) =>
      s.page.waitForFunction(
        ([all, at, wanted]) => {
          const group = [...document.querySelectorAll(all)].at(at);
          return group?.querySelectorAll('.view-overlays [class*="ced-"]').length >= wanted;
        },
        ['.editor-group-container', side, count],
      );
    await s.page.click(`${left} .view-lines`);
    await s.place(1, 1);
    await s.page.waitForFunction(() => ![...document.querySelectorAll('.editor-group-container')].at(-1).querySelector('.view-overlays [class*="ced-"]'));
    await s.place(statement, 5);
    await coloured(-1, 1);
    await s.page.locator('.editor-group-container').last().locator('.view-line:has-text("__global__")').click();
    await s.page.locator('.editor-group-container').last().locator('.view-line:has-text("y[i]")').last().click();
    await coloured(0, 1);
    await s.page.waitForFunction(
      (line) => {
        const [group] = document.querySelectorAll('.editor-group-container');
        const painted = group.querySelector('.view-overlays [class*="ced-"]')?.parentElement;
        const numbers = [...group.querySelectorAll('.margin-view-overlays > div')];
        return painted && numbers.some((n) => n.style.top === painted.style.top && n.textContent.trim() === `${line}`);
      },
      statement,
    );
    await s.shot('preview');
  });
  await s.alone('the link survives a change of tabs, and a pin, by the keyboard', 'saxpy.c', async () => {
    await preview();
    const linked = (wanted) =>
      s.page.waitForFunction((is) => !!document.querySelectorAll('.editor-group-container')[1]?.querySelector('.view-overlays [class*="ced-"]') === is, wanted);
    const statement = source.findIndex((text) => text.includes('y[i] =')) + 1;
    const kernel = s.page.locator('.editor-group-container').last();
    await s.page.click(`${left} .view-lines`);
    await s.find('limited.c');
    await s.visible(editors, 'long double');
    await s.page.click('.tab[data-resource-name="saxpy.c"]');
    await s.page.waitForSelector('.tab.active[data-resource-name="saxpy.c"]');
    await s.place(1, 1);
    await linked(false);
    await s.place(statement, 5);
    await linked(true);
    await kernel.locator('.view-line:has-text("__global__")').click();
    await s.keys('k');
    await kernel.locator('.editor-actions [aria-label^="Let Preview Follow"]').waitFor();
    await s.keys('k');
    await kernel.locator('.editor-actions [aria-label^="Pin Preview"]').waitFor();
  });
  await s.alone('the preview follows the cursor into a second file', 'saxpy.c', async () => {
    await preview();
    await s.page.click(`${left} .view-lines`);
    await s.find('second.c');
    await s.visible(editors, 'void second');
    await s.place(4, 5);
    await s.visible('.tab.active', 'second.c: second_0 (cuda)');
    await s.page.click('.tab[data-resource-name="saxpy.c"]');
    await s.place(source.findIndex((text) => text.includes('y[i] =')) + 1, 5);
    await s.visible('.tab.active', 'saxpy.c: saxpy_0 (cuda)');
  });
  await s.alone('a preview is compared with another device, and with what edits make of it', 'saxpy.c', async () => {
    const sides = (...texts) => // side by side or, where there is no room, one below the other
      s.page.waitForFunction(
        (wanted) => {
          const shown = [...document.querySelectorAll('.monaco-diff-editor')].map((e) => e.textContent.replace(/\u00a0/g, ' ')).join();
          return wanted.every((text) => shown.includes(text));
        },
        texts,
      );
    const kernel = () => s.page.locator('.editor-group-container').last().locator('.view-line:has-text("y[i]")').last().click();
    await preview();
    await kernel();
    await s.command('Compare Preview with Another Device');
    await s.visible('.quick-input-list', 'cudasim');
    await s.page.keyboard.type('host');
    await s.page.keyboard.press('Enter');
    await sides('__global__', 'kernel of class default');
    await s.clear();
    await s.find('saxpy.c');
    await preview();
    await kernel();
    await s.command('Compare Preview with What Edits Make');
    await sides('__global__', '__global__');
  });
  await s.alone('the preview follows after a restart of the server', 'saxpy.c', async () => {
    await preview();
    await s.command('Restart Server');
    await follows();
  });
  await s.alone('the preview follows after a server that never answered', 'saxpy.c', async () => {
    await preview();
    const [settings, mute] = ['.vscode/settings.json', 'mute.sh'].map((name) => path.join(workspace, name));
    fs.writeFileSync(mute, '#!/bin/sh\necho begun > "$0.begun"\nexec sleep 600\n', { mode: 0o755 });
    fs.writeFileSync(settings, JSON.stringify({ 'ompls.server.path': mute }));
    await until(() => fs.existsSync(`${mute}.begun`), 'the mute server is not started');
    fs.rmSync(settings); // it is looked for as before
    await follows();
    if (await s.page.locator('.notification-toast:has-text("ompls")').count()) {
      throw new Error('the end of a server that nobody waits for was told');
    }
  });
  await s.alone('the data environment follows the cursor, and leads to the source', 'saxpy.c', async () => {
    const at = (text) => source.findIndex((line) => line.includes(text)) + 1;
    const rows = '.customview-tree .monaco-list-row';
    await s.page.click(`${left} .view-lines`);
    await s.place(at('y[i] ='), 1);
    await s.command('Show Data Environment');
    await s.visible(rows, 'device 0, which runs here');
    await s.visible(rows, 'references: 1');
    await s.page.click(`${rows}:has-text("references: 1")`);
    await s.page.waitForFunction((line) => document.querySelector('.line-numbers.active-line-number')?.textContent === `${line}`, at('#pragma omp target'));
    await s.command('Show Data Environment');
    await s.page.click(`${left} .view-lines`);
    await s.place(1, 1);
    await s.visible('.tree-explorer-viewlet-tree-view .message', 'The cursor is in no function.');
  });
  await s.alone('a device that cannot run a region has a page that says why, by a code action', 'limited.c', async () => {
    await s.visible('.codelens-decoration', 'Preview CUDA');
    await s.page.click(`${left} .view-lines`);
    await s.place(5, 7);
    await s.page.click(await s.action('Show what another device gets'));
    await s.page.click('.quick-input-list .monaco-list-row:has-text("epiphany")');
    await s.visible(editors, 'epiphany cannot run f_0: limited.c:2: target');
    await s.visible(editors, 'rule: device-type');
    await s.shot('cannot');
  });
  await s.alone('lens and picker say which devices cannot run the program', 'wide.c', async () => {
    await s.visible('.codelens-decoration', 'Run (cannot run on ');
    await s.command('Run Program on…');
    await s.visible('.quick-input-list .monaco-list-row', 'cannot run it: wide.c:');
    await s.page.keyboard.press('Escape');
  });
  await s.alone('a task checks a file, and its messages are problems', 'limited.c', async () => {
    await s.visible('.codelens-decoration', 'Preview CUDA');
    // VS Code looks for problems until 100 ms after a task's end: when it is busy, it has not read then what the task has printed.
    await until(async () => {
      await s.command('Tasks: Run Task');
      await s.page.click('.quick-input-list .monaco-list-row:has-text("check: limited.c: epiphany")');
      await s.visible('.xterm-rows', 'cannot run on epiphany');
      await s.command('Problems: Focus on Problems View');
      return s.visible('.markers-panel .monaco-list-row', 'cannot run on epiphany', SOON).catch(() => undefined);
    }, 'the messages of the task are no problems');
  });
  await s.alone('a task graph is a picture that is linked with its source', 'graph.c', async () => {
    await s.visible('.codelens-decoration', 'Task graph: 3 tasks, 3 levels');
    await s.page.click('.codelens-decoration a:has-text("Task graph")');
    const page = s.page.frameLocator('iframe.webview').frameLocator('iframe');
    await page.locator('[data-line]').nth(2).waitFor();
    await page.locator('[data-line] text').first().click();
    await page.locator('.marked').nth(2).waitFor();
    await s.press('!'); // where the click has put the cursor
    await page.locator('#head', { hasText: 'does not parse' }).waitFor();
    await s.page.keyboard.press('Backspace');
    await page.locator('#head', { hasText: 'steps: 3 tasks' }).waitFor();
    await page.locator('[data-line]').nth(2).waitFor();
    await s.command('File: Revert File');
  });
  await s.alone('a header alone has its lens, its actions and its preview', 'alone.h', async () => {
    await s.visible('.codelens-decoration', 'Preview CUDA');
    await s.page.waitForSelector(`${left} .editor-actions [aria-label^="Preview Generated Kernel"]`);
    await s.page.click(`${left} .view-lines`);
    await s.place(2, 15);
    await s.action('Show what cuda gets');
    await s.page.keyboard.press('Escape');
    await s.keys('p');
    await s.visible(editors, '__global__');
  });
  await s.alone('each folder of a workspace has its settings', undefined, async () => {
    const folders = path.join(work, 'folders.code-workspace');
    await s.fresh(path.join(work, 'one/saxpy.c'), `workspace=${folders}`);
    await s.visible('.codelens-decoration', 'Run');
    await until(() => {
      fs.appendFileSync(folders, '\n'); // VS Code now and then comes up without the folders, and has them when it reads this again
      return s.visible('.codelens-decoration', `Preview ${FOLDERS.one}`, SOON).catch(() => undefined);
    }, 'the workspace has no folders');
    await s.clear();
    await s.ask('Control+p', 'two/saxpy.c');
    await s.page.click('.quick-input-list .monaco-list-row:has-text("two")');
    await s.visible('.codelens-decoration', `Preview ${FOLDERS.two}`);
    const settings = path.join(work, 'two/.vscode/settings.json');
    fs.writeFileSync(settings, JSON.stringify({ 'ompls.preview.device': 'mpinode' }));
    await s.visible('.codelens-decoration', 'Preview mpinode');
    await s.fresh('saxpy.c');
    await s.visible('.codelens-decoration', 'Preview CUDA');
  });
  await s.alone('an inactive branch is dimmed', 'inactive.c', async () => {
    await s.page.waitForFunction(
      () =>
        [...document.querySelectorAll('.view-lines .view-line span, .view-overlays div')].some(
          (e) => Math.abs(Number(getComputedStyle(e).opacity) - 0.55) < 0.01,
        ),
    );
  });
  await s.alone('"Why is there no answer here?" opens a page', 'saxpy.c', async () => {
    await s.command('Why Is There No Answer');
    await s.visible(editors, 'What the analysis stands on');
  });
  await s.alone('the sample of the walkthrough is a program with a region', undefined, async () => {
    await s.command('Open a Sample Program');
    await s.visible('.tab.active', 'sample.c');
    await s.visible('.codelens-decoration', 'Run');
  });
  await s.alone('Run says what is done, and shows what the program prints', 'saxpy.c', async () => {
    await s.visible('.codelens-decoration', 'Run');
    await s.page.click('.codelens-decoration a:has-text("Run")');
    await s.visible('.xterm-rows', 'ompls: running saxpy.c on');
    await s.visible('.xterm-rows', 'exit code 0');
  });
  await s.alone('a run is measured: hints, and rows beside the predicted ones, until the next edit', 'saxpy.c', async () => {
    const at = source.findIndex((line) => line.includes('y[i] =')) + 1;
    const rows = '.customview-tree .monaco-list-row';
    await s.visible('.codelens-decoration', 'Run');
    await s.command('Show Data Environment');
    await s.page.click(`${left} .view-lines`);
    await s.place(at, 1);
    await s.visible(rows, 'device 0, which runs here');
    await s.command('Run Program and Measure');
    await s.visible('.xterm-rows', 'measured, see the data environment');
    await s.visible(editors, 'to 8.0 MiB');
    await s.page.click(`${left} .view-lines`);
    await s.place(at, 2);
    await s.visible('.tree-explorer-viewlet-tree-view .message', 'As it ran: in the construct of line');
    await s.visible(rows, 'the run: references: 1');
    await s.shot('measured', 1000);
    await s.page.click(`${left} .view-lines`);
    await s.page.keyboard.press('End');
    await s.press(' ');
    await s.page.waitForFunction(() => ![...document.querySelectorAll('.view-lines')].some((e) => e.textContent.replace(/\u00a0/g, ' ').includes('to 8.0 MiB')));
    await s.page.keyboard.press('Backspace');
    await s.page.keyboard.press('Control+s');
  });
  await s.alone('a program that asks gets an answer', 'asks.c', async () => {
    await s.visible(editors, 'int main');
    await s.command('Run Program on a Device');
    await s.visible('.xterm-rows', 'what?');
    await s.page.click('.xterm-screen:visible'); // the window has brought its shell back, hidden
    await s.press('this');
    await s.page.keyboard.press('Enter');
    await s.visible('.xterm-rows', 'you said this');
  });
}

await withWindow(files(), drive);
