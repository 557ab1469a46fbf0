"""How long a file of 2,000 lines takes from the answer to `initialize` until it is shown, as VS Code asks for it.

    python bench/server_open.py [TIMES]

Wall time, and the processor time of the server with its children from the start of the process on, which a busy machine
changes little.  Wanted: the first lenses and colours within 500 ms on an idle machine.
"""

from __future__ import annotations

import statistics
import sys
import time

import generate
import smallest
from client import Client, Json

URI = "file:///nowhere/big.c"
_VIEW = 60  # lines that a window shows
CAPABILITIES: Json = {
    "workspace": {
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
        "diagnostics": {"refreshSupport": True},
    },
    "textDocument": {
        "diagnostic": {},
        "semanticTokens": {
            "requests": {"full": True, "range": True},
            "tokenTypes": [],
            "tokenModifiers": [],
            "formats": [],
        },
    },
}
_ASKED = {
    "lenses": "textDocument/codeLens",
    "colours": "textDocument/semanticTokens/range",
    "all colours": "textDocument/semanticTokens/full",
    "hints": "textDocument/inlayHint",
    "diagnostics": "textDocument/diagnostic",
}
Figures = dict[str, tuple[float, float]]  # milliseconds: wall, processor


def opened(text: str, lenses: int) -> Figures:
    """When each of them was there."""
    client = Client([sys.executable, "-m", "ompls", "serve"])
    client.initialize(CAPABILITIES)
    begun, figures = time.perf_counter(), {"initialize": (0.0, client.cpu() * 1000)}
    client.open(URI, text)
    view = {"start": {"line": 0, "character": 0}, "end": {"line": _VIEW, "character": 0}}
    waiting = {}
    for name, method in _ASKED.items():
        client.ask(method, {"textDocument": {"uri": URI}, "range": view})
        waiting[client.number] = name
    while len(figures) <= len(_ASKED) + 1:
        message = client.receive()
        now = (time.perf_counter() - begun) * 1000, client.cpu() * 1000
        if "method" in message and "id" in message:
            client.send({"id": message["id"], "result": None})
            if message["method"] == "workspace/codeLens/refresh":
                client.ask(_ASKED["lenses"], {"textDocument": {"uri": URI}})
                waiting[client.number] = "all lenses"
        elif "id" in message:
            name = waiting.pop(message["id"])
            if name != "all lenses" or len(message["result"]) == lenses:
                figures.setdefault(name, now)
            if name == "lenses" and len(message["result"]) == lenses:
                figures["all lenses"] = now
    client.server.kill()
    client.server.wait()
    return figures


def main() -> None:
    parser = smallest.parser(__doc__)
    parser.add_argument("times", nargs="?", type=int, default=5)
    options = parser.parse_args()
    regions, times = (10, 1) if options.smallest else (500, options.times)
    text = generate.source(regions)
    found = [opened(text, 2 * regions) for _ in range(times)]  # each region has two lenses
    for name in ("initialize", *_ASKED, "all lenses"):
        wall, processor = ([figures[name][n] for figures in found] for n in range(2))
        print(
            f"{name:12} wall best {min(wall):5.0f} ms, median {statistics.median(wall):5.0f} ms; "
            f"processor best {min(processor):5.0f} ms, median {statistics.median(processor):5.0f} ms"
        )


if __name__ == "__main__":
    main()
