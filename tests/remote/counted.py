"""counted.py FILE COMMAND…: carries the command's standard streams, and writes how long each message is.

`+` is a message there, `-` one back; a beat is none.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

from disturb import between, messages, write

BEAT = bytes(16)


def carry(source: int, sink: int, way: str, log: int) -> None:
    for message in messages(source):
        if message[8:] != BEAT:
            os.write(log, f"{way}{len(message) - 8}\n".encode())
        write(sink, message)
    os.close(sink)


def main() -> None:
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    process = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    between(
        process,
        partial(carry, 0, process.stdin.fileno(), "+", log),
        partial(carry, process.stdout.fileno(), 1, "-", log),
    )


if __name__ == "__main__":
    main()
