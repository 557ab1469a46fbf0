"""Which kernel class a device takes, and which transformation set makes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places
from ompls.translate.plan import RegionPlan
from ompls.translate.transformations import default, gpu


@dataclass(frozen=True)
class TransformationSet:
    """A kernel class: its directory in the bundle, its files' extension, the function that makes a kernel file."""

    name: str
    extension: str
    kernel: Callable[[Index, Places, RegionPlan, Needs], list[OutLine]]


SETS = {
    "default": TransformationSet("default", default.EXTENSION, default.kernel),
    "gpu": TransformationSet("gpu", gpu.EXTENSION, gpu.kernel),
}
# Devices whose kernels are GPU kernels; every other device has a C compiler with OpenMP.
GPU_DEVICES = frozenset({"cuda", "cudasim"})


def set_of(device: str) -> TransformationSet:
    """The transformation set of a device name, `:N` ignored."""
    return SETS["gpu" if device.split(":", maxsplit=1)[0] in GPU_DEVICES else "default"]
