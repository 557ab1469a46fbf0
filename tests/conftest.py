"""What holds for every test."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Programs under test get Ctrl-C as from a terminal: a shell that starts tests in the background ignores it,
    and what is ignored is inherited."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
