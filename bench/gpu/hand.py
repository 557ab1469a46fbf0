"""The hand-written side: kernels of cuda/ compiled by nvrtc, launched through pycuda, timed by events."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from pycuda import driver

from ompls.devices.cuda.module import image as cuda_image
from ompls.runtime.toolchain import Toolchain

HERE = Path(__file__).resolve().parent


class Gpu:
    """The first GPU with the kernels of one file; buffers by name.  Use as a context manager."""

    def __init__(self, source: str, tools: Toolchain) -> None:
        driver.init()
        self.device = driver.Device(0)
        major, minor = self.device.compute_capability()
        code = cuda_image.compile_file(tools, HERE / "cuda" / f"{source}.cu", major * 10 + minor)
        self.context = self.device.retain_primary_context()
        self.context.push()
        self.module = driver.module_from_buffer(code.data + (b"\0" if code.kind == "ptx" else b""))
        self.buffers: dict[str, Any] = {}
        self.functions: dict[str, Any] = {}

    def __enter__(self) -> Gpu:
        return self

    def __exit__(self, *_: object) -> None:
        for buffer in self.buffers.values():
            buffer.free()
        self.buffers.clear()
        self.context.pop()
        self.context.detach()

    def scratch(self, name: str, count: int) -> None:
        """A buffer of floats, unless there is one of that name."""
        if name not in self.buffers:
            self.buffers[name] = driver.mem_alloc(4 * count)

    def put(self, name: str, values: Any) -> None:
        """Copy an array of floats to the buffer of that name."""
        self.scratch(name, values.size)
        driver.memcpy_htod(self.buffers[name], values)

    def get(self, name: str, count: int) -> Any:
        """The buffer's floats."""
        values = np.empty(count, "f4")
        driver.memcpy_dtoh(values, self.buffers[name])
        return values

    def launch(self, name: str, grid: Any, block: Any, *arguments: Any) -> None:
        """Start a kernel; texts name buffers, numbers are C ints."""
        if name not in self.functions:
            kinds = ["P" if isinstance(argument, str) else "i" for argument in arguments]
            self.functions[name] = self.module.get_function(name).prepare(kinds)
        values = [int(self.buffers[a]) if isinstance(a, str) else a for a in arguments]
        self.functions[name].prepared_call(grid, block, *values)

    def timed(self, action: Any) -> float:
        """Seconds between events around what `action` launches."""
        start, end = driver.Event(), driver.Event()
        start.record()
        action()
        end.record()
        end.synchronize()
        return float(end.time_since(start)) / 1e3

    def launch_latency(self, rounds: int) -> float:
        """Seconds of an empty kernel's launch and the wait for it, best of many."""
        best = 1.0
        for _ in range(rounds):
            start = time.perf_counter()
            self.launch("nothing", (1, 1), (1, 1, 1))
            self.context.synchronize()
            best = min(best, time.perf_counter() - start)
        return best

    def bandwidth(self, size: int, rounds: int) -> tuple[float, float]:
        """Bytes a second to and from the device, pageable memory, best of several."""
        values = np.ones(size // 4, "f4")
        self.put("copy", values)
        times = [1e9, 1e9]
        for _ in range(rounds):
            start = time.perf_counter()
            driver.memcpy_htod(self.buffers["copy"], values)
            middle = time.perf_counter()
            driver.memcpy_dtoh(values, self.buffers["copy"])
            times = [min(times[0], middle - start), min(times[1], time.perf_counter() - middle)]
        return size / times[0], size / times[1]
