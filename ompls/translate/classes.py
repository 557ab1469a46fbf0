"""The classes of kernels (`DeviceSpec.kernels`)."""

from __future__ import annotations

from collections.abc import Iterable

from ompls.analysis.spec.devices import DeviceSpec
from ompls.translate.target import KernelClass
from ompls.translate.transformations import default, gpu

CLASSES = {made.name: made for made in (default.CLASS, gpu.CLASS)}


def classes_of(devices: Iterable[DeviceSpec]) -> list[KernelClass]:
    """The classes of kernels of some devices, each once.  Raises NotTranslatedError."""
    found = {}
    for device in devices:
        if device.planned:
            raise NotTranslatedError(device, device.planned)
        if device.kernels not in CLASSES:
            raise NotTranslatedError(device, f"nothing makes kernels of class '{device.kernels}'")
        found[device.kernels] = CLASSES[device.kernels]
    return list(found.values())


class NotTranslatedError(Exception):
    """A device for which no kernels are made.  `reason` says why."""

    def __init__(self, device: DeviceSpec, reason: str) -> None:
        super().__init__(f"{device.name}: {reason}")
        self.device, self.reason = device, reason
