"""Diagnostics as text, JSON and SARIF, and quick fixes applied: from hand-made diagnostics, without the analysis."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import jsonschema
import pytest

from ompls.analysis import fixing
from ompls.analysis.diagnostic import Diagnostic, Edit, Fix, Related
from ompls.analysis.source import Location
from ompls.cli import fixes, formats, sarif
from ompls.cli.places import Places
from ompls.cli.problem import Problem
from ompls.cli.terminal import Style

SOURCE = "int main(void)\n{\n\tint größe = 1; use(x);\n}\n".encode()
SCHEMA = Path(__file__).with_name("sarif.schema.json")


def _at(path: Path, text: bytes, length: int | None = None) -> Location:
    start = SOURCE.index(text)
    return Location(str(path), start, start + (len(text) if length is None else length))


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Diagnostic]:
    path = tmp_path / "an example.c"
    path.write_bytes(SOURCE)
    monkeypatch.chdir(tmp_path)
    fix = Fix("Map it", (Edit(_at(path, b"use", 0), "map(x); "),))
    related = (Related(_at(path, "größe".encode()), "declared here"),)
    return [
        Diagnostic("absent", "warning", "'x' is absent", _at(path, b"x"), related, (fix,)),
        Diagnostic("lost", "hint", "over lines", _at(path, b"{\n\tint")),
    ]


def test_text_marks_the_range_under_the_line(found: list[Diagnostic]) -> None:
    text = "\n".join(formats.text(diagnostic, Places(), Style(io.StringIO())) for diagnostic in found)
    assert text.splitlines() == [
        "an example.c:3:21: warning: 'x' is absent [absent]",
        "    \tint größe = 1; use(x);",
        "    \t                   ^",
        "an example.c:3:6: note: declared here",
        "    \tint größe = 1; use(x);",
        "    \t    ^~~~~",
        "    fix: Map it",
        "an example.c:2:1: hint: over lines [lost]",
        "    {",
        "    ^",
    ]


def test_of_a_line_that_is_too_long_the_surroundings_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "long.c"
    path.write_bytes(b"int f(void) { " + b"g(); " * 50_000 + b"h(); " + b"g(); " * 50_000 + b"}")
    at = path.read_bytes().index(b"h();")
    diagnostic = Diagnostic("rule", "warning", "message", Location(str(path), at, at + 3))
    _, line, mark = formats.text(diagnostic, Places(), Style(io.StringIO())).splitlines()
    assert len(line) < 250
    assert line[mark.index("^") : mark.rindex("~") + 1] == "h()"
    assert (line[4], line[-1]) == ("…", "…")


def test_json_has_the_promised_shape(found: list[Diagnostic]) -> None:
    first, second = formats.as_json(found, Places())["diagnostics"]
    assert set(first) == {"file", "range", "severity", "rule", "message", "related", "fixes"}
    assert first["range"] == {
        "start": {"line": 3, "column": 21, "byte": SOURCE.index(b"x")},
        "end": {"line": 3, "column": 22, "byte": SOURCE.index(b"x") + 1},
    }
    assert first["related"][0]["message"] == "declared here"
    assert first["fixes"][0]["edits"][0]["text"] == "map(x); "
    assert second["fixes"] == []


def test_sarif_is_valid(found: list[Diagnostic]) -> None:
    again = Diagnostic("absent", "warning", "'y' is absent", found[0].where)
    made = sarif.log(found, Places(), suppressed=[again], unchanged=found[:1], failures=["cannot read x.c: gone; look"])
    log = json.loads(json.dumps(made))
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(log)
    official = os.environ.get("OMPLS_SARIF_SCHEMA")  # the standard's own schema, where somebody has it
    if official:
        jsonschema.Draft4Validator(json.loads(Path(official).read_text())).validate(log)
    (run,) = log["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    first, second, third = run["results"]
    assert [ids[result["ruleIndex"]] for result in run["results"]] == ["absent", "lost", "absent"]
    assert [result["baselineState"] for result in run["results"]] == ["unchanged", "new", "new"]
    assert third["suppressions"] == [{"kind": "inSource"}]
    assert "suppressions" not in first
    assert first["fixes"][0]["properties"] == {"safe": True}
    assert run["invocations"][0]["executionSuccessful"] is False
    assert (first["level"], second["level"]) == ("warning", "note")
    location = first["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "an%20example.c"
    assert location["region"] == {"startLine": 3, "startColumn": 21, "endLine": 3, "endColumn": 22}
    assert second["locations"][0]["physicalLocation"]["region"]["endLine"] == 3


def test_a_sarif_fingerprint_survives_lines_above(found: list[Diagnostic]) -> None:
    path = Path(found[0].where.path)

    def fingerprint(diagnostic: Diagnostic) -> object:
        return sarif.log([diagnostic], Places())["runs"][0]["results"][0]["partialFingerprints"]

    before = fingerprint(found[0])
    path.write_bytes(b"\n\n" + SOURCE)
    where = found[0].where
    moved = Diagnostic("absent", "warning", found[0].message, Location(where.path, where.start + 2, where.end + 2))
    assert fingerprint(moved) == before


def test_an_invalid_log_does_not_pass_the_schema() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    log = sarif.log([], Places())
    log["runs"][0]["results"].append({"ruleId": "absent", "level": "hint", "message": {"text": "x"}})
    assert not validator.is_valid(log)


def test_a_fix_is_applied_once(found: list[Diagnostic]) -> None:
    path = found[0].where.path
    (edits,) = fixing.choose([found[0], found[0]]).values()
    assert len(edits) == 1
    fixes.write({path: SOURCE}, {path: fixing.apply(SOURCE, edits)})
    assert Path(path).read_bytes() == SOURCE.replace(b"use(x)", b"map(x); use(x)")


def test_an_unsafe_fix_is_left_alone(found: list[Diagnostic]) -> None:
    fix = Fix("Change the meaning", found[0].fixes[0].edits, safe=False)
    risky = Diagnostic("absent", "warning", "", found[0].where, fixes=(fix,))
    assert fixing.choose([risky]) == {}
    assert list(fixing.choose([risky], unsafe=True).values()) == [list(fix.edits)]
    text = formats.text(risky, Places(), Style(io.StringIO()))
    assert text.splitlines()[-1] == "    unsafe fix: Change the meaning"


def test_a_file_that_changed_meanwhile_is_left_alone(found: list[Diagnostic]) -> None:
    path = Path(found[0].where.path)
    path.write_bytes(SOURCE + b"// more\n")
    with pytest.raises(Problem, match="changed while it was checked"):
        fixes.write({str(path): SOURCE}, {str(path): b""})
    assert path.read_bytes() == SOURCE + b"// more\n"
