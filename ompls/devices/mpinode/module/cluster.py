"""Nodes over MPI, on the program's side (imported when a node is asked for).

Each node is one process, and there is a communicator of it and us alone: a failure stays with its node.  How MPI starts
it, joined.py and spawned.py say.  From then on each wait has a limit, and where its launcher is our own the end of that
is noticed at once.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import os
import threading
import time
from typing import Any, Callable, Dict, List, Tuple

from ompls.devices.remote import mpi, near
from ompls.devices.remote.near import Line, Near, Unreachable

from .hosts import hosts, is_here, is_rank_of_several
from .joined import joined
from .launched import Launched, Met
from .library import is_open_mpi, launcher, loaded, spawning
from .said import Said
from .spawned import spawned

# Who has one of these was started by a launcher, which may put nodes anywhere.
_LAUNCHED = ("PMI_RANK", "PMI_FD", "PMIX_RANK")
# What a program has sent: of a machine and a far side's hash the processes that have it, and their descriptors.
_SENT: Dict[Tuple[str, bytes], List[Tuple[int, int]]] = {}
_ASKED = 8  # of those, so many of the last ones: some may have ended
_LOOK = 0.0005  # seconds between looks
_ON_ITS_WAY = 0.1  # seconds for what a process has sent that has ended since
_LOOK_HERE = "look what it does, or what has ended it (when memory ran out, dmesg tells)"
_SOON = 0.5  # seconds for the end of a process that has said that it ends


class Node(Line):
    """A process that has started.  Raises Unreachable.

    ended -- is told when it has: whether it was lost
    """

    def __init__(self, library: Any, met: Met, machine: str, said: Said, ended: Callable[[bool], None]) -> None:
        self._mpi, self._met, self._launched, self._said, self._ended = library, met, met.launched, said, ended
        self._patience, self._spin = near.patience()
        self.machine = machine
        self._kept: List[Any] = []  # MPI may write to it, or read it, also when nobody waits for that
        self._line = ctypes.create_string_buffer(1 << 17)
        self._functions: Any = None
        self._program: Any = None

    def load(self, image: memoryview) -> None:
        """The far side, unless a node of that machine has it.  Raises Unreachable."""
        try:
            self._functions = mpi.functions(self._mpi)
            self._load(image)
        except (self._mpi.Exception, AttributeError) as error:
            raise Unreachable("MPI cannot speak to the process there ({})".format(error)) from None

    def _load(self, image: memoryview) -> None:
        digest = hashlib.sha256(image).digest()
        places = _SENT.setdefault((self.machine, digest), [])
        last, answer = places[-_ASKED:], bytearray(mpi.HAS.size)
        self._say(mpi.HEAD.pack(len(image), digest, self._spin, len(last)))
        self._say(b"".join(mpi.PLACE.pack(*place) for place in last))
        self._hear(answer)
        has, process, file = mpi.HAS.unpack(answer)
        if not has:
            self._say(image)
        places.append((process, file))

    def _say(self, what: Any) -> None:
        self._carried(what, self._met.communicator.Isend([what, self._mpi.BYTE], self._met.peer, mpi.START))

    def _hear(self, into: bytearray) -> None:
        self._carried(into, self._met.communicator.Irecv([into, self._mpi.BYTE], self._met.peer, mpi.START))

    def _carried(self, what: Any, request: Any) -> None:
        self._kept += [what, request]
        limit = time.monotonic() + self._patience
        over = 0.0
        while not request.Test():
            if self._launched is not None and self._launched.wait(_LOOK) is not None:
                over = over or time.monotonic() + _ON_ITS_WAY
                if time.monotonic() > over:
                    raise Unreachable("the process there has ended")
            if time.monotonic() > limit:
                raise Unreachable("it gives no sign of life for {:g} s ({})".format(self._patience, near.TIMEOUT))
            if self._launched is None:
                time.sleep(_LOOK)

    def address(self, program: ctypes.CDLL) -> int:
        self._program = program
        line = ctypes.cast(self._line, ctypes.c_void_p)
        aligned = ctypes.c_void_p(((line.value or 0) + 63) & ~63)
        communicator = ctypes.c_void_p(mpi.handle(self._mpi, self._met.communicator))
        watched = self._launched.ended if self._launched is not None else -1
        how = self._met.peer, watched, ctypes.c_double(self._patience), int(self._spin)
        program.ompls_mpi_line_make(aligned, ctypes.byref(self._functions), communicator, *how)
        self._aligned = aligned
        return int(aligned.value or 0)

    def end(self, lost: bool) -> None:
        whole = not lost and self._disconnected()
        if not whole and self._launched is not None:
            self._launched.kill()
        self._said.pass_on()
        self._ended(not whole)

    def _disconnected(self) -> bool:
        """Whether the node has ended, and all of it.  It crashes MPI to finish it when a node only left it."""
        word = bytearray(mpi.WORD.size)
        try:
            self._hear(word)
            self._program.ompls_mpi_line_end(self._aligned)
        except (self._mpi.Exception, Unreachable):
            return False
        return mpi.within(self._patience, self._met.part) and bool(mpi.WORD.unpack(word)[0])


class _World:
    """What nodes of all kinds share: the program has one MPI.

    running -- how many nodes; lost -- some node was, so MPI is not finished: it may wait for it
    launched -- what has started nodes; ended -- the program has called MPI_Finalize
    clusters -- the modules, with what puts them into the program
    """

    def __init__(self) -> None:
        self.starting = threading.Lock()
        self.running = 0
        self.lost = self.ended = False
        self.launched: List[Launched] = []
        self.clusters: List[Cluster] = []


_WORLD = _World()


class Cluster(Near):
    """The module of nodes with one kind of device inside."""

    def __init__(self, name: str, kind: str, inner: str) -> None:
        super().__init__(name, kind, self._number, self._begin, peers=True)
        self._hosts, _ = hosts(os.environ, inner)
        launcher()
        self._name, self._alone = name.encode(), _alone()
        self._mpi = loaded(self._alone)

    def add(self, program: ctypes.CDLL) -> None:
        super().add(program)
        _WORLD.clusters.append(self)
        program.ompls_mpi_parts(_PART)

    def part(self) -> None:
        """The nodes end, before the program ends MPI."""
        self._program.ompls_close_module(
            self._name, b"the program has called MPI_Finalize, and nodes have ended with it"
        )

    def _number(self, wanted: int) -> int:
        """As many as the machines that are named are; else as many as are wanted, on this one."""
        return len(self._hosts) or wanted or 1

    def _begin(self, index: int, image: memoryview) -> Line:
        host = self._hosts[index] if index < len(self._hosts) else ""
        try:
            with _WORLD.starting:
                return self._begin_at(host, image)
        except Unreachable as error:
            _WORLD.lost = True
            hint = error.hint or ("" if not host or is_here(host) else near.LOOK)
            raise Unreachable("{}: {}".format(host or "this machine", error), error.detail, hint) from None

    def _begin_at(self, host: str, image: memoryview) -> Line:
        if self._mpi.Is_finalized() or _WORLD.ended:
            why = "MPI has ended with {}".format("MPI_Finalize" if _WORLD.ended else "the node before")
            raise Unreachable(why, hint="have its first region before that")
        said, (seconds, _) = Said(), near.patience()
        if is_open_mpi(self._mpi):
            with spawning(self._alone):
                met = spawned(self._program, self._mpi, host, said, seconds)
        else:
            met = joined(self._mpi, host, self._alone, said, seconds)
        node = Node(self._mpi, met, host or os.uname().nodename, said, self._over)
        node.hint = _LOOK_HERE if not host or is_here(host) else near.LOOK
        try:
            node.load(image)
        except Unreachable as error:
            _KEPT.append(node)
            if met.launched is not None:
                met.launched.kill()
            raise Unreachable(str(error), said.lines(), error.hint) from None
        said.pass_on()
        _WORLD.running += 1
        _WORLD.launched += [met.launched] if met.launched is not None else []
        return node

    def _over(self, lost: bool) -> None:
        with _WORLD.starting:
            _WORLD.running -= 1
            _WORLD.lost = _WORLD.lost or lost
            if _WORLD.running > 0:
                return
            if not _WORLD.lost and not _WORLD.ended and not self._mpi.Is_finalized() and not self._leaves_a_job():
                self._mpi.Finalize()
            limit = time.monotonic() + _SOON
            for launched in _WORLD.launched:
                launched.wait(max(0.0, limit - time.monotonic()))

    def _leaves_a_job(self) -> bool:
        """Whether the program ends without its MPI_Finalize: ours would wait for ranks that wait for it elsewhere."""
        return is_rank_of_several(os.environ) and bool(self._program.ompls_mpi_is_taken())


def _part() -> int:
    """Before the program's MPI_Finalize: whether that goes on.  Where a node was lost it may never come back, but other
    ranks wait for it: then we try it ourselves.
    """
    _WORLD.ended = True
    for cluster in _WORLD.clusters:
        cluster.part()
    if _WORLD.lost:
        mpi.within(near.patience()[0], importlib.import_module("mpi4py.MPI").Finalize)
    return not _WORLD.lost


_PART = ctypes.CFUNCTYPE(ctypes.c_int)(_part)  # C has a pointer to it

_KEPT: List[Node] = []  # that MPI may still have business with


def _alone() -> bool:
    """Whether the nodes of all kinds are on this machine: the program has one MPI."""
    return all(map(is_here, hosts(os.environ)[0])) and not any(name in os.environ for name in _LAUNCHED)
