"""The device `simt`, in Python: lanes of a team are fibres, teams run one after another.

The image is a shared object of kernels and library (`../library`), on which `cudasim`'s fibres and `cuda`'s device
library lie: those are C++, and know no device.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path

from ompls.runtime.devices import Availability, Device, ImageJob
from ompls.runtime.folders import OURS
from ompls.runtime.toolchain import Compile

HERE = Path(__file__).resolve().parents[1] / "library"
FIBRES = OURS / "cudasim/library"
LIBRARY = OURS / "cuda/library"
FLAGS = (
    "-std=c++17", "-O1", "-fPIC", "-w", "-ffp-contract=off", "-fno-exceptions",
    "-DSIM_ARCH=70", "-DSIM_MAX_SHARED=49152", *(f"-I{place}" for place in (HERE, FIBRES, LIBRARY)),
)  # fmt: skip


class OpenLanes:
    def __init__(self) -> None:
        self.buffers: dict[int, ctypes.Array[ctypes.c_char]] = {}

    def properties(self) -> dict[str, object]:
        return {"name": "lanes", "max_threads": 256, "max_teams": 1 << 20, "default_threads": 64, "many_teams": 64}

    def alloc(self, size: int) -> int:
        buffer = ctypes.create_string_buffer(size + 128)
        address = (ctypes.addressof(buffer) + 127) & ~127
        self.buffers[address] = buffer
        return address

    def free(self, address: int) -> None:
        del self.buffers[address]

    def copy_in(self, to: int, data: memoryview) -> None:
        ctypes.memmove(to, bytes(data), len(data))

    def copy_out(self, into: memoryview, address: int) -> None:
        into[:] = ctypes.string_at(address, len(into))

    def copy_within(self, to: int, address: int, size: int) -> None:
        ctypes.memmove(to, address, size)

    def attach(self, at: int, target: int) -> None:
        ctypes.c_void_p.from_address(at).value = target

    def load(self, image: memoryview) -> ctypes.CDLL:
        file = os.memfd_create("simt")
        os.write(file, image)
        return ctypes.CDLL(f"/proc/self/fd/{file}")

    def find_kernel(self, loaded: ctypes.CDLL, name: str) -> object:
        return loaded["simt_" + name]

    def find_symbol(self, loaded: ctypes.CDLL, name: str) -> int:
        return ctypes.addressof(ctypes.c_void_p.in_dll(loaded, name))

    def launch(
        self, kernel: ctypes._CFuncPtr, _name: str, _where: tuple[str, int], _mode: int, grid: tuple[int, ...],
        block: tuple[int, ...], _shared: int, params: tuple[bytes, ...], kinds: bytes, _id: str,
    ) -> None:  # fmt: skip
        buffers = [ctypes.create_string_buffer(value, len(value)) for value in params]
        pointers = (ctypes.c_void_p * (len(buffers) + 1))(*map(ctypes.addressof, buffers), None)
        kernel(pointers, (ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block))

    def synchronize(self) -> None:
        return None

    def close(self) -> None:
        return None


class Lanes:
    name = "simt"
    image_class = "simt"
    kind = "gpu"

    def probe(self, wanted: int) -> int:
        return wanted or 1

    def open(self, index: int) -> OpenLanes:
        return OpenLanes()


class Simt(Device):
    image_class = "simt"
    kernel_class = "simt"
    joins_functions = True
    python_module = Lanes

    def probe(self) -> Availability:
        if shutil.which("g++") is None:
            return Availability(False, "g++ is not on PATH", "install it")
        return Availability(True, description="fibres as lanes")

    def build_image(self, job: ImageJob) -> Path:
        """One object a kernel file, with the entries of its kernels behind its text."""
        entries: dict[Path, list[str]] = {}
        for kernel, path in job.kernels:
            entries.setdefault(path, []).append(kernel.name)
        headers = tuple(sorted(p for place in (HERE, FIBRES, LIBRARY) for p in place.glob("*.*h")))
        compiles = [Compile(source, FLAGS, "g++", headers) for source in (FIBRES / "engine.cpp", FIBRES / "heap.cpp")]
        compiles.append(Compile(HERE / "simt.cpp", FLAGS, "g++", headers))
        for path, names in entries.items():
            text = path.read_text() + "".join(f"\nSIMT_KERNEL({name})" for name in names) + "\n"
            source = job.tools.scratch / ("simt_" + path.name)
            source.write_text(text)
            # Without -O0 the addresses of shared variables are folded with constants that no relocation holds.
            compiles.append(Compile(source, (*FLAGS, "-O0"), "g++", headers, path.name))
        return job.tools.link(["-shared", "-Wl,-Bsymbolic"], job.tools.objects(compiles), ".so", "linking lanes", "g++")


DEVICE = Simt()
