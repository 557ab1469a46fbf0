"""`python -m ompls.server.worker`: checks files that are not open, in a process of its own with low priority.

Frames on stdin and stdout, each a length in four bytes (big-endian) and a pickled value: `Order` in, a list of
diagnostics out.  The other end is always our own server; when it goes away stdin ends, and so does this.
"""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import dataclass
from typing import Any, BinaryIO

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.builder import Analyzer
from ompls.project.files import read_source
from ompls.project.problem import FileProblem
from ompls.project.workspace import Workspace
from ompls.server.settings import Settings
from ompls.server.work import Deadline, judge

NICE = 10
SECONDS = 20.0  # for one file; what is found by then counts


@dataclass(frozen=True, slots=True)
class Order:
    """Check the file `path` as a part of the workspace with these roots."""

    path: str
    roots: tuple[str, ...]
    settings: Settings


def check(order: Order, workspace: Workspace) -> list[Diagnostic]:
    """What is to be said about a file; nothing when it cannot be read or is above the limit."""
    try:
        source = read_source(order.path)
    except FileProblem:
        return []
    if len(source) > order.settings.diagnostics.max_file_size:
        return []
    snapshot = workspace.snapshot(order.path, source, workspace.flags(order.path))
    tu = Analyzer().analyze(order.path, source, snapshot, order.settings.for_analysis(), Deadline(SECONDS))
    return judge(tu, snapshot, order.settings)


def frame(value: Any) -> bytes:
    body = pickle.dumps(value)
    return len(body).to_bytes(4, "big") + body


def _read(stream: BinaryIO) -> Any:
    """The next value; None at the end."""
    head = stream.read(4)
    body = stream.read(int.from_bytes(head, "big")) if len(head) == 4 else b""
    return pickle.loads(body) if body else None  # noqa: S301 - from our own server


def main() -> None:
    os.nice(NICE)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints must not get between the frames
    workspaces: dict[object, Workspace] = {}
    while (order := _read(sys.stdin.buffer)) is not None:
        key = (order.roots, order.settings.flags)
        workspace = workspaces.setdefault(key, Workspace(order.roots, order.settings.flags))
        answers.write(frame(check(order, workspace)))
        answers.flush()


if __name__ == "__main__":
    main()
