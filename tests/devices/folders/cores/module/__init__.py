"""The device `cores`: kernels as a shared object, which cores.c beside this runs."""

from __future__ import annotations

import shutil
from pathlib import Path

from ompls.runtime.devices import Availability, Device, ImageJob, all_devices


class Cores(Device):
    image_class = "cores"
    kernel_class = "default"

    def probe(self) -> Availability:
        if shutil.which("gcc") is None:
            return Availability(False, "gcc is not on PATH", "install it")
        return Availability(True, description="cores with memory of their own")

    def build_image(self, job: ImageJob) -> Path:
        return all_devices()["host"].build_image(job)  # kernels of that set are compiled in the same way


DEVICE = Cores()
