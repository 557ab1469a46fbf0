"""The present tables that a run really had."""

from __future__ import annotations

from typing import Any

from ompls.traces import present

X = {"device": "d:0", "var": "x[0:n]", "host": "0x1000", "bytes": 800, "region": "a.c:3"}


def _shown(found: list[dict[str, Any]], event: int) -> list[tuple[str, str, int]]:
    return [(row.device, row.section, row.references) for row in present.at(present.rows(found), event)]


def test_a_row_stands_from_its_entry_to_its_exit() -> None:
    found = [
        {"kind": "alloc", **X},
        {"kind": "map_enter", **X, "refcount": 1},
        {"kind": "map_enter", **X, "region": "a.c:5", "refcount": 2},
        {"kind": "map_exit", **X, "region": "a.c:5", "refcount": 1},
        {"kind": "map_exit", **X, "refcount": 0},
        {"kind": "map_enter", **X, "refcount": present.FOR_EVER},
    ]
    references = [[count for _, _, count in _shown(found, event)] for event in range(len(found))]
    assert references == [[], [1], [2], [1], [], [-1]]
    assert {row.region for row in present.rows(found)} == {"a.c:3"}


def test_a_part_counts_the_row_that_contains_it() -> None:
    part = {**X, "var": "x[10:5]", "host": "0x1050", "bytes": 40}
    found = [{"kind": "map_enter", **X, "refcount": 1}, {"kind": "map_enter", **part, "refcount": 2}]
    beside = {**X, "var": "y", "host": "0x1320", "bytes": 4}
    found.append({"kind": "map_enter", **beside, "refcount": 1})
    assert _shown(found, 2) == [("d:0", "x[0:n]", 2), ("d:0", "y", 1)]


def test_each_device_has_a_table_of_its_own() -> None:
    found = [{"kind": "map_enter", **X, "device": device, "refcount": 1} for device in ("d:0", "d:1")]
    found.append({"kind": "map_exit", **X, "device": "d:0", "refcount": 0})
    assert _shown(found, 1) == [("d:0", "x[0:n]", 1), ("d:1", "x[0:n]", 1)]
    assert _shown(found, 2) == [("d:1", "x[0:n]", 1)]


def test_a_row_has_the_first_bytes_of_its_last_copy() -> None:
    """A copy to the device comes before the item has entered, and belongs to it."""
    found = [
        {"kind": "copy", **X, "direction": "to", "values": "01"},
        {"kind": "map_enter", **X, "refcount": 1},
        {"kind": "copy", **X, "host": "0x1008", "bytes": 8, "direction": "to", "values": "ff"},
        {"kind": "copy", "device": "d:0", "var": "p", "address": "0x10", "bytes": 8, "direction": "to"},
        {"kind": "copy", **X, "direction": "from", "values": "02"},
    ]
    seen = [
        [(row.values, row.copied, row.inward) for row in present.at(present.rows(found), event)] for event in (1, 3, 4)
    ]
    assert seen == [[("01", 0, True)], [("01", 0, True)], [("02", 4, False)]]


def test_what_somebody_else_wrote_is_replayed_without_an_error() -> None:
    found = [
        {"kind": "map_enter", "refcount": "many", "host": None},
        {"kind": "map_exit", "host": [], "refcount": 0},
        {"kind": "copy", "host": "0xzz", "direction": 7},
        {"kind": "map_exit", **X, "refcount": 3},
    ]
    assert present.at(present.rows(found), 3) == []
