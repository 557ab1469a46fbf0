// Devices: a list of every known device, with the reason why one is not available.
// Needs `ompls/devices` (experimental).
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { showProblem } from '../messages';

export interface Device {
  name: string;
  available?: boolean;
  description?: string;
  board?: boolean;
  reason?: string;
  hint?: string;
  cannot?: string; // why it cannot run the program that was asked about
  login?: 'reached' | 'failed' | 'untried'; // of a board
}

/** Whether it can be used, as an icon: of a board what the last login says. */
export function iconOf({ available, cannot, login }: Device): string {
  return !available || cannot ? '$(circle-slash)' : login === 'failed' ? '$(warning)' : login === 'untried' ? '$(question)' : '$(check)';
}

export function activate(context: vscode.ExtensionContext, connection: Connection): void {
  const show = async (): Promise<void> => {
    try {
      const { devices } = await connection.request<{ devices: Device[] }>('ompls/devices', {});
      const items = devices.map((d) => ({
        label: `${iconOf(d)} ${d.name}`,
        detail: d.available ? (d.description ?? '') : [d.reason, d.hint].filter(Boolean).join('; '),
      }));
      await vscode.window.showQuickPick(items, { placeHolder: 'Devices of this machine' });
    } catch (problem) {
      showProblem(problem);
    }
  };
  context.subscriptions.push(vscode.commands.registerCommand('ompls.devices', show));
}
