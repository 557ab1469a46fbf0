"""Which boards there are: `ompls remote add` keeps them in the user's `ompls/remotes.json`, and nobody else names any.

The file is believed only if it and its directories are the user's: what is in it decides which machine gets programs.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Mapping

from ..errors import RuntimeProblem, one_line
from ..folders import AUTO, changed_by_others, make_private, way
from ..home import under_home
from ..reading import read_regular

_VERSION = 1
_MOST = 1 << 20  # bytes of the file
DIRECTORY = ".ompls"  # under the home there
INNER = "host"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}\Z")
# What ssh takes for a destination (ssh(1)): an alias, user@host, ssh://user@host:port.  Never an option.
_ADDRESS = re.compile(
    r"(?:ssh://)?(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}@)?[A-Za-z0-9_\[:][A-Za-z0-9_.:%\]-]{0,254}\Z",
)
_DIRECTORY = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+-]{0,200}\Z")
_INNER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}\Z")


@dataclass(frozen=True)
class Board:
    """A board: its name here, where ssh finds it, and what it was when it was last asked.

    device -- what computes there
    directory -- where our files are on it; under the home if it is not absolute
    facts -- by name, as board.sh tells them
    """

    name: str
    address: str
    device: str = INNER
    directory: str = DIRECTORY
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def openmp(self) -> str:
        """The version of OpenMP that its gcc has, where that is old: 4.5 before version 9 (its release notes)."""
        major = self.facts.get("gcc", "").partition(".")[0]
        return "4.5" if major.isdigit() and int(major) < 9 else ""

    def __post_init__(self) -> None:
        for what, text, right in (
            ("name", self.name, _NAME),
            ("address", self.address, _ADDRESS),
            ("device", self.device, _INNER),
            ("directory", self.directory, _DIRECTORY),
        ):
            if not right.match(text):
                why = "{!r:.80} is no {} of a board".format(text, what)
                raise RuntimeProblem("board '{}'".format(one_line(self.name)[:40]), why, _HINTS[what])
        if self.name == AUTO:
            raise RuntimeProblem("board 'auto'", "that name is taken", "choose another one")
        if ".." in self.directory.split("/") or self.directory.strip("/.") == "":
            why = "{!r} is no directory of its own".format(self.directory)
            raise RuntimeProblem("board '{}'".format(self.name), why, _HINTS["directory"])


_HINTS = {
    "name": "a name is made of letters, digits, '_' and '-', and begins with a letter",
    "address": "write user@host, an alias of ~/.ssh/config, or ssh://user@host:port",
    "device": "name a device, as `ompls devices` lists them",
    "directory": "name a directory under the home there, or an absolute one, without '..'",
}


def file() -> Path:
    """Where they are kept: basedir-spec of freedesktop.org.  Raises RuntimeProblem where there is no home directory."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return Path(base if os.path.isabs(base) else under_home(".config", "XDG_CONFIG_HOME")) / "ompls" / "remotes.json"


def boards() -> Dict[str, Board]:
    """The boards by name.  Raises RuntimeProblem for a file that cannot be used."""
    path = file()
    try:
        refused = changed_by_others(way(str(path)))
        if refused is not None:
            raise RuntimeProblem(str(path), refused, "what it names gets programs: make it yours alone")
        data = json.loads(read_regular(str(path), _MOST))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not JSON ({})".format(one_line(str(error)))
        raise RuntimeProblem(
            str(path), why or str(error), "correct it, or remove it and add the boards again"
        ) from error
    return {board.name: board for board in _read(path, data)}


def _read(path: Path, data: Any) -> "list[Board]":
    wrong = RuntimeProblem(str(path), "it is not as we write it", "remove it and add the boards again")
    if not isinstance(data, dict) or data.get("version") != _VERSION or not isinstance(data.get("remotes"), list):
        raise wrong
    found = []
    for entry in data["remotes"]:
        texts = isinstance(entry, dict) and all(
            isinstance(entry.get(key), str) for key in ("name", "address", "device", "directory")
        )
        facts = entry.get("facts") if texts else None
        if not isinstance(facts, dict) or not all(isinstance(text, str) for pair in facts.items() for text in pair):
            raise wrong
        found.append(Board(entry["name"], entry["address"], entry["device"], entry["directory"], facts))
    return found


def one(name: str) -> Board:
    """The board of that name.  Raises RuntimeProblem."""
    known = boards()
    if name not in known:
        there = "there are " + ", ".join(known) if known else "add it: ompls remote add NAME user@host"
        raise RuntimeProblem("board '{}'".format(one_line(name)[:80]), "no board has this name", there)
    return known[name]


def change(make: Callable[[Dict[str, Board]], Mapping[str, Board]]) -> None:
    """The boards are what `make` makes of them; nobody else changes them meanwhile.

    Raises RuntimeProblem, and what `make` raises; what was kept before is left alone then.
    """
    path = file()
    try:
        make_private(path.parent)
        with open(str(path.parent / ".remotes-lock"), "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _write(path, make(boards()))
    except OSError as error:
        raise RuntimeProblem(str(path), error.strerror or str(error), "free some space, or correct its mode") from error


def _write(path: Path, known: Mapping[str, Board]) -> None:
    """Whole, or not at all.  Raises OSError."""
    text = json.dumps({"version": _VERSION, "remotes": [asdict(board) for board in known.values()]}, indent=2) + "\n"
    descriptor, temporary = tempfile.mkstemp(dir=str(path.parent), prefix=".remotes-")
    try:
        with open(descriptor, "w", encoding="utf-8") as opened:
            opened.write(text)
        os.replace(temporary, str(path))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
