"""counted.py FILE COMMAND…: carries the command's standard streams, and writes how long each message is.

`+` is a message there, `-` one back; a beat is none.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from disturb import messages, write

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
    threads = [
        threading.Thread(target=carry, args=(0, process.stdin.fileno(), "+", log), daemon=True),
        threading.Thread(target=carry, args=(process.stdout.fileno(), 1, "-", log), daemon=True),
    ]
    for thread in threads:
        thread.start()
    process.wait()
    threads[1].join(1)
    os._exit(process.returncode & 0x7F)


if __name__ == "__main__":
    main()
