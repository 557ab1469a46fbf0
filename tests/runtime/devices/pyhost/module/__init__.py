"""A device written in Python, for tests of the bridge: memory is ctypes buffers, kernels are `host`'s image.

What a real one would do with pycuda or mpi4py is done here with ctypes; the protocol is the same (core/device.h).
"""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path

from ompls.runtime.devices import Availability, Device, ImageJob, all_devices


class OutOfMemory(Exception):
    """What the bridge is to report: it reads `reason` and `hint`."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.reason = f"no buffer of {size} bytes"
        self.hint = "map less"


def _tell(what: str) -> None:
    if "PYHOST_TELL" in os.environ:
        print(what, flush=True)


class OpenDevice:
    """One open device."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.buffers: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self.threads: set[int] = set()

    def properties(self) -> dict[str, object]:
        odd = {"none": None, "text": "a text", "threads": {"name": "ctypes", "max_threads": "many"}}
        if "PYHOST_PROPERTIES" in os.environ:
            return odd[os.environ["PYHOST_PROPERTIES"]]  # type: ignore[return-value]
        return {"name": "ctypes", "max_threads": 64, "default_threads": 32}

    def alloc(self, size: int) -> int:
        if size > int(os.environ.get("PYHOST_LIMIT", "1000000000")):
            raise OutOfMemory(size)
        buffer = ctypes.create_string_buffer(size)
        self.buffers[ctypes.addressof(buffer)] = buffer
        return ctypes.addressof(buffer)

    def free(self, address: int) -> None:
        del self.buffers[address]

    def copy_in(self, to: int, data: memoryview) -> None:
        ctypes.memmove(to, bytes(data), len(data))

    def copy_out(self, into: memoryview, address: int) -> None:
        into[:] = ctypes.string_at(address, len(into))

    def copy_within(self, to: int, address: int, size: int) -> None:
        ctypes.memmove(to, address, size)

    def load(self, image: memoryview) -> ctypes.CDLL:
        file = os.memfd_create("pyhost")
        os.write(file, image)
        return ctypes.CDLL(f"/proc/self/fd/{file}")

    def find_kernel(self, loaded: ctypes.CDLL, name: str) -> object:
        return loaded[name]

    def most_threads(self, kernel: object) -> int:
        assert callable(kernel)
        return 24

    def find_symbol(self, loaded: ctypes.CDLL, name: str) -> int:
        return ctypes.addressof(ctypes.c_void_p.in_dll(loaded, name))

    def attach(self, at: int, target: int) -> None:
        _tell("a pointer is attached")
        ctypes.c_void_p.from_address(at).value = target

    def copy_peer(self, to: int, other: OpenDevice, address: int, size: int) -> None:
        assert any(begin <= address < begin + len(buffer) for begin, buffer in other.buffers.items())
        ctypes.memmove(to, address, size)
        _tell(f"{size} bytes from device {other.index} to {self.index}")

    def launch(  # noqa: PLR0917 -- as the bridge calls it
        self, kernel: object, name: str, region: tuple[str, int], mode: int, grid: tuple[int, ...],
        block: tuple[int, ...], shared_bytes: int, params: tuple[bytes, ...], kinds: bytes, id: str,
    ) -> None:  # fmt: skip
        assert callable(kernel)
        assert mode in (0, 1)
        assert len(kinds) == len(params)
        assert block[0] <= 24, "as many as the kernel can have"
        _tell(f"{id}: {', '.join(('address', 'value', 'size')[kind] for kind in kinds)}")
        self.threads.add(threading.get_ident())
        buffers = [ctypes.create_string_buffer(value, len(value)) for value in params]
        kernel((ctypes.c_void_p * len(buffers))(*map(ctypes.addressof, buffers)))

    def synchronize(self) -> None:
        return None

    def close(self) -> None:
        print(f"closed {self.index}: {len(self.buffers)} buffers, {len(self.threads)} threads", flush=True)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _driver_ends(_: object) -> None:
    print("driver ends", flush=True)


class Module:
    """What the bridge is given."""

    name = "pyhost"
    image_class = "pyhost"
    kind = "gpu"  # for the test of it: this is none
    peers = True
    fits = True

    def __init__(self) -> None:
        if "PYHOST_BROKEN" in os.environ:
            raise ZeroDivisionError(os.environ["PYHOST_BROKEN"])
        if "PYHOST_DRIVER" in os.environ:  # a driver's library has an exit handler from when it is loaded
            ctypes.CDLL(None)["__cxa_atexit"](_driver_ends, None, None)

    def probe(self, wanted: int) -> int:
        if "PYHOST_PROBE" in os.environ:
            odd = {"none": None, "text": "one", "negative": -1, "huge": 1 << 80}
            return odd[os.environ["PYHOST_PROBE"]]  # type: ignore[return-value]
        return wanted or 1

    def open(self, index: int) -> OpenDevice:
        return OpenDevice(index)


class PyHost(Device):
    """The device at build time."""

    image_class = "pyhost"
    kernel_class = "default"
    python_module = Module

    def probe(self) -> Availability:
        return Availability(True, description="a test")

    def build_image(self, job: ImageJob) -> Path:
        return all_devices()["host"].build_image(job)

    def native_sources(self) -> list[Path]:
        return []


DEVICE = PyHost()
