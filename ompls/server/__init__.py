"""The language server.  Importing this package is cheap; `serve` loads pygls.

    transport -> protocol -> app -> handlers      bytes, messages, the connection's life, one method a request
    editing                                       the methods for cursors in pragmas
    documents                                     the open texts, kept by incremental edits
    engine                                        one session per document; live and full tier; passes over huge texts
    work                                          what the two work threads do
    diagnostics, preview, runs                    what needs more than one request to be right
    actions, refactorings                         code actions: fixes; rewriting of data environments
    wide, worker                                  files that are not open, checked by a process of its own
    explanation                                   why there is no answer at a place
    lenses, lenstexts                             the code lenses; their JSON, kept in parts
    convert, client, settings, guard, guardian    positions and JSON; what the client can; `ompls.*`; staying alive
    lean                                          what libraries need not keep in memory

Everything runs on one event loop's thread but `work.analyse` (analysis thread) and `work.read_headers` (headers
thread), which take values and give values.
"""

from __future__ import annotations


def serve(port: int | None = None) -> int:
    """Serve one client on stdio, or on 127.0.0.1:`port`.  Returns the exit code for the process."""
    from ompls.server.lean import without_openssl  # noqa: PLC0415 - as below

    with without_openssl():
        from ompls.server.app import serve as run  # noqa: PLC0415 - pygls takes 0.4 s to import

    return run(port)
