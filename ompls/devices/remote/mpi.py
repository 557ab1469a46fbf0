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
from typing import Any

START = 1  # tag of the messages before the far side speaks
HEAD = struct.Struct("<QQ")  # bytes of the far side, which comes next; whether to spin
_NAMES = ("Isend", "Irecv", "Test", "Get_count", "Cancel", "Wait")


class Functions(ctypes.Structure):
    """ompls_mpi of library/line.h."""

    _fields_ = [(name, ctypes.c_void_p) for name in _NAMES]
    _fields_ += [("byte", ctypes.c_void_p)]


def handle(mpi: Any, thing: Any) -> int:
    """MPI's handle: a number or a pointer, as a register holds it."""
    return int(mpi._handleof(thing)) & 0xFFFFFFFFFFFFFFFF


def functions(mpi: Any) -> Functions:
    """Those that mpi4py calls.  Raises AttributeError when they are not to be found."""
    library = ctypes.CDLL(mpi.__file__)
    addresses = [ctypes.cast(getattr(library, "MPI_" + name), ctypes.c_void_p).value for name in _NAMES]
    return Functions(*addresses, handle(mpi, mpi.BYTE))


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
        arguments = ctypes.byref(functions(MPI)), ctypes.c_void_p(handle(MPI, communicator)), int(spin)
        code = library.ompls_far_serve_mpi(*arguments)
    except (OSError, AttributeError) as error:
        sys.stderr.write("ompls: error: loading the far side: {}\n".format(error))
    if code != 0:
        os._exit(code)  # a kernel that failed may hold locks
    communicator.Free()  # not Disconnect: with two of them Open MPI 5 waits for ever
    parent.Disconnect()
    MPI.Finalize()  # MPICH says good-bye at the end of the process only
