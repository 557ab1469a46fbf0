"""Byte ranges as lines and columns for people and for SARIF, and the lines themselves."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ompls.analysis.source import Location
from ompls.analysis.text import LineIndex

if TYPE_CHECKING:
    from ompls.cli.engine import Unit


@dataclass(frozen=True)
class Range:
    """1-based lines and columns, the end exclusive.  A column counts Unicode code points."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int


class Places:
    """Converts Locations.  The units' bytes are given; a header is read when a diagnostic points into it."""

    def __init__(self, units: Iterable[Unit] = ()) -> None:
        self._indexes: dict[str, LineIndex] = {}
        self._texts: dict[str, bytes] = {unit.tu.path: unit.tu.source for unit in units}

    def add(self, path: str, source: bytes) -> None:
        self._texts[path] = source
        self._indexes.pop(path, None)

    def range(self, where: Location) -> Range:
        index = self._index(where.path)
        first_line, first_column = index.position(where.start, "utf-32")
        last_line, last_column = index.position(max(where.start, where.end), "utf-32")
        return Range(first_line + 1, first_column + 1, last_line + 1, last_column + 1)

    def start_line(self, where: Location) -> int:
        return self.range(where).start_line

    def line(self, path: str, number: int) -> str:
        """The text of a 1-based line, without its end."""
        index = self._index(path)
        start, end = index.line_span(number - 1)
        return self.text(path)[start:end].decode("utf-8", "replace")

    def text(self, path: str) -> bytes:
        """The bytes of a file; none when it cannot be read."""
        if path not in self._texts:
            try:
                self._texts[path] = Path(path).read_bytes()
            except OSError:
                self._texts[path] = b""
        return self._texts[path]

    def _index(self, path: str) -> LineIndex:
        if path not in self._indexes:
            self._indexes[path] = LineIndex(self.text(path))
        return self._indexes[path]


def readable(path: str) -> str:
    """`shown`, for formats that must be UTF-8: a byte of the name that is not is U+FFFD."""
    return os.fsencode(shown(path)).decode("utf-8", "replace")


def shown(path: str) -> str:
    """The path as the user would type it: relative when it lies below the working directory."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
