"""The process that checks files which are not open, with low priority: an `Order` in, a list of diagnostics out."""

from __future__ import annotations

import os
from socket import socket

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.builder import Analyzer
from ompls.project.files import read_source
from ompls.project.language import foreign
from ompls.project.problem import FileProblem
from ompls.project.workspace import Workspace
from ompls.server.frames import Frames
from ompls.server.messages import SECONDS, Order
from ompls.server.work import Deadline, judge

NICE = 10


def check(order: Order, workspace: Workspace) -> list[Diagnostic]:
    """What is to be said about a file; nothing when it cannot be read, is above the limit, or is no C."""
    try:
        source = read_source(order.path)
    except FileProblem:
        return []
    if len(source) > order.settings.diagnostics.max_file_size:
        return []
    if order.included and os.path.realpath(order.path) not in workspace.compiled(order.path):
        return []
    flags = workspace.flags(order.path)
    if foreign(order.path, flags):
        return []
    snapshot = workspace.snapshot(order.path, source, flags, order.settings.openmp_version)
    tu = Analyzer().analyze(order.path, source, snapshot, order.settings.for_analysis(), Deadline(SECONDS))
    return judge(tu, snapshot, order.settings)


def main(connection: socket) -> None:
    """Work for the server at the other end of `connection` until it goes away."""
    os.nice(NICE)
    server = Frames(connection)
    workspaces: dict[object, Workspace] = {}
    while (order := server.next()) is not None:
        key = (order.roots, order.settings.flags)
        workspace = workspaces.setdefault(key, Workspace(order.roots, order.settings.flags))
        server.send(check(order, workspace))
