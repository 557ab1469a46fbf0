"""What a document costs the others: how long an editor waits in one file while another one keeps its worker busy.

    python bench/server_neighbours.py [--keys N]

A file of 2,000 lines and 500 regions is edited and asked about, alone and beside a file of 100,000 lines that is being
analysed for minutes.  Then its worker is killed, and its answers are waited for.  What is aimed at: the neighbour costs
less than 100 ms at every keystroke and every hover; a replaced worker answers within 2 s.  Milliseconds; `most` is the
longest wait.
"""

from __future__ import annotations

import os
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

import generate
import smallest
from client import Client, Json

REGIONS, NEIGHBOUR = 500, 25_000


class Editor:
    """One server, one file that is worked on."""

    def __init__(self, folder: Path, regions: int) -> None:
        self.client = Client([sys.executable, "-m", "ompls", "serve", "--stdio"])
        self.client.initialize({})
        self.folder, self.uri, self.version = folder, (folder / "big.c").as_uri(), 1
        self.text = generate.source(regions, True)
        self.client.open(self.uri, self.text)
        while any(d.get("code") == "analysis-incomplete" for d in self.client.published(1)["diagnostics"]):
            pass

    def keystroke(self) -> float:
        self.version += 1
        started = time.perf_counter()
        self.client.type(self.uri, self.version, 4, 4, " ")
        while (said := self.client.published(self.version))["uri"] != self.uri:
            pass
        assert said["version"] == self.version
        return 1000 * (time.perf_counter() - started)

    def hover(self) -> float:
        started = time.perf_counter()
        place = {"line": 4, "character": 60}
        self.client.request("textDocument/hover", {"textDocument": {"uri": self.uri}, "position": place})
        return 1000 * (time.perf_counter() - started)

    def status(self, uri: str) -> Json:
        documents = self.client.request("ompls/serverStatus", None)["documents"]
        found: Json = next(d for d in documents if d["uri"] == uri)
        return found

    def measure(self, what: str, count: int) -> None:
        for name, action in (("keystroke", self.keystroke), ("hover", self.hover)):
            times = []
            for _ in range(count):
                times.append(action())
                time.sleep(0.05)
            print(f"{name}, {what:24}{statistics.median(times):9.1f}{max(times):9.1f}")


def main() -> int:
    parser = smallest.parser(__doc__)
    parser.add_argument("--keys", type=int, default=60)
    options = parser.parse_args()
    regions, neighbour_regions = (20, 4_000) if options.smallest else (REGIONS, NEIGHBOUR)
    if options.smallest:
        options.keys = 1
    print(f"{'':35}   median     most")
    with tempfile.TemporaryDirectory() as directory:
        editor = Editor(Path(directory), regions)
        editor.measure("alone", options.keys)
        neighbour = (editor.folder / "huge.c").as_uri()
        editor.client.open(neighbour, generate.source(neighbour_regions, True)[:3_900_000])
        while "doing" not in editor.status(neighbour):
            time.sleep(0.05)
        editor.measure("beside a busy one", options.keys)
        if "doing" not in editor.status(neighbour):
            raise RuntimeError("the neighbour was not busy all the time")
        os.kill(editor.status(editor.uri)["worker"], signal.SIGKILL)
        time.sleep(0.2)
        print(f"{'hover, worker replaced':35}{editor.hover():9.1f}")
        print(f"{'keystroke after it':35}{editor.keystroke():9.1f}")
        editor.client.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
