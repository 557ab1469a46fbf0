"""A trace may be anybody's: what it names is not read, what it says moves no cursor, and its numbers break nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command import ompls

HEAD = {"ompls_trace": 1, "started": 0}
END = {"kind": "end", "t": 10}


def _trace(path: Path, *events: object) -> Path:
    path.write_text("\n".join(json.dumps(event) for event in (HEAD, *events)) + "\n")
    return path


@pytest.mark.parametrize("name", ["link.c", "link.h"])
def test_a_link_to_what_is_no_c_file_is_not_shown(name: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2\n")
    (tmp_path / name).symlink_to(secret)
    (tmp_path / "environ.c").symlink_to("/proc/self/environ")
    regions = [f"{tmp_path / name}:1", f"{tmp_path / 'environ.c'}:1"]
    events = [{"kind": "launch", "t": 1, "duration": 2, "device": "host:0", "region": r} for r in regions]
    page = tmp_path / "page.html"
    trace = _trace(tmp_path / "trace", *events, END)
    done = ompls("report", trace, "--html", page, env={**os.environ, "SECRET_TOKEN": "hunter2"})
    assert done.returncode == 0, done.stderr
    assert "it is no C file" in page.read_text()
    assert "hunter2" not in page.read_text()


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    copy = {"kind": "copy", "t": 1, "duration": 2, "device": "host:0", "var": "a\u2028b", "direction": "to", "bytes": 8}
    path = tmp_path / "trace"
    path.write_text("\n".join(json.dumps(x, ensure_ascii=False) for x in ({**HEAD, "command": "x\u2028y"}, copy, END)))
    done = ompls("report", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "8 B" in done.stdout


def test_what_a_trace_says_stays_in_its_place(tmp_path: Path) -> None:
    name = "a\x1b[2J\r\nompls: all is fine"
    copy = {"kind": "copy", "t": 1, "duration": 2, "device": "host:0", "var": name, "direction": "to", "bytes": 8}
    error = {"kind": "error", "t": 2, "device": "host:0", "message": name}
    done = ompls("report", _trace(tmp_path / "trace", copy, error, END))
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "\nompls: all is fine" not in done.stdout
    done = ompls("report", _trace(tmp_path / "other", {"ompls_trace": "\x1b[2J"}))
    (tmp_path / "version").write_text(json.dumps({"ompls_trace": "\x1b[2J"}))
    done = ompls("report", tmp_path / "version")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    "lines", [[[0, float("inf"), 10]], [[0, 2**70, 2**71]], [[0, 50, 20]], [[0, 0, 10**18]], [[0, -5, 10]]], ids=str
)
def test_an_index_that_points_elsewhere_is_not_used(lines: list[list[float]], tmp_path: Path) -> None:
    launch = {"kind": "launch", "t": 1, "duration": 10**400, "device": "host:0", "region": "a.c:1"}
    index = {"kind": "index", "events": 200000, "left_out": 0, "base": 0, "width": 5, "lanes": [], "sums": []}
    trace = _trace(tmp_path / "trace", launch, {**index, "notable": [-5, 10**30], "lines": lines}, END)
    for words in ([], ["--between", "0ns", "1ms"], ["--html", tmp_path / "page.html"]):
        done = ompls("report", trace, *words)
        assert (done.returncode, done.stderr) == (0, ""), words
