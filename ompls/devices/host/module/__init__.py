"""The device `host`: the user's own kernels, compiled by gcc with OpenMP into a shared object (host.c loads it)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Dict, List, Mapping, Sequence

from ompls.runtime.devices import Availability, Device, ImageJob

# gcc's 300,000 times burn whole time slices where others want the processors; 1,000, which gcc takes itself where it
# has more threads than processors, are no slower.
SPIN = "1000"
# In every image: what kernels ask about where they run, and the routines that the compiler's libgomp may lack.
_SUPPORT = ("image.c", "newer.c")
_WRAPPED = ("omp_is_initial_device", "omp_get_device_num", "omp_init_allocator")  # of these by `_SUPPORT`


# What these do has been done to a kernel's text: it holds all that it needs, once.
_PREPROCESSOR = ("-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote", "-idirafter")


def _without_preprocessor(flags: Sequence[str]) -> List[str]:
    kept: List[str] = []
    words = iter(flags)
    for word in words:
        if not word.startswith(_PREPROCESSOR):
            kept.append(word)
        elif word in _PREPROCESSOR:
            next(words, None)  # its value
    return kept


class Host(Device):
    """Kernels run on the host's cores, in a data environment of their own."""

    image_class = "host"
    kernel_class = "default"
    debuggable = True

    def probe(self) -> Availability:
        """The host is there when its compiler is."""
        if shutil.which("gcc") is None:
            return Availability(False, "gcc is not on PATH", "apt-get install build-essential")
        return Availability(True, description="the host's cores, with copies of its own")

    def environment(self, given: Mapping[str, str]) -> Dict[str, str]:
        """How often threads that wait look before they sleep, unless the user has a policy."""
        return {} if "OMP_WAIT_POLICY" in given else {"GOMP_SPINCOUNT": SPIN}

    def build_image(self, job: ImageJob) -> Path:
        """All kernels in one shared object, with the lines that faults tell."""
        from ompls.runtime.toolchain import RUNTIME, Compile  # noqa: PLC0415 -- programs with it inside build nothing

        flags = ("-O2", "-g1", *_without_preprocessor(job.cflags), "-fPIC", "-fopenmp", "-foffload=disable", "-w")
        compiles = [
            Compile(path, (*flags, *kernel.debug), label=kernel.file or path.name, directory=kernel.directory)
            for kernel, path in job.kernels
        ]
        core = RUNTIME / "core"
        headers = tuple(sorted(core.glob("*.h")))
        compiles += [Compile(core / name, ("-O2", "-fPIC", "-fopenmp"), depends=headers) for name in _SUPPORT]
        wrap = [flag for flag in job.wrap if flag.rpartition("=")[2] in _WRAPPED]
        # -Bsymbolic: a program that exports its symbols must not take the place of the image's own functions.
        link = ["-shared", "-Wl,-Bsymbolic", "-fopenmp", "-foffload=disable", *wrap, *job.ldflags, "-lm"]
        return job.tools.link(link, job.tools.objects(compiles), ".so", "linking the image of 'host'")


DEVICE = Host()
