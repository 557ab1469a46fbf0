"""What is asked for a part of a file reads that part only, and gives what the whole file gives there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ompls.analysis import features
from ompls.analysis.features.pragmas import pragmas, pragmas_between
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, Settings
from ompls.analysis.syntax import blocks

FIXTURES = sorted(Path(__file__).parents[1].glob("*/fixtures/*.c"))
PIECES = (b"", b"/*", b"*/", b"\\\n", b"{", b"}", b"\n", b"\r", b"#pragma omp barrier\n")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_a_window_shows_what_the_whole_shows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 100)
    chance, data, analyzer = random.Random(path.stem), path.read_bytes(), Analyzer()
    for _ in range(8):
        at = chance.randrange(len(data) + 1)
        text = data[:at] + chance.choice(PIECES) + data[at:]
        tu = analyzer.analyze(str(path), text, EMPTY_SNAPSHOT, Settings())
        hints = features.inlays(tu)
        assert features.lens_count(tu) == len(features.lenses(tu))
        for _ in range(12):
            a = chance.randrange(len(text) + 1)
            b = chance.randrange(a, len(text) + 1)
            touched = [p for p in pragmas(text) if p.end >= a and p.start <= b]
            assert [p for p in pragmas_between(tu, a, b) if p.end >= a and p.start <= b] == touched
            assert features.tokens(text, a, b, tu) == features.tokens(text, a, b)
            assert features.inlays(tu, a, b) == [hint for hint in hints if a <= hint.offset <= b]


def test_lenses_are_counted_without_those_of_headers() -> None:
    region = b"void f%d(void)\n{\n#pragma omp target\n;\n}\n"
    headers = HeaderSnapshot("of the test", texts={'"a.h"': ("/a.h", region % 1)})
    for text in (region % 2, b'#include "a.h"\n' + region % 2):
        tu = Analyzer().analyze("/a.c", text, headers, Settings())
        assert features.lens_count(tu) == len(features.lenses(tu)) == 1
