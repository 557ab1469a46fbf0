"""The classes of kernels: shared sets (`DeviceSpec.kernels`), and what devices bring (`DeviceSpec.target`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ompls.analysis.spec.devices import DeviceSpec
from ompls.translate.target import KernelClass, brought, unfit
from ompls.translate.transformations import default, gpu

CLASSES = {made.name: made for made in (default.CLASS, gpu.CLASS)}

Targets = Mapping[str, object]  # TARGET of devices' folders by their names (project/targets.py)


def classes_of(devices: Iterable[DeviceSpec], targets: Targets) -> list[KernelClass]:
    """The classes of kernels of some devices, each once.  Raises NotTranslatedError."""
    found: dict[str, KernelClass] = {}
    for device in devices:
        if device.planned:
            raise NotTranslatedError(device, device.planned)
        if device.kernel_class not in found:
            found[device.kernel_class] = _brought(device, targets) if device.target else _shared(device)
    return list(found.values())


def _shared(device: DeviceSpec) -> KernelClass:
    if device.kernels not in CLASSES:
        raise NotTranslatedError(device, f"nothing makes kernels of class '{device.kernels}'")
    return CLASSES[device.kernels]


def _brought(device: DeviceSpec, targets: Targets) -> KernelClass:
    made = targets.get(device.target)
    if device.target in CLASSES:
        raise NotTranslatedError(device, f"'{device.target}' is a shared class of kernels: rename the folder")
    if not isinstance(made, KernelClass) or not made.on_device:
        raise NotTranslatedError(device, "its target has no TARGET that is a KernelClass on a device")
    if key := unfit(made):
        raise NotTranslatedError(device, f"its TARGET cannot be used: {key} has a value of another type")
    try:
        return brought(made, device.target)
    except TypeError as error:  # it has something that is no value
        raise NotTranslatedError(device, f"its TARGET cannot be used: {error}") from error


class NotTranslatedError(Exception):
    """A device for which no kernels are made.  `reason` says why."""

    def __init__(self, device: DeviceSpec, reason: str) -> None:
        super().__init__(f"{device.name}: {reason}")
        self.device, self.reason = device, reason
