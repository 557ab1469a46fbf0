"""The device `cuda` at build time: is it there, and how its image is made.

Two modules run on GPUs, with the same images: cuda.c over libcuda alone, and gpu.py through pycuda.  When a program
is built, OMPLS_CUDA says which one it gets; else that is pycuda's where pycuda can be imported, and for another machine
cuda.c.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Tuple

from ompls.devices.cuda.module.driver import LIBRARY, NATIVE, PYCUDA, board_gpu, chosen, gpus, imported_pycuda
from ompls.devices.cuda.module.gpu import Gpus
from ompls.devices.cuda.module.image import ImageError, KernelFile, compile_file, pack, second_version, slots, targets
from ompls.devices.cuda.module.needs import needs
from ompls.runtime.devices import Availability, Device, ImageJob, Resources
from ompls.runtime.errors import DeviceUnavailable
from ompls.runtime.machine import Machine

HOSTS = ("x86_64", "aarch64")  # whose types are those of kernels


class Cuda(Device):
    """NVIDIA GPUs, at build time."""

    image_class = "cuda"
    kernel_class = "gpu"
    kind = "gpu"
    joins_functions = True
    python_module = Gpus
    needs_library = LIBRARY
    tells_resources = True

    def __init__(self, module: str = "", facts: Optional[Mapping[str, str]] = None) -> None:
        self._module, self._facts = module, facts

    @property
    def hosted(self) -> bool:
        """Whether it is pycuda's module."""
        return (self._module or chosen()) == PYCUDA

    def as_native(self, facts: Optional[Mapping[str, str]] = None) -> Device:
        """The one that needs no Python; with facts, on the board that they tell of."""
        return Cuda(NATIVE, facts)

    def for_another(self) -> Device:
        """Whether pycuda is here says nothing of there; who asks for it gets it."""
        return self if os.environ.get("OMPLS_CUDA") else Cuda(NATIVE)

    def native_sources(self) -> List[Path]:
        """None when Python has it."""
        return [] if self.hosted else super().native_sources()

    def native_inputs(self) -> List[Path]:
        """Its headers."""
        return sorted(self.folder.glob("*.h"))

    def probe(self) -> Availability:
        """It is there when driver and GPU are, and pycuda when its module is asked for.  Of a board its facts tell."""
        try:
            if self._facts is not None and os.environ.get("OMPLS_CUDA_ARCH"):
                return Availability(True)
            if self._facts is not None:
                return Availability(True, description=board_gpu(self._facts).name)
            found = gpus()
            if self.hosted:
                imported_pycuda()
        except DeviceUnavailable as error:
            return Availability(False, error.reason, error.hint)
        return Availability(True, description=", ".join(gpu.name for gpu in found))

    def probe_building(self, machine: Machine) -> Availability:
        """Who says for which GPUs it shall be needs none here; for another machine one has to."""
        if not machine.here and machine.architecture not in HOSTS:
            hosts = " and ".join(HOSTS)
            return Availability(False, "CUDA has no " + machine.architecture, "its kernels have the types of " + hosts)
        if os.environ.get("OMPLS_CUDA_ARCH"):
            return Availability(True)
        if machine.here or self._facts is not None:
            return self.probe()
        return Availability(
            False,
            "which GPU the other machine has is not known here",
            "set OMPLS_CUDA_ARCH, to sm_87 for a Jetson Orin",
        )

    def resources(self, kernels: Mapping[str, bytes], target: str) -> Resources:
        """From ptxas, for a compute capability: `sm_87`."""
        return needs(kernels, target)

    def architectures(self) -> List[Tuple[int, str]]:
        """(compute capability, kind of code): of OMPLS_CUDA_ARCH, else of the GPUs.  Raises DeviceUnavailable."""
        asked = os.environ.get("OMPLS_CUDA_ARCH", "")
        if not asked and self._facts is not None:
            return [(board_gpu(self._facts).capability, "cubin")]
        if not asked:
            return sorted({(gpu.capability, "cubin") for gpu in gpus()})
        try:
            return targets(asked)
        except ImageError as error:
            raise DeviceUnavailable("cuda", error.reason, error.hint) from error

    def build_image(self, job: ImageJob) -> Path:
        """Every kernel file for every architecture in one container."""
        files: Dict[Tuple[Path, Tuple[str, ...]], Dict[str, List[Tuple[int, int]]]] = {}
        for kernel, path in job.kernels:
            places = slots((p.size, p.align) for p in kernel.params)
            files.setdefault((path, ()), {})[kernel.name] = places
            if kernel.only_read:
                name, defines = second_version(kernel.name)
                files.setdefault((path, tuple(defines)), {})[name] = places
        wanted = self.architectures()
        modules = [
            KernelFile(
                kernels, [compile_file(job.tools, path, number, job.cflags, kind, defines) for number, kind in wanted]
            )
            for (path, defines), kernels in files.items()
        ]
        data = pack(modules)
        return job.tools.cached([b"cuda image", data], ".image", lambda made: (made.write_bytes(data), None)[1])


DEVICE = Cuda()
