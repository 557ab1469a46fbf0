"""What ptxas says each kernel needs: `ompls preview --resources`."""

from __future__ import annotations

import os
from typing import List, Mapping, Tuple

from ompls.devices.cuda.module import nvrtc
from ompls.devices.cuda.module.image import RESTRICT
from ompls.runtime.devices import Resources
from ompls.runtime.errors import RuntimeProblem

HEAD = ("kernel", "registers", "shared bytes", "local bytes", "spill stores", "spill loads")
OLDEST = 53  # compute capability of the oldest GPU that we serve


def needs(kernels: Mapping[str, bytes], arch: str) -> Resources:
    """Registers, shared and local memory, spills.  Raises RuntimeProblem when nvrtc is missing or says no.

    arch -- a compute capability, `sm_87`; "": the oldest that both we and this nvrtc serve
    """
    rows: List[Tuple[str, ...]] = []
    arch = arch or "sm_{}".format(next((n for n in nvrtc.architectures() if n >= OLDEST), OLDEST))
    what = "cannot compile for " + arch
    if not nvrtc.makes_cubins():
        why = "nvrtc {}.{} stops at PTX, which says nothing of registers".format(*nvrtc.version())
        raise RuntimeProblem(what, why, "set OMPLS_NVRTC to a libnvrtc of CUDA 11.1 or later")
    for name, text in kernels.items():
        compiled = nvrtc.compile(os.fsdecode(text), arch, options=[RESTRICT])
        if compiled.unknown:
            why = "nvrtc {}.{} does not know it".format(*nvrtc.version())
            raise RuntimeProblem(what, why, _way_out(arch))
        refused = [m for m in compiled.messages if m.text.startswith("static assertion failed with ")]
        if refused:  # by the device library
            said = refused[0].text.partition('"')[2].rstrip('"')
            raise RuntimeProblem(what, "{}:{}: {}".format(refused[0].file, refused[0].line, said))
        if not compiled.ok:
            what = "cannot compile {} for {}".format(name, arch)
            raise RuntimeProblem(what, compiled.log.strip(), "this is a bug of ompls, report it")
        for kernel, need in nvrtc.resources(compiled).items():
            cells = (need.registers, need.shared, need.stack, need.spill_stores, need.spill_loads)
            rows.append((kernel, *map(str, cells)))
    return Resources(arch, HEAD, rows)


def _way_out(arch: str) -> str:
    digits = arch.rsplit("_", 1)[-1]
    there = nvrtc.architectures()
    names = ", ".join("sm_{}".format(number) for number in there)
    if digits.isdigit() and int(digits) in nvrtc.TOOLKITS:
        return "{}; set OMPLS_NVRTC to its libnvrtc, or name one of {}".format(nvrtc.known_by(int(digits)), names)
    return "name one of {}".format(names)
