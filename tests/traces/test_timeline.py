"""The time axis of a long trace: what it costs does not grow with how long its bars are, and what it says is right."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ompls.cli.page import timeline
from ompls.traces.index import index
from ompls.traces.words import geometry

MOST_LINES = 100  # of Python that a bar may take


def _lines_of(work: Callable[[], object]) -> int:
    """How many lines of timeline.py run."""
    count = 0

    def local(*_: object) -> Any:
        nonlocal count
        count += 1
        return local

    sys.settrace(lambda frame, *_: local if frame.f_code.co_filename == timeline.__file__ else None)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("places", [1, 6000], ids=["one region", "a region each"])
def test_long_launches_cost_no_more_than_short_ones(places: int) -> None:
    launch = {"kind": "launch", "device": "cuda:0", "duration": 10**9}
    events = [{**launch, "t": t, "region": f"a.c:{t % places}"} for t in range(6000)]
    assert _lines_of(lambda: timeline.data(events, 0)) < MOST_LINES * len(events)


@pytest.mark.parametrize("seed", range(50))
def test_pieces_say_what_their_bars_did(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nanosecond for nanosecond."""
    monkeypatch.setattr(timeline, "MOST", 0)
    monkeypatch.setattr(timeline, "BUCKETS", 8)
    rng = random.Random(seed)
    starts = sorted(rng.randrange(200) for _ in range(rng.randrange(1, 20)))
    events = [
        {"kind": "launch", "device": "d:0", "t": t, "duration": rng.choice([0, 1, rng.randrange(90)]), "region": place}
        for t, place in ((t, rng.choice("abc")) for t in starts)
    ]
    data = timeline.data(events, 0)
    length = data["bucket"]
    expected = []
    for begin in range(0, data["span"] + 1, length):
        inside = [e for e in events if e["t"] < begin + length and e["t"] + max(e["duration"], 1) > begin]
        ran = sum(begin <= t < begin + length for e in inside for t in range(e["t"], e["t"] + e["duration"]))
        places = {e["region"] for e in inside}
        if inside:
            count = sum(begin <= e["t"] for e in inside)
            expected.append((begin, places.pop() if len(places) == 1 else "", count, ran))
    kernels = next(lane for lane in data["lanes"] if lane["kind"] == "kernels")
    assert [(bar[0], data["regions"][bar[2]], bar[5], bar[6]) for bar in kernels["bars"]] == expected


def _with_index(path: Path, **changed: object) -> Path:
    sums = {"events": 1, "left_out": 0, "base": 0, "width": 5, "notable": [], "lines": [], "lanes": [], "sums": []}
    lines = [{"ompls_trace": 1}, {"kind": "index", **sums, **changed}, {"kind": "end", "t": 10}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize(
    "changed",
    [
        {"lanes": [{"way": "to", "device": "d", "pieces": [[n, 1, 1, 1] for n in range(1025)]}]},
        {"lanes": [{"way": "to", "device": "d", "pieces": [[-1, 1, 1, 1]]}]},
        {"lanes": [{"way": "to", "device": "d", "pieces": [[0, 1, 10**30, 1]]}]},
        {"lanes": [{"way": "to", "device": f"d{n}", "pieces": []} for n in range(65)]},
        {"lines": [[n, 0, 0] for n in range(1025)]},
        {"sums": [{"kind": "launch"}] * 4097},
        {"notable": [0] * 65},
    ],
    ids=["pieces", "before", "number", "lanes", "lines", "sums", "notable"],
)
def test_an_index_that_has_more_than_ours_is_not_used(changed: dict[str, object], tmp_path: Path) -> None:
    assert index(str(_with_index(tmp_path / "ours"))) is not None
    assert index(str(_with_index(tmp_path / "t", **changed))) is None


@pytest.mark.parametrize(
    ("grid", "block", "said"),
    [
        ([8, 1, 1], [128, 1, 1], "8 × 128"),
        ([8, 1, 1], [1, 128, 1], "8 × (1 × 128)"),
        ([8, 4], [2, 2], "(8 × 4) × (2 × 2)"),
    ],
)
def test_the_sides_of_a_grid_are_told_apart(grid: list[int], block: list[int], said: str) -> None:
    assert geometry(grid, block) == said
