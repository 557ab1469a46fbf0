"""A language client that says where it is, as work.c does, and compares what the server says with what is right."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

from client import Client

FUNCTION = "void f%d(int n) {\n  int s = 0;\n  #pragma omp target map(tofrom: s) nowiat\n  s += n;\n}\n"
PATIENCE = 40.0  # seconds, for all that a server does about a worker that is lost
DEADLINE = 120  # seconds, for all of it


def says(place: str) -> None:
    print(place, flush=True)


def found(client: Client, uri: str) -> int:
    """How many mistakes the server finds; -1: it gave no answer to this."""
    answer: Any = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    return len(answer["items"]) if isinstance(answer, dict) and "items" in answer else -1


def at_last(client: Client, uri: str, expected: int) -> bool:
    """Whether it says so in the end."""
    end = time.monotonic() + PATIENCE
    while found(client, uri) != expected:
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def main() -> None:
    signal.alarm(DEADLINE)
    client = Client([sys.executable, "-m", "ompls", "serve", "--stdio"])
    says("started")
    client.initialize({"textDocument": {"diagnostic": {}}})
    small, large = (Path.cwd().joinpath(name).as_uri() for name in ("small.c", "large.c"))
    client.open(small, FUNCTION % 0)
    right = at_last(client, small, 1)
    says("computing")
    client.open(large, "".join(FUNCTION % n for n in range(150)))
    right &= at_last(client, large, 150)
    says("copying")
    for version in range(2, 12):
        client.type(large, version, 0, 0, "/*" + "x" * 300_000 + "*/\n")
    right &= at_last(client, large, 150) and at_last(client, small, 1)
    says("ending")
    client.request("shutdown", None)
    client.send({"method": "exit"})
    says("right" if right and client.server.wait(PATIENCE) == 0 else "wrong")


if __name__ == "__main__":
    main()
