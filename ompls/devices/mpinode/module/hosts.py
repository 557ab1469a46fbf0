"""Which machines are nodes: OMPLS_HOSTFILE, else what the batch system or `mpirun` has given, else this machine.

A host file has a line for each machine: its name or address, and maybe how many devices it is.  `#` begins a comment.

    node07 4
    node08
"""

from __future__ import annotations

import os
import re
from typing import List, Mapping, Tuple

from ompls.runtime.errors import DeviceUnavailable

VARIABLE = "OMPLS_HOSTFILE"
_MOST = 1 << 16  # bytes of such a file
# Names and addresses (RFC 1123, section 2.1; RFC 4291, section 2.2).  Not `-`: a launcher would take it for an option.
_HOST = re.compile(r"[A-Za-z0-9_:][A-Za-z0-9_.:-]{0,254}")
_SLURM = re.compile(r"([A-Za-z0-9_.-]+)(?:\[([0-9,-]+)\])?(?:,|$)")


def read_hosts(text: str, where: str) -> List[str]:
    """The names in a host file, each as often as it is a device.  Raises DeviceUnavailable."""
    found: List[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        name, count = words[0], words[1] if len(words) > 1 else "1"
        place = "{}:{}".format(where, number)
        if not _HOST.fullmatch(name):
            raise DeviceUnavailable("mpinode", "{}: {!r:.80} is no name of a machine".format(place, name), "correct it")
        if len(words) > 2 or not (count.isdigit() and 1 <= int(count) <= 256):
            why = "{}: {!r:.80} is no number of devices".format(place, " ".join(words[1:]))
            raise DeviceUnavailable("mpinode", why, "write NAME or NAME NUMBER on a line")
        found += [name] * int(count)
    if not found:
        raise DeviceUnavailable("mpinode", "{} names no machine".format(where), "write one name on each line")
    return found


def slurm_hosts(text: str) -> List[str]:
    """The names in SLURM_JOB_NODELIST: `node[01-03,07],gpu1`.  Other texts give []."""
    found: List[str] = []
    at = 0
    while at < len(text):
        part = _SLURM.match(text, at)
        if part is None or not part.group(0):
            return []
        at = part.end()
        name, numbers = part.groups()
        if numbers is None:
            found.append(name)
            continue
        for one in numbers.split(","):
            first, _, last = one.partition("-")
            if not first.isdigit() or not (last or first).isdigit() or int(last or first) - int(first) > 1 << 16:
                return []
            found += [name + str(n).zfill(len(first)) for n in range(int(first), int(last or first) + 1)]
    return [name for name in found if _HOST.fullmatch(name)]


def hosts(environment: Mapping[str, str]) -> Tuple[List[str], str]:
    """The machines, each as often as it is a device, and who says so; [] and "": nobody, so it is this one.

    Raises DeviceUnavailable for a host file that cannot be used.
    """
    path = environment.get(VARIABLE, "")
    if path:
        try:
            with open(path, "rb") as file:
                text = file.read(_MOST).decode("utf-8", "replace")
        except OSError as error:
            why = "{}: {}: {}".format(VARIABLE, path, error.strerror or error)
            raise DeviceUnavailable("mpinode", why, "name a file with a machine on each line") from error
        return read_hosts(text, path), VARIABLE
    listed = slurm_hosts(environment.get("SLURM_JOB_NODELIST", ""))
    return (listed, "SLURM_JOB_NODELIST") if listed else ([], "")


def is_here(name: str) -> bool:
    """Whether the name is certainly this machine's."""
    here = os.uname().nodename
    return name in ("localhost", "127.0.0.1", "::1", here, here.partition(".")[0])
