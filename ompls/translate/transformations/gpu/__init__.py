"""The transformation set of GPUs: CUDA C++ over `device_lib/cuda/ompls_device.cuh`."""

from __future__ import annotations

from ompls.translate.transformations.gpu import atomics, loops, parallel, sync  # noqa: F401 - they register entries
from ompls.translate.transformations.gpu.kernel import EXTENSION, device_function, kernel

__all__ = ["EXTENSION", "device_function", "kernel"]
