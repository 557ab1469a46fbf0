"""The far side as a file: library/, a device's native half and that device's image, as a shared object or a program."""

from __future__ import annotations

from pathlib import Path
from typing import List

from ompls.runtime.build import CORE, CORE_FLAGS, native_jobs
from ompls.runtime.devices import Device, ImageJob
from ompls.runtime.embedded import image_object
from ompls.runtime.toolchain import Compile

LIBRARY = Path(__file__).resolve().parent / "library"
_ALL = ("far.c", "exchange.c", "digest.c", "memory.c", "faults.c")
_PROGRAM = ("stream.c", "stream_line.c", "stream_peers.c")
_NODE = ("mpi.c", "mpi_line.c")


def sources(*, program: bool) -> List[Path]:
    """What a far side is made of, beside the device inside: a board's, which is a program, has nothing of MPI."""
    return [LIBRARY / name for name in (*_ALL, *(_PROGRAM if program else _NODE))]


def build_image(inner: Device, job: ImageJob, *, program: bool = False) -> Path:
    """The far side with `inner` in it.  Raises what building its image raises.

    program -- it is to be started, with a line on its standard streams; else a process of MPI's loads it
    """
    tools = job.tools
    lines = job._replace(cflags=(*job.cflags, "-g1"))  # for what faults tell
    made = tools.image(lambda used: inner.build_image(lines._replace(tools=used)))
    image = image_object(tools, [(inner.image_class, made)])
    headers = (*sorted(CORE.glob("*.h")), *sorted(LIBRARY.glob("*.h")))
    flags = (*CORE_FLAGS, "-I" + str(CORE))
    jobs = [Compile(source, flags, depends=headers) for source in (*sources(program=program), CORE / "linked.c")]
    jobs += native_jobs([inner], headers).values()
    kind = [] if program else ["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs"]
    link = [*kind, "-fopenmp", "-foffload=disable", "-pthread", "-ldl", "-lm"]
    what = "linking the far side of '{}'".format(inner.name)
    return tools.link(link, [*tools.together(jobs, what), image], ".far", what)
