"""The processes of this machine, read from /proc: a minimal system has no `ps`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """One process; `state` is the letter of proc(5), 'Z' for a zombie."""

    pid: int
    parent: int
    state: str
    name: str
    command: str


def processes() -> list[Process]:
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            command = (directory / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            name, _, rest = (directory / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue  # it ended meanwhile
        state, parent = rest.split()[:2]
        found.append(Process(int(directory.name), int(parent), state, name, command))
    return found
