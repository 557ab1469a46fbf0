"""The page of `ompls report --html` in a real browser: `make browser` says what it needs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
NODE, BROWSER = shutil.which("node"), shutil.which("chromium")

pytestmark = pytest.mark.skipif(
    NODE is None or BROWSER is None or not (EXTENSION / "node_modules" / "playwright-core").exists(),
    reason="node, chromium or playwright-core is not there: 'make browser' installs them",
)

SOURCE = """#include <stdio.h>
// <script>document.title = "broken"</script>



int main(void) {
  static int x[1000] = {7}, n = 1000;
  #pragma omp target data map(to: n) map(tofrom: x)
  {
    for (int k = 0; k < 2; k++) {
      #pragma omp target teams distribute parallel for map(tofrom: x)
      for (int i = 0; i < n; i++) x[i]++;
    }
  }
  return x[0] - 9;
}
"""
X = {"var": "x", "host": "0x2000", "bytes": 4000}
EVIL = {"var": "<img src=x onerror=alert(1)>", "host": "0x1000", "bytes": 4}
STEPS: list[tuple[int, str, int, dict[str, object]]] = [  # time in microseconds, kind, line
    (100, "device_open", 8, {"duration": 9000_000}),
    (9200, "copy", 8, {**EVIL, "direction": "to", "duration": 100_000, "values": "e8030000"}),
    (9310, "map_enter", 8, {**EVIL, "refcount": 1}),
    (9320, "copy", 8, {**X, "direction": "to", "duration": 300_000, "values": "07000000"}),
    (9700, "map_enter", 8, {**X, "refcount": 1}),
    (9750, "map_enter", 11, {**X, "refcount": 2}),
    (9800, "launch", 11, {"duration": 700_000, "grid": [8, 1, 1], "block": [128, 1, 1]}),
    (10500, "map_exit", 11, {**X, "refcount": 1}),
    (10700, "launch", 11, {"duration": 200_000, "grid": [8, 1, 1], "block": [128, 1, 1]}),
    (11000, "copy", 8, {**X, "direction": "from", "duration": 200_000, "values": "09000000"}),
    (11210, "map_exit", 8, {**X, "refcount": 0}),
    (11220, "map_exit", 8, {**EVIL, "refcount": 0}),
    (12000, "end", 0, {}),
]


def _trace(directory: Path) -> Path:
    source = directory / "a.c"
    source.write_text(SOURCE)
    lines: list[dict[str, object]] = [{"ompls_trace": 1, "program": "a", "command": ["a", "<b>"]}]
    for t, kind, line, fields in STEPS:
        event = {"t": 1000 * t, "thread": 1, "kind": kind, **fields}
        lines.append(event | ({"device": "cudasim:0", "region": f"{source}:{line}"} if line else {}))
    trace = directory / "t"
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return trace


def _used(page: Path, *words: str) -> Any:
    """What report_page.mjs saw."""
    assert NODE is not None
    assert BROWSER is not None
    command = [NODE, str(Path(__file__).with_name("report_page.mjs")), str(page), str(EXTENSION), BROWSER, *words]
    used = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert used.returncode == 0, used.stderr
    return json.loads(used.stdout)


def test_times_that_are_too_large_for_a_number_keep_the_page_alive(ompls, tmp_path: Path) -> None:
    """A double counts nanoseconds up to 2^53, about a hundred days."""
    launch = {"kind": "launch", "device": "cudasim:0", "region": "a.c:11", "duration": 1000, "grid": [1, 1, 1]}
    lines = [{"ompls_trace": 1}, *({**launch, "t": t} for t in (1, 2000, 2**60, 2**60 + 5000)), {"kind": "end"}]
    (tmp_path / "t").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert ompls("report", tmp_path / "t", "--html", tmp_path / "page.html").code == 0
    seen = _used(tmp_path / "page.html", "nearest")
    assert seen["problems"] == []
    assert seen["event"].startswith("kernel on cudasim:0")
    assert 2 <= seen["ticks"] <= 20
    assert seen["lost"] is False


def test_the_page_in_a_browser(ompls, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert ompls("report", _trace(tmp_path), "--html", page).code == 0
    seen = _used(page, *([os.environ["SHOT"]] if "SHOT" in os.environ else []))
    assert (seen["requests"], seen["problems"]) == (["file"], [])

    # the first kernel is picked: its line, its event, and the table while it ran
    first = seen["first"]
    assert first["titles"] == ["host", "cudasim:0"]
    assert first["bars"] == {"host": 4, "to": 2, "kernels": 2, "back": 1}
    assert first["line"] == "11"
    assert first["event"].startswith("kernel on cudasim:0: 8 × 128, ")
    assert first["event"].endswith("a.c:11, 700.0 µs, from 9.70 ms on")
    assert first["rows"] == [["<img src=x onerror=alert(1)>", "4 B", "1"], ["x", "3.9 KiB", "2"]]
    assert first["values"] == ["e8 03 00 00", "07 00 00 00"]
    assert seen["tip"][0].startswith("kernel on cudasim:0: 8 × 128")

    # nearer, the whole run, the next event, the next run of a line, an instant when nothing was there
    assert seen["nearer"]["width"] > 1.5 * first["width"]
    assert seen["whole"]["width"] < first["width"] / 4
    assert (seen["next"]["event"], seen["next"]["values"]) != (first["event"], first["values"])
    assert seen["clicked"]["line"] == "8"
    assert seen["clicked"]["event"].startswith("copy to cudasim:0: <img src=x onerror=alert(1)>, 4 B, ")
    assert (seen["empty"]["rows"], seen["empty"]["event"]) == ([], "")
    assert seen["print"] == {"controls": False, "far": False, "lines": 2}
