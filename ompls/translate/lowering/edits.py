"""Edits of a unit's text that keep every line where it is.

What is generated stands on the line of what it stands for: a directive as `_Pragma`, a copy of a statement on one
line.  So positions in the lowered text are those of the user's, but for the columns of lowered lines.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ompls.analysis.encoding import encoded
from ompls.analysis.model.tu import TU
from ompls.analysis.source import HeaderSnapshot
from ompls.translate.original import Edits
from ompls.translate.rewrite import spliced, without_comments

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+([^\n]*)(?:\n|\Z)", re.M)
_LINE_END = re.compile(r"(?<![ \t])[ \t]*\r?\n[ \t]*")  # tried once for each row of blanks, not at each blank
_LAST_LINE = re.compile(r'\n#line \d+ "[^\n]*"\n\Z')


def pragma(text: str) -> str:
    """`omp parallel` as an operator that may stand in the middle of a line."""
    words = " ".join(text.split())
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'_Pragma("{escaped}") ' if words else ""


def on_one_line(text: str) -> str:
    """Expanded C text without comments and line ends; pragmas become operators."""
    bare = _PRAGMA.sub(lambda m: pragma(m.group(1)), without_comments(spliced(text)))
    return _LINE_END.sub(" ", bare)


class LineEdits(Edits):
    """Edits by expanded offsets that leave every file as many lines as it had, each where it was."""

    def __init__(self, tu: TU) -> None:
        super().__init__(tu, lambda path, line: (path, line))

    def made(self) -> tuple[bytes, HeaderSnapshot]:
        """The main file and the headers with the edits in them."""
        texts: dict[str, bytes] = dict(self.tu.headers.values())
        texts[self.tu.path] = self.tu.source
        done = {path: encoded(text) for path, text in self.apply(texts).items()}
        headers = {name: (path, done[path]) for name, (path, _) in self.tu.headers.items()}
        snapshot = self.tu.snapshot
        return done[self.tu.path], replace(snapshot, key=f"{snapshot.key}'", texts=headers)

    def _original(self) -> list[tuple[str, int, int, str | None, int]]:
        out: list[tuple[str, int, int, str | None, int]] = []
        texts: dict[str, bytes] = {**dict(self.tu.headers.values()), self.tu.path: self.tu.source}
        for path, start, end, text, order in super()._original():
            lines = texts.get(path, b"").count(b"\n", start, end)
            filled = None if text is None else text + "\n" * (lines - text.count("\n"))
            out.append((path, start, end, filled, order))
        return out

    def _expanded(self, lo: int, hi: int) -> tuple[str, int, int, str, int]:
        path, start, end, text, order = super()._expanded(lo, hi)
        return path, start, end, on_one_line(_LAST_LINE.sub("", text)), order
