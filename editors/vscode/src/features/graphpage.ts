// The page that shows a task graph.  It is told what to show and which lines to mark, and tells what was clicked; it loads
// nothing, and of what it is given only the picture is taken as markup: the server's, which escapes what users wrote.
import { randomBytes } from 'node:crypto';

export function page(): string {
  const nonce = randomBytes(16).toString('hex');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<p id="head"></p>
<div id="picture"></div>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>`;
}

const STYLE = `
#head { white-space: pre-wrap; }
#picture { overflow: auto; }
[data-line], [data-fold] { cursor: pointer; }
svg path { stroke: var(--vscode-editorLineNumber-foreground); }
svg .marked rect { stroke: var(--vscode-focusBorder); stroke-width: 3; }
`;

const SCRIPT = `
const editor = acquireVsCodeApi();
const [head, picture] = ['head', 'picture'].map((id) => document.getElementById(id));
let lines = { from: 0, to: -1 };
const mark = (reveal) => {
  let first = true;
  for (const task of picture.querySelectorAll('[data-line]')) {
    const marked = task.dataset.line >= lines.from && task.dataset.line <= lines.to;
    task.classList.toggle('marked', marked);
    if (marked && first && reveal) {
      task.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    first = first && !marked;
  }
};
addEventListener('message', ({ data }) => {
  if (data.head !== undefined) {
    head.textContent = data.head;
    if (data.picture !== undefined) {
      picture.innerHTML = data.picture ?? '';
    }
    mark(false);
  } else {
    lines = data;
    mark(true);
  }
});
picture.addEventListener('click', ({ target }) => {
  const task = target.closest('[data-line], [data-fold]');
  if (task) {
    editor.postMessage({ line: Number(task.dataset.line) || undefined, fold: task.dataset.fold });
  }
});
`;
