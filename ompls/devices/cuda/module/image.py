"""The image of the device `cuda`: machine code per kernel file and architecture, with what a launch needs to know.

A kernel file becomes a module of its own, because linking GPU code costs speed.  The compiler is nvrtc (from a wheel or
a toolkit), else nvcc.  An architecture that the compiler does not know yet gets PTX, which the driver translates when
it loads it.

The container: the magic, the length of a JSON index (8 bytes, little-endian), the index, then the code.  The index
lists modules: `kernels` maps a name to (offset, size) of each parameter in the parameter buffer; `code` lists (kind,
compute capability as MAJOR * 10 + MINOR, position after the index, length).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from ompls.runtime import nvrtc
from ompls.runtime.errors import BuildFailed, ToolMissing
from ompls.runtime.toolchain import Toolchain

MAGIC = b"ompls cuda image 1\n"
STANDARD = "--std=c++17"
Slots = List[Tuple[int, int]]
# GPUs of Tegra chips: K1, X1 (Jetson Nano), X2, Xavier, Orin, Thor (10.1 until CUDA 12, then 11.0).  Machine code goes
# neither from nor to one of them (CUDA programming guide, "Binary Compatibility").
TEGRA = frozenset((32, 53, 62, 72, 87, 101, 110))


class ImageError(Exception):
    """An image that cannot be used; `reason` and `hint` are for the user."""

    def __init__(self, reason: str, hint: str = "build the program again on this machine") -> None:
        super().__init__(reason)
        self.reason, self.hint = reason, hint


@dataclass(frozen=True)
class Code:
    """Machine code ("cubin") or "ptx" for a compute capability as MAJOR * 10 + MINOR."""

    kind: str
    capability: int
    data: bytes

    def runs_on(self, capability: int) -> bool:
        """PTX runs from its own version on; cubins do within their major version, those of Tegra chips on the same chip
        only (CUDA programming guide).  It is not code for `sm_90a` and the like, which `capabilities` refuses."""
        if self.kind == "ptx":
            return self.capability <= capability
        if self.capability in TEGRA or capability in TEGRA:
            return self.capability == capability
        return self.capability <= capability < self.capability // 10 * 10 + 10


@dataclass(frozen=True)
class KernelFile:
    """One module: the parameters' places of each kernel, and the code."""

    kernels: Dict[str, Slots]
    code: Sequence[Code]

    def best_for(self, capability: int) -> Code:
        """The newest code that runs; cubins before PTX.  Raises ImageError."""
        usable = [code for code in self.code if code.runs_on(capability)]
        if not usable:
            has = ", ".join("{} for {}".format(c.kind, dotted(c.capability)) for c in self.code) or "nothing"
            reason = "the image has {}, the GPU's compute capability is {}".format(has, dotted(capability))
            near = {c.capability for c in self.code if c.kind == "cubin" and c.capability // 10 == capability // 10}
            if near and TEGRA & {capability, *near}:
                reason += "; machine code of a Tegra chip runs on no other GPU, nor that of others there"
            hint = "build the program again on this machine, or with OMPLS_CUDA_ARCH={}".format(dotted(capability))
            raise ImageError(reason, hint)
        return max(usable, key=lambda code: (code.kind == "cubin", code.capability))


def dotted(capability: int) -> str:
    """A compute capability as NVIDIA writes it: 8.7."""
    return "{}.{}".format(*divmod(capability, 10))


def slots(parameters: Iterable[Tuple[int, int]]) -> Slots:
    """(offset, size) of parameters of (size, alignment), as C places the members of a struct."""
    placed, end = [], 0
    for size, align in parameters:
        begin = (end + align - 1) // align * align
        placed.append((begin, size))
        end = begin + size
    return placed


def packer(places: Slots) -> struct.Struct:
    """Packs the parameters' bytes into a launch's buffer."""
    text, end = "=", 0
    for begin, size in places:
        text += "{}x{}s".format(begin - end, size)
        end = begin + size
    return struct.Struct(text)


def pack(modules: Sequence[KernelFile]) -> bytes:
    """The container."""
    blob, index = b"", []
    for module in modules:
        listed = []
        for code in module.code:
            listed.append((code.kind, code.capability, len(blob), len(code.data)))
            blob += code.data
        index.append({"kernels": module.kernels, "code": listed})
    head = json.dumps({"modules": index}, sort_keys=True).encode()
    return MAGIC + struct.pack("<Q", len(head)) + head + blob


def _code(image: bytes, start: int, *described: Any) -> Code:
    kind, capability, at, size = described
    data = image[start + at : start + at + size]
    if len(data) != size:
        raise ValueError("it ends early")
    return Code(kind, capability, data)


def unpack(image: bytes) -> List[KernelFile]:
    """What `pack` was given.  Raises ImageError when it is not a whole container."""
    if not image.startswith(MAGIC):
        raise ImageError("the image is not one of the device `cuda`")
    try:
        (length,) = struct.unpack_from("<Q", image, len(MAGIC))
        start = len(MAGIC) + 8 + length
        modules = []
        for entry in json.loads(image[len(MAGIC) + 8 : start])["modules"]:
            code = [_code(image, start, *described) for described in entry["code"]]
            kernels = {name: [(begin, size) for begin, size in places] for name, places in entry["kernels"].items()}
            modules.append(KernelFile(kernels, code))
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise ImageError("the image is damaged ({})".format(error)) from error
    return modules


# --- compiling --------------------------------------------------------------------------------------------------------


def targets(text: str) -> List[Tuple[int, str]]:
    """(compute capability, kind of code) of a list such as "5.3,sm_87,compute_90".  Raises ImageError.

    NVIDIA's names: `sm_87` is machine code, `compute_87` is PTX, which the driver of any later GPU compiles.
    Not `sm_90a` or `sm_100f`: their code runs on one GPU or family only, and kernels use nothing that only these have.
    """
    found = set()
    for part in filter(None, re.split(r"[,\s]+", text)):
        match = re.fullmatch(r"(sm_|compute_)?(\d+)\.?(\d)", part)
        if match is None:
            raise ImageError("OMPLS_CUDA_ARCH: '{}' is not a compute capability".format(part), "write 8.7 or sm_87")
        kind = "ptx" if match.group(1) == "compute_" else "cubin"
        found.add((int(match.group(2)) * 10 + int(match.group(3)), kind))
    return sorted(found)


def options(cflags: Sequence[str]) -> List[str]:
    """The user's compiler options that mean something for GPU code."""
    wanted = [STANDARD]
    contracted = [flag for flag in cflags if flag.startswith("-ffp-contract=")]
    if contracted and contracted[-1] == "-ffp-contract=off":
        wanted.append("--fmad=false")
    if any(re.fullmatch(r"-g(db)?[123]?", flag) for flag in cflags):
        wanted.append("-lineinfo")
    return wanted


def find_nvcc() -> Optional[str]:
    """CUDA's compiler driver: on PATH, or where toolkits lie."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    beside = [os.path.join(home, "bin", "nvcc") for home in homes if home]
    return shutil.which("nvcc") or next((path for path in beside if os.access(path, os.X_OK)), None)


def _library() -> bytes:
    return b"\0".join(path.read_bytes() for path in sorted(nvrtc.DEVICE_LIB.glob("*.cuh")))


def _with_nvrtc(tools: Toolchain, path: Path, target: Tuple[int, str], flags: Sequence[str]) -> Code:
    capability, kind = target
    known = nvrtc.architectures()
    if known and capability < known[0]:
        reason = "nvrtc {}.{} starts at sm_{}, the GPU is sm_{}".format(*nvrtc.version(), known[0], capability)
        raise ToolMissing("nvrtc", reason, "pip install nvidia-cuda-nvrtc-cu12, or set OMPLS_NVRTC to an older library")
    if known and capability not in known:
        kind, number = "ptx", max(arch for arch in known if arch < capability)
    else:
        number = capability
    text = path.read_bytes()
    what = repr((nvrtc.available(), nvrtc.version(), kind, number, list(flags), path.name)).encode()

    def make(made: Path) -> None:
        extra = [flag for flag in flags if flag != STANDARD]  # nvrtc.py sets the standard
        done = nvrtc.compile(os.fsdecode(text), "sm_{}".format(number), name=path.name, kind=kind, options=extra)
        if not done.ok:
            raise BuildFailed("compiling {} for sm_{}".format(path.name, capability), done.log, 1)
        made.write_bytes(done.code)

    return Code(kind, number, tools.cached([b"cuda", what, text, _library()], "." + kind, make).read_bytes())


def _with_nvcc(tools: Toolchain, nvcc: str, path: Path, target: Tuple[int, str], flags: Sequence[str]) -> Code:
    capability, kind = target
    command = [nvcc, *flags, "-I" + str(nvrtc.DEVICE_LIB)]
    what = repr((tools.version(nvcc), command, capability, kind)).encode()

    def make(made: Path) -> None:
        label = "compiling {} for sm_{}".format(path.name, capability)
        arch = "-arch={}_{}".format("sm" if kind == "cubin" else "compute", capability)
        tools.run([*command, "-" + kind, arch, "-x", "cu", str(path), "-o", str(made)], label)

    return Code(
        kind,
        capability,
        tools.cached([b"cuda nvcc", what, path.read_bytes(), _library()], "." + kind, make).read_bytes(),
    )


def compile_file(
    tools: Toolchain, path: Path, capability: int, cflags: Sequence[str] = (), kind: str = "cubin"
) -> Code:
    """The code of a kernel file for one compute capability, from the cache or a compiler.

    kind -- 'cubin' or 'ptx'; of a capability that the compiler does not know yet it is PTX of the newest that it knows

    Raises BuildFailed with the compiler's messages, or ToolMissing when there is no compiler for it.
    """
    if nvrtc.available() is not None:
        return _with_nvrtc(tools, path, (capability, kind), options(cflags))
    nvcc = find_nvcc()
    if nvcc is None:
        raise ToolMissing("nvrtc", "neither nvrtc nor nvcc is found", "pip install 'ompls[cuda]', or a CUDA toolkit")
    return _with_nvcc(tools, nvcc, path, (capability, kind), options(cflags))
