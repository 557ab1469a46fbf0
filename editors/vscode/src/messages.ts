// Messages: what VS Code shows of the extension.  It makes a link of `[label](command:…)` in one, which a click runs, so
// what others wrote (a server, a setting, a file's name) is made harmless first, as the server does with what it says.
import * as vscode from 'vscode';

/** The text without links (a space parts the two halves of one) and without control characters, in the same lines. */
export function harmless(text: string): string {
  const shown = text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/[^\P{C}\n\t]/gu, '\ufffd');
  return shown.replaceAll('](', '] (');
}

/** The reason of a failure, in words. */
export function reasonOf(problem: unknown): string {
  return harmless(problem instanceof Error ? problem.message : String(problem));
}

/** Show why something failed. */
export function showProblem(problem: unknown): void {
  void vscode.window.showErrorMessage(reasonOf(problem));
}
