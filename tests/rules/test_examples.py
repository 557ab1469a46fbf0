"""Every rule's own examples, checked by one checker; and what each rule's file must have."""

from __future__ import annotations

import pytest
from drawing import analyze, drawn, expected, findings
from together import together

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.rules import RULES, Rule, check, manual, near_ids
from ompls.analysis.rules.support.framework import Scene, unit_of
from ompls.analysis.rules.support.matter import interested
from ompls.analysis.source import Settings

EACH_RULE = together("rule", RULES.values(), ids=list(RULES))


@EACH_RULE
def test_reports_what_is_drawn(rule: Rule) -> None:
    for text in rule.bad:
        assert expected(text), "a bad example draws what it expects"
        assert drawn(text, findings(text, rule.id)) == expected(text), text


@EACH_RULE
def test_is_silent_about_look_alikes(rule: Rule) -> None:
    for text in rule.good:
        assert drawn(text, findings(text, rule.id)) == [], text


@EACH_RULE
def test_a_fix_removes_what_it_fixes(rule: Rule) -> None:
    for text in rule.bad:
        found = findings(text, rule.id)
        for diagnostic in found:
            for fix in diagnostic.fixes:
                data = text.encode()
                for edit in sorted(fix.edits, key=lambda e: -e.where.start):
                    data = data[: edit.where.start] + edit.text.encode() + data[edit.where.end :]
                after = findings(data.decode(), rule.id)
                assert len(after) < len(found), data.decode()


@EACH_RULE
def test_is_complete(rule: Rule) -> None:
    assert len(rule.good) >= 5
    assert rule.bad
    assert rule.why.strip()
    assert rule.section
    assert all(severity in ("error", "warning", "hint") for t in rule.bad for _, _, _, severity, _ in expected(t))
    page = manual(rule.id)
    assert page.startswith(f"# {rule.id}\n")
    assert f"ompls: ignore[{rule.id}]" in page


@EACH_RULE
def test_is_not_asked_where_it_has_nothing_to_say(rule: Rule) -> None:
    """`Rule.about`: a rule that is passed over would have found nothing."""
    for text in rule.bad:
        tu = analyze(text)
        unit = unit_of(tu)
        scenes = [Scene(unit, i.content, tuple([s.directive for s in i.content.directives])) for i in tu.items]
        for scene in [*scenes, *(Scene(unit, None, (d.directive,)) for d in tu.directives)]:
            shown = {rule.id for rule in interested(RULES.values(), scene)}
            assert [rule.id for rule in RULES.values() if rule.id not in shown and list(rule.check(scene))] == []


BAD_TEXT = """
int f(int *x) {
    #pragma omp taget
    ;
    return 0;
}
"""


def test_a_comment_silences_a_rule() -> None:
    def found(text: str) -> list[Diagnostic]:
        return findings(text, "unknown-directive")

    assert len(found(BAD_TEXT)) == 1
    before = BAD_TEXT.replace("    #pragma", "    // ompls: ignore[unknown-directive]\n    #pragma")
    assert found(before) == []
    on_line = BAD_TEXT.replace("taget", "taget // ompls: ignore[unknown-clause, unknown-directive]")
    assert found(on_line) == []
    other = BAD_TEXT.replace("    #pragma", "    // ompls: ignore[unknown-clause]\n    #pragma")
    assert len(found(other)) == 1
    far = BAD_TEXT.replace("    #pragma", "    // ompls: ignore[unknown-directive]\n\n    #pragma")
    assert len(found(far)) == 1


def test_settings_select_and_ignore() -> None:
    def rules(settings: Settings) -> set[str]:
        return {d.rule for d in check(analyze(BAD_TEXT, settings))}

    assert rules(Settings()) == {"unknown-directive"}
    assert rules(Settings(select=("unknown-clause",))) == set()
    assert rules(Settings(ignore=("unknown-directive",))) == set()


def test_unknown_ids_have_near_ones() -> None:
    assert near_ids("unknown-directiv") == ["unknown-directive"]
    with pytest.raises(KeyError):
        manual("no-such-rule")
