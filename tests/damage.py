"""What can happen to a file of the cache: by a disk that is full or loses its power, or by a user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").touch()


def _linked(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "emptied": _emptied,
    "halved": _halved,
    "flipped": _flipped,
    "directory": _directory,
    "linked": _linked,
}
