// Status: an item in the language status of C files, headers and previews that says how the server is. Needs nothing of the server.
import * as vscode from 'vscode';
import type { Connection, Health } from '../connection';
import { activePlace, SOURCES } from '../documents';
import { harmless } from '../messages';

const TEXTS: Record<Health, [string, vscode.LanguageStatusSeverity]> = {
  starting: ['starting', vscode.LanguageStatusSeverity.Information],
  running: ['running', vscode.LanguageStatusSeverity.Information],
  stopped: ['not running', vscode.LanguageStatusSeverity.Error],
  missing: ['no server found', vscode.LanguageStatusSeverity.Error],
};

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const item = vscode.languages.createLanguageStatusItem('ompls.status', SOURCES);
  item.name = 'ompls';
  const show = (health: Health): void => {
    const [text, severity] = TEXTS[health];
    item.text = `ompls: ${text}`;
    const device = vscode.workspace.getConfiguration('ompls', activePlace()?.uri).get('preview.device');
    item.detail = harmless(`previews show ${device}`); // a link in it would be one here, too
    item.severity = severity;
    item.busy = health === 'starting';
    item.command =
      health === 'running'
        ? { command: 'ompls.showLog', title: 'Show Log' }
        : { command: 'ompls.restart', title: 'Restart' };
  };
  show(connection.health);
  const again = () => show(connection.health);
  context.subscriptions.push(
    item,
    connection.onHealth(show),
    vscode.window.onDidChangeActiveTextEditor(again),
    vscode.workspace.onDidChangeConfiguration(again),
  );
}
