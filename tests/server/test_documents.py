"""Buffers: edits as clients send them, against a plain model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from together import together

from ompls.server.documents import Change, Document


def document(text: str, encoding: str = "utf-16") -> Document:
    return Document("file:///a.c", "/a.c", 1, text, encoding)  # type: ignore[arg-type]


EDITS = [
    # name, before, (start, end, text), after
    ("insert", "ab\ncd\n", ((0, 1), (0, 1), "X"), "aXb\ncd\n"),
    ("replace over lines", "ab\ncd\nef", ((0, 1), (2, 1), "-"), "a-f"),
    ("join lines", "ab\ncd\n", ((0, 2), (1, 0), ""), "abcd\n"),
    ("new line at the end", "ab", ((0, 2), (0, 2), "\n"), "ab\n"),
    ("line past the end", "ab\n", ((9, 0), (9, 9), "c"), "ab\nc"),
    ("column past the end stays before the line end", "ab\r\ncd", ((0, 99), (0, 99), "!"), "ab!\r\ncd"),
    ("reversed range", "abcd", ((0, 3), (0, 1), ""), "ad"),
    ("negative numbers", "abcd", ((-1, -5), (0, 1), ""), "bcd"),
    ("lone carriage returns end lines", "a\rb\rc", ((2, 0), (2, 1), "C"), "a\rb\rC"),
    ("a carriage return and a line feed become one line end", "a\rb", ((1, 0), (1, 0), "\n"), "a\r\nb"),
    ("form feed and U+2028 end no line", "a\fb\u2028c\nd", ((1, 0), (1, 1), "D"), "a\fb\u2028c\nD"),
    ("after a surrogate pair", "\U0001f600x\n", ((0, 2), (0, 3), "y"), "\U0001f600y\n"),
    (
        "a byte order mark is a character, wherever it is",
        "\ufeffa\n\ufeffbc",
        ((1, 2), (1, 3), "!"),
        "\ufeffa\n\ufeffb!",
    ),
    ("also at the start", "\ufeffab", ((0, 1), (0, 2), "!"), "\ufeff!b"),
    ("after two-byte letters", "äöü;\n", ((0, 3), (0, 4), "!"), "äöü!\n"),
]


@together(("before", "edit", "after"), [e[1:] for e in EDITS], ids=[e[0] for e in EDITS])
def test_an_edit(before: str, edit: tuple[tuple[int, int], tuple[int, int], str], after: str) -> None:
    doc = document(before)
    doc.apply(2, [Change(edit[2], edit[0], edit[1])])
    assert doc.source.decode() == after
    assert doc.version == 2
    assert doc.size == len(doc.source)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_the_encoding_decides_what_a_column_is(encoding: str, column: int) -> None:
    doc = document("\U0001f600a b", encoding)
    doc.apply(2, [Change("X", (0, column), (0, column))])
    assert doc.source.decode() == "\U0001f600aX b"


def test_changes_of_one_notification_build_on_each_other() -> None:
    doc = document("abc\n")
    doc.apply(2, [Change("1\n2", (0, 0), (0, 1)), Change("!", (1, 0), (1, 1)), Change("end", (2, 0), (2, 0))])
    assert doc.source == b"1\n!bc\nend"


def test_a_change_without_a_range_is_the_whole_text() -> None:
    doc = document("abc\n")
    doc.apply(2, [Change("new")])
    assert doc.source == b"new"


def test_a_lone_surrogate_is_one_column() -> None:
    doc = document("a\ud800b")
    doc.apply(2, [Change("X", (0, 2), (0, 2))])
    assert doc.source == b"a?Xb"


ALPHABET = st.text(st.sampled_from("a\n\r\f\u00e4\u2028\U0001f600"), max_size=6)
PLACE = st.tuples(st.integers(0, 5), st.integers(0, 5))


@given(ALPHABET, st.lists(st.tuples(PLACE, PLACE, ALPHABET), max_size=6))
def test_a_buffer_is_the_text_that_full_replacement_would_give(text: str, edits: list[tuple]) -> None:
    doc = document(text)
    for number, (start, end, new) in enumerate(edits):
        text = _model(text, *sorted((start, end)), new)
        doc.apply(number, [Change(new, start, end)])
        assert (doc.source.decode(), doc.size) == (text, len(text.encode()))


@given(ALPHABET, st.lists(st.tuples(PLACE, PLACE, ALPHABET), max_size=6), st.booleans())
def test_changes_of_one_notification_are_as_if_they_came_alone(text: str, edits: list[tuple], backwards: bool) -> None:
    if backwards:  # as editors send them
        edits = sorted(edits, key=lambda edit: edit[:2], reverse=True)
    together, alone = document(text), document(text)
    together.apply(2, [Change(new, start, end) for start, end, new in edits])
    for start, end, new in edits:
        alone.apply(2, [Change(new, start, end)])
    assert together.source == alone.source


def test_changes_from_the_end_on_are_one_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    doc = document("a = b;\n" * 100)
    copies = []
    splice = doc._splice
    monkeypatch.setattr(doc, "_splice", lambda edits: (copies.append(len(edits)), splice(edits)))
    doc.apply(2, [Change("x", (line, 0), (line, 1)) for line in reversed(range(100))])
    assert (copies, doc.source) == ([100], b"x = b;\n" * 100)


def _model(text: str, start: tuple[int, int], end: tuple[int, int], new: str) -> str:
    """The same edit on a plain text, position by position."""
    first, last = sorted((_offset(text, start), _offset(text, end)))
    return text[:first] + new + text[last:]


def _offset(text: str, position: tuple[int, int]) -> int:
    line = column = at = 0
    while at < len(text) and line < position[0]:
        if text[at] == "\r" and text[at + 1 : at + 2] == "\n":
            at += 1
        line += text[at] in "\r\n"
        at += 1
    if line < position[0]:
        return len(text)
    while at < len(text) and text[at] not in "\r\n":
        column += 2 if ord(text[at]) > 0xFFFF else 1
        if column > position[1]:
            break
        at += 1
    return at


def test_nothing_is_asked_above_the_first_directive() -> None:
    doc = document("#include <a.h>\nint x;\n#pragma omp parallel\nx = 1;\n")
    assert [doc.below_pragma(line) for line in (-1, 0, 1, 2, 3, 4, 9)] == [False, False, False, True, True, True, True]
