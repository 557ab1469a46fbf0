"""When a run came by a place of the source."""

from __future__ import annotations

from ompls.traces.measured import visits

DATA, TARGET, UPDATE = "a.c:3", "a.c:5", "a.c:9"
ONE = [
    ("alloc", DATA), ("copy to", DATA), ("map_enter", DATA),
    ("map_enter", TARGET), ("launch", TARGET), ("map_exit", TARGET),
    ("update", UPDATE), ("copy from", UPDATE),
    ("copy from", DATA), ("free", DATA), ("map_exit", DATA),
]  # fmt: skip
EVENTS = [
    {"kind": kind.split()[0], "region": region, "direction": kind.partition(" ")[2]}
    for _ in range(2)
    for kind, region in ONE
]


def test_inside_of_a_target_region_it_is_its_launch() -> None:
    assert visits(EVENTS, TARGET, inside=True) == [4, 15]


def test_inside_of_target_data_all_has_entered() -> None:
    assert visits(EVENTS, DATA, inside=True) == [2, 13]


def test_after_a_construct_all_has_left() -> None:
    assert visits(EVENTS, TARGET, inside=False) == [5, 16]
    assert visits(EVENTS, DATA, inside=False) == [10, 21]
    assert visits(EVENTS, UPDATE, inside=False) == [7, 18]


def test_what_did_not_run_has_none() -> None:
    assert visits(EVENTS, "a.c:77", inside=True) == []


def test_what_was_left_unfinished_has_not_been_passed() -> None:
    events = [{"kind": kind, "region": DATA} for kind in ("env_push", "alloc", "map_enter")]
    inner = [{"kind": "launch", "region": TARGET}]
    assert visits([*events, *inner], DATA, inside=False) == []
    assert visits([*events, *inner], DATA, inside=True) == [2]
    left = [{"kind": kind, "region": DATA} for kind in ("free", "map_exit", "env_pop")]
    assert visits([*events, *inner, *left], DATA, inside=False) == [6]
