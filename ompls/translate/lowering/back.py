"""From a place in lowered text to the place in the user's: the same line, and the column as far as the line goes."""

from __future__ import annotations

from ompls.analysis.model.tu import TU
from ompls.analysis.source import Location
from ompls.analysis.text import LineIndex


def as_written(original: TU, lowered: TU, where: Location) -> Location:
    """`where`, which is a place of `lowered`, in the files of `original`."""
    if lowered is original:
        return where
    old, new = _text(original, where.path), _text(lowered, where.path)
    if old == new:
        return where
    start = _same(old, new, where.start)
    return Location(where.path, start, max(start, _same(old, new, where.end)))


def _same(old: bytes, new: bytes, offset: int) -> int:
    line, column = LineIndex(new).position(offset, "utf-8")
    return LineIndex(old).offset(line, column, "utf-8")


def _text(tu: TU, path: str) -> bytes:
    return tu.source if path == tu.path else dict(tu.headers.values()).get(path, b"")
