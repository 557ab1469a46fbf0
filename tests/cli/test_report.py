"""Reading traces and showing them."""

from __future__ import annotations

import json
from pathlib import Path

HEAD = {"ompls_trace": 1, "program": "saxpy"}
EVENTS = [
    {"t": 5, "thread": 1, "device": "cudasim:0", "region": "saxpy.c:9", "kind": "copy", "var": "x", "direction": "to",
     "bytes": 4096, "duration": 1500},
    {"t": 9, "thread": 1, "device": "cudasim:0", "region": "saxpy.c:9", "kind": "launch", "grid": [8, 1, 1],
     "block": [128, 1, 1], "duration": 2_000_000},
    {"t": 12, "thread": 1, "device": "cudasim:0", "region": "saxpy.c:9", "kind": "copy", "var": "x",
     "direction": "from", "bytes": 4096, "duration": 700},
]  # fmt: skip


def _write(path: Path, head: object, events: list[dict[str, object]], tail: str = "") -> Path:
    path.write_text("\n".join(json.dumps(line) for line in [head, *events]) + "\n" + tail)
    return path


def test_report_shows_launches_and_copies(ompls, tmp_path: Path) -> None:
    done = ompls("report", _write(tmp_path / "t", HEAD, EVENTS))
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines()]
    assert ["saxpy.c:9", "cudasim:0", "1", "8", "128", "2.0", "ms"] in rows
    assert ["x", "cudasim:0", "to", "1", "4.0", "KiB", "1.5", "µs"] in rows
    assert "In all 4.0 KiB to devices, 4.0 KiB back." in done.out


def test_a_trace_that_was_cut_off_is_still_readable(ompls, tmp_path: Path) -> None:
    done = ompls("report", _write(tmp_path / "t", HEAD, EVENTS, tail='{"t": 15, "kin'))
    assert done.code == 0
    assert "saxpy.c:9" in done.out


def test_an_empty_trace_says_that_nothing_ran(ompls, tmp_path: Path) -> None:
    done = ompls("report", _write(tmp_path / "t", HEAD, []))
    assert "No region was launched on a device." in done.out
    assert "Nothing was copied." in done.out


def test_errors_of_the_run_are_shown(ompls, tmp_path: Path) -> None:
    event = {"t": 1, "kind": "error", "message": "saxpy.c:9: region on cudasim:0 read host address 0x10"}
    assert "read host address 0x10" in ompls("report", _write(tmp_path / "t", HEAD, [event])).out


def test_a_foreign_trace_costs_no_traceback(ompls, tmp_path: Path) -> None:
    events = [{"t": None, "kind": "copy", "bytes": "many", "duration": [1]}, {"t": "soon", "kind": "launch", "grid": 7}]
    path = _write(tmp_path / "t", HEAD, events, tail="[" * 100_000)
    done = ompls("report", path)
    assert (done.code, done.err) == (0, "")
    assert "In all 0 B to devices" in done.out


def test_what_is_not_a_trace_is_refused(ompls, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 not a trace")
    done = ompls("report", tmp_path / "photo.jpg")
    assert done.code == 2
    assert "it is not a trace of ours" in done.err
    newer = _write(tmp_path / "newer", {"ompls_trace": 7}, [])
    assert "version 7" in ompls("report", newer).err
