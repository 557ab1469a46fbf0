"""Any text is preprocessed, quickly, and the result does not depend on what was seen before."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from gcc_tokens import FIXTURES, check_map
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps
from thinned import thinned

from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot
from ompls.analysis.syntax import blocks
from ompls.analysis.syntax import lines as lines_of_text
from ompls.analysis.syntax.directive import guard_of
from ompls.analysis.syntax.preprocess import MAX_EXPANDED, Expanded, Preprocessor
from ompls.project.workspace import Workspace

ALL = sorted(FIXTURES.glob("*.c"))
ids = {"ids": lambda path: path.stem}


def snapshot_of(path: Path) -> HeaderSnapshot:
    return Workspace([str(FIXTURES)]).snapshot(str(path), path.read_bytes())


@pytest.mark.parametrize("path", thinned(ALL, 3), **ids)
def test_cut_at_every_offset(path: Path) -> None:
    source, snapshot, preprocessor = path.read_bytes(), snapshot_of(path), Preprocessor()
    texts = dict(snapshot.texts.values())
    for end in range(len(source)):
        expanded = preprocessor.run(str(path), source[:end], snapshot)
        if end % 7 == 0:
            check_map(expanded, {**texts, str(path): source[:end]})


NAMES = ("text", "parse_text", "map", "pragmas", "inactive", "includes", "defines")


def values(expanded: Expanded) -> dict[str, object]:
    """Everything in it, with notes (which compare by identity) as tuples."""
    notes = [(note.kind, note.start, note.end, note.message) for note in expanded.notes]
    return {**{name: getattr(expanded, name) for name in NAMES}, "notes": notes}


FRAGMENTS = [
    "\n", "#", "\\\n", "/*", "*/", '"', "'", "(", ")", ",", "N", "F(", "#define N 5\n", "#undef N\n", "#if N\n",
    "#else\n",     "#endif\n", "#define F(a, b) a##b\n", "__LINE__", "__COUNTER__", "_Pragma(\"omp barrier\")",
    "#pragma omp target map(N)\n",
    "//", "\r\n", "\r", "\xff", "IDX(1,", "#include <math.h>\n", "%:", "CHECK(",
]  # fmt: skip


@pytest.mark.parametrize("size", thinned([20, 200, blocks.SIZE], 3))
@pytest.mark.parametrize("path", thinned(ALL, 3), **ids)
def test_edits_give_what_a_fresh_start_gives(path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the text is cut into blocks."""
    monkeypatch.setattr(blocks, "SIZE", size)
    text, snapshot, preprocessor = path.read_text(), snapshot_of(path), Preprocessor()
    chance = random.Random(path.stem)
    for _ in range(150):
        at = chance.randrange(len(text) + 1)
        removed = chance.choice([0, 0, 1, 5, 40])
        text = text[:at] + chance.choice(FRAGMENTS) * chance.randrange(2) + text[at + removed :]
        source = text.encode("latin-1", "replace")
        seen = preprocessor.run(str(path), source, snapshot)
        fresh = Preprocessor().run(str(path), source, snapshot)
        assert values(seen) == values(fresh), text


@given(st.lists(st.sampled_from([*FRAGMENTS, " ", "x", "1", "F", "##", "F(N)", "(N,1)", "{", "}"]), max_size=40))
@settings(max_examples=300)
def test_any_text(parts: list[str]) -> None:
    source = "".join(parts).encode("latin-1")
    check_map(Preprocessor().run("any.c", source, EMPTY_SNAPSHOT), {"any.c": source})


@given(st.binary(max_size=200))
def test_any_bytes(source: bytes) -> None:
    check_map(Preprocessor().run("any.c", source, EMPTY_SNAPSHOT), {"any.c": source})


def bomb() -> str:
    lines = ["#define A0 x x x x x x x x x x"]
    lines += [f"#define A{n} " + f"A{n - 1} " * 10 for n in range(1, 12)]
    return "\n".join([*lines, "A11", "int after = 1;"])


LARGE = {
    "exponential macro": bomb(),
    "unclosed invocation": "#define F(a) a\n" + "F(\n" * 3000,
    "unclosed nested invocation": "#define F(a) a\n" + "F(" * 3000,
    "closed nested invocation": "#define F(a) a\n" + "F(" * 3000 + "1" + ")" * 3000,
    "unclosed comment": "/*" + " *\n" * 50_000,
    "many unclosed strings": '"a\n' * 20_000,
    "one long line": "x = 1 + " * 100_000,
    "one long continued line": "x = 1 + \\\n" * 20_000,
    "nested conditions": "#if 1\n" * 5_000,
    "nested skipped conditions": "#if 0\n" * 20_000,
    "deep condition": "#if " + "(" * 10_000,
    "deep negation": "#if " + "!" * 10_000 + "1\n#endif",
    "deep ternary": "#if " + "1 ? " * 5_000 + "\n#endif",
    "huge shift": "#if 1 << 999999999999999999\nx\n#endif",
    "chain of macros": "\n".join([f"#define C{n} C{n + 1}" for n in range(3000)] + ["C0"]),
    "many parameters": "#define M(" + ",".join(f"p{n}" for n in range(2000)) + ") p1999\nM(" + "," * 1999 + ")",
    "nothing but hashes": "#" * 50_000,
    "hash lines": "#\n" * 50_000,
    "backslashes": "\\" * 100_000,
    "quotes and backslashes": '"\\' * 50_000,
}


def counted(preprocessor: Preprocessor, name: str, source: bytes) -> tuple[Expanded, int]:
    """The expanded text and the steps that it took."""
    found: list[Expanded] = []
    taken = steps(lambda: found.append(preprocessor.run(name, source, EMPTY_SNAPSHOT)))
    return found[0], taken.total()


@pytest.mark.parametrize("name", thinned(LARGE, 5))
def test_steps_are_bounded(name: str) -> None:
    source = LARGE[name].encode()
    expanded, taken = counted(Preprocessor(), "large.c", source)
    assert taken < 2_500_000, "quadratic behaviour takes a hundred times as many"
    check_map(expanded, {"large.c": source})


def test_runaway_expansion_is_a_note_and_the_rest_goes_on() -> None:
    expanded = Preprocessor().run("bomb.c", bomb().encode(), EMPTY_SNAPSHOT)
    assert [(note.kind, "more than" in note.message) for note in expanded.notes] == [("unread", True)]
    assert b"int after = 1;" in expanded.text


EXPENSIVE = {
    "lines": "A4 x%d\n", "conditions": "#if A4 + %d\n#endif\n", "includes": "#include A4 a%d.h\n",
    "pragmas": "#pragma omp target if(A4 %d)\n",
}  # fmt: skip


@pytest.mark.parametrize("kind", thinned(EXPENSIVE, 2))
def test_expansion_is_bounded_over_all_lines(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is within its own bound and gives nothing or little."""
    monkeypatch.setattr(lines_of_text, "MAX_SPENT", 30_000)
    lines = ["#define A0", *(f"#define A{n} " + f"A{n - 1} " * 10 for n in range(1, 5))]
    source = "\n".join(lines) + "\nint before;\n" + "".join(EXPENSIVE[kind] % n for n in range(2000)) + "int after;\n"
    preprocessor = Preprocessor()
    expanded, taken = counted(preprocessor, "bomb.c", source.encode())
    assert taken < 500_000, "without the bound it takes a hundred times as many"
    assert [note.message for note in expanded.notes if note.kind == "budget"] == [
        "macro expansion takes more than 30000 tokens: the rest is left out"
    ]
    assert b"int before;" in expanded.text
    assert b"int after;" not in expanded.text
    again = preprocessor.run("bomb.c", source.encode(), EMPTY_SNAPSHOT)
    assert values(again) == values(expanded), "what is remembered counts, too"


def test_a_budget_is_polled_while_lines_are_expanded() -> None:
    class Spent:
        def expired(self) -> bool:
            return True

    source = "#define N 1\n" + "".join(f"int a{n} = N;\n" for n in range(1000))
    expanded = Preprocessor().run("long.c", source.encode(), EMPTY_SNAPSHOT, Spent())
    assert [note.message for note in expanded.notes] == ["no time left to go on: the rest is left out"]
    assert 0 < expanded.text.count(b"int") < 100


def test_size_of_the_result_is_bounded() -> None:
    source = "#define A " + "x" * 5000 + "\n#define B A A A A A A A A A A\n" + "B\n" * 3000
    expanded = Preprocessor().run("big.c", source.encode(), EMPTY_SNAPSHOT)
    assert [note.kind for note in expanded.notes] == ["budget"]
    assert len(expanded.text) < MAX_EXPANDED + 200_000


def test_recursive_include_ends() -> None:
    snapshot = HeaderSnapshot("k", texts={'"a.h"': ("/p/a.h", b'int a;\n#include "a.h"\n')})
    expanded = Preprocessor().run("/p/m.c", b'#include "a.h"\nint m;\n', snapshot)
    assert any("deep" in note.message for note in expanded.notes)
    assert b"int m;" in expanded.text


@pytest.mark.parametrize("line", ["/" * 300, "/*" + "*" * 300, "/* a */ " * 100, "// /* " * 100])
def test_comments_around_a_guard(line: str) -> None:
    text = f"{line}\nint x;\n#ifndef A\n#define A\nint a;\n#endif\n{line}\nint y;\n"
    assert guard_of(text) == ""
    assert guard_of(text.replace("int x;\n", "").replace("int y;\n", "")) == ("" if line.startswith("/**") else "A")
