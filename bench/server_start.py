"""How long the server takes to answer `initialize`, next to a bare pygls server; started in turns.

    python bench/server_start.py [TIMES]

Wanted: at most 1.15 times the bare server's.  Compare wall times on an idle machine; the processor time of the process
that answers is nearly the same on a busy one.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time

import smallest
from client import Client

# VS Code gives all settings, those that nobody has set among them.
OPTIONS = {"initializationOptions": {"settings": {"diagnostics": {"select": [], "ignore": [], "severity": {}}}}}
BARE = """\
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")
server.feature("textDocument/hover")(lambda params: None)
server.start_io()
"""


def started(command: list[str]) -> tuple[float, float]:
    """Seconds from the start of the process to the answer, and of its processor time."""
    begun = time.perf_counter()
    client = Client(command)
    client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **OPTIONS})
    taken = time.perf_counter() - begun, client.cpu(children=False)
    client.server.kill()
    client.server.wait()
    return taken


def main() -> None:
    parser = smallest.parser(__doc__)
    parser.add_argument("times", nargs="?", type=int, default=15)
    options = parser.parse_args()
    times = 1 if options.smallest else options.times
    with tempfile.NamedTemporaryFile("w", suffix=".py") as bare:
        bare.write(BARE)
        bare.flush()
        commands = {"bare pygls": [sys.executable, bare.name], "ompls": [sys.executable, "-m", "ompls", "serve"]}
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(times):
            for name, command in commands.items():
                taken[name].append(started(command))
    for n, what in enumerate(("wall", "processor")):
        for name, found in taken.items():
            values, bare_values = ([times[n] for times in each] for each in (found, taken["bare pygls"]))
            said = ", ".join(
                f"{of} {by(values) * 1000:4.0f} ms ({by(values) / by(bare_values):.2f})"
                for of, by in (("best", min), ("median", statistics.median))
            )
            print(f"{what:9} {name:10} {said}")


if __name__ == "__main__":
    main()
