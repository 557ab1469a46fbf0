"""The kept JSON of lenses is what would be made anew: for any edit, offer and encoding."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial

import pytest

from ompls.analysis import features
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, Location, Settings
from ompls.analysis.syntax import blocks
from ompls.analysis.text import Encoding, LineIndex
from ompls.server.lenstexts import Offer, answer

_OFFER = Offer("file:///100%25.c", "Preview CUDA", "cuda", "host")
_TEXT = b"".join(
    b"""void f%d(int n, double *a) { /* \xc3\xa9\xf0\x9f\x98\x80 */
#pragma omp target map(tofrom: a[0:n]) \\
    if(n > %d)
  for (int i = 0; i < n; i++) a[i] += i;
}
"""
    % (number, number)
    for number in range(12)
)
_HEADER = b"static void of_header(int *p) {\n#pragma omp target map(from: p[0:1])\n*p = 1;\n}\n"
_PIECES = (
    b"", b"\n", b"\r", b"\r\n", b"/*", b"*/", b"{", b"}", b";", b"\\\n", b"\xc3\xa9", b"#define n 3\n", b"int x;\n",
    b"_Pragma(\"omp target\") ; ", b'\n#include "h.h"\n', b"\xef\xbb\xbf", b"#if 0\n", b"#endif\n",
)  # fmt: skip


def _expected(offer: Offer, tu: TU, lines: LineIndex, encoding: Encoding) -> list[object]:
    made: list[object] = []
    for where, region in features.lenses(tu):
        (line, column), (end, end_column) = lines.position(where.start, encoding), lines.position(where.end, encoding)
        range_ = {"start": {"line": line, "character": column}, "end": {"line": end, "character": end_column}}
        run = "Run" if offer.run is not None else None
        price = dict(offer.prices).get(region)
        preview = f"{offer.preview} ({price})" if price and offer.preview else offer.preview
        titles = ((preview, "ompls.preview", offer.device), (run, "ompls.run", offer.run))
        for title, command, device in titles:
            if title is not None:
                arguments = [{"uri": offer.uri, "region": region, "device": device}]
                made.append({"range": range_, "command": {"title": title, "command": command, "arguments": arguments}})
    return made


def _check(analyzer: Analyzer, source: bytes, offer: Offer, encoding: Encoding) -> int:
    headers = HeaderSnapshot("k", texts={'"h.h"': ("/h.h", _HEADER), '"tail.h"': ("/tail.h", b"}\n")})
    tu, lines = analyzer.analyze("/100%.c", source, headers, Settings()), LineIndex(source)
    got = json.loads(b"".join(answer(offer, tu, lines, encoding)))
    assert got == _expected(offer, tu, lines, encoding)
    return len(got)


@pytest.mark.parametrize("seed", range(5))
def test_kept_lenses_are_those_of_the_text(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(blocks, "SIZE", chance.choice((30, 100, blocks.SIZE)))
    source, analyzer, encodings = _TEXT, Analyzer(), ("utf-8", "utf-16", "utf-32")
    for step in range(60):
        at = chance.randrange(len(source) + 1)
        source = source[:at] + chance.choice(_PIECES) + source[at + chance.choice((0, 0, 0, 1, 9)) :]
        source = _TEXT if step % 15 == 14 else source
        _check(analyzer, source, _OFFER, encodings[step % 3] if seed % 2 else "utf-16")  # type: ignore[arg-type]


@pytest.mark.parametrize("tail", [b"}\n", b'#include "tail.h"\n'])
def test_columns_are_those_of_the_text_as_it_is_written(tail: bytes) -> None:
    """What a macro makes of the two is the same, and they have as many bytes."""
    analyzer, head = Analyzer(), b"#define FIRST(x) p[0:1]\nvoid f(int *p) {\n"
    text = head + b"#pragma omp target map(to: FIRST(%s))\n*p = 1;\n" + tail
    for argument in (b"ab", b"\xc3\xa9"):
        assert _check(analyzer, text % argument, _OFFER, "utf-16") == 2


def test_other_offers() -> None:
    analyzer = Analyzer()
    assert _check(analyzer, _TEXT, _OFFER, "utf-16") == 24
    assert _check(analyzer, _TEXT, Offer("file:///a.c", "Preview host", "host", None), "utf-16") == 12
    assert _check(analyzer, _TEXT, Offer("file:///a.c", None, "host", None), "utf-16") == 0


def test_only_lines_are_written_anew() -> None:
    """Whatever an address holds."""
    analyzer, offer = Analyzer(), Offer('file:///"line":3,"line', '"line":4', "host", "cuda")
    for text in (_TEXT, b"\n\n" + _TEXT, b"int x;\n" + _TEXT):
        assert _check(analyzer, text, offer, "utf-16") == 24


def test_only_the_part_that_was_edited_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 100)
    analyzer = Analyzer()
    looked_at: list[int] = []
    for source in (_TEXT, _TEXT.replace(b"n > 7", b"n > 99"), b"\n\n" + _TEXT):
        tu = analyzer.analyze("/a.c", source, EMPTY_SNAPSHOT, Settings())
        looked_at.append(0)
        parts = [part._replace(lenses=partial(_counted, part.lenses, looked_at)) for part in features.lens_parts(tu)]
        with monkeypatch.context() as patched:
            patched.setattr(features, "lens_parts", lambda _, parts=parts: parts)
            answer(_OFFER, tu, LineIndex(source), "utf-16")
    assert looked_at[0] > 5
    assert looked_at[1:] == [1, 1], "the second time the first part, which begins with new lines"


def _counted(lenses: Callable[[], list[tuple[Location, str]]], looked_at: list[int]) -> list[tuple[Location, str]]:
    looked_at[-1] += 1
    return lenses()
