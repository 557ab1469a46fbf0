"""What the expanded text, its map and its notes say."""

from __future__ import annotations

import pytest
from together import together

from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, HeaderUnit, Location, Macro
from ompls.analysis.syntax.preprocess import Expanded, Preprocessor

HEADERS = HeaderSnapshot(
    "test",
    predefined=(Macro("_OPENMP", None, "201511"), Macro("__STDC__", None, "1")),
    system={
        "<lib.h>": HeaderUnit(
            (Macro("LIB", None, "7"), Macro("GONE", None, "1"), "GONE", Macro("ID", ("x",), "x")), "int lib;\n"
        )
    },
    texts={
        '"own.h"': ("/p/own.h", b"#ifndef OWN\n#define OWN\n#define TWICE(x) ((x) * 2)\nint own;\n#endif\n"),
        '"no_newline.h"': ("/p/no_newline.h", b"int last;"),
        '"dir/a.h"': ("/p/dir/a.h", b'#include "b.h"\n'),
        '"b.h"': ("/p/b.h", b"int b_of_main;\n"),
        '"b.h" in /p/dir': ("/p/dir/b.h", b"int b_of_dir;\n"),
    },
    missing={"<gone.h>": "no such file"},
)


def run(text: str, headers: HeaderSnapshot = HEADERS) -> Expanded:
    return Preprocessor().run("/p/main.c", text.encode(), headers)


def shown(expanded: Expanded, part: str) -> tuple[str, int, int]:
    """Where the user sees `part` of the expanded text."""
    at = expanded.text.index(part.encode())
    place = expanded.map.location(at, at + len(part))
    return place.path, place.start, place.end


# source, words of the expanded text, messages (a part of each)
CASES: dict[str, tuple[str, str, list[str]]] = {
    "nothing": ("", "", []),
    "comments stay": ("int a; /* b */ // c\n", "int a; /* b */ // c", []),
    "unknown directive": ("#bogus 1\nx\n", "x", ["unknown directive '#bogus'"]),
    "line marker": ('# 1 "x.c"\nx\n', "x", []),
    "error and warning": ("#error no  good\n#warning don't\n", "", ["#error no  good"]),
    "a pragma of others": ("#pragma tool it's\n", "#pragma tool it's", []),
    "open string": ('s = "abc\nx\n', 's = "abc x', ["string has no closing quote"]),
    "open character": ("c = 'a\nx\n", "c = 'a x", ["character constant has no closing quote"]),
    "open comment": ("a\n/* b\nc\n", "a", ["comment has no end"]),
    "open condition": ("#if 1\nx\n", "x", ["#if has no #endif"]),
    "stray endif": ("#endif\nx\n", "x", ["#endif without #if"]),
    "stray else": ("#if 1\nx\n#else\ny\n#else\nz\n#endif\n", "x z", ["#else without #if"]),
    "bad condition": ("#if 1 +\nx\n#else\ny\n#endif\n", "y", ["ends too early"]),
    "division by zero": ("#if 1 / 0\nx\n#endif\n", "", ["division by zero"]),
    "string in a condition": ('#if "a"\n#endif\n', "", ["a string is not allowed"]),
    "floating condition": ("#if 1.5\n#endif\n", "", ["'1.5' is not an integer"]),
    "define without name": ("#define\n#define 3\n#undef\n#ifdef\n#endif\n", "", ["macro name"] * 4),
    "bad parameters": ("#define F(a\n#define G(1) 2\n", "", ["no closing parenthesis", "'1' is not expected"]),
    "wrong number": ("#define F(a, b) a b\nF(1) F(1, 2)\n", "F(1) 1 2", ["takes 2 arguments, not 1"]),
    "open invocation": ("#define F(a) a\nF(1\nx F(2)\n", "F(1 x 2", ["no closing parenthesis"]),
    "directive in arguments": ("#define F(a) a\nF(1\n#define B\n)\n", "F(1 )", ["no closing parenthesis"]),
    "bad paste": ("#define P(a, b) a##b\nP(+, x)\n", "+x", ["does not give a token"]),
    "system header": ("#include <lib.h>\nLIB GONE ID(LIB)\n", "7 GONE 7", []),
    "undef of a header's macro": ("#include <lib.h>\n#undef LIB\nLIB\n", "LIB", []),
    "own header": ('#include "own.h"\nTWICE(3)\n', "int own; ((3) * 2)", []),
    "own header once": ('#include "own.h"\n#include "own.h"\n', "int own;", []),
    "header without newline": ('#include "no_newline.h"\nint next;', "int last; int next;", []),
    "include at the very end": ('#include "no_newline.h"', "int last;", []),
    "same name in two directories": ('#include "dir/a.h"\n#include "b.h"\n', "int b_of_dir; int b_of_main;", []),
    "missing header": ("#include <gone.h>\nx\n", "x", ["<gone.h>: no such file"]),
    "header newer than the snapshot": ('#include "new.h"\n#if NEW\nx\n#endif\n', "", ["'NEW' is defined is not"]),
    "malformed include": ("#include gone\n#include\n", "", ["needs", "needs"]),
    "missing header decides": (
        "#include <gone.h>\n#if HAVE_IT\nx\n#else\ny\n#endif\n#ifdef HAVE_IT\nz\n#endif\n", "",
        ["no such file", "'HAVE_IT' is defined is not known", "'HAVE_IT' is defined is not known"],
    ),
    "missing header and a default": (
        "#include <gone.h>\n#ifndef N\n#define N 3\n#endif\n#if N > 2 && defined(_OPENMP) && !defined(_WIN32)\nx\n"
        "#endif\n", "x", ["no such file"],
    ),
    "directive behind a comment": ("/* a */ #define A 1\nA\n", "1", []),
    "no accidental tokens": ("#define M -1\n-M +M x=M; 1e M\n", "- -1 +-1 x=-1; 1e -1", []),
    "pragma in a header's macro": ("#include <lib.h>\nID(_Pragma(\"omp barrier\"))\n", "#pragma omp barrier", []),
    "an attribute": (
        "#define N 4\n[[omp::directive(parallel for collapse(N))]] for (;;);\n",
        "#pragma omp parallel for collapse(4) for (;;);", [],
    ),
    "attributes over lines": (
        "[[ omp :: sequence(directive(target\n  map(to: x)), omp::directive(teams)) ]]\nf();\n",
        "#pragma omp target map(to: x) #pragma omp teams f();", [],
    ),
    "a declaration's attribute": ("[[omp::decl(threadprivate)]] int x;\n", "int x;", []),
    "no attributes": ("a[b[omp]] = 0; [[omp::other(x)]] int y;\n", "a[b[omp]] = 0; [[omp::other(x)]] int y;", []),
    "an attribute without end": ("[[omp::directive(target\nint y;\n", "[[omp::directive(target int y;", []),
    "a macro `omp`": ("#define omp 3\nx[y[omp]];\n", "x[y[3]];", []),
    "a macro makes the string": (
        "#define STR(...) #__VA_ARGS__\n#define OMP(...) _Pragma(STR(omp __VA_ARGS__))\n#define N 2\n"
        "OMP(for collapse(N), nowait) for (;;);\n",
        "#pragma omp for collapse(2), nowait for (;;);", [],
    ),
    "bad _Pragma": ("_Pragma(omp) _Pragma\n", "_Pragma(omp) _Pragma", []),
}  # fmt: skip


@together("name", CASES)
def test_case(name: str) -> None:
    source, words, messages = CASES[name]
    expanded = run(source)
    assert expanded.text.decode().split() == words.split()
    assert len(expanded.notes) == len(messages), expanded.notes
    for note, message in zip(expanded.notes, messages, strict=True):
        assert message in note.message


def test_bytes_that_are_not_utf8_are_noted_and_kept() -> None:
    expanded = Preprocessor().run("m.c", b"int a; // caf\xe9\n", HEADERS)
    assert [note.kind for note in expanded.notes] == ["encoding"]
    assert expanded.text == b"int a; // caf\xe9\n"


def test_places() -> None:
    source = '#include "own.h"\n#define N 64\nint a = 1 + N; int TWICE(b);\n'
    expanded = run(source)
    assert shown(expanded, "int a") == ("/p/main.c", source.index("int a"), source.index("int a") + 5)
    assert shown(expanded, "64")[1:] == (source.index("N;"), source.index("N;") + 1)
    assert shown(expanded, "1 + 64")[1:] == (source.index("1 + N"), source.index("N;") + 1)
    assert shown(expanded, "(b) * 2")[1:] == (source.index("TWICE"), source.index("TWICE") + len("TWICE(b)"))
    header = HEADERS.texts['"own.h"'][1]
    assert shown(expanded, "int own") == ("/p/own.h", header.index(b"int own"), header.index(b"int own") + 7)
    segment = expanded.map.at(expanded.text.index(b"int own"))
    assert segment.included_at == Location("/p/main.c", 0, 16)


def test_stacks_name_the_macros_outermost_first() -> None:
    source = "#include <lib.h>\n#define INNER 5\n#define OUTER(x) (x + INNER + LIB)\nint a = OUTER(1);\n"
    expanded = run(source)
    stack = expanded.map.at(expanded.text.index(b"5")).stack
    inner, outer = source.index("INNER"), source.index("OUTER")
    assert stack == (
        ("OUTER", Location("/p/main.c", outer, outer + 5)),
        ("INNER", Location("/p/main.c", inner, inner + 5)),
    )
    assert expanded.map.at(expanded.text.index(b"7")).stack[-1] == ("LIB", None)


def test_moved_definition_moves_in_the_stack() -> None:
    preprocessor = Preprocessor()
    source = "#define N 64\nint a = N;\n"
    for shift in ("", "\n", "/* a comment */ "):
        expanded = preprocessor.run("/p/main.c", (shift + source).encode(), HEADERS)
        where = expanded.map.at(expanded.text.index(b"64")).stack[0][1]
        assert where == expanded.defines["N"] == Location("/p/main.c", len(shift) + 8, len(shift) + 9)


def test_pragmas_are_slices_of_the_text() -> None:
    source = (
        "#define N 8\n  # pragma omp target \\\n  map(a[0:N]) /* x\n y */\n;\n"
        'f(); _Pragma("omp barrier") g();\n#if 0\n#pragma omp inactive\n#endif\n'
    )
    expanded = run(source)
    texts = [expanded.text[start:end].decode() for start, end in expanded.pragmas]
    assert texts == ["# pragma omp target \\\n  map(a[0:8]) /* x\n y */", "#pragma omp barrier"]
    assert expanded.parse_text.split() == [b";", b"f();", b"g();"]
    assert expanded.parse_text.count(b"\n") == expanded.text.count(b"\n")


def test_what_stands_in_a_comment_without_an_end_is_no_code() -> None:
    text = "int a; /* b /* c\n\\\nint f(void);\n#pragma omp barrier\n"
    expanded = run(text)
    assert expanded.parse_text.split() == [b"int", b"a;"]
    assert len(expanded.text) == len(text)
    assert not expanded.pragmas
    assert [(note.start, note.message) for note in expanded.notes] == [(7, "comment has no end")]


def test_inactive_branches_are_blank_and_reported() -> None:
    source = "#if 0\na\n# if 1\nb\n# endif\n#elif 1\nc\n#else\nd\n#endif\n"
    expanded = run(source)
    assert expanded.text.split() == [b"c"]
    inactive = [source[place.start : place.end] for place in expanded.inactive]
    assert inactive == ["a\n# if 1\nb\n# endif\n", "d\n"]
    assert len(expanded.text) == len(source)


@pytest.mark.parametrize("before", ["#if GONE", "#if 0\na\n#elif GONE", "#if 0\n#elif 0\n#elif GONE || A\na\n#elif 1"])
def test_no_branch_is_read_where_a_missing_header_decides(before: str) -> None:
    expanded = run(f"#include <gone.h>\n{before}\nb\n#else\nc\n#endif\n")
    assert expanded.text.split() == []
    name = "A" if "A" in before else "GONE"
    assert [note.message for note in expanded.notes if note.kind == "undecided"] == [
        f"whether '{name}' is defined is not known, because a header is missing: neither branch is analysed"
    ]


def test_includes_are_reported() -> None:
    source = '#include <lib.h>\n#include "own.h"\n#include "own.h"\n#include <gone.h>\n'
    expanded = run(source)
    assert [(i.operand, i.kind, i.path) for i in expanded.includes] == [
        ("<lib.h>", "system", None),
        ('"own.h"', "project", "/p/own.h"),
        ('"own.h"', "again", "/p/own.h"),
        ("<gone.h>", "missing", None),
    ]
    assert all(source[i.where.start : i.where.end].endswith(i.operand) for i in expanded.includes)
    assert expanded.map.location(expanded.includes[1].x, expanded.includes[1].x + 1).path == "/p/own.h"


def test_edited_header_takes_effect() -> None:
    preprocessor = Preprocessor()
    for value in ("1", "2", "1"):
        headers = HeaderSnapshot(value, texts={'"h.h"': ("/p/h.h", f"#define H {value}\n".encode())})
        assert preprocessor.run("/p/m.c", b'#include "h.h"\nH\n', headers).text.split() == [value.encode()]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/*", "/*\nint a;\n*/ int b;\n"),  # the last line becomes the first of several
        ("int a; \\", "int a; \\\nint b;\n"),
        (
            "#define OMP(x) _Pragma(STR(x))\nOMP(omp barrier)\n",
            "#define STR(x) #x\n#define OMP(x) _Pragma(STR(x))\nOMP(omp barrier)\n",
        ),
    ],
    ids=["comment", "continuation", "operand of _Pragma"],
)
def test_what_a_line_was_before_does_not_matter(before: str, after: str) -> None:
    preprocessor = Preprocessor()
    preprocessor.run("/p/main.c", before.encode(), HEADERS)
    assert preprocessor.run("/p/main.c", after.encode(), HEADERS).text == run(after).text


def test_without_a_compiler_common_macros_are_known() -> None:
    text = "#if defined(_OPENMP) && defined(__GNUC__) && __STDC_VERSION__ >= 199901L\nx\n#endif\n"
    assert run(text, EMPTY_SNAPSHOT).text.split() == [b"x"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    source = end.join(["#define N 3", "#pragma omp target \\", "  map(a[0:N])", "x = N;", "/* a", "b */ y", ""])
    expanded = run(source)
    assert expanded.parse_text.split() == b"x = 3; /* a b */ y".split()
    assert [expanded.text[a:b].split() for a, b in expanded.pragmas] == [b"#pragma omp target \\ map(a[0:3])".split()]


def test_byte_order_mark() -> None:
    expanded = Preprocessor().run("m.c", b"\xef\xbb\xbf#define A 1\nA\n", HEADERS)
    assert expanded.text.split() == [b"1"]
    assert not expanded.notes


ENDLESS = {
    "two that include each other twice": {"a.h": '#include "b.h"\n' * 2, "b.h": '#include "a.h"\n' * 2},
    "one that includes itself twice": {"a.h": '#if 1\n#include "a.h"\n#include "a.h"\n#endif\n'},
    "a tree": {"a.h": '#include "a9.h"\n', "a0.h": "int x;\n"}
    | {f"a{k}.h": f'#include "a{k - 1}.h"\n' * 5 for k in range(1, 10)},
}


@pytest.mark.parametrize("name", ENDLESS)
def test_includes_without_end(name: str) -> None:
    texts = {f'"{file}"': (f"/p/{file}", text.encode()) for file, text in ENDLESS[name].items()}
    found = run('int before;\n#include "a.h"\nint after;\n', HeaderSnapshot("endless", texts=texts))
    assert len(found.includes) < 30_000
    assert b"int before;" in found.text
    assert b"int after;" not in found.text
    said = [note for note in found.notes if note.kind == "budget"]
    assert said == list(found.notes)
    assert "more than 10000 times a header of the project is included" in said[-1].message
    assert [note.message for note in said[:-1]] == ([] if name == "a tree" else [
        "a.h is left out, because includes are nested more than 60 deep: does it need an include guard?"
    ])  # fmt: skip


def test_a_row_of_includes_asks_for_time() -> None:
    class Polls:
        asked = 0

        def expired(self) -> bool:
            self.asked += 1
            return self.asked > 100

    headers = HeaderSnapshot("row", texts={'"a.h"': ("/p/a.h", b'#include "b.h"\n'), '"b.h"': ("/p/b.h", b"int b;\n")})
    budget = Polls()
    found = Preprocessor().run("/p/main.c", b'#include "a.h"\n' * 1000, headers, budget)
    assert len(found.includes) == 101 == budget.asked
    assert [note.message for note in found.notes] == ["no time left to go on: the rest is left out"]
