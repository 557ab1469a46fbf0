"""How long the server takes to answer `initialize`, next to a bare pygls server; started in turns.

    python bench/server_start.py [TIMES]

Wanted: at most 1.15 times the bare server's.  Compare on an idle machine.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time

from client import Client

BARE = """\
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")
server.feature("textDocument/hover")(lambda params: None)
server.start_io()
"""


def started(command: list[str]) -> float:
    """Seconds from the start of the process to the answer."""
    begun = time.perf_counter()
    client = Client(command)
    client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    taken = time.perf_counter() - begun
    client.server.kill()
    client.server.wait()
    return taken


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.NamedTemporaryFile("w", suffix=".py") as bare:
        bare.write(BARE)
        bare.flush()
        commands = {"bare pygls": [sys.executable, bare.name], "ompls": [sys.executable, "-m", "ompls", "serve"]}
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(times):
            for name, command in commands.items():
                taken[name].append(started(command))
    for name, found in taken.items():
        ratios = [of(found) / of(taken["bare pygls"]) for of in (min, statistics.median)]
        best, median = min(found) * 1000, statistics.median(found) * 1000
        print(f"{name:10} best {best:4.0f} ms ({ratios[0]:.2f}), median {median:4.0f} ms ({ratios[1]:.2f})")


if __name__ == "__main__":
    main()
