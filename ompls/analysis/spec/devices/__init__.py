"""What can be said of a device, as plain data: read by the rules and by the translator alike.

`abilities.py` names everything that a device may lack; a device says what it lacks and why.  What is not lacked is
supported; a test proves both for every device for which kernels are made.  The devices themselves are folders
(`ompls/devices/`), which `project/devices.py` reads: who analyses or translates is given what it found.
"""

from __future__ import annotations

from ompls.analysis.spec.devices.abilities import ABILITIES, NOT_YET
from ompls.analysis.spec.devices.model import DeviceSpec

__all__ = ["ABILITIES", "NOT_YET", "DeviceSpec"]
