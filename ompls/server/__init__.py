"""The language server.  Importing this package is cheap; `serve` loads pygls.

    transport -> protocol -> app -> handlers      bytes, messages, the connection's life, one method a request
    documents                                     the open texts, kept by incremental edits
    engine, session, given                        the open documents, their settings and roots
    workers, recovery, watch                      a worker process for each; what follows when one does not end
    nursery, children                             where workers are forked, and what they do
    diagnostics, preview, runs, wide              what needs more than one request to be right
    messages, frames, page                        what server and workers say to each other, and how; what they do

    worker -> opened -> work                      in a document's process: the loop, what it knows, what takes time
    answers                                       which request is answered by what, and what must be known for it
    editing, reading, kernels, graphs             the answers: cursors in pragmas, reading, previews (of graphs, too),
    environment, explanation                      present tables, why there is no answer
    measured                                      what a run with a trace had (`runtraces` makes one)
    actions, refactorings, accepting              code actions: fixes; rewriting of data environments; accepted hints
    lenses, lenstexts, senttokens                 the code lenses and their JSON in parts; tokens as differences
    prices                                        what kernels need, for the lenses
    commands                                      `ompls` in child processes, for runs and prices
    checker, manuals                              in other processes: files that are not open; rules' manual pages

    plain, refusal, virtual                       requests for workers; why there is no answer; virtual documents' names
    convert, client, settings, guard, guardian    positions and JSON; what the client can; `ompls.*`; staying alive
    params                                        what requests' parameters must look like
    lean                                          what libraries need not keep in memory

The server runs on one event loop's thread and does nothing that takes long.  A worker is one thread, and one more for
the compiler that reads headers.
"""

from __future__ import annotations

import gc


def serve(port: int | None = None) -> int:
    """Serve one client on stdio, or on 127.0.0.1:`port`.  Returns the exit code for the process."""
    from ompls.server import children, lean  # noqa: PLC0415 - as below

    nursery = children.nursery()
    gc.disable()  # what is imported stays; looking for garbage in it takes a fifth of the time
    with lean.without_openssl(), lean.without_texts():
        from ompls.server.app import serve as run  # noqa: PLC0415 - pygls takes 0.3 s to import
    gc.enable()
    return run(port, nursery)
