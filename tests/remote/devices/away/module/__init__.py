"""Devices at the ends of pipes: the proxy of ompls/devices/remote without another machine.

AWAY_COMMAND stands before the program that serves: what disturbs the line (disturb.py), for example.
"""

from __future__ import annotations

import os

from ompls.devices.remote import near
from ompls.devices.remote.device import Remote
from ompls.devices.remote.streams import Streams, begun
from ompls.runtime.devices import Device


class Away(Remote):
    starts_far = True

    def make_near(self) -> near.Near:
        return near.Near(self.name, "cpu", lambda wanted: wanted or 1, self._start, peers=True)

    def _start(self, index: int, image: memoryview) -> near.Line:
        far = os.memfd_create("far")
        with open(far, "wb", closefd=False) as file:
            file.write(image)
        command = [*os.environ.get("AWAY_COMMAND", "").split(), f"/proc/{os.getpid()}/fd/{far}"]
        return Streams(f"pipe{index}", *begun(command, start_new_session=True))

    def around(self, inner: str) -> Device:
        return Away(inner)


DEVICE = Away()
