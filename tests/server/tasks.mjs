// Run by test_vscode_tasks.py: the words of a task for each { definition, settings } on stdin, where `settings` are those that
// somebody has set, over the defaults of package.json.
import fs from 'node:fs';
import path from 'node:path';
import { load } from './extension.mjs';

const { contributes } = JSON.parse(fs.readFileSync(path.join(process.argv[2], 'package.json'), 'utf8'));
const defaultOf = (name) => contributes.configuration.properties?.[`ompls.${name}`]?.default;
let provider;
let settings;
const folder = { uri: { fsPath: '/w' } };
const vscode = {
  ProcessExecution: class {
    constructor(command, args) {
      Object.assign(this, { command, args });
    }
  },
  Task: class {
    constructor(definition, scope, name, source, execution) {
      this.execution = execution;
    }
  },
  TaskGroup: {},
  TaskScope: {},
  tasks: { registerTaskProvider: (_, given) => (provider = given) },
  workspace: {
    workspaceFolders: [folder],
    getConfiguration: () => ({
      get: (name, otherwise) => settings[name] ?? defaultOf(name) ?? otherwise,
      inspect: (name) => ({ defaultValue: defaultOf(name) }),
    }),
  },
};
const connection = { server: { command: '/bin/ompls', args: ['serve'] } };
load(process.argv[2], 'features/tasks.ts', vscode).activate({ subscriptions: [] }, connection);
const said = JSON.parse(fs.readFileSync(0, 'utf8')).map((asked) => {
  settings = asked.settings;
  return provider.resolveTask({ definition: { type: 'ompls', ...asked.definition }, scope: folder }).execution.args;
});
process.stdout.write(JSON.stringify(said));
