"""What cannot be read of a trace is told, and nothing is waited for."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from command import ompls
from waiting import LIMIT

HEAD = json.dumps({"ompls_trace": 1})
LAUNCH = json.dumps({"kind": "launch", "t": 1, "duration": 2, "device": "host:0", "region": "a.c:1"})
END = json.dumps({"kind": "end", "t": 10})


def _refused(*words: object) -> str:
    done = ompls("report", *words, timeout=LIMIT)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr.removeprefix("ompls: error: ")


def test_a_pipe_that_nobody_writes_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "t"
    os.mkfifo(pipe)
    assert _refused(pipe).startswith(f"cannot read {pipe}: it is empty; ")


def test_a_pipe_that_somebody_writes_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "t"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("\n".join([HEAD, *[LAUNCH] * 5000, END]) + "\n"))
    writer.start()
    done = ompls("report", pipe, timeout=LIMIT)
    writer.join()
    assert (done.returncode, done.stderr) == (0, "")
    assert " 5000 " in done.stdout


@pytest.mark.parametrize(
    ("name", "reason"),
    [("/dev/zero", "it is neither a file nor a pipe"), ("/", "Is a directory"), ("empty", "it is empty"),
     ("/dev/stdin", "it is empty"), ("none", "No such file or directory")],
)  # fmt: skip
def test_what_is_no_trace_is_refused_with_the_reason(name: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    path = os.path.join(tmp_path, name)
    assert _refused(path) == f"cannot read {path}: {reason}; record one with 'ompls run --trace FILE'\n"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([LAUNCH, END], ""),
        ([LAUNCH, "7", END], "1 line of the trace is no event, and is left out."),
        ([LAUNCH, '{"kind": "lau', LAUNCH, "\0", END], "2 lines of the trace are no events, and are left out."),
        ([LAUNCH, LAUNCH[:20]], "The trace has no end"),
    ],
    ids=["whole", "one", "two", "cut off"],
)
def test_lines_that_are_no_events_are_told(lines: list[str], said: str, tmp_path: Path) -> None:
    end = "" if lines[-1] != END else "\n"
    (tmp_path / "t").write_text("\n".join([HEAD, *lines]) + end)
    for more in ([], ["--html", tmp_path / "page.html"]):
        done = ompls("report", tmp_path / "t", *more)
        assert (done.returncode, done.stderr) == (0, "")
        shown = (tmp_path / "page.html").read_text() if more else done.stdout
        assert said in shown
        assert ("left out" in shown) == ("left out" in said)


@pytest.mark.parametrize(
    ("begin", "end", "said"),
    [
        ("5ms", "1ms", "--between: the part ends before it begins; say the earlier time first"),
        ("99999999999999999999ms", "1ms", "99999999999999999999ms: no run is that long"),
        ("1ms", "9" * 5000 + "s", "9" * 40 + "…: no run is that long"),
        ("1ms", "x" * 5000, "x" * 40 + "…: not a time like 12ms"),
    ],
    ids=["backwards", "too long", "very long", "no time"],
)
def test_times_that_are_none_are_refused(begin: str, end: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("\n".join([HEAD, LAUNCH, END]) + "\n")
    message = _refused(tmp_path / "t", "--between", begin, end)
    assert said in message
    assert len(message) < 200
