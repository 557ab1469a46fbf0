"""The programs with seeded errors and their correct twins: how much is found, and that nothing correct is reported.

The floors are what holds today; raise them when more is found (`make corpus`), never lower them.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import corpus

RECORDED = Path(__file__).resolve().parents[1] / "behaviour/programs.jsonl"
RECALL = {"mapping": 91, "races": 98, "declare_target": 60}  # percent of the seeded variants, by the first directory
SEEDED = {"mapping": 270, "races": 245, "declare_target": 13}  # how many there are at least
CORRECT = 480


def test_seeded_errors_are_found_and_correct_lines_are_left_alone() -> None:
    """By what is recorded; that it is what the rules say is held by tests/behaviour."""
    said: dict[str, corpus.Said] = defaultdict(corpus.Said)
    for line in RECORDED.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        at = int(found["place"].split(":")[0])
        said[found["text"]].reports.append((at, found["severity"], found["rule"], ""))
    tallies: dict[str, corpus.Tally] = defaultdict(corpus.Tally)
    for variant in corpus.programs():
        tallies[variant.group].add(variant, said[variant.id])
    whole = corpus.total(tallies.values())
    assert whole.correct >= CORRECT
    assert whole.alarms == []
    for group, recall in RECALL.items():
        of_group = corpus.total(tally for name, tally in tallies.items() if name.split("/")[0] == group)
        assert of_group.seeded >= SEEDED[group]
        assert 100 * of_group.found >= recall * of_group.seeded, "\n".join(of_group.missed)


TEXT = """\
int a; //@ bad // expect: race
int b; //@ good bad2 // expect: mapping
//@ good {
int c;
//@ }
int d; // or-here [bad]
//@ run {
int e;
"""


def test_variants_of_a_program() -> None:
    found = {v.name: v for v in corpus.variants(Path("p.c"), TEXT)}
    assert found["bad"].text.split("\n") == ["int a;", "", "", "", "", "int d;", "", "", ""]
    assert found["good"].text.split("\n") == ["", "int b;", "", "int c;", "", "int d;", "", "", ""]
    assert found["good"].driver.split("\n")[7] == "int e;"
    assert (found["bad"].kind, found["bad"].expected, found["bad"].accepted) == ("race", {1}, {1, 6})
    assert (found["bad2"].kind, found["bad2"].expected, found["bad2"].accepted) == ("mapping", {2}, {2})
    assert (found["good"].kind, found["good"].accepted) == ("", set())


@pytest.mark.parametrize("text", ["int a; //@ good? x", "int a; // expect: nothing", "int a; //@ bad"])
def test_a_wrong_mark_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"p\.c"):
        corpus.variants(Path("p.c"), text)


def test_a_tally_counts_found_missed_and_false_alarms() -> None:
    bad, bad2, good = corpus.variants(Path("p.c"), TEXT)
    tally = corpus.Tally()
    tally.add(bad, corpus.Said([(1, "warning", "r", "m"), (3, "error", "r", "m")]))
    tally.add(bad2, corpus.Said([(2, "hint", "r", "m")]))
    tally.add(good, corpus.Said([(2, "hint", "r", "m")]))
    assert (tally.seeded, tally.found, tally.correct) == (2, 1, 1)
    assert tally.missed == ["/p:bad2 line 2 (line 2: [r] only hints)"]
    assert tally.alarms == ["/p:bad line 3: error: m [r]"]
