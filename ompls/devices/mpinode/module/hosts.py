"""Which machines are nodes: OMPLS_HOSTFILE, else what the batch system has given, else this machine.

A host file has a line for each machine: its name or address, maybe how many devices it is, and which device is inside.
`#` begins a comment.  Files for MPICH and Open MPI serve as well: they write the number as `:4` or `slots=4`.

    node07 4
    node08
    gpu03 2 device=cuda

A line that names a device is for programs that were built for that one, NAME(cuda); one that does not is for any.
"""

from __future__ import annotations

import os
import re
from typing import List, Mapping, Optional, Tuple

from ompls.runtime.errors import DeviceUnavailable
from ompls.runtime.folders import folders
from ompls.runtime.reading import read_regular

VARIABLE = "OMPLS_HOSTFILE"
_SLURM = "SLURM_JOB_NODELIST"
_SLURM_TASKS = "SLURM_TASKS_PER_NODE"  # `2(x3),1`: of these machines, in their order
_SLURM_ASKED = "SLURM_NTASKS"  # is there when the user has asked for tasks; else Slurm may count cores
# How many ranks a program has that MPI's launcher or Slurm's has started: each has its nodes on its own machine.
_RANKS = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")
_MOST = 1 << 16  # bytes of such a file
# Names and addresses (RFC 1123, section 2.1; RFC 4291, section 2.2).  Not `-`: a launcher would take it for an option.
_HOST = re.compile(r"[A-Za-z0-9_:][A-Za-z0-9_.:-]{0,254}")
_INNER = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_DEVICE, _SLOTS = "device=", "slots="
_MOST_SLOTS = re.compile(r"max[_-]slots=[0-9]+")  # Open MPI's
_FORM = "write NAME, NAME NUMBER or NAME NUMBER device=DEVICE on a line"
_SLURM_ITEM = re.compile(r",(?![^\[\]]*\])")  # between items: not within brackets
_SLURM_COUNT = re.compile(r"([0-9]{1,3})(?:\(x([0-9]{1,5})\))?")
_SLURM_PART = re.compile(r"([A-Za-z0-9_.-]*)\[([0-9,-]+)\]|([A-Za-z0-9_.-]+)")


def read_hosts(text: str, where: str, inner: Optional[str] = None) -> List[str]:
    """The names in a host file for nodes with `inner` inside (None: with any), each as often as it is a device.

    Raises DeviceUnavailable for a file that is wrong anywhere, and for one without such a line.
    """
    found: List[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        name, place = words.pop(0), "{}:{}".format(where, number)
        if name.count(":") == 1:  # an address of IPv6 has two
            name, _, count = name.partition(":")
            words.insert(0, count)
        if not _HOST.fullmatch(name):
            raise DeviceUnavailable("mpinode", "{}: {!r:.80} is no name of a machine".format(place, name), "correct it")
        wanted = words.pop()[len(_DEVICE) :] if words and words[-1].startswith(_DEVICE) else None
        count = words.pop(0) if words else "1"
        if count.startswith(_SLOTS):
            count = count[len(_SLOTS) :]
            words = [word for word in words if not _MOST_SLOTS.fullmatch(word)]
        if words or not (count.isascii() and count.isdigit() and 1 <= int(count) <= 256):
            why = "{}: {!r:.80} is no number of devices".format(place, " ".join([count, *words]))
            raise DeviceUnavailable("mpinode", why, _FORM)
        if wanted is not None and not _INNER.fullmatch(wanted):
            raise DeviceUnavailable("mpinode", "{}: {!r:.80} is no name of a device".format(place, wanted), _FORM)
        known = folders()[0]
        if wanted is not None and wanted not in known:
            why = "{}: there is no device {!r:.80}".format(place, wanted)
            raise DeviceUnavailable("mpinode", why, "devices are " + ", ".join(sorted(known)))
        found += [name] * int(count) if inner is None or wanted in (None, inner) else []
    if not found and inner is not None:
        why = "{} names no machine for nodes with '{}' inside".format(where, inner)
        raise DeviceUnavailable("mpinode", why, "write one name on each line, or NAME device={}".format(inner))
    return found


def slurm_hosts(text: str) -> List[str]:
    """The names in SLURM_JOB_NODELIST: `node[01-03,07],rack[0-1]n[1-2]-ib`.  Raises ValueError for other texts."""
    found: List[str] = []
    for item in _SLURM_ITEM.split(text):
        names = [""]
        for part, numbers, rest in _SLURM_PART.findall(item):
            names = [
                name + part + rest + number for name in names for number in (_counted(numbers) if numbers else [""])
            ]
            if len(names) > _MOST:
                raise ValueError(item)
        if _SLURM_PART.sub("", item) or not all(_HOST.fullmatch(name) for name in names):
            raise ValueError(item)
        found += names
    return found


def _counted(numbers: str) -> List[str]:
    """What `01-03,07` stands for."""
    found: List[str] = []
    for one in numbers.split(","):
        first, _, last = one.partition("-")
        if not first.isdigit() or not (last or first).isdigit() or not 0 <= int(last or first) - int(first) <= _MOST:
            raise ValueError(numbers)
        found += [str(n).zfill(len(first)) for n in range(int(first), int(last or first) + 1)]
    return found


def _in_allocation(listed: str, environment: Mapping[str, str]) -> List[str]:
    """The machines of an allocation of Slurm, each as often as the user has asked for tasks on it; once otherwise.

    Raises ValueError for texts that Slurm does not write.
    """
    names = slurm_hosts(listed)
    counts: List[int] = []
    tasks = environment.get(_SLURM_TASKS, "") if environment.get(_SLURM_ASKED) else ""
    for item in tasks.split(",") if tasks else ():
        found = _SLURM_COUNT.fullmatch(item)
        if found is None:
            raise ValueError("{}={}".format(_SLURM_TASKS, tasks))
        counts += [int(found[1])] * int(found[2] or 1)
    if len(counts) != len(names):
        return names
    return [name for place, name in enumerate(names) for _ in range(counts[place])]


def is_rank_of_several(environment: Mapping[str, str]) -> bool:
    """Whether a launcher has started this program several times, as one job."""
    return any(environment.get(name, "1") != "1" for name in _RANKS)


def hosts(environment: Mapping[str, str], inner: Optional[str] = None) -> Tuple[List[str], str]:
    """The machines for nodes with `inner` inside (None: with any), each as often as it is a device, and who says so.

    [] and "": nobody does, so it is this machine.

    Raises DeviceUnavailable for a host file, or a list, that cannot be used.
    """
    path = environment.get(VARIABLE, "")
    if path:
        try:
            text = read_regular(path, _MOST).decode("utf-8-sig", "replace")
        except OSError as error:
            why = "{}: {}: {}".format(VARIABLE, path, error.strerror or error)
            raise DeviceUnavailable("mpinode", why, "name a file with a machine on each line") from error
        return read_hosts(text, path, inner), VARIABLE
    listed = "" if is_rank_of_several(environment) else environment.get(_SLURM, "")
    try:
        return (_in_allocation(listed, environment), _SLURM) if listed else ([], "")
    except ValueError as error:
        why = "{}: {!r:.80} is no list of machines".format(_SLURM, str(error))
        raise DeviceUnavailable("mpinode", why, "name the machines in a file ({})".format(VARIABLE)) from None


def is_here(name: str) -> bool:
    """Whether the name is certainly this machine's."""
    here = os.uname().nodename
    return name in ("localhost", "127.0.0.1", "::1", here, here.partition(".")[0])
