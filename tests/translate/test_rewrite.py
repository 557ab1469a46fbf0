"""Edits nest, keep what they do not touch, and every line knows where it came from."""

from __future__ import annotations

import pytest

from ompls.analysis.model.ast import Span
from ompls.translate.rewrite import Line, Rewriter, lines_of, reindent

TEXT = b"aa bb\ncc dd\nee"


def test_edits_nest_in_any_order() -> None:
    rw = Rewriter(TEXT)
    rw.replace(Span(6, 8), "C")
    rw.replace(Span(3, 11), "[", Span(6, 8), "|", Span(3, 5), "]")
    rw.replace(Span(0, 14), "<", Span(0, 14), ">")
    assert rw.string(Span(0, 14)) == "<aa [C|bb]\nee>"
    assert rw.string(Span(3, 11)) == "[C|bb]"
    assert rw.string(Span(6, 11)) == "C dd"


def test_of_two_edits_of_a_span_the_later_is_inside() -> None:
    rw = Rewriter(TEXT)
    rw.replace(Span(0, 2), "outer(", Span(0, 2), ")")
    rw.replace(Span(0, 2), "inner")
    assert rw.string(Span(0, 5)) == "outer(inner) bb"


def test_overlapping_edits_are_refused() -> None:
    rw = Rewriter(TEXT)
    rw.replace(Span(0, 4), "x")
    rw.replace(Span(3, 8), "y")
    with pytest.raises(ValueError, match="overlap"):
        rw.string(Span(0, 14))


@pytest.mark.parametrize("asked", [Span(1, 4), Span(4, 8), Span(2, 5), Span(4, 9)])
def test_what_crosses_an_edit_is_refused(asked: Span) -> None:
    rw = Rewriter(b"abcdefghij")
    rw.replace(Span(3, 6), "x")
    with pytest.raises(ValueError, match="crosses"):
        rw.string(asked)


def test_what_lies_inside_an_edit_is_rendered_alone() -> None:
    rw = Rewriter(b"abcdefghij")
    rw.replace(Span(2, 8), "x", Span(2, 8))
    rw.replace(Span(4, 5), "E")
    assert [rw.string(Span(*s)) for s in ((2, 6), (3, 8), (4, 5), (2, 8), (0, 10))] == [
        "cdEf",
        "dEfgh",
        "E",
        "xcdEfgh",
        "abxcdEfghij",
    ]


def test_offsets_count_bytes_that_are_no_utf_8() -> None:
    rw = Rewriter(b"'\xfc' a\n  \xe9 b\n\xc3\xbc c")
    rw.replace(Span(4, 5), "A")
    chunks = rw.render(Span(0, 16))
    assert lines_of(chunks) == [Line("'\udcfc' A", 0), Line("  \udce9 b", 8), Line("\u00fc c", 12)]


def test_lines_know_their_source() -> None:
    rw = Rewriter(TEXT)
    rw.replace(Span(6, 8), "made\nup ", Span(6, 8))
    assert lines_of(rw.render(Span(0, 14))) == [Line("aa bb", 0), Line("made", 6), Line("up cc dd", 6), Line("ee", 12)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{\nfor (;;)\nx;\ny;\n}", "{\n    for (;;)\n        x;\n    y;\n}"),
        ("for (;;)\nfor (;;) {\nx;\n}\ny;", "for (;;)\n    for (;;) {\n        x;\n    }\ny;"),
        ("f([a] {\nx;\n}, 0);\ny;", "f([a] {\n    x;\n}, 0);\ny;"),
        ("a = b +\nc;\nd;", "a = b +\n    c;\nd;"),
        (
            "{\nif (a) { // }\nx;\n} else\ny;\nz;\n}",
            "{\n    if (a) { // }\n        x;\n    } else\n        y;\n    z;\n}",
        ),
        ("{\n/* one\n * two */\nx;\n}", "{\n    /* one\n     * two */\n    x;\n}"),
        ("{\ncase 1:\nx;\n#line 3\n}", "{\ncase 1:\n    x;\n#line 3\n}"),
    ],
)
def test_lines_are_indented_by_their_braces(before: str, after: str) -> None:
    lines = reindent([Line(x, None) for x in before.splitlines()])
    assert "\n".join(x.text for x in lines) == after
