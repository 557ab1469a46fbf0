"""A long trace: the first view is from its index, and events are read where they are asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ompls.traces.index import index

PROGRAM = """#include <stdlib.h>
int main(int argc, char **argv) {
  int n = 64;
  double x[64] = {0}, y[64] = {0};
  for (int k = 0; k < atoi(argv[1]); k++) {
    #pragma omp target data map(to: x[0:n])
    {
      #pragma omp target map(tofrom: y[0:n])
      y[0] += x[1] + 1;
    }
  }
  if (argc > 2) abort();
  return y[0] != atoi(argv[1]);
}
"""


@pytest.fixture(scope="module")
def trace(process, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of 500 turns: longer than 1 MiB, so it has an index."""
    directory = tmp_path_factory.mktemp("long")
    (directory / "a.c").write_text(PROGRAM)
    done = process("run", "--device", "host", "--trace", directory / "t", directory / "a.c", "--", "500")
    assert done.code == 0, done.err
    return directory / "t"


@pytest.fixture
def _long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ompls.traces.index.MANY", 1000)


def _tables(text: str) -> list[list[str]]:
    """What the tables say, without what only the order of events tells."""
    rows = [re.split(r" {2,}", line) for line in text.splitlines() if re.search(r"host:0 {2,}", line)]
    return sorted([*row[:-2], row[-1]] if row[-1].endswith("%") else row for row in rows)


@pytest.mark.usefixtures("_long")
def test_the_first_view_is_from_the_index(ompls, trace: Path, tmp_path: Path) -> None:
    short, long = ompls("report", trace).out, ompls("report", "--all", trace).out
    assert "events; this is from its index. What travelled for nothing and the present tables are not in it" in short
    assert "this is from its index" not in long
    assert _tables(short) == _tables(long) != []
    assert "`y[0:n]` (512 B) was copied back 500 times" in short
    assert [line for line in short.splitlines() if "was locked" in line] == [
        line for line in long.splitlines() if "was locked" in line
    ]
    assert ompls("report", trace, "--html", tmp_path / "page.html").code == 0
    page = (tmp_path / "page.html").read_text()
    assert "this is from its index" in page
    data = _data(page)
    found = index(str(trace))
    assert found is not None
    assert (data["bucket"], data["rows"]) == (found.width, [])
    lanes = {(lane["title"], lane["kind"]): sum(bar[5] for bar in lane["bars"]) for lane in data["lanes"]}
    assert list(lanes) == [("host", "host"), ("host:0", "to"), ("host:0", "kernels"), ("host:0", "back")]
    assert sum(lanes.values()) == found.events
    assert lanes["host:0", "kernels"] == 500
    assert [Path(name).name for name in data["sources"]] == ["a.c"]


def _data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*)</script>', page)
    assert found is not None
    made: dict[str, Any] = json.loads(found[1])
    return made


@pytest.mark.usefixtures("_long")
def test_a_part_has_each_event_with_an_index_or_without(ompls, trace: Path, tmp_path: Path) -> None:
    lines = trace.read_text().splitlines(keepends=True)
    (tmp_path / "without").write_text("".join(lines[:-2]))
    base = json.loads(lines[1])["t"]
    launches = [event for event in map(json.loads, lines) if event.get("kind") == "launch"]
    begin, end = launches[40]["t"] - base, launches[49]["t"] - base
    said = []
    for path in (trace, tmp_path / "without"):
        done = ompls("report", path, "--between", f"{begin}ns", f"{end}ns", "--html", tmp_path / "page.html")
        assert done.code == 0, done.err
        page = (tmp_path / "page.html").read_text()
        assert "A part of the run, from " in page
        kernels = next(lane for lane in _data(page)["lanes"] if lane["kind"] == "kernels")
        said.append([bar[0] for bar in kernels["bars"]])
    assert said == [[event["t"] - base for event in launches[40:50]]] * 2
    assert "2 weeks: not a time like 12ms" in ompls("report", trace, "--between", "1ms", "2 weeks").err


@pytest.mark.usefixtures("_long")
def test_a_trace_without_an_index_is_read_as_a_whole(ompls, process, trace: Path, tmp_path: Path) -> None:
    done = process("run", "--device", "host", "--trace", tmp_path / "t", trace.parent / "a.c", "--", "500", "abort")
    assert done.code != 0
    assert index(str(tmp_path / "t")) is None
    said = ompls("report", tmp_path / "t").out
    assert "was copied back 500 times" in said
    assert "The trace has no end" in said


@pytest.mark.parametrize(
    "broken", ["{", '{"kind": "index"}', '{"kind": "index", "width": 5, "lanes": 7}', '{"kind": "index", "width": -1}']
)
def test_an_index_of_somebody_else_costs_no_traceback(ompls, trace: Path, tmp_path: Path, broken: str) -> None:
    lines = trace.read_text().splitlines()
    lines[-2] = broken
    (tmp_path / "t").write_text("\n".join(lines) + "\n")
    assert index(str(tmp_path / "t")) is None
    done = ompls("report", tmp_path / "t")
    assert (done.code, done.err) == (0, "")
    assert "was copied back 500 times" in done.out
