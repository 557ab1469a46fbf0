"""Why there is no answer at a place: facts on snippets with a mark."""

from __future__ import annotations

import pytest

from ompls.analysis import features
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, OpenMPVersion

from .marked import marked, unit

MISSING = HeaderSnapshot("missing", missing={'"gone.h"': "no such file"})

CASES = [
    # text with the mark; (topic, what its sentence says) of a decisive reason
    ("#define A 1\n#if A > 3\nint ¦a;\n#endif\n", "branch", "under `#if A > 3` on line 2: it is not the branch that"),
    ("#if 1\n#if 1\n#endif\n#else\nint ¦a;\n#endif\n", "branch", "under `#else` on line 4"),
    ('#include "gone.h"\n#ifdef X\nint a;\n#else\nint ¦b;\n#endif\n', "branch", "whether 'X' is defined is not known"),
    ('#include "gone.h"\nvoid f(void) { ¦; }\n', "header", "gone.h"),
    ("void f(int n) {\n ¦n = OTHER(n;\n}\n", "statement", "Line 2 is not understood"),
    ("#define M(x) x +* (\nvoid f(int n) {\n ¦n = M(n);\n}\n", "statement", "Line 3 is not understood"),
    ("void f(int n) {\n#pragma omp target\n n = thing¦(n) + other;\n}\n", "macro", "`thing` on line 3 is not declared"),
    ("void f(int n) {\n#pragma omp target\n n = thing(n) + other¦;\n}\n", "name", "`other` on line 3 is not declared"),
    ("void f(int n) {\n#pragma omp tar¦get mapp(n)\n n++;\n}\n", "pragma", "`mapp` is no clause of OpenMP"),
    ("void f(int n) {\n#pragma omp target map(to: n¦[\n n++;\n}\n", "pragma", "`map` are not understood"),
    ("void f(int n) {\n#pragma omp tarrget¦\n n++;\n}\n", "pragma", "`tarrget` is no directive"),
    ("void f(int n) {\n#pragma omp metadirective¦ when(: target)\n n++;\n}\n", "pragma", "No variant"),
    ("void f(int n) {\n // ompls: ignore[loop-form]\n ¦n++;\n}\n", "suppressed", "on line 2 silences"),
    ("void f(int n) {\n ¦n++;\n}\n", "region", "in no pragma and no target region"),
]  # fmt: skip


def explained(text: str, version: OpenMPVersion = "5.2") -> list[features.Reason]:
    headers = MISSING if "gone.h" in text else EMPTY_SNAPSHOT
    _, offset = marked(text, version)
    return features.explain(unit(text.replace("¦", ""), version, headers), offset)


@pytest.mark.parametrize(("text", "topic", "says"), CASES, ids=[c[2] for c in CASES])
def test_reason(text: str, topic: str, says: str) -> None:
    found = explained(text)
    assert [r for r in found if r.decisive and r.topic == topic and says in r.text], found
    assert found == sorted(found, key=lambda r: not r.decisive)


def test_the_version_is_a_reason() -> None:
    text = "void f(int n) {\n#pragma omp loop¦ bind(thread)\n for (int i = 0; i < n; i++) ;\n}\n"
    assert not [r for r in explained(text, "5.2") if r.topic == "version"]
    (old, clause) = [r for r in explained(text, "4.5") if r.topic == "version"]
    assert "`loop` came with OpenMP 5.0; the version in use is 4.5" in old.text
    assert "`bind`" in clause.text


def test_nothing_is_in_the_way_in_a_region_that_is_understood() -> None:
    text = "void f(int n) {\n#pragma omp target\n ¦n++;\n}\n"
    assert [(r.topic, r.decisive) for r in explained(text)] == [("region", False)]


def test_it_answers_at_every_offset() -> None:
    text = '#include "gone.h"\n#if A\n#endif\n#else\n#pragma omp target map(\nvoid f( { ' + "x +* y;\n" * 20
    tu = unit(text, "5.2", MISSING)
    for offset in (-1, *range(len(text) + 2)):
        assert all(r.text.endswith((".", "`")) for r in features.explain(tu, offset))


def test_inactive_branches_are_dimmed_where_the_condition_is_known() -> None:
    text = "#define A 1\n#if A\nint a;\n#else\nint b;\n#endif\n#if 0\nint c;\n#elif A\nint d;\n#endif\n"
    tu = unit(text)
    assert [text[w.start : w.end] for w in features.inactive(tu)] == ["int b;\n", "int c;\n"]
    tu = unit('#include "gone.h"\n#ifdef B\nint b;\n#else\nint e;\n#endif\n#if 0\nint c;\n#endif\n', "5.2", MISSING)
    assert [tu.source[w.start : w.end] for w in features.inactive(tu)] == [b"int c;\n"]
