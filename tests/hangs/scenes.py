"""What can be hit, and when: a table, which inject.py goes through.

A *scene* is a program that says where it is (work.c, editing.py) and ends with `right` or `wrong`.  A *victim* is one
of the processes that serve it.  A *moment* is what the program has said, and how long ago that was.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

KILLS = (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV)


@dataclass(frozen=True)
class Moment:
    """said -- by the program; "": the victim is there; within -- seconds after that"""

    said: str
    within: float


MOMENTS = {
    "start": Moment("", 0.02),
    "connect": Moment("", 0.5),
    "compute": Moment("computing", 0.4),
    "copy": Moment("copying", 0.4),
    "end": Moment("ending", 0.05),
}


@dataclass(frozen=True)
class Scene:
    """device -- of work.c; "": the program is editing.py; where -- it runs: here, or on the board
    most -- seconds for what docs/devices.md, docs/remote.md or the server's own limits allow, and for the work
    """

    device: str
    most: float
    where: str = "here"
    environment: Mapping[str, str] = field(default_factory=dict)


SCENES = {
    # T + 1 until a node is connected, T for a message and for its end, and 3 until all launchers are gone
    "cluster": Scene("mpinode", 60, environment={"OMPLS_DEVICES": "mpinode:2", "OMPLS_REMOTE_TIMEOUT": "3"}),
    # 60 until a shell answers, 15 of silence, and once again
    "board": Scene("host", 180, where="board"),
    "regions": Scene("nano", 180, environment={"OMPLS_DEVICES": "nano", "OMPLS_REMOTE_TIMEOUT": "3"}),
    "chip": Scene("epiphany", 60, environment={"OMPLS_DEVICES": "epiphany", "OMPLS_EPIPHANY_DEADLINE": "5"}),
    "editor": Scene("", 130),
}


@dataclass(frozen=True)
class Process:
    number: int
    parent: int
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return Path(self.words[0]).name if self.words else ""


def process(number: int) -> Process | None:
    """None: it has ended."""
    with contextlib.suppress(OSError, ValueError):
        place = Path(f"/proc/{number}")
        words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
        return Process(number, int((place / "stat").read_text().rpartition(")")[2].split()[1]), tuple(words))
    return None


def parent(of: Process) -> Process:
    return process(of.parent) or of


def is_node(one: Process) -> bool:
    return one.name.startswith("python") and parent(one).name == "hydra_pmi_proxy"


def is_shell(one: Process) -> bool:
    return one.words[:2] == ("sh", "-c") and "IFS= read" in one.words[2]


def is_chip(one: Process) -> bool:
    return one.name == "ompls-epiphany"


def is_server(one: Process) -> bool:
    return "ompls.server.__main__" in one.words


def is_nursery(one: Process) -> bool:
    return is_server(one) and is_server(parent(one)) and not is_server(parent(parent(one)))


def is_worker(one: Process) -> bool:
    return is_server(one) and is_nursery(parent(one))


@dataclass(frozen=True)
class Victim:
    """alone -- moments at which nothing of ours is beside it: who has stopped it has to let it go on, before it ends"""

    scenes: tuple[str, ...]
    is_one: Callable[[Process], bool]
    alone: tuple[str, ...] = ()


VICTIMS = {
    "node": Victim(("cluster",), is_node),
    "launcher": Victim(("cluster",), lambda one: one.name.startswith("mpiexec")),
    "proxy": Victim(("cluster",), lambda one: one.name == "hydra_pmi_proxy"),
    "board shell": Victim(("board", "regions"), is_shell, alone=("start",)),
    "ssh": Victim(("board", "regions"), lambda one: one.name == "ssh"),
    "board process": Victim(("chip",), lambda one: is_chip(one) and not is_chip(parent(one))),
    "core": Victim(("chip",), lambda one: is_chip(one) and is_chip(parent(one))),
    "server worker": Victim(("editor",), is_worker),
    "nursery": Victim(("editor",), is_nursery),
}
