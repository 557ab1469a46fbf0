"""What each device class can do, as plain data: read by the rules and by the transformation sets alike.

`abilities.py` names everything that a device may lack; a device's file says what it lacks and why.  What is not lacked
is supported; a test proves both against the transformation set of every device that has one (`proven`).
"""

from __future__ import annotations

from ompls.analysis.spec.devices.abilities import ABILITIES
from ompls.analysis.spec.devices.epiphany import EPIPHANY
from ompls.analysis.spec.devices.gpu import CUDA, CUDASIM
from ompls.analysis.spec.devices.host import HOST
from ompls.analysis.spec.devices.model import DeviceSpec
from ompls.analysis.spec.devices.mpinode import MPINODE

__all__ = ["ABILITIES", "DEVICES", "DeviceSpec", "device_of"]

DEVICES: dict[str, DeviceSpec] = {d.name: d for d in (HOST, CUDA, CUDASIM, MPINODE, EPIPHANY)}


def device_of(name: str) -> DeviceSpec | None:
    """The table of a device, `:N` ignored; None for an implementation of somebody else's, of which nothing is known."""
    return DEVICES.get(name.partition(":")[0])
