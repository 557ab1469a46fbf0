"""When the garbage among what is kept is looked for: a look takes a second in a large file."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from ompls.server import work


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


def test_what_is_thrown_away_is_no_reason_to_look(looks: list[str]) -> None:
    for _ in range(max(200, gc.get_freeze_count() // 2_000)):
        with work.keeping():
            said = [[number] for number in range(5_000)]  # as many diagnostics, anew at every key
    assert len(said) == 5_000
    assert looks == []


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
