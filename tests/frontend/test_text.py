"""Offsets to lines and columns, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ompls.analysis.text import Encoding, LineIndex

ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]
TEXT = "int a;\r\n/* é 𝄞 */ b\n\rc\f\u2028d".encode()


@pytest.mark.parametrize(
    ("needle", "line", "utf8", "utf16", "utf32"),
    [
        ("int", 0, 0, 0, 0),
        ("é", 1, 3, 3, 3),
        ("𝄞", 1, 6, 5, 5),
        ("b", 1, 14, 11, 10),
        ("c", 3, 0, 0, 0),
        ("d", 3, 5, 3, 3),
    ],
)
def test_position(needle: str, line: int, utf8: int, utf16: int, utf32: int) -> None:
    index, offset = LineIndex(TEXT), TEXT.index(needle.encode())
    for encoding, column in zip(ENCODINGS, (utf8, utf16, utf32), strict=True):
        assert index.position(offset, encoding) == (line, column)
        assert index.offset(line, column, encoding) == offset


def test_line_ends() -> None:
    index = LineIndex(b"a\r\nb\rc\nd")
    assert [index.line_span(line) for line in range(len(index))] == [(0, 1), (3, 4), (5, 6), (7, 8)]
    assert index.position(2) == (0, 1), "inside a line end is the end of the line"
    assert index.position(100) == (3, 1)
    assert index.offset(0, 99) == 1
    assert index.offset(99, 0) == 8
    assert index.offset(-1, 5) == 0


def test_byte_order_mark_is_no_column() -> None:
    index = LineIndex(b"\xef\xbb\xbfint a;")
    assert index.position(0) == index.position(3) == (0, 0)
    assert index.offset(0, 0) == 3
    assert index.offset(0, 4, "utf-16") == 7


def test_inside_a_character_is_its_start() -> None:
    index = LineIndex("𝄞x".encode())
    assert index.position(2, "utf-16") == (0, 0)
    assert index.offset(0, 1, "utf-16") == 0, "between the halves of a surrogate pair"


def test_invalid_bytes_are_one_column_each() -> None:
    index = LineIndex(b"\xe9\xff x")
    for encoding in ENCODINGS:
        assert index.position(3, encoding) == (0, 3)
        assert index.offset(0, 3, encoding) == 3


@given(st.text(alphabet="a\r\né𝄞\u2028\t", max_size=30))
def test_agrees_with_python(text: str) -> None:
    data = text.encode()
    index = LineIndex(data)
    for at in range(len(text) + 1):
        before = text[:at]
        if text[at - 1 : at + 1] == "\r\n":
            continue
        lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        offset = len(before.encode())
        for encoding, size in zip(ENCODINGS, (1, 2, 4), strict=True):
            coder = encoding if encoding == "utf-8" else encoding + "-le"
            expected = (len(lines) - 1, len(lines[-1].encode(coder)) // size)
            assert index.position(offset, encoding) == expected
            assert index.offset(*expected, encoding) == offset


@given(st.binary(max_size=40), st.integers(-2, 50), st.integers(-2, 50))
def test_never_raises(data: bytes, a: int, b: int) -> None:
    index = LineIndex(data)
    for encoding in ENCODINGS:
        index.position(a, encoding)
        assert 0 <= index.offset(a, b, encoding) <= len(data)


@given(
    st.text(alphabet="a\n\r\u00e9", max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9), st.text("b\n\r", max_size=20)), max_size=6),
)
def test_an_edited_index_is_that_of_the_edited_text(text: str, edits: list[tuple[int, int, str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ompls.analysis.text._STRIDE", 4)
        data = text.encode()
        index = LineIndex(data)
        for at, size, new in edits:
            start, end = min(at, len(data)), min(at + size, len(data))
            data = data[:start] + new.encode() + data[end:]
            index = index.edited(data, start, end, len(new.encode()))
            fresh = LineIndex(data)
            assert index.data == data
            assert len(index) == len(fresh)
            assert [index.line_of(at) for at in range(len(data) + 1)] == [
                fresh.line_of(at) for at in range(len(data) + 1)
            ]
            assert [index.line_span(n) for n in range(len(fresh))] == [fresh.line_span(n) for n in range(len(fresh))]
