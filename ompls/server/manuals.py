"""The process that reads somebody the manual page of a rule: the rule's name in, its page out (None: no such rule).

All rules are imported for that, which takes the server too long to do itself.
"""

from __future__ import annotations

from socket import socket

from ompls.analysis.rules import RULES, manual
from ompls.server.frames import Frames


def main(connection: socket) -> None:
    """Answer the server at the other end of `connection` until it goes away."""
    server = Frames(connection)
    while (rule := server.next()) is not None:
        server.send(manual(rule) if rule in RULES else None)
