"""Devices at the ends of pipes: the proxy of ompls/devices/remote without another machine.

AWAY_COMMAND stands before the program that serves: what disturbs the line (disturb.py), for example.
"""

from __future__ import annotations

import os

from ompls.devices.remote import near
from ompls.devices.remote.device import Remote
from ompls.devices.remote.streams import Streams, build_program
from ompls.runtime.devices import Device
from ompls.runtime.toolchain import Toolchain


class Away(Remote):
    def make_near(self) -> near.Near:
        return near.Near(self.name, "cpu", lambda wanted: wanted or 1, self._start)

    def _start(self, index: int, image: memoryview) -> near.Line:
        with Toolchain() as tools:
            program = build_program(tools)
        return Streams(f"pipe{index}", [*os.environ.get("AWAY_COMMAND", "").split(), str(program)], image)

    def around(self, inner: str) -> Device:
        return Away(inner)


DEVICE = Away()
