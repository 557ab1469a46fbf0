"""Header snapshots on the disk, so that a second start does not ask the compiler again.

One JSON file per set of flags and directives, replaced atomically.  It is used only while every header that was read
has its modification time and size.  A directory that cannot be written costs speed, nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from ompls.analysis.source import HeaderUnit, Macro
from ompls.project.compiler import Preprocessed

VERSION = 1
MAX_FILES = 1000  # of about 150 kB
_FILE = re.compile(r"[0-9a-f]{32}\.json|tmp\w{8}\.tmp")


def cache_directory() -> Path:
    """OMPLS_CACHE_DIR, else `ompls` in the XDG cache directory."""
    own = os.environ.get("OMPLS_CACHE_DIR")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ompls"


def key_of(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


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
    """`warning` says why nothing can be stored, once that is so."""

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = (directory or cache_directory()) / "headers"
        self.warning = ""

    def load(self, key: str) -> Preprocessed | None:
        try:
            data = json.loads((self.directory / f"{key}.json").read_bytes())
            if data["version"] != VERSION:
                return None
            read: dict[str, list[int]] = data["read"]
            if any(tuple(read[path]) != now for path, now in stamps(list(read)).items()):
                return None
            return _unpack(data)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None  # absent or damaged: asked anew

    def store(self, key: str, value: Preprocessed) -> None:
        data = {
            "version": VERSION, "read": stamps(value.read), "predefined": [_pack(m) for m in value.predefined],
            "missing": value.missing, "exists": value.exists,
            "units": {str(n): {"ops": [_pack(op) for op in u.ops], "text": u.text} for n, u in value.units.items()},
        }  # fmt: skip
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self.directory, suffix=".tmp")
            try:
                with os.fdopen(descriptor, "w", encoding="ascii") as file:
                    json.dump(data, file, separators=(",", ":"))
                os.replace(name, self.directory / f"{key}.json")
            except BaseException:
                os.unlink(name)
                raise
            self._prune()
        except OSError as error:
            if not self.warning:
                self.warning = (
                    f"header cache: {self.directory} cannot be written ({error.strerror or error}); "
                    "set OMPLS_CACHE_DIR to a directory that can"
                )

    def _files(self) -> list[Path]:
        """What is ours there."""
        with suppress(OSError):
            return [path for path in self.directory.iterdir() if _FILE.fullmatch(path.name)]
        return []

    def sizes(self) -> list[int]:
        """Bytes of every file."""
        return [path.lstat().st_size for path in self._files()]

    def clear(self) -> None:
        """Delete all of it."""
        for path in self._files():
            path.unlink(missing_ok=True)

    def _prune(self) -> None:
        files = self._files()
        if len(files) > MAX_FILES:
            files.sort(key=lambda f: f.stat().st_mtime)
            for file in files[: len(files) - MAX_FILES // 2]:
                file.unlink(missing_ok=True)


def _pack(op: Macro | str) -> Any:
    return op if isinstance(op, str) else [op.name, op.params, op.body]


def _macro(data: Any) -> Macro:
    name, params, body = data
    return Macro(str(name), None if params is None else tuple(params), str(body))


def _unpack(data: Any) -> Preprocessed:
    units = {
        int(number): HeaderUnit(tuple(op if isinstance(op, str) else _macro(op) for op in unit["ops"]), unit["text"])
        for number, unit in data["units"].items()
    }
    predefined = tuple(_macro(m) for m in data["predefined"])
    missing, exists = [int(n) for n in data["missing"]], [int(n) for n in data["exists"]]
    return Preprocessed(predefined, units, missing, exists, list(data["read"]))
