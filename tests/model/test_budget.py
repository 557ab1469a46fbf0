"""When time runs out in the rules, what was found so far is shown, words are looked at, and nothing wrong is kept."""

from __future__ import annotations

import pytest

from ompls.analysis import rules
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

FUNCTION = """void f%d(int n, double *a) {
#pragma omp target map(to: a[0:n])
  for (int i = 0; i < n; i++) a[i] = i;
#pragma omp target data maps(to: a[0:n])
  { a[0]++; }
}
"""
MAIN = "int main(void) { double a[9]; f1(9, a); f2(9, a); return a[0] > 0; }\n"
SOURCE = "".join(FUNCTION % n for n in range(12)) + MAIN


class Polls:
    """Expires at the poll number `most`."""

    def __init__(self, most: int) -> None:
        self.left = most

    def expired(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 8, 13, 40, 100, 300, 1000])
def test_what_was_cut_short_is_made_up_for(most: int) -> None:
    source = SOURCE.encode()
    whole = rules.report(Analyzer().analyze("t.c", source, EMPTY_SNAPSHOT, Settings()))
    assert whole.complete
    analyzer = Analyzer()
    cut = rules.report(analyzer.analyze("t.c", source, EMPTY_SNAPSHOT, Settings()), budget=Polls(most))
    assert not cut.complete or cut == whole
    words = [d for d in whole.diagnostics if d.rule == "unknown-clause"]
    assert len(words) == 12
    assert [d for d in cut.diagnostics if d.rule == "unknown-clause"] == words
    again = rules.report(analyzer.analyze("t.c", source, EMPTY_SNAPSHOT, Settings()))
    assert again == whole


def test_no_time_at_all_is_seen() -> None:
    tu = Analyzer().analyze("t.c", SOURCE.encode(), EMPTY_SNAPSHOT, Settings())
    assert not rules.report(tu, budget=Polls(0)).complete
