"""The transformation set of GPUs: CUDA C++ over `devices/cuda/library/ompls_device.cuh`."""

from __future__ import annotations

from ompls.translate.target import GPU_ARCHITECTURES, KernelClass
from ompls.translate.transformations.gpu import atomics, loops, parallel, sync  # noqa: F401 - they register entries
from ompls.translate.transformations.gpu.kernel import device_function, kernel

__all__ = ["CLASS"]

CLASS = KernelClass(
    name="gpu",
    on_device=True,
    openmp=False,
    kinds=frozenset(("any", "nohost", "gpu")),
    architectures=GPU_ARCHITECTURES,
    extension="cu",
    language="cuda-cpp",
    kernel=kernel,
    function=device_function,
    covers=True,
    partials=True,
)
