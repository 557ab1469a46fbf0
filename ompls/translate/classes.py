"""Which kernel class a device takes, and which transformation set makes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ompls.analysis.model.ast import FunctionDef
from ompls.analysis.spec.devices import DEVICES, DeviceSpec, device_of
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places
from ompls.translate.plan import RegionPlan
from ompls.translate.transformations import default, gpu


@dataclass(frozen=True)
class TransformationSet:
    """A kernel class: its directory in the bundle, its files' extension, what its devices can do, what makes a file."""

    name: str
    extension: str
    device: DeviceSpec
    kernel: Callable[[Index, Places, RegionPlan, Needs], list[OutLine]]
    function: Callable[[Index, Places, Needs, FunctionDef], list[OutLine]]  # of a function that other units may call


SETS = {
    "default": TransformationSet(
        "default", default.EXTENSION, DEVICES["host"], default.kernel, default.device_function
    ),
    "gpu": TransformationSet("gpu", gpu.EXTENSION, DEVICES["cuda"], gpu.kernel, gpu.device_function),
}


def set_of(device: str) -> TransformationSet:
    """The transformation set of a device name, `:N` ignored; an implementation's gets C with OpenMP."""
    spec = device_of(device)
    return SETS[spec.transformations if spec is not None else "default"]
