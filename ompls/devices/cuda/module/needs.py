"""What ptxas says each kernel needs: `ompls preview --resources`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List, Mapping, Tuple

from ompls.devices.cuda.module import image, nvrtc
from ompls.devices.cuda.module.image import NVCC_REFUSES, RESTRICT
from ompls.runtime.devices import Resources
from ompls.runtime.errors import BuildFailed, RuntimeProblem, ToolMissing
from ompls.runtime.refusal import begin_of, refusal
from ompls.runtime.toolchain import Toolchain

HEAD = ("kernel", "registers", "shared bytes", "local bytes", "spill stores", "spill loads")
OLDEST = 53  # compute capability of the oldest GPU that we serve


def needs(kernels: Mapping[str, bytes], arch: str) -> Resources:
    """Registers, shared and local memory, spills.  Raises RuntimeProblem when no compiler is there or it says no.

    arch -- a compute capability, `sm_87`; "": the oldest that both we and this compiler serve

    nvrtc is asked, as it starts at once; where it cannot tell, nvcc.
    """
    nvcc = image.find_nvcc()
    try:
        return _of_nvrtc(kernels, arch)
    except _Silent as silent:
        if nvcc is None:
            raise silent.problem from silent
        said = silent
    with Toolchain() as tools:
        try:
            return _of_nvcc(tools, nvcc, kernels, arch)
        except _Silent as silent:  # of two who do not know a GPU nvrtc has the names of those that it knows
            raise (said if said.unknown else silent).problem from silent


class _Silent(Exception):
    """A compiler cannot tell: `problem` says why.  `unknown`: it does not know the GPU."""

    def __init__(self, problem: RuntimeProblem, unknown: bool = False) -> None:
        super().__init__()
        self.problem, self.unknown = problem, unknown


def _of_nvrtc(kernels: Mapping[str, bytes], arch: str) -> Resources:
    """Raises _Silent, or RuntimeProblem."""
    try:
        makes_cubins = nvrtc.makes_cubins()
    except nvrtc.NvrtcUnavailable as problem:
        raise _Silent(problem) from problem
    arch = arch or "sm_{}".format(next((n for n in nvrtc.architectures() if n >= OLDEST), OLDEST))
    what = "cannot compile for " + arch
    if not makes_cubins:
        why = "nvrtc {}.{} stops at PTX, which says nothing of registers".format(*nvrtc.version())
        hint = "set OMPLS_NVRTC to a libnvrtc of CUDA 11.1 or later, or put nvcc on PATH"
        raise _Silent(ToolMissing(what, why, hint))
    compiled = {}
    for name, text in kernels.items():
        compiled[name] = nvrtc.compile(os.fsdecode(text), arch, options=[RESTRICT])
        if compiled[name].unknown:
            why = "nvrtc {}.{} does not know it".format(*nvrtc.version())
            raise _Silent(RuntimeProblem(what, why, _way_out(arch)), unknown=True)
    return _rows(kernels, arch, compiled)


def _of_nvcc(tools: Toolchain, nvcc: str, kernels: Mapping[str, bytes], arch: str) -> Resources:
    compiled = {}
    for name, text in kernels.items():
        source = tools.scratch / "kernel.cu"
        source.write_bytes(text)
        for one in [arch] if arch else ["sm_{}".format(OLDEST), "sm_75"]:  # CUDA 13 begins there
            command = [nvcc, RESTRICT, "-I" + str(nvrtc.LIBRARY), "-cubin", "-arch=" + one, "-Xptxas", "-v"]
            command += ["-x", "cu", str(source), "-o", str(tools.scratch / "kernel.cubin")]
            try:
                _, log = tools.ask(command, "compiling {} for {}".format(name, one))
            except BuildFailed as failure:
                if not NVCC_REFUSES.search(failure.output):
                    log = failure.output
                    compiled[name] = nvrtc.Compiled(False, one, "cubin", b"", log, nvrtc.messages(log))
                    break
                why = failure.output.strip()
            else:
                arch = one
                compiled[name] = nvrtc.Compiled(True, one, "cubin", b"", log)
                break
        else:
            problem = RuntimeProblem("cannot compile for " + one, why, "name one that `nvcc --list-gpu-arch` lists")
            raise _Silent(problem, unknown=True)
    return _rows(kernels, arch or one, compiled)


def _rows(kernels: Mapping[str, bytes], arch: str, done: Mapping[str, nvrtc.Compiled]) -> Resources:
    """Raises RuntimeProblem of what was refused."""
    rows: List[Tuple[str, ...]] = []
    for name, compiled in done.items():
        if not compiled.ok:
            what = "cannot compile {} for {}".format(name, arch)
            made = [Path(name).name, "kernel.cu"]
            told = refusal(compiled.log, "the compiler for " + arch, made, begin_of(kernels[name]))
            raise told or RuntimeProblem(what, compiled.log.strip(), "this is a bug of ompls, report it")
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
