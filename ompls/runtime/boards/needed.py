"""Which version of the C library a program needs: what its dynamic section says, and that of the programs inside it.

Programs of ours hold others: the one that a stub starts, images of devices.  What is no whole ELF file is left out.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, NamedTuple, Tuple

from ..errors import RuntimeProblem
from ..machine import architecture_of

_MAGIC = b"\x7fELF"
_LITTLE = 1  # ELFDATA2LSB
_LOADED, _DYNAMIC = 1, 2  # PT_LOAD, PT_DYNAMIC
_STRINGS, _NEEDED, _HOW_MANY = 5, 0x6FFFFFFE, 0x6FFFFFFF  # DT_STRTAB, DT_VERNEED, DT_VERNEEDNUM
_MACHINES = {40: "armhf", 62: "x86_64", 183: "aarch64"}  # EM_…, behind e_type
_WEAK = 2  # VER_FLG_WEAK: the loader goes on without it
_VERSION = re.compile(rb"GLIBC_([0-9]+(?:\.[0-9]+)+)\Z")
_RELATIVE = (b"GLIBC_ABI_DT_RELR", (2, 36))  # relocations that an older loader does not know


class _Class(NamedTuple):
    """Of ELF files with 32 or 64 bits: where the program headers stand, how they and dynamic entries are made."""

    table: int
    counts: int
    offset: str
    segment: str
    fields: Tuple[int, int, int, int]  # type, offset, address and size in the file
    entry: str


_CLASSES = {
    1: _Class(28, 42, "<I", "<8I", (0, 1, 2, 4), "<iI"),
    2: _Class(32, 54, "<Q", "<2I6Q", (0, 2, 3, 5), "<qQ"),
}


class _File:
    """One ELF file that begins at `data[0]`.  Whatever is wrong with it raises one of those that `_versions` names."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        if data[5] != _LITTLE:
            raise ValueError("its bytes are in another order")
        of = _CLASSES[data[4]]
        (table,) = struct.unpack_from(of.offset, data, of.table)
        size, count = struct.unpack_from("<2H", data, of.counts)
        self._loaded: List[Tuple[int, int, int]] = []
        self._dynamic: Dict[int, int] = {}
        for number in range(count):
            values = struct.unpack_from(of.segment, data, table + number * size)
            kind, at, address, length = (values[field] for field in of.fields)
            if kind == _LOADED:
                self._loaded.append((address, length, at))
            if kind == _DYNAMIC:
                self._dynamic = dict(struct.iter_unpack(of.entry, data[at : at + length]))

    def _place(self, address: int) -> int:
        for begin, length, at in self._loaded:
            if begin <= address < begin + length:
                return at + address - begin
        raise ValueError("an address that is not in the file")

    def needs(self) -> Iterator[bytes]:
        """The names of the versions (System V ABI, "Symbol Versioning")."""
        if _NEEDED not in self._dynamic:
            return
        strings, at = self._place(self._dynamic[_STRINGS]), self._place(self._dynamic[_NEEDED])
        for _ in range(self._dynamic[_HOW_MANY]):
            _, count, _, first, further = struct.unpack_from("<2H3I", self._data, at)
            one = at + first
            for _ in range(count):
                _, flags, _, name, behind = struct.unpack_from("<I2H2I", self._data, one)
                if not flags & _WEAK:
                    begin = strings + name
                    yield bytes(self._data[begin : begin + 64]).partition(b"\0")[0]
                one += behind
                if behind == 0:
                    break
            at += further
            if further == 0:
                break


def _versions(data: memoryview) -> List[Tuple[int, ...]]:
    found: List[Tuple[int, ...]] = []
    try:
        for name in _File(data).needs():
            match = _VERSION.match(name)
            if match is not None:
                found.append(tuple(map(int, match.group(1).split(b"."))))
            elif name == _RELATIVE[0]:
                found.append(_RELATIVE[1])
    except (struct.error, KeyError, IndexError, ValueError, OverflowError):
        return []
    return found


def newest_libc(program: Path) -> Tuple[int, ...]:
    """The newest version of glibc that a file needs, or a file in it; () for none."""
    data = program.read_bytes()
    starts = [match.start() for match in re.finditer(re.escape(_MAGIC), data)]
    return max((version for at in starts for version in _versions(memoryview(data)[at:])), default=())


def refuse_other(program: Path, board_facts: Mapping[str, str], what: str) -> None:
    """Raises RuntimeProblem for a program for a machine of another kind than the board."""
    with program.open("rb") as file:
        head = file.read(20)
    kind = _MACHINES.get(struct.unpack_from("<H", head, 18)[0]) if len(head) == 20 else None
    board = architecture_of(board_facts.get("architecture", ""))
    if kind is None or board not in _MACHINES.values() or kind == board or (kind, board) == ("armhf", "aarch64"):
        return
    why = "it is a program for {}, and the board is {}".format(kind, board)
    raise RuntimeProblem(what, why, "build it with --target-arch " + board)


def refuse_newer(program: Path, board_facts: Mapping[str, str], what: str) -> None:
    """Raises RuntimeProblem for a file that needs a newer C library than the board has."""
    needed = newest_libc(program)
    known = re.search(r"([0-9]+(?:\.[0-9]+)+)", board_facts.get("libc", ""))
    if known is None or not needed or needed <= tuple(map(int, known.group(1).split("."))):
        return
    why = "it needs glibc {}, and the board has {}".format(".".join(map(str, needed)), known.group(1))
    raise RuntimeProblem(what, why, "install gcc and Python 3.8 on the board: then it is built there")
