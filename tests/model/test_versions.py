"""What an analyzer remembers of a large text's old versions: a few of them, for a while."""

from __future__ import annotations

import gc
from collections import Counter

import pytest
from thinned import thinned

from ompls.analysis.model import memo
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.items import Group
from ompls.analysis.model.memo import Entry
from ompls.analysis.model.tu import Content
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings
from ompls.analysis.syntax import preprocess
from ompls.analysis.syntax.output import Line, Passed

_FUNCTION = b"""void scale_%d(int n, double *x, double *y)
{
  #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n])
  for (int i = 0; i < n; i++) y[i] = %d * x[i];
}
"""
TEXT = b"int first;\n" + b"".join(_FUNCTION % (n, n) for n in range(1200))
EARLY = TEXT.index(b"for (int i", len(TEXT) // 5)
EDITS = {
    "a macro for what is everywhere": b"#define n n\n" + TEXT,
    "another one": b"#define x x\n" + TEXT,
    "an include": b"#include <string.h>\n" + TEXT,
    "a brace": TEXT[:EARLY] + b"{" + TEXT[EARLY:],
    "a comment": TEXT[:EARLY] + b"/*" + TEXT[EARLY:],
    "a type": TEXT.replace(b"double", b"float"),
}


def _alive() -> Counter[str]:
    gc.collect()
    kinds = (Content, Entry, Group, Line, Passed)
    return Counter(type(o).__name__ for o in gc.get_objects() if type(o) in kinds)


@pytest.mark.parametrize("edit", thinned(EDITS, 6, of_rest=2))
@pytest.mark.thorough
def test_what_an_edit_of_all_made_is_forgotten_after_it_was_taken_back(edit: str) -> None:
    assert len(TEXT) > memo.MUCH_TEXT
    others = _alive()
    analyzer = Analyzer()
    analyzer.analyze("t.c", TEXT, EMPTY_SNAPSHOT, Settings())
    opened = _alive() - others
    assert opened["Content"] == 1201
    analyzer.analyze("t.c", EDITS[edit], EMPTY_SNAPSHOT, Settings())
    analyzer.analyze("t.c", TEXT, EMPTY_SNAPSHOT, Settings())
    assert analyzer.analysed == []
    for _ in range(max(memo.KEEP_LARGE, preprocess.KEPT_RUNS)):
        analyzer.analyze("t.c", TEXT, EMPTY_SNAPSHOT, Settings())
    later = _alive() - others
    assert later["Content"] == later["Entry"] == 1201
    for kind in ("Group", "Line", "Passed"):
        assert later[kind] <= 1.2 * opened[kind] + 5, kind


@pytest.mark.thorough
def test_versions_of_which_much_is_new_are_kept_a_short_time_only() -> None:
    others = _alive()
    analyzer = Analyzer()
    for n in range(memo.KEEP_LARGE + 3):
        text = TEXT.replace(b"double", b"double " + b"*" * n)
        analyzer.analyze("t.c", text, EMPTY_SNAPSHOT, Settings())
    versions = (_alive() - others)["Content"] / 1201
    assert versions <= memo.KEEP_LARGE + 1


@pytest.mark.parametrize("edit", thinned(EDITS, 3, of_rest=2))
@pytest.mark.thorough
def test_a_line_as_long_as_the_text_is_not_remembered(edit: str) -> None:
    analyzer = Analyzer()
    for text in (EDITS[edit], TEXT):
        analyzer.analyze("t.c", text, EMPTY_SNAPSHOT, Settings())
    dicts = [o for o in gc.get_objects() if type(o) is dict]
    keys = [key for names in dicts for key in tuple(names) if isinstance(key, str)]
    assert max(map(len, keys)) < len(TEXT) // 2
