"""The device `far`: another process runs the kernels; what travels are frames (wire.py)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from ompls.runtime.devices import Availability, Device, ImageJob, all_devices

from . import wire

OTHER_SIDE = Path(__file__).resolve().parent / "other_side.py"


class FarError(Exception):
    def __init__(self, reason: str, fatal: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.hint, self.fatal = reason, "look at the other side", int(fatal)


class OpenSide:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        command = [sys.executable, "-I", str(OTHER_SIDE)]
        self._side = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _ask(self, method: str, *arguments: Any, data: bytes = b"") -> tuple[Any, bytes]:
        assert self._side.stdin is not None
        assert self._side.stdout is not None
        with self._lock:
            try:
                wire.send(self._side.stdin, [method, *arguments], data)
                (wrong, result), got = wire.receive(self._side.stdout)
            except (EOFError, OSError):
                raise FarError("the other side has gone", fatal=True) from None
        if wrong is not None:
            raise FarError(wrong)
        return result, got

    def properties(self) -> dict[str, object]:
        return {"name": "the other side", "max_threads": 64, "max_teams": 1, "default_threads": os.cpu_count() or 1}

    def alloc(self, size: int) -> int:
        return int(self._ask("alloc", size)[0])

    def free(self, address: int) -> None:
        self._ask("free", address)

    def copy_in(self, to: int, data: memoryview) -> None:
        if data:
            self._ask("write", to, data=bytes(data))

    def copy_out(self, into: memoryview, address: int) -> None:
        into[:] = self._ask("read", address, len(into))[1]

    def copy_within(self, to: int, address: int, size: int) -> None:
        self._ask("move", to, address, size)

    def attach(self, at: int, target: int) -> None:
        self._ask("attach", at, target)

    def load(self, image: memoryview) -> str:
        self._ask("load", data=bytes(image))
        return "loaded"

    def find_kernel(self, _loaded: str, name: str) -> str:
        self._ask("symbol", name)
        return name

    def find_symbol(self, _loaded: str, name: str) -> int:
        return int(self._ask("symbol", name)[0])

    def launch(
        self, kernel: str, _name: str, _where: tuple[str, int], _mode: int, grid: tuple[int, ...],
        block: tuple[int, ...], _shared: int, params: tuple[bytes, ...], kinds: bytes, _id: str,
    ) -> None:  # fmt: skip
        self._ask("launch", kernel, list(map(len, params)), list(kinds), data=b"".join(params) or b"\0")

    def synchronize(self) -> None:
        return None

    def close(self) -> None:
        self._side.communicate()


class Wire:
    name = "far"
    image_class = "far"

    def probe(self, wanted: int) -> int:
        return wanted or 1

    def open(self, index: int) -> OpenSide:
        return OpenSide()


class Far(Device):
    image_class = "far"
    kernel_class = "default"
    python_module = Wire

    def probe(self) -> Availability:
        return Availability(True, description="a process of its own")

    def build_image(self, job: ImageJob) -> Path:
        return all_devices()["host"].build_image(job)  # the other side has the same processor


DEVICE = Far()
