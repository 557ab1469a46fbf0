"""Comments that silence rules: their forms, what they cover, and the edits that add and remove them."""

from __future__ import annotations

import pytest
from drawing import analyze
from together import together

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.rules import check, report
from ompls.analysis.source import Location, Settings
from ompls.analysis.suppression import added, suppressions

WRONG = "#pragma omp target frobnicate\n{ }\n"
# (text, rules that are shown, rules that are silenced)
CASES = {
    "the line before": ("// ompls: ignore[unknown-clause]\n" + WRONG, [], ["unknown-clause"]),
    "its own line": (WRONG.replace("\n", " // ompls: ignore[unknown-clause]\n", 1), [], ["unknown-clause"]),
    "in a block comment": ("/* ompls: ignore[unknown-clause] */\n" + WRONG, [], ["unknown-clause"]),
    "with a reason": ("// ompls: ignore[unknown-clause] the vendor's own\n" + WRONG, [], ["unknown-clause"]),
    "a group": ("// ompls: ignore[structure]\n" + WRONG, [], ["unknown-clause"]),
    "one of two names": (
        "// ompls: ignore[unknown-clause, map-type]\n" + WRONG,
        ["unused-suppression"],
        ["unknown-clause"],
    ),
    "two lines before": (
        "// ompls: ignore[unknown-clause]\n\n" + WRONG,
        ["unknown-clause", "unused-suppression"],
        [],
    ),
    "a continued pragma": (
        "// ompls: ignore[unknown-clause]\n#pragma omp target \\\n  nowait \\\n  frobnicate\n{ }\n",
        [],
        ["unknown-clause"],
    ),
    "a pragma continued with CRLF": (
        "// ompls: ignore[unknown-clause]\r\n#pragma omp target \\\r\n  nowait \\\r\n  frobnicate\r\n{ }\r\n",
        [],
        ["unknown-clause"],
    ),
    "the file": (WRONG + "// ompls: ignore-file[unknown-clause]\n", [], ["unknown-clause"]),
    "a block": (
        f"// ompls: ignore-begin[unknown-clause]\n{WRONG}// ompls: ignore-end[unknown-clause]\n{WRONG}",
        ["unknown-clause"],
        ["unknown-clause"],
    ),
    "a block without end": (f"// ompls: ignore-begin[unknown-clause]\n{WRONG}{WRONG}", [], ["unknown-clause"] * 2),
    "an end without begin": (f"// ompls: ignore-end[unknown-clause]\n{WRONG}", ["unknown-clause"], []),
    "in a string": ('const char *s = "// ompls: ignore[unknown-clause]";\n' + WRONG, ["unknown-clause"], []),
    "no comment": ("ompls_ignore: ;\n" + WRONG, ["unknown-clause"], []),
    "itself": ("// ompls: ignore[unused-suppression, map-type]\n;\n", [], ["unused-suppression"]),
}


def _in_function(text: str) -> str:
    return f"void f(void) {{\n{text}}}\n"


@together("case", CASES)
def test_a_comment_silences_what_it_covers(case: str) -> None:
    text, shown, silent = CASES[case]
    found = report(analyze(_in_function(text)))
    assert sorted(d.rule for d in found.diagnostics) == sorted(shown)
    assert [d.rule for d in found.suppressed] == silent


def test_what_the_front_end_notes_is_silenced_too() -> None:
    noted = Diagnostic("syntax-error", "warning", "not understood", Location("example.c", 40, 41))
    assert report(analyze("int x;\n" * 10), [noted]).diagnostics == [noted]
    text = "// ompls: ignore-file[syntax-error]\n" + "int x;\n" * 10
    assert report(analyze(text), [noted]).suppressed == [noted]


def test_a_suppression_of_an_ignored_rule_has_its_use() -> None:
    text = _in_function("// ompls: ignore[unknown-clause]\n" + WRONG)
    assert check(analyze(text, Settings(ignore=("unknown-clause",)))) == []


@pytest.mark.parametrize("before", ["", "\ufeff", "// ompls: ignore[map-type]\n    ", "/* x */ int y;\r\n"])
def test_an_added_comment_silences(before: str) -> None:
    text = before + "int x;\r\nvoid f(void) {\n    #pragma omp target \\\n  frobnicate\n    { }\n}\n"
    for whole_file in (False, True):
        data = text.encode()
        where, insert = added(data, data.index(b"frobnicate"), "unknown-clause", whole_file=whole_file)
        changed = (data[:where] + insert.encode() + data[where:]).decode()
        assert "unknown-clause" not in [d.rule for d in check(analyze(changed))]
        assert all(line in changed.splitlines() for line in text.splitlines()[1:])


REMOVED = {
    "a line": ("int x;\n// ompls: ignore[map-type]\nint y;\n", "int x;\nint y;\n"),
    "at the end of a line": ("int x; // ompls: ignore[map-type] why\nint y;\n", "int x;\nint y;\n"),
    "with CRLF": ("int x; // ompls: ignore[map-type]\r\nint y;\r\n", "int x;\r\nint y;\r\n"),
    "in a block comment": ("int x /* ompls: ignore[map-type] */ = 1;\n", "int x  = 1;\n"),
    "after other words": ("int x; // see ompls: ignore[map-type]\n", "int x; // see \n"),
    "the first": ("int x; // ompls: ignore[map-type, list-item]\n", "int x;\n"),
    "a block": (
        "// ompls: ignore-begin[map-type]\nint x;\n// ompls: ignore-end[map-type]\n",
        "int x;\n",
    ),
}


@pytest.mark.parametrize("case", REMOVED)
def test_unused_ones_are_removed(case: str) -> None:
    text, expected = REMOVED[case]
    for _ in range(2):  # of two names in one comment, each goes in a step of its own
        fixes = [d.fixes[0] for d in check(analyze(text)) if d.rule == "unused-suppression"]
        if fixes:
            data = text.encode()
            for edit in sorted(fixes[0].edits, key=lambda e: -e.where.start):
                data = data[: edit.where.start] + edit.text.encode() + data[edit.where.end :]
            text = data.decode()
    assert text == expected


def test_severities_and_groups() -> None:
    text = _in_function(WRONG)

    def found(**settings: object) -> list[tuple[str, str]]:
        return [(d.rule, d.severity) for d in check(analyze(text, Settings(**settings)))]  # type: ignore[arg-type]

    assert found() == [("unknown-clause", "error")]
    assert found(severity=(("unknown-clause", "hint"),)) == [("unknown-clause", "hint")]
    assert found(severity=(("structure", "hint"), ("unknown-clause", "warning"))) == [("unknown-clause", "warning")]
    assert found(severity=(("structure", "off"),)) == []
    assert found(severity=(("structure", "off"), ("unknown-clause", "error"))) == [("unknown-clause", "error")]
    assert found(ignore=("structure",)) == []
    assert found(select=("structure",)) == [("unknown-clause", "error")]
    assert found(select=("mapping",)) == []


def test_what_a_rule_is_less_sure_of_does_not_get_stronger() -> None:
    text = "void f(void) {\n    g(1;\n    double a[4];\n    #pragma omp target map(a[0:9])\n    a[0] = 1;\n}\n"
    weakened = check(analyze(text, Settings(severity=(("section-bounds", "error"),), select=("section-bounds",))))
    assert [d.severity for d in weakened] == ["hint"]


def test_positions_of_names() -> None:
    (first, second) = suppressions(b"// ompls: ignore[a, b-c]\n")
    assert (first.name, second.name) == ("a", "b-c")
    assert first.names == ((17, 18),)


def test_one_that_an_edit_completes_is_found() -> None:
    text = b"// ompls: ignore[a]\n" + b"int x;\n" * 2000
    for start in range(len(b"// ompls:")):
        assert [each.name for each in suppressions(text)] == ["a"]
        assert suppressions(text[:start] + text[start + 1 :]) == () or start < 3  # a blank, or a part of `//`
    assert suppressions(text.replace(b"ompls:", b"ompls;")) == ()
    assert [each.name for each in suppressions(text)] == ["a"]
    assert suppressions(b"int y;\n" + text.replace(b"ompls:", b"ompl")) == ()
