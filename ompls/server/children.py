"""What the children of the server do, and the beginning of the process that they are forked from.

It begins before all else where there are several processors: it imports the analysis while the server imports what
`initialize` needs.  An editor that starts keeps them busy itself, and then shows the first document sooner.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from contextlib import suppress
from socket import socket

from ompls.server.lean import several_processors, use_one_heap, without_openssl
from ompls.server.nursery import Nursery

log = logging.getLogger("ompls.server")


def nursery() -> Nursery:
    """For a server that imports the rest now.  What holds for all of its processes is set before."""
    level = logging.getLevelName(os.environ.get("OMPLS_LOG", "WARNING").upper())
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    log.setLevel(level if isinstance(level, int) else logging.WARNING)
    gc.set_threshold(20_000, 20, 50)  # trees of many small objects that live long: the default costs 20 % of didOpen
    use_one_heap()
    made = Nursery(
        {"document": _document, "check": _check, "manual": _manual}, first=_import_workers, later=_import_translator
    )
    if several_processors():
        with suppress(OSError):  # whoever needs a worker says so
            made.begin()
    return made


def _document(connection: socket) -> None:
    from ompls.server import worker  # noqa: PLC0415 - the server answers without what workers import

    worker.main(connection)


def _check(connection: socket) -> None:
    from ompls.server import checker  # noqa: PLC0415 - as above

    checker.main(connection)


def _manual(connection: socket) -> None:
    from ompls.server import manuals  # noqa: PLC0415 - as above

    manuals.main(connection)


def _import_workers() -> None:
    gc.disable()  # as in `serve`
    with without_openssl():
        from ompls.analysis.rules import RULES  # noqa: PLC0415 - as above
        from ompls.server import checker, work, worker  # noqa: F401, PLC0415 - as above

        RULES.values()  # all of them
    gc.enable()
    work.prepare()


def _import_translator() -> None:
    from ompls.server import kernels  # noqa: PLC0415 - as above

    kernels.prepare()
