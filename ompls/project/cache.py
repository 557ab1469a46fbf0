"""Header snapshots on the disk, so that a second start does not ask the compiler again.

One JSON file per set of flags and directives, in the cache that builds have too (runtime/cache.py).  It is used only
while every header that was read has its modification time and size.  A directory that cannot be written costs speed,
nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from ompls.analysis.source import HeaderUnit, Macro
from ompls.project.compiler import Preprocessed
from ompls.project.problem import EnvironmentProblem
from ompls.runtime.cache import WRONG, Cache, cache_directory, unusable

VERSION = "5"
TRIMMED = 100  # results (of about 150 kB) are stored until it is asked again whether there is too much


def key_of(*parts: str) -> str:
    return hashlib.sha256("\0".join((VERSION, *parts)).encode("utf-8", "surrogateescape")).hexdigest()


def stamps(paths: list[str]) -> dict[str, tuple[int, int]]:
    """Modification time (ns) and size of each file; (-1, -1) when it is not there."""
    found = {}
    for path in paths:
        try:
            status = os.stat(path)
            found[path] = (status.st_mtime_ns, status.st_size)
        except OSError:
            found[path] = (-1, -1)
    return found


class DiskCache:
    """`problem` says why nothing can be stored, once that is so."""

    def __init__(self, directory: Path | None = None) -> None:
        self._cache = Cache(directory or cache_directory())
        self._stored = 0
        self.problem: EnvironmentProblem | None = None

    def load(self, key: str) -> Preprocessed | None:
        found = self._cache.get(key, ".json")
        if found is None:
            return None
        try:
            data = json.loads(found.read_bytes())
            read: dict[str, list[int]] = data["read"]
            if any(tuple(read[path]) != now for path, now in stamps(list(read)).items()):
                return None
            return _unpack(data)
        except WRONG:
            return None

    def store(self, key: str, value: Preprocessed) -> None:
        data = {
            "read": stamps(value.read), "predefined": [_pack(m) for m in value.predefined],
            "missing": value.missing, "exists": value.exists, "refused": value.refused,
            "units": {str(n): {"ops": [_pack(op) for op in u.ops], "text": u.text} for n, u in value.units.items()},
        }  # fmt: skip
        try:
            self._cache.put(key, ".json", json.dumps(data, separators=(",", ":")).encode("ascii"))
        except OSError as error:
            if self.problem is None:
                self.problem = EnvironmentProblem(*unusable(self._cache.directory, error.strerror or str(error)))
        if self._stored % TRIMMED == 0:
            self._cache.trim()
        self._stored += 1


def _pack(op: Macro | str) -> Any:
    return op if isinstance(op, str) else [op.name, op.params, op.body]


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError(data)
    return data


def _texts(data: Any) -> list[str]:
    if not isinstance(data, list):
        raise TypeError(data)
    return list(map(_text, data))


def _macros(data: Any) -> list[Macro]:
    """There are thousands: whether all of it is text is asked at once."""
    words = [word for name, params, body in data for word in (name, body, *(params or ()))]
    if not set(map(type, words)) <= {str} or not {type(params) for _, params, _ in data} <= {list, type(None)}:
        raise TypeError(data)
    return [Macro(name, None if params is None else tuple(params), body) for name, params, body in data]


def _ops(data: Any) -> tuple[Macro | str, ...]:
    macros = iter(_macros([op for op in data if not isinstance(op, str)]))
    return tuple([op if isinstance(op, str) else next(macros) for op in data])


def _unpack(data: Any) -> Preprocessed:
    units = {int(number): HeaderUnit(_ops(unit["ops"]), _text(unit["text"])) for number, unit in data["units"].items()}
    predefined = tuple(_macros(data["predefined"]))
    missing, exists = [int(n) for n in data["missing"]], [int(n) for n in data["exists"]]
    return Preprocessed(predefined, units, missing, exists, list(data["read"]), _texts(data["refused"]))
