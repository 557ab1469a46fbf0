"""The image of the device `cuda`: machine code per kernel file and architecture, with what a launch needs to know.

A kernel file becomes a module of its own, because linking GPU code costs speed.  The compiler is nvrtc (from a wheel or
a toolkit) where it makes that code, else nvcc.  An architecture that neither knows gets PTX of an older one, which the
driver translates when it loads it.

The container is an index of lines, which image.c reads, too, and the code.  The first line is the magic, the last is
`end`.  `module` begins one, of which the next lines tell:

* `kernel NAME [OFFSET SIZE]…` -- the parameters' places in the buffer that pycuda wants
* `code KIND CAPABILITY POSITION LENGTH [CAPABILITY…]` -- KIND is `cubin` or `ptx`; the position counts from the first
  multiple of 16 behind the index, and is one; a zero byte follows the code, as PTX is text.  The last numbers are the
  capabilities that machine code runs on.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ompls.devices.cuda.module import nvrtc
from ompls.runtime.errors import BuildFailed, ToolMissing
from ompls.runtime.toolchain import Toolchain

MAGIC = b"ompls cuda image 2\n"
END = b"end\n"
ALIGNMENT = 16  # of code
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
    code: List[Code]

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


def _aligned(size: int) -> int:
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def pack(modules: Sequence[KernelFile]) -> bytes:
    """The container."""
    blob, lines = b"", []
    for module in modules:
        lines.append(["module"])
        for name, places in sorted(module.kernels.items()):
            lines.append(["kernel", name, *(str(number) for place in places for number in place)])
        for code in module.code:
            first, blob = code.capability, blob.ljust(_aligned(len(blob)), b"\0")
            until = first if code.kind == "ptx" else first // 10 * 10 + 10
            fit = [number for number in range(first, until) if code.runs_on(number)]
            lines.append(["code", code.kind, *map(str, (first, len(blob), len(code.data), *fit))])
            blob += code.data + b"\0"
    index = MAGIC + "".join(" ".join(line) + "\n" for line in lines).encode() + END
    return index.ljust(_aligned(len(index)), b"\0") + blob


def _read(lines: Iterable[str], code: bytes) -> List[KernelFile]:
    modules: List[KernelFile] = []
    for line in lines:
        word, *rest = line.split(" ")
        if word == "module":
            modules.append(KernelFile({}, []))
        elif word == "kernel":
            numbers = [int(text) for text in rest[1:]]
            modules[-1].kernels[rest[0]] = [(numbers[i], numbers[i + 1]) for i in range(0, len(numbers), 2)]
        else:
            capability, at, size = (int(text) for text in rest[1:4])
            if at + size >= len(code):
                raise ValueError("it ends early")
            modules[-1].code.append(Code(rest[0], capability, code[at : at + size]))
    return modules


def unpack(image: bytes) -> List[KernelFile]:
    """What `pack` was given.  Raises ImageError when it is not a whole container."""
    if not image.startswith(MAGIC):
        raise ImageError("the image is not one of the device `cuda`")
    end = image.find(b"\n" + END, len(MAGIC) - 1) + 1
    try:
        if end == 0:
            raise ValueError("its index has no end")
        return _read(image[len(MAGIC) : end].decode().splitlines(), image[_aligned(end + len(END)) :])
    except (ValueError, IndexError) as error:
        raise ImageError("the image is damaged ({})".format(error)) from error


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
    wanted = []
    contracted = [flag for flag in cflags if flag.startswith("-ffp-contract=")]
    if contracted and contracted[-1] == "-ffp-contract=off":
        wanted.append("--fmad=false")
    if any(re.fullmatch(r"-g(db)?[123]?", flag) for flag in cflags):
        wanted.append("-lineinfo")
    return wanted


# Compiler's option for the version of a kernel in which what it only reads is `__restrict__`: most launches take it.
RESTRICT = "-DOMPLS_RESTRICT=__restrict__"


def second_version(kernel: str) -> Tuple[str, List[str]]:
    """That version's name (core/ompls.h), and the options that make it of the same text."""
    name = kernel + "_restrict"
    return name, [RESTRICT, "-D{}={}".format(kernel, name)]


def find_nvcc() -> Optional[str]:
    """CUDA's compiler driver: on PATH, or where toolkits lie."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    beside = [os.path.join(home, "bin", "nvcc") for home in homes if home]
    return shutil.which("nvcc") or next((path for path in beside if os.access(path, os.X_OK)), None)


def _library() -> bytes:
    return b"\0".join(path.read_bytes() for path in sorted(nvrtc.LIBRARY.glob("*.cuh")))


# What older compilers say of what they lack, what that is, and a CUDA that has it.
_LACKING = (
    ('identifier "__int128" is undefined', "__int128", "11.5"),
    ("Bitfields and field types containing bitfields", "bit-fields in packed structures", "11.8"),
    ("types cannot be declared in anonymous unions", "structures without a name inside of others", "12.9"),
    ("declaration does not declare anything", "structures without a name inside of others", "12.9"),
)


def _lacking(messages: Iterable[nvrtc.Message]) -> Iterator[str]:
    """In our words, as errors at the same places."""
    form = "{}({}): error: nvrtc {}.{} has no {}; CUDA {} and later have\n"
    for m in messages:
        for what, since in [(what, since) for said, what, since in _LACKING if said in m.text]:
            yield form.format(m.file, m.line, *nvrtc.version(), what, since)


class _Unknown(Exception):
    """The compiler does not know the architecture."""


# What a compiler that cannot tell which architectures it knows (before CUDA 11.2) may know.
_UNTOLD = (30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86)
NVCC_REFUSES = re.compile(r"nvcc fatal\b.*\barchitecture\b")


def _with_nvrtc(tools: Toolchain, path: Path, target: Tuple[int, str], flags: Sequence[str]) -> Code:
    """Raises _Unknown, or BuildFailed."""
    capability, kind = target
    text = path.read_bytes()
    what = repr((nvrtc.available(), nvrtc.version(), kind, capability, list(flags), path.name)).encode()

    def make(made: Path) -> None:
        arch = "sm_{}".format(capability)
        done = nvrtc.compile(os.fsdecode(text), arch, name=path.name, kind=kind, options=flags)
        if done.unknown:
            raise _Unknown
        if not done.ok:
            log = "".join(_lacking(done.messages)) + done.log
            raise BuildFailed("compiling {} for {}".format(path.name, arch), log, 1)
        made.write_bytes(done.code)

    return Code(kind, capability, tools.cached([b"cuda", what, text, _library()], "." + kind, make).read_bytes())


def _with_nvcc(tools: Toolchain, nvcc: str, path: Path, target: Tuple[int, str], flags: Sequence[str]) -> Code:
    """In the C++ that nvcc and its host compiler agree on.  Raises _Unknown, or BuildFailed."""
    capability, kind = target
    command = [nvcc, *flags, "-I" + str(nvrtc.LIBRARY)]
    what = repr((tools.version(nvcc), command, capability, kind)).encode()

    def make(made: Path) -> None:
        label = "compiling {} for sm_{}".format(path.name, capability)
        arch = "-arch={}_{}".format("sm" if kind == "cubin" else "compute", capability)
        try:
            tools.run([*command, "-" + kind, arch, "-x", "cu", str(path), "-o", str(made)], label)
        except BuildFailed as failure:
            if NVCC_REFUSES.search(failure.output):
                raise _Unknown from failure
            raise

    key = [b"cuda nvcc", what, path.read_bytes(), _library()]
    return Code(kind, capability, tools.cached(key, "." + kind, make).read_bytes())


def compile_file(  # noqa: PLR0917
    tools: Toolchain,
    path: Path,
    capability: int,
    cflags: Sequence[str] = (),
    kind: str = "cubin",
    defines: Sequence[str] = (),
) -> Code:
    """The code of a kernel file for one compute capability, from the cache or a compiler.

    kind    -- 'cubin' or 'ptx'; where no compiler knows the capability, or none makes machine code, it is PTX of the
               newest architecture up to it that one knows
    defines -- options of our own (`second_version`)

    Raises BuildFailed with the compiler's messages, or ToolMissing when there is no compiler for it.
    """
    flags, nvcc, has_nvrtc = [*options(cflags), *defines], find_nvcc(), nvrtc.available() is not None
    if nvcc is None and not has_nvrtc:
        hint = "pip install 'ompls[cuda-preview]', or a CUDA toolkit"
        raise ToolMissing("nvrtc", "neither nvrtc nor nvcc is found", hint)
    exact = has_nvrtc and (kind == "ptx" or nvrtc.makes_cubins())
    known = (nvrtc.architectures() or _UNTOLD) if has_nvrtc else []
    ways: List[Tuple[Optional[str], Tuple[int, str]]] = []
    ways += [(None, (capability, kind))] if exact and (capability in known or known is _UNTOLD) else []
    ways += [(nvcc, (capability, kind))] if nvcc else []
    ways += [(None, (number, "ptx")) for number in sorted(known, reverse=True) if number <= capability]
    for compiler, target in ways:
        try:
            if compiler is None:
                return _with_nvrtc(tools, path, target, flags)
            return _with_nvcc(tools, compiler, path, target, flags)
        except _Unknown:
            continue
    there = "nvrtc {}.{}".format(*nvrtc.version()) if has_nvrtc else "nvcc"
    reason = "{} makes nothing for sm_{}; {}".format(there, capability, nvrtc.known_by(capability))
    raise ToolMissing("nvrtc", reason, "set OMPLS_NVRTC to the libnvrtc of such a CUDA, or put its nvcc on PATH")
