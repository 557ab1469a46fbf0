"""What can happen to a file of the cache: by a disk that is full or loses its power, or by a user."""

from __future__ import annotations

import json
import zlib
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

_OTHER = (None, 5, "x", [None], [], {})
# JSON of another form, and what is none.
FORMS = [*(json.dumps(value).encode() for value in _OTHER), b'{"x":', b"\xff", b"[" * 100_000]


def forms_of(path: Path) -> list[bytes]:
    """The JSON that is there with each of its fields of another form, and `FORMS`."""
    data = json.loads(path.read_bytes())
    return FORMS + [json.dumps({**data, name: value}).encode() for name in data for value in _OTHER[:4]]


def rewritten(path: Path, data: bytes) -> None:
    """Somebody writes this to an entry, with its length and checksum."""
    path.write_bytes(data)
    path.with_name(path.name + ".sum").write_bytes(b"%d %08x\n" % (len(data), zlib.crc32(data)))
