"""The far side over MPI: what a node runs.

A node needs mpi4py and nothing of ours: it gets this file's text and runs `main`, which receives the far side
(library/), loads it and gives it MPI's functions.  So this imports nothing of ours.  The program's side takes
`functions` from here, too.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
from typing import Any, Dict, List, Optional

START = 1  # tag of the messages before the far side speaks
HEAD = struct.Struct("<QQ")  # bytes of the far side, which comes next; whether to spin
_NAMES = ("Isend", "Irecv", "Test", "Get_count", "Cancel", "Wait")


class Functions(ctypes.Structure):
    """ompls_mpi of library/line.h."""

    _fields_ = [(name, ctypes.c_void_p) for name in _NAMES]
    _fields_ += [("byte", ctypes.c_void_p), ("port", ctypes.c_void_p), ("meet", ctypes.c_void_p)]
    _fields_ += [("part", ctypes.c_void_p)]  # of nodes only: Peers


def handle(mpi: Any, thing: Any) -> int:
    """MPI's handle: a number or a pointer, as a register holds it."""
    return int(mpi._handleof(thing)) & 0xFFFFFFFFFFFFFFFF


def functions(mpi: Any) -> Functions:
    """Those that mpi4py calls.  Raises AttributeError when they are not to be found."""
    library = ctypes.CDLL(mpi.__file__)
    addresses = [ctypes.cast(getattr(library, "MPI_" + name), ctypes.c_void_p).value for name in _NAMES]
    return Functions(*addresses, handle(mpi, mpi.BYTE))


class Peers:
    """How a node meets others: over communicators that MPI makes between processes that know nothing of each other."""

    def __init__(self, mpi: Any) -> None:
        self._mpi, self._port = mpi, ""
        self.met: Dict[int, Any] = {}
        self.stuck = False  # MPI waits for somebody who does not come
        self._calls = (
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)(self._open),
            ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_char_p, ctypes.c_double)(self._meet),
            ctypes.CFUNCTYPE(None, ctypes.c_size_t)(self._part),
        )

    def add(self, to: Functions) -> Functions:
        to.port, to.meet, to.part = (ctypes.cast(call, ctypes.c_void_p).value for call in self._calls)
        return to

    def _open(self, name: int, room: int) -> int:
        if self.stuck or self._mpi.Query_thread() != self._mpi.THREAD_MULTIPLE:
            return 1
        try:
            self._port = self._port or self._mpi.Open_port()
        except self._mpi.Exception:
            return 1
        text = self._port.encode() + b"\0"
        if len(text) > room:
            return 1
        ctypes.memmove(name, text, len(text))
        return 0

    def _meet(self, port: Optional[bytes], patience: float) -> int:
        made: List[Any] = []
        waiting = threading.Thread(target=self._try, args=(port, made), daemon=True)
        waiting.start()
        waiting.join(patience if patience > 0 else None)
        if not made:
            self.stuck = self.stuck or waiting.is_alive()
            return 0
        number = handle(self._mpi, made[0])
        self.met[number] = made[0]
        return number

    def _try(self, port: Optional[bytes], made: List[Any]) -> None:
        itself = self._mpi.COMM_SELF
        try:
            found = itself.Connect(port.decode()) if port is not None else itself.Accept(self._port)
            found.Set_errhandler(self._mpi.ERRORS_RETURN)
            made.append(found)
        except self._mpi.Exception as error:
            sys.stderr.write("ompls: error: meeting another node: {}\n".format(error))

    def _part(self, number: int) -> None:
        try:
            self.met.pop(number).Disconnect()
        except (KeyError, self._mpi.Exception):
            self.stuck = True

    def end(self) -> bool:
        """Whether nothing is left, and MPI can be finished."""
        if self._port and not self.stuck:
            self._mpi.Close_port(self._port)
        return not self.stuck and not self.met


def main() -> None:
    """The far side, on a node."""
    import mpi4py  # noqa: PLC0415 -- the other end has loaded it already

    mpi4py.rc.finalize = False
    from mpi4py import MPI  # noqa: PLC0415

    parent = MPI.Comm.Get_parent()
    communicator = parent.Merge(True)
    communicator.Set_errhandler(MPI.ERRORS_RETURN)
    head = bytearray(HEAD.size)
    communicator.Recv([head, MPI.BYTE], 0, START)
    size, spin = HEAD.unpack(head)
    image = bytearray(size)
    communicator.Recv([image, MPI.BYTE], 0, START)
    file = os.memfd_create("ompls-far")
    with open(file, "wb", closefd=False) as out:
        out.write(image)
    del image
    code = 1
    try:
        library = ctypes.CDLL("/proc/self/fd/{}".format(file))
        peers = Peers(MPI)
        arguments = ctypes.byref(peers.add(functions(MPI))), ctypes.c_void_p(handle(MPI, communicator)), int(spin)
        code = library.ompls_far_serve_mpi(*arguments)
    except (OSError, AttributeError) as error:
        sys.stderr.write("ompls: error: loading the far side: {}\n".format(error))
    if code != 0:
        os._exit(code)  # a kernel that failed may hold locks
    communicator.Free()  # not Disconnect: with two of them Open MPI 5 waits for ever
    parent.Disconnect()
    if not peers.end():
        os._exit(0)
    MPI.Finalize()  # MPICH says good-bye at the end of the process only
