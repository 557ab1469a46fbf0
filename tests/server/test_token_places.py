"""Places of tokens that are counted from one another, and of ranges, are those of the text."""

from __future__ import annotations

import random
from itertools import combinations
from typing import get_args

import pytest

from ompls.analysis import features
from ompls.analysis.source import Location
from ompls.analysis.text import Encoding, LineIndex
from ompls.server.convert import Places
from ompls.server.editing import relative

_PRAGMA = b"#pragma omp target map(to: a[0:n]) \\\n  if(x > 1) /* \xc3\xa9 */ map(from: \xf0\x9f\x98\x80b, c)\n"
_PIECES = (b"\n", b"\r", b"\r\n", b"\\\n", b"\\\r\n", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\xff", b"/*", b"*/", b" x ")


@pytest.mark.parametrize("encoding", get_args(Encoding))
def test_places_are_those_of_the_text(encoding: Encoding) -> None:
    chance, seen = random.Random(encoding), 0
    for _ in range(300):
        text = chance.choice((b"", b"\xef\xbb\xbf")) + _PRAGMA * 3
        for _ in range(chance.randrange(6)):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(_PIECES) + text[at:]
        lines, tokens = LineIndex(text), features.tokens(text)
        data = relative(tokens, lines, encoding)
        line = column = 0
        for number, (start, end, _) in enumerate(tokens):
            down, right, size, _, zero = data[5 * number : 5 * number + 5]
            line, column = line + down, right + (0 if down else column)
            assert (line, column) == lines.position(start, encoding)
            assert (line, column + size) == lines.position(end, encoding)
            assert zero == 0
            seen += 1
        assert len(data) == 5 * len(tokens)
    assert seen > 5_000


@pytest.mark.parametrize("encoding", get_args(Encoding))
def test_both_ends_of_a_range_are_those_of_the_text(encoding: Encoding) -> None:
    text = _PRAGMA + b"int a; \r\n\r int b;\n"
    lines = LineIndex(text)
    places = Places("a.c", lines, encoding, str, lambda _: b"")
    characters = text.decode()
    for start, end in combinations([len(characters[:n].encode()) for n in range(len(characters) + 1)], 2):
        expected = (*lines.position(start, encoding), *lines.position(end, encoding))
        assert places.span(Location("a.c", start, end)) == expected
