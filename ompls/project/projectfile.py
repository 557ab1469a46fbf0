"""The project file: `.ompls.toml`, or `[tool.ompls]` in `pyproject.toml`; the nearest one upwards from a file counts.

    openmpVersion = "5.1"
    device = "cuda"                     # the device class that rules speak about
    flags = ["-Iinclude", "-DN=4"]      # those that are harmless, see flags.py
    select = ["mapping", "sharing"]     # rules or groups
    ignore = ["generic-kernel"]
    exclude = ["third_party"]

    [severity]
    to-write-lost = "error"             # or "warning", "hint", "off"

    [per-path-ignores]
    "tests/**" = ["performance"]

Patterns are meant from the file's directory.  A workspace is not trusted: nothing in here names a program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ompls.analysis.spec.near import near
from ompls.project import toml
from ompls.project.files import MAX_BYTES, read_regular
from ompls.project.flags import allowed
from ompls.project.layers import Layer, absolute_globs, convert
from ompls.project.problem import FileProblem
from ompls.project.settings import ENTRIES

NAMES = (".ompls.toml", "pyproject.toml")
_BY_NAME = {entry.project: entry for entry in ENTRIES.values() if entry.project}


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """What a project file says.

    layer    -- the settings in it (see settings.py), paths and patterns absolute
    lines    -- the line (from 1) of each setting in `layer`
    problems -- `PATH:LINE: WHAT`, for each thing that cannot be used
    """

    path: str
    layer: Layer = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


class ProjectFiles:
    """Finds the project files of sources; remembers them by their modification times."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[tuple[int, int], ProjectFile | None]] = {}
        self.looked_for: set[str] = set()  # paths, whether or not something is there

    def of(self, path: str) -> ProjectFile | None:
        """The project file for the source `path`; None when there is none.  Never raises."""
        directory = os.path.dirname(os.path.abspath(path))
        while True:
            for name in NAMES:
                found = self._file(os.path.join(directory, name))
                if found is not None:
                    return found
            parent = os.path.dirname(directory)
            if parent == directory:
                return None
            directory = parent

    def _file(self, path: str) -> ProjectFile | None:
        self.looked_for.add(path)
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._read.get(path)
        if known is None or known[0] != stamp:
            known = self._read[path] = (stamp, load(path))
        return known[1]


def load(path: str) -> ProjectFile | None:
    """The project file `path`; None for a `pyproject.toml` that does not speak of ompls."""
    pyproject = os.path.basename(path) == "pyproject.toml"
    try:
        text = read_regular(path, MAX_BYTES).decode("utf-8-sig")
        if pyproject and "ompls" not in text:
            return None
        table: Any = toml.loads(text)
    except FileProblem as problem:
        return ProjectFile(path, problems=(f"{path}:1: cannot be read: {problem.reason}; {problem.hint}",))
    except UnicodeDecodeError:
        return ProjectFile(path, problems=(f"{path}:1: is not UTF-8; convert it",))
    except (ValueError, RecursionError) as problem:
        if pyproject and not re.search(r"(?m)^\s*\[\s*tool\s*\.\s*ompls\b", text):
            return None  # somebody else's mistake
        place = re.search(r"at line (\d+)", str(problem))
        line = int(place[1]) if place else text.rstrip("\n").count("\n") + 1
        return ProjectFile(path, problems=(f"{path}:{line}: is no TOML: {problem}; correct it",))
    prefix = ""
    if pyproject:
        tools, prefix = table.get("tool"), "tool.ompls"
        table = tools.get("ompls") if isinstance(tools, Mapping) else None
        if table is None:
            return None
    if not isinstance(table, Mapping):
        line = _line(text, "tool", "ompls")
        return ProjectFile(path, problems=(f"{path}:{line}: tool.ompls is no table; write [tool.ompls]",))
    return _read(path, text, prefix, table)


def _read(path: str, text: str, prefix: str, table: Mapping[str, Any]) -> ProjectFile:
    layer: Layer = {}
    lines: dict[str, int] = {}
    problems: list[str] = []
    for name, given in table.items():
        entry = _BY_NAME.get(name)
        line = _line(text, prefix, name)
        if entry is None:
            close = near(name, _BY_NAME, 2)
            meant = f"did you mean '{' or '.join(close)}'?" if close else f"there are {', '.join(_BY_NAME)}"
            problems.append(f"{path}:{line}: unknown setting '{name}'; {meant}")
            continue
        value, complaints = convert(entry, given)
        within = f"{prefix}.{name}".strip(".")
        step = "; correct it" if value is None else ""
        problems += [f"{path}:{_line_in(text, within, c) or line}: {name}: {c}{step}" for c in complaints]
        if value is not None:
            layer[entry.key], lines[entry.key] = value, line
    directory = os.path.dirname(path)
    if "flags" in layer:
        layer["flags"] = allowed(layer["flags"], directory)
    return ProjectFile(path, absolute_globs(layer, directory), lines, tuple(problems))


def _line(text: str, table: str, key: str) -> int:
    """The line on which `key` of `table` is given: as a key, or as a table of its own.  1 when it is not found."""
    current = ""
    wanted = f"{table}.{key}".strip(".")
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*\[\s*([^\]]+?)\s*\]", line):
            current = re.sub(r"[\s\"']", "", header[1])
            if current == wanted:
                return number
        elif given := re.match(r"\s*([\w.\-\"']+)\s*=", line):
            full = f"{current}.{given[1]}".strip(".").replace('"', "").replace("'", "")
            if full == wanted or full.startswith(wanted + "."):
                return number
    return 1


def _line_in(text: str, table: str, complaint: str) -> int:
    """The line of the name that a complaint quotes, after the setting `table` begins; 0 when it is not found."""
    name = re.match(r"unknown rule '([^']*)'", complaint)
    if name is None:
        return 0
    prefix, _, key = table.rpartition(".")
    start = _line(text, prefix, key)
    lines = text.split("\n")
    return next((n for n in range(start, len(lines) + 1) if name[1] in lines[n - 1]), 0)
