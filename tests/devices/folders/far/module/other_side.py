"""The other side: a process with memory of its own, which does what comes over the wire.

An address on the wire is a handle: the number of a block in its upper half, an offset in its lower one.  The host adds
to handles and takes from them; where the second half of an array is mapped it passes the address of its first element,
which lies before the block: a block begins in the middle of its offsets.  What is in memory here are real pointers, so
they are translated where the host speaks of them: at launches, and in `attach`.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import wire

ADDRESS = 0  # OMPLS_PASS_ADDRESS
BEGIN = 1 << 31  # the offset of a block's first byte


class Side:
    def __init__(self) -> None:
        self.blocks: dict[int, tuple[int, Any]] = {}  # number -> (address, what keeps it)
        self.last = 0
        self.image: Any = None

    def real(self, handle: int) -> int:
        return self.blocks[handle >> 32][0] + (handle & 0xFFFFFFFF) - BEGIN if handle else 0

    def block(self, address: int, kept: Any) -> int:
        self.last += 1
        self.blocks[self.last] = (address, kept)
        return (self.last << 32) + BEGIN

    def alloc(self, size: int) -> int:
        memory = ctypes.create_string_buffer(size + 128)
        return self.block((ctypes.addressof(memory) + 127) & ~127, memory)

    def free(self, handle: int) -> None:
        del self.blocks[handle >> 32]

    def write(self, to: int, data: bytes) -> None:
        ctypes.memmove(self.real(to), data, len(data))

    def read(self, handle: int, size: int) -> bytes:
        return ctypes.string_at(self.real(handle), size)

    def move(self, to: int, handle: int, size: int) -> None:
        ctypes.memmove(self.real(to), self.real(handle), size)

    def attach(self, at: int, target: int) -> None:
        ctypes.c_uint64.from_address(self.real(at)).value = self.real(target)

    def load(self, data: bytes) -> None:
        file = os.memfd_create("far")
        os.write(file, data)
        self.image = ctypes.CDLL(f"/proc/self/fd/{file}")

    def symbol(self, name: str) -> int:
        return self.block(ctypes.addressof(ctypes.c_char.in_dll(self.image, name)), None)

    def launch(self, name: str, sizes: list[int], kinds: list[int], data: bytes) -> None:
        values, at = [], 0
        for size, kind in zip(sizes, kinds):  # noqa: B905 - since Python 3.10
            value = data[at : at + size]
            if kind == ADDRESS:
                value = self.real(int.from_bytes(value, sys.byteorder)).to_bytes(8, sys.byteorder)
            values.append(ctypes.create_string_buffer(value, len(value)))
            at += size
        self.image[name]((ctypes.c_void_p * (len(values) + 1))(*map(ctypes.addressof, values), None))


def main() -> None:
    """Each request is a method, its arguments, and bytes; so is an answer."""
    side, asked, answers = Side(), sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what kernels print is no answer
    while True:
        try:
            (method, *arguments), data = wire.receive(asked)
        except EOFError:
            return
        try:
            result = getattr(side, method)(*arguments, *((data,) if data else ()))
            wire.send(
                answers,
                [None, None if isinstance(result, bytes) else result],
                result if isinstance(result, bytes) else b"",
            )
        except Exception as error:  # noqa: BLE001 - the host tells it
            wire.send(answers, [f"{type(error).__name__}: {error}", None])


main()
