"""Where the children come from that analyse: a process that has imported everything and does nothing but fork.

    server ──control──► nursery ──fork──► child ◄──socket──► server

The server forks the *nursery* before it has threads: at once, or when `initialize` has its answer (`children.py`).  The
nursery imports what the children need, and a child is then there within milliseconds and shares the memory of all that
was imported.  The nursery is the children's parent, so it can end one that does not listen without any doubt which
process that is.  When the server is gone, killed or not, the nursery ends all of them; when the nursery is gone, the
kernel does, and the server forks another one.
"""

from __future__ import annotations

import gc
import itertools
import json
import logging
import os
import resource
import select
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from ompls.runtime.processes import end_with
from ompls.server import page

log = logging.getLogger("ompls.server")

MEMORY = 1 << 30  # bytes of data that a child may have
_MESSAGE = 256  # bytes; one order is smaller
_LATER = 10.0  # seconds without an order before more is imported: an editor that has just started needs the processors

Main = Callable[[socket.socket], None]  # what a child does until it ends
Mains = Mapping[str, Main]


class Child:
    """The server's handle of a child: the socket to talk to it, and how to end it."""

    def __init__(self, nursery: Nursery, number: int, connection: socket.socket) -> None:
        self._nursery = nursery
        self._number = number
        self.connection = connection
        self.place = page.take()

    def end(self) -> None:
        """Kill it, whatever it does.  A child that has ended is none's business any more."""
        self._nursery.order("end", self._number)
        page.give_back(self.place)
        self.place = None


class Nursery:
    def __init__(
        self, mains: Mains, first: Callable[[], None] = lambda: None, later: Callable[[], None] = lambda: None
    ) -> None:
        """`begin` forks the nursery: at best before this process has any threads.

        mains -- what the children do, by kind
        first -- imports what they need, in the nursery: this process answers meanwhile
        later -- imports what most children need, but not the first one at once
        """
        self._start = partial(_started, mains, first, later)
        self._numbers = itertools.count(1)
        self._control: socket.socket | None = None
        self.process = 0  # of the nursery; there is none

    def begin(self) -> None:
        """Raises OSError when the system allows no process."""
        if self._control is None:
            self._control, self.process = self._start()

    def fork(self, kind: str) -> Child:
        """A new child that runs the main function of this kind.  Raises OSError when the system allows no process."""
        self.begin()
        number = next(self._numbers)
        connection, heard = self._forked(number, kind)
        if not heard:
            connection.close()
            self.renew()  # while there is no pair: it would keep both ends, and nobody would see the child end
            connection, _ = self._forked(number, kind)
        return Child(self, number, connection)

    def _forked(self, number: int, kind: str) -> tuple[socket.socket, bool]:
        """(our end of the child's socket, whether there is a nursery that forks it)."""
        ours, theirs = socket.socketpair()
        with theirs:
            return ours, self.order("fork", number, kind, descriptor=theirs.fileno())

    def renew(self) -> None:
        """Another nursery in the place of one that has ended or does not listen; its children end with it.

        Raises OSError when the system allows no process; the next one who needs a child tries again.
        """
        log.error("the process that starts the analyses is replaced")
        self.close()
        before, self.process = self.process, 0
        if before:  # else it was waited for already, and its number may be another process
            with suppress(ProcessLookupError):
                os.kill(before, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(before, 0)
        self._control, self.process = self._start()

    def order(self, *words: object, descriptor: int | None = None) -> bool:
        """False: nobody is there to hear it."""
        if self._control is None:
            return False
        try:
            socket.send_fds(self._control, [json.dumps(words).encode()], [] if descriptor is None else [descriptor])
        except OSError:
            return False
        return True

    def close(self) -> None:
        """End all children."""
        if self._control is not None:
            self._control.close()


def _started(mains: Mains, first: Callable[[], None], later: Callable[[], None]) -> tuple[socket.socket, int]:
    gc.freeze()  # what was imported is never looked through again, which would copy all of it
    server = os.getpid()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        process = os.fork()
    except OSError:
        ours.close()
        theirs.close()
        raise
    if process == 0:
        _run(lambda: _nurse(theirs, mains, first, later, server), ours)
    theirs.close()
    return ours, process


def _run(work: Callable[[], None], *unneeded: socket.socket) -> NoReturn:
    """Be a forked process that does this and ends: nothing that the parent has prepared for its own end is done."""
    code = 1
    try:
        for connection in unneeded:
            connection.close()
        work()
        code = 0
    except BaseException:
        log.exception("a child of the server failed")
    finally:
        os._exit(code)


def _nurse(
    control: socket.socket, mains: Mains, first: Callable[[], None], later: Callable[[], None], server: int
) -> None:
    end_with(server)
    import tempfile  # noqa: PLC0415 -- the server does without

    tempfile.gettempdir()  # it tries directories out with a file, which a child that is killed then would leave
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)  # the client's messages are the server's,
    os.dup2(2, 1)  # and so is the stream that its answers go to
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what a terminal sends is the server's to decide
    first()
    gc.collect()
    gc.freeze()
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker)
    children: dict[int, int] = {}  # the process of each number
    waits = False  # `later`, until the first child has done what it is most needed for
    while True:
        sources: list[Any] = [control, woken]
        ready = select.select(sources, [], [], _LATER if waits else None)[0]
        if not ready:
            waits = False
            later()
            gc.freeze()
        if woken in ready:
            os.read(woken, _MESSAGE)
        _reap(children)
        if control in ready:
            message, descriptors, _, _ = socket.recv_fds(control, _MESSAGE, 1)
            if not message:
                break
            order, number, *rest = json.loads(message)
            if order == "fork":
                children[number] = _fork(socket.socket(fileno=descriptors[0]), mains[rest[0]], control, woken, waker)
                waits |= number == 1
            elif number in children:  # and so neither reaped nor anybody else's
                os.kill(children[number], signal.SIGKILL)
    for process in children.values():
        os.kill(process, signal.SIGKILL)


def _reap(children: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (process := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            for number in [n for n, p in children.items() if p == process]:
                del children[number]


def _fork(connection: socket.socket, main: Main, control: socket.socket, *pipe: int) -> int:
    nursery = os.getpid()
    process = os.fork()
    if process == 0:
        _run(lambda: _live(connection, main, nursery, pipe), control)
    connection.close()
    return process


def _live(connection: socket.socket, main: Main, nursery: int, pipe: tuple[int, ...]) -> None:
    end_with(nursery)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor in pipe:
        os.close(descriptor)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    main(connection)
