"""The transformation set of GPUs: CUDA C++ over `device_lib/cuda/ompls_device.cuh`."""

from __future__ import annotations

from ompls.translate.target import GPU_ARCHITECTURES, KernelClass
from ompls.translate.transformations.gpu import atomics, loops, parallel, sync  # noqa: F401 - they register entries
from ompls.translate.transformations.gpu.kernel import device_function, kernel

__all__ = ["CLASS"]

_WAITS = (
    "ompls_barrier(", "ompls_loop_begin(", "ompls_latest(", "ompls_reduce<", "ompls_target_begin(",
    "__syncthreads(", "ompls_parallel", "ompls_broadcast(",
)  # fmt: skip
CLASS = KernelClass(
    "gpu",
    True,
    False,
    frozenset(("any", "nohost", "gpu")),
    GPU_ARCHITECTURES,
    "cu",
    kernel,
    device_function,
    _WAITS,
)
