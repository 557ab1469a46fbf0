"""The far side over MPI: what a node runs.

A node needs mpi4py and nothing of ours: it gets this file's text and runs `main`, which receives the far side
(library/), loads it and gives it MPI's functions.  So this imports nothing of ours.  The program's side takes
`functions` from here, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import struct
import sys
import threading
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

START = 1  # tag of the messages before the far side speaks, and of the last one
# What the program says first: bytes and hash (SHA-256) of the far side, whether to spin, how many processes have it.
HEAD = struct.Struct("<Q32sQQ")
PLACE = struct.Struct("<QQ")  # such a process on what is maybe this machine, and its descriptor of the far side
HAS = struct.Struct("<QQQ")  # the answer: whether it need not be sent; this process, and its descriptor
WORD = struct.Struct("<?")  # a node's last one: MPI will be finished there, and not left
READY = b"ompls: ready\n"  # a node that is started by itself, on its standard output
MEMORY = "/dev/shm/mpich_shm_"  # how MPICH's memory files begin  # noqa: S108 -- not ours to choose
_NAMES = ("Isend", "Irecv", "Test", "Get_count", "Cancel", "Wait")


class Functions(ctypes.Structure):
    """ompls_mpi of library/mpi_line.h."""

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


def unname(mpi: Any) -> None:
    """Take the names of the memory files that MPICH made for this process: with nobody else in its world nobody opens
    them again, and so they end with it, however it ends.
    """
    if mpi.COMM_WORLD.Get_size() > 1:
        return
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        mapped = {line.rstrip("\n").split(None, 5)[-1] for line in file if MEMORY in line}
    for name in mapped:
        if name.startswith(MEMORY) and os.path.exists(name):
            os.unlink(name)


def within(seconds: float, work: Callable[[], object]) -> bool:
    """Do what may never come back; whether it has, without an error, in time (0: there is no limit)."""
    done: List[bool] = []

    def tried() -> None:
        try:
            work()
            done.append(True)
        except Exception as error:  # noqa: BLE001 -- MPI's; who waits is told by the answer
            sys.stderr.write("ompls: error: {}\n".format(error))

    waiting = threading.Thread(target=tried, daemon=True)
    waiting.start()
    waiting.join(seconds if seconds > 0 else None)
    return bool(done)


class Peers:
    """How a node meets others: over communicators that MPI makes between processes that know nothing of each other."""

    def __init__(self, mpi: Any) -> None:
        self._mpi, self._port = mpi, ""
        self.met: Dict[int, Any] = {}
        self.stuck = False  # MPI waits for somebody who does not come
        self._calls = (
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)(self._open),
            ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_char_p, ctypes.c_double)(self._meet),
            ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_double)(self._part),
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
        if not within(patience, lambda: made.append(self._met(port))):
            self.stuck = True
        if not made or made[0] is None:
            return 0
        number = handle(self._mpi, made[0])
        self.met[number] = made[0]
        return number

    def _met(self, port: Optional[bytes]) -> Any:
        itself = self._mpi.COMM_SELF
        try:
            found = itself.Connect(port.decode()) if port is not None else itself.Accept(self._port)
            found.Set_errhandler(self._mpi.ERRORS_RETURN)
        except self._mpi.Exception as error:
            sys.stderr.write("ompls: error: meeting another node: {}\n".format(error))
            return None
        return found

    def _part(self, number: int, patience: float) -> None:
        one = self.met.pop(number, None)
        if one is not None and not self.stuck:
            self.stuck = not within(patience, one.Disconnect)

    def end(self) -> bool:
        """Whether nothing is left, and MPI can be finished."""
        if self._port and not self.stuck:
            self._mpi.Close_port(self._port)
        return not self.stuck and not self.met


def found(places: Iterable[Tuple[int, int]], size: int, digest: bytes) -> Optional[int]:
    """A descriptor of the far side that another process of this machine has; None: no process that is ours has it."""
    for process, file in places:
        try:
            opened = os.open("/proc/{}/fd/{}".format(process, file), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        if os.fstat(opened).st_size == size and hashlib.sha256(os.pread(opened, size, 0)).digest() == digest:
            return opened
        os.close(opened)
    return None


def received(mpi: Any, communicator: Any) -> Tuple[int, bool]:
    """The far side, as a descriptor: another node's of this machine, or what the program sends; whether to spin."""
    head = bytearray(HEAD.size)
    communicator.Recv([head, mpi.BYTE], 0, START)
    size, digest, spin, count = HEAD.unpack(head)
    listed = bytearray(PLACE.size * count)
    communicator.Recv([listed, mpi.BYTE], 0, START)
    have = found(PLACE.iter_unpack(listed), size, digest)
    file = os.memfd_create("ompls-far") if have is None else have
    communicator.Send([HAS.pack(have is not None, os.getpid(), file), mpi.BYTE], 0, START)
    if have is None:
        image = bytearray(size)
        communicator.Recv([image, mpi.BYTE], 0, START)
        with open(file, "wb", closefd=False) as out:
            out.write(image)
    return file, bool(spin)


def serve(mpi: Any, program: Any, part: Callable[[], object]) -> None:
    """The far side, for process 0 of a communicator; `part` leaves that."""
    program.Set_errhandler(mpi.ERRORS_RETURN)
    file, spin = received(mpi, program)
    code = 1
    try:
        library = ctypes.CDLL("/proc/self/fd/{}".format(file))
        peers = Peers(mpi)
        arguments = ctypes.byref(peers.add(functions(mpi))), ctypes.c_void_p(handle(mpi, program)), int(spin)
        code = library.ompls_far_serve_mpi(*arguments)
    except (OSError, AttributeError) as error:
        sys.stderr.write("ompls: error: loading the far side: {}\n".format(error))
    if code != 0:
        os._exit(code)  # a kernel that failed may hold locks
    whole = peers.end()
    program.Send([WORD.pack(whole), mpi.BYTE], 0, START)
    part()
    if not whole:
        os._exit(0)
    mpi.Finalize()  # MPICH says good-bye at the end of the process only


def _loaded() -> Any:
    import mpi4py  # noqa: PLC0415 -- the other end has loaded it already

    mpi4py.rc.finalize = False
    from mpi4py import MPI  # noqa: PLC0415

    unname(MPI)
    return MPI


def _told() -> str:
    """The port of the program, which tells it on standard input; when that ends, the program has, and we do."""
    line, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def more() -> bytes:
        return os.read(line, 4096) or os._exit(1)

    def end() -> None:
        while more():
            continue

    text = b""
    while text.count(b"\0") < 2:
        text += more()
    threading.Thread(target=end, daemon=True).start()
    port, directory, _ = text.split(b"\0")
    with contextlib.suppress(OSError):  # another machine may not have it
        os.chdir(directory)
    return port.decode()


def spawned() -> None:
    """A node that MPI has spawned."""
    mpi = _loaded()
    parent = mpi.Comm.Get_parent()
    both = parent.Merge(True)  # Open MPI does not always tell of failures between the two
    serve(mpi, both, lambda: (both.Free(), parent.Disconnect()))  # with two to disconnect it waits for ever


def join() -> None:
    """A node that was started by itself."""
    mpi = _loaded()
    os.write(1, READY)
    program = mpi.COMM_SELF.Connect(_told())
    serve(mpi, program, program.Disconnect)
