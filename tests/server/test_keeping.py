"""When the garbage among what is kept is looked for: a look takes a second in a large file."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT
from ompls.server import work
from ompls.server.settings import Settings

_TEXT = b"""static void scale(int n, double *x) {
  for (int i = 0; i < n; i++) x[i] *= 2;
}
void run(int n, double *a, double *b) {
#pragma omp target data map(to: a[0:n])
  {
#pragma omp target teams distribute parallel for map(from: b[0:n])
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
#pragma omp parallel for
  for (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i];
  scale(n, a);
}
"""


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """One entry for each look, of those that `keeping` has made."""
    found: list[str] = []
    monkeypatch.setattr(work, "_MANY_OBJECTS", 1_000)
    monkeypatch.setattr(work, "_MOST_OBJECTS", 10_000)
    gc.freeze()
    work.collect()  # now it knows how many there are

    def look() -> None:
        found.append("look")
        work._left.objects = gc.get_freeze_count()

    monkeypatch.setattr(work, "collect", look)
    yield found
    gc.unfreeze()


@pytest.mark.thorough
def test_what_is_thrown_away_is_no_reason_to_look(looks: list[str]) -> None:
    for _ in range(max(200, gc.get_freeze_count() // 2_000)):
        with work.keeping():
            said = [[number] for number in range(5_000)]  # as many diagnostics, anew at every key
    assert len(said) == 5_000
    assert looks == []


@pytest.mark.thorough
def test_twice_as_much_as_the_last_time_is(looks: list[str]) -> None:
    kept, few = [], gc.get_freeze_count() // 20
    for _ in range(19):
        with work.keeping():
            kept += [[number] for number in range(few)]
    assert looks == []
    for _ in range(3):
        with work.keeping():
            kept += [[number] for number in range(few)]
    assert len(looks) == 1


def test_settings_of_the_collector_are_given_back() -> None:
    before = gc.isenabled(), gc.get_threshold()
    with work.keeping():
        assert gc.isenabled()
    gc.disable()
    with work.keeping():
        pass
    assert not gc.isenabled()
    gc.enable()
    assert (gc.isenabled(), gc.get_threshold()) == before


def test_an_analysis_leaves_nothing_in_cycles() -> None:
    """What refers to a unit keeps tables of all its names; there would be dozens before cycles are looked for."""
    analyzer, settings = Analyzer(), Settings()
    collecting = gc.isenabled()
    gc.disable()
    gc.freeze()  # what other tests left in caches may be thrown away meanwhile
    try:
        for text in (_TEXT, _TEXT.replace(b"= 2", b"= 3"), _TEXT.replace(b"= a[i];", b"= a[i] + 1;")):
            gc.collect()
            gc.set_debug(gc.DEBUG_SAVEALL)
            tu = work.analyse(analyzer, "/a.c", text, EMPTY_SNAPSHOT, settings.for_analysis(), work.Deadline(60.0))
            assert work.judge(tu, EMPTY_SNAPSHOT, settings)
            gc.collect()
            left = {
                type(garbage).__qualname__ for garbage in gc.garbage if type(garbage).__module__.startswith("ompls")
            }
            gc.set_debug(0)
            gc.garbage.clear()
            assert left == set()
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.unfreeze()
        if collecting:
            gc.enable()
