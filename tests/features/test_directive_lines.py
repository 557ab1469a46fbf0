"""What the text of a file says by directives is found once for each text, as often as it is asked for."""

from __future__ import annotations

import random

from ompls.analysis.features.directivelines import defined_macros, directive_lines


def test_directives_are_found_anew_for_another_text_only() -> None:
    first = b"#include <a.h>\n#define A \\\n 1\n// #define B\n#pragma omp target\nint x;\n  # define  C(x) x\n"
    found = (b"#include <a.h>", b"#define A \\\n 1", b"#define B", b"# define  C(x) x")
    assert directive_lines(first) == found
    assert directive_lines(first) is directive_lines(first)
    assert defined_macros(first) == {b"A", b"B", b"C"}
    code = first.replace(b"int x;", b"int y;")
    assert directive_lines(code) == found
    assert defined_macros(code) is defined_macros(first)
    assert defined_macros(code.replace(b"define A", b"define D")) == {b"D", b"B", b"C"}
    assert directive_lines(b"") == ()


PIECES = (
    b"#define A 1\n",
    b"#",
    b"\\\n",
    b"\\\r\n",
    b"\n",
    b"\r\n",
    b"#pragma omp x\n",
    b"pragma",
    b" ",
    b"a",
    b"\\",
    b"\r",
)


def test_after_an_edit_they_are_those_of_the_text_that_it_left() -> None:
    draw = random.Random(7)
    text = b"".join(draw.choices(PIECES, k=60))
    for _ in range(3000):
        start = draw.randrange(len(text) + 1)
        end = min(len(text), start + draw.choice((0, 0, 1, 4)))
        text = text[:start] + draw.choice((b"", *PIECES)) + text[end:]
        after_an_edit = directive_lines(text)
        directive_lines(b"")
        assert after_an_edit == directive_lines(text), text
