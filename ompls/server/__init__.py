"""The language server.  Importing this package is cheap; `serve` loads pygls."""

from __future__ import annotations


def serve(port: int | None = None) -> int:
    """Serve one client on stdio, or on 127.0.0.1:`port`.  Returns the exit code for the process."""
    from ompls.server.app import serve as run  # noqa: PLC0415 - pygls takes 0.4 s to import

    return run(port)
