"""What an editor waits for, in steps (tests/steps.py), which may not grow unnoticed (tests/ratchet.py).

A text of 2,000 lines: its functions stand alone, or call each other.  What is counted is what the worker of a document
does with a message; no time is in it, and no compiler's headers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ratchet import held
from steps import steps

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import HeaderSnapshot, HeaderUnit
from ompls.server.answers import METHODS
from ompls.server.documents import Change
from ompls.server.messages import Context, Open
from ompls.server.opened import Opened, Result
from ompls.server.settings import Settings
from ompls.server.work import Deadline, analyse, judge

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
import generate

HEADERS = {
    "<math.h>": HeaderUnit((), "extern double sqrt(double x);\n"),
    "<stdio.h>": HeaderUnit((), "extern int printf(const char *format, ...);\n"),
    "<stdlib.h>": HeaderUnit((), "extern void *malloc(unsigned long);\nextern void free(void *);\n"),
    "<string.h>": HeaderUnit((), "extern void *memset(void *s, int c, unsigned long n);\n"),
}
SNAPSHOT = HeaderSnapshot("of the test", system=HEADERS)
ENOUGH = 1000.0  # seconds: no work is cut short
VIEW = 60  # lines that a window shows


class Editor:
    """One document, as its worker knows it, and what is asked at a line in its middle."""

    def __init__(self, text: str) -> None:
        self.text = text
        opening = Open("file:///t/big.c", "/t/big.c", 1, b"", "utf-8", 1, Context(), Settings())
        self.opened = Opened(opening)
        self.shown = self.state(text)
        lines = text.split("\n")
        self.line = next(n for n in range(len(lines) // 2, 0, -1) if "map(to: " in lines[n])
        self.column = lines[self.line].index("map(to: ") + len("map(to: ")
        self.body = next(n for n in range(self.line, len(lines)) if lines[n].startswith("    for ("))

    def state(self, text: str, analyzer: Analyzer | None = None) -> Result:
        """What the worker knows of this text, when the rules have spoken."""
        opened = self.opened
        opened.document.apply(1, [Change(text)])
        used, settings = analyzer or opened.analyzer, opened.settings
        tu = analyse(used, "/t/big.c", opened.document.source, SNAPSHOT, opened.meant, Deadline(ENOUGH))
        return Result(1, 1, tu, opened.document.lines, judge(tu, SNAPSHOT, settings), 0.0)

    def answer(self, method: str, params: Any) -> tuple[bytes, ...]:
        return METHODS[method].text(self.opened, self.shown, params)

    def insert(self, line: int, column: int, text: str) -> None:
        lines = self.text.split("\n")
        lines[line] = lines[line][:column] + text + lines[line][column:]
        self.shown = self.state("\n".join(lines))

    def place(self) -> SimpleNamespace:
        return SimpleNamespace(line=self.line, character=self.column + 1)

    # --- what is counted

    def key(self, text: str) -> None:
        """A key in a loop, and what an editor asks then."""
        self.insert(self.body, 4, text)
        first, last = (SimpleNamespace(line=self.body + n, character=0) for n in (-VIEW // 2, VIEW // 2))
        view = SimpleNamespace(range=SimpleNamespace(start=first, end=last))
        self.answer("textDocument/codeLens", {})
        self.answer("textDocument/inlayHint", (view, None))
        self.answer("textDocument/semanticTokens/range", view)

    def include(self, text: str) -> None:
        self.insert(0, 0, text)

    def refused(self, text: str) -> None:
        """What is asked when an edit of the headers has been understood."""
        self.insert(0, 0, text)
        self.answer("textDocument/codeLens, refused", {})

    def completion(self, text: str) -> None:
        self.insert(self.line, self.column, text)
        found = self.answer("textDocument/completion", SimpleNamespace(position=self.place(), context=None))
        assert b'"n"' in found[0]

    def preview(self, text: str) -> None:
        self.insert(self.body, 4, text)
        asked = {"device": "cuda", "position": {"line": self.line, "character": self.column}}
        assert b"__global__" in self.answer("ompls/preview", asked)[0]

    def again(self, work: Callable[[str], None], *texts: str) -> int:
        """The steps for the last of these texts, each put where the one before it was."""
        for text in texts[:-1]:
            work(text)
        return steps(partial(work, texts[-1])).total()


def test_what_an_editor_waits_for_takes_no_more_steps_than_it_did() -> None:
    counted: dict[str, int] = {}
    for name, calls in (("alone", False), ("calls", True)):
        editor = Editor(generate.source(500, calls))
        counted |= {
            f"key_{name}": editor.again(editor.key, " ", ";", "", " ", ";"),
            f"include_{name}": editor.again(editor.include, "", "#include <string.h>\n", "", "#include <string.h>\n"),
            f"refused_{name}": editor.again(editor.refused, "", "#include <string.h>\n", "", "#include <string.h>\n"),
            f"completion_{name}": editor.again(editor.completion, "", "n", "", "n"),
            f"preview_{name}": editor.again(editor.preview, "", " ", "", " "),
        }
        small = generate.source(48, calls)
        counted[f"cold_{name}"] = steps(partial(editor.state, small, Analyzer())).total()
    held("steps", counted)
