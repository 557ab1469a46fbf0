"""What the fuzzer calls: everything that the server does with a text, on any bytes; nothing of it may raise or hang.

The first byte chooses places and settings, the rest is the text.  A text is analysed twice by one analyzer, with an
edit in between, so that what is kept from version to version is used, too; the second result must be that of a new
analyzer.
"""

from __future__ import annotations

from ompls.analysis import features, notes, rules
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, HeaderUnit, Macro, Settings
from ompls.analysis.syntax import blocks
from ompls.analysis.text import Encoding, LineIndex

LONGEST = 20_000  # bytes; what long texts cost has tests of its own
_SNAPSHOT = HeaderSnapshot(
    "fuzz",
    system={"<h.h>": HeaderUnit((Macro("N", None, "4"), Macro("F", ("a",), "(a)")), "double sqrt(double x);\n")},
    texts={'"p.h"': ("/p/p.h", b"#pragma omp declare target\nint twice(int a);\n#pragma omp end declare target\n")},
    missing={"<gone.h>": "not found"},
)
_EDITS = (
    b"",
    b"{",
    b"}",
    b"/*",
    b"\\\n",
    b"(",
    b"#if 0\n",
    b"#pragma omp target\n",
    b";",
    b"\r",
    b"\0",
    b"#define a b\n",
)
_ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


class Wrong(AssertionError):
    """Two results differ that must not."""


def one(data: bytes) -> None:
    """Raises when something is wrong with what is made of `data`."""
    choice, text = (data[0] if data else 0), data[1:LONGEST]
    usual = blocks.SIZE
    blocks.SIZE = 40 if choice & 1 else usual
    try:
        snapshot = _SNAPSHOT if choice & 2 else EMPTY_SNAPSHOT
        settings = Settings(openmp=("4.5", "5.2", "6.0", "5.0")[choice >> 6])  # type: ignore[arg-type]
        analyzer = Analyzer()
        look(analyzer.analyze("/p/t.c", text, snapshot, settings), choice)
        at = len(text) * (choice >> 2 & 7) // 8
        edited = text[:at] + _EDITS[choice % len(_EDITS)] + text[at + (choice >> 5) :]
        kept = look(analyzer.analyze("/p/t.c", edited, snapshot, settings), choice)
        fresh = look(Analyzer().analyze("/p/t.c", edited, snapshot, settings), choice)
        if kept != fresh:
            raise Wrong("what was analysed before changes the result")
    finally:
        blocks.SIZE = usual


def look(tu: TU, choice: int) -> list[object]:
    """Ask everything there is to ask about `tu`; what is said about it."""
    said = rules.report(tu, notes.diagnostics(tu))
    notes.is_c(tu)
    lines, size = LineIndex(tu.source), len(tu.source)
    encoding = _ENCODINGS[choice % 3]
    for diagnostic in (*said.diagnostics, *said.suppressed):
        where = diagnostic.where
        if where.path == tu.path and not 0 <= where.start <= where.end <= size:
            raise Wrong(f"{where} is outside of the text")
        lines.position(where.start, encoding)
    found = features.tokens(tu.source)
    hints = features.inlays(tu)
    for k in range(4):
        offset = size * (k * 64 + choice // 4) // 256
        line, column = lines.position(offset, encoding)
        if lines.offset(line, column, encoding) > offset and not tu.source.startswith(b"\xef\xbb\xbf"):
            raise Wrong(f"position {line}:{column} is after byte {offset}")
        features.hover(tu, offset)
        features.completions(tu, offset)
        features.signature(tu, offset)
        features.explain(tu, offset)
        features.selections(tu, offset)
        features.references(tu, offset)
        features.tokens(tu.source, offset, offset + 100, tu)
        if features.inlays(tu, offset, size) != [hint for hint in hints if hint.offset >= offset]:
            raise Wrong("a window shows something else than the whole")
    features.folds(tu)
    return [said.diagnostics, found, hints, features.lenses(tu), [(i.start, i.end) for i in tu.items]]
