"""What the engines find decides what is reported and how severe it is; the words for it decide nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawing import findings

from ompls.analysis import rules
from ompls.analysis.dataenv.faults import Event, Risk
from ompls.analysis.rules import RULES
from ompls.analysis.rules.support import noticed
from ompls.analysis.rules.support.ordering import report

FOUND = [rule for rule in RULES.values() if rule.about in ("events", "clashes")]
TEXTS = [text for rule in FOUND for text in rule.bad]
# `calloc` has cleared what the host compares with 0: perhaps it knows that nothing comes back.
CLEARED = """
void *calloc(unsigned long, unsigned long); void abort(void);
int main(void) {
    int *a = calloc(10, sizeof *a);
    #pragma omp target map(to: a[0:10])
    for (int i = 0; i < 10; i++) a[i] = i + 1;
    if (a[3] != 0) abort();
    return 0;
}
"""
# Who computes with what comes back does not only ask whether it does.
COMPUTED = """
int printf(const char *, ...);
int main(void) {
    int a = 0;
    #pragma omp target map(to: a)
    a = 1;
    int b = a + 2;
    printf("%d\\n", b);
    return 0;
}
"""
ASKED = """
int main(void) {
    int shared = 0;
    #pragma omp target map(to: shared)
    shared = 1;
    return shared;
}
"""


def said(text: str) -> list[tuple[object, ...]]:
    """All but the words."""
    found = findings(text, *(rule.id for rule in FOUND))
    return [(d.rule, d.where, d.severity, [r.where for r in d.related], [f.edits for f in d.fixes]) for d in found]


CASES = [(CLEARED, "hint"), (COMPUTED, "warning"), (ASKED, "hint")]


@pytest.mark.parametrize(("text", "severity"), CASES, ids=["cleared", "computed", "asked"])
def test_who_asks_for_what_does_not_come_back_knows_it(text: str, severity: str) -> None:
    assert [d.severity for d in findings(text, "to-write-lost")] == [severity]


def test_other_words_change_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*TEXTS, CLEARED, COMPUTED, ASKED]
    before = [said(text) for text in texts]
    assert any(before)
    monkeypatch.setattr(noticed, "WORDS", {does: f"in other words {does.value}" for does in noticed.WORDS})
    monkeypatch.setattr(report, "WORDS", {word: f"in other words {word}" for word in report.WORDS})
    changed = [text for text, kept in zip(texts, before, strict=True) if said(text) != kept]
    assert changed == []


def test_a_rule_speaks_about_each_class_of_what_the_machine_finds() -> None:
    said = "".join(path.read_text(encoding="utf-8") for path in Path(rules.__path__[0]).glob("*.py"))
    assert [c.__name__ for c in Event.__subclasses__() if c is not Risk and c.__name__ not in said] == []
