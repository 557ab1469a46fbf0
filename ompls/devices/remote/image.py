"""The far side as a file: one shared object of library/, a device's native half and that device's image."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ompls.runtime.build import CORE, CORE_FLAGS, image_object, native_jobs
from ompls.runtime.devices import Device, ImageJob
from ompls.runtime.toolchain import Compile

LIBRARY = Path(__file__).resolve().parent / "library"
SOURCES = ("far.c", "memory.c", "faults.c", "mpi_line.c")


def build_image(inner: Device, job: ImageJob) -> Path:
    """The far side with `inner` in it.  Raises what building its image raises."""
    tools = job.tools
    lines = replace(job, cflags=(*job.cflags, "-g1"))  # for what faults tell
    image = image_object(tools, [(inner.image_class, inner.build_image(lines))])
    headers = (*sorted(CORE.glob("*.h")), *sorted(LIBRARY.glob("*.h")))
    flags = (*CORE_FLAGS, "-I" + str(CORE))
    jobs = [Compile(LIBRARY / name, flags, depends=headers) for name in SOURCES]
    jobs += native_jobs([inner], headers).values()
    link = ["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-fopenmp", "-foffload=disable", "-pthread", "-ldl", "-lm"]
    return tools.link(link, [*tools.objects(jobs), image], ".far", "linking the far side of '{}'".format(inner.name))
