"""The device `cudasim`: CUDA C++ kernels compiled by g++ into the executable that is their device process.

The image is engine, device library and kernels, linked statically at an address where no program lies (cudasim.c starts
it, the device's library/ is its source).  Only g++ and binutils are needed.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ompls.runtime.bundle import Kernel
from ompls.runtime.devices import Availability, Device, ImageJob
from ompls.runtime.errors import BuildFailed, DeviceUnavailable
from ompls.runtime.machine import HERE, Machine
from ompls.runtime.toolchain import RUNTIME, Compile, Toolchain, c_string

ENGINE = Path(__file__).resolve().parents[1] / "library"
LIBRARY = Path(__file__).resolve().parents[2] / "cuda/library"  # that of the kernels
IMAGE_BASE = 0x60000000  # SIM_IMAGE_BASE of protocol.h
MAX_SHARED = 49152  # bytes a block that a kernel file may declare, on all architectures
DYNAMIC_SHARED = "ompls_sim_dynamic_shared"
# Floating point as on the host, instruction by instruction; line tables for the reports of faults, of a version
# in which the compiled file is not the first: addr2line takes that for the user's.  A use of a constant null pointer
# is a fault as any other: without the flag g++ leaves out the kernel from there on.
FLAGS = (
    "-std=c++17",
    "-O2",
    "-g1",
    "-gdwarf-4",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-pie",
    "-fno-delete-null-pointer-checks",
    "-fno-exceptions",
    "-fno-rtti",
)
# A GPU does not read a number from an address that is no multiple of its size (CUDA C++ Programming Guide, "Size and
# Alignment Requirement"); here it would only be slower, so the compiler checks it, and as that
# doubles the time of a short loop, only where a kernel converts pointers: without that it makes no such address.
ALIGNMENT = ("-fsanitize=alignment", "-fsanitize-undefined-trap-on-error")
CONVERSION = re.compile(
    rb"\*\s*(?:(?:const|volatile|__restrict__)\s*)*\)\s*[^\s;,{)]"  # (float *)bytes
    rb"|_cast\b|\b(?:typedef|using)\b[^;]*\*|\bunion\b|\bpack|__packed__"
)
LESS = ("-O0", "-O1", "-O", "-Og")  # with -g, kernels are optimized less if the user's code is
DEBUGGED = "ompls_sim_debugged"  # a symbol: the program puts the image where a debugger can read it (host/imagefile.c)
# With checks every access of a kernel is a call that library/checks answers.
CHECK = ("-DOMPLS_SIM_CHECK",)
CHECK_KERNEL = (
    *CHECK,
    "-fsanitize=thread",
    "--param=tsan-distinguish-volatile=1",
    "--param=tsan-instrument-func-entry-exit=0",
)
_SIMULATED = re.compile(rb"\bSIM_(?:ARCH|MAX_SHARED)\b")  # in sources that are not the same for all architectures
KERNEL_FLAGS = (*FLAGS, "-w", "-fno-extern-tls-init", "-I" + str(ENGINE), "-I" + str(LIBRARY))


@dataclass(frozen=True)
class Architecture:
    """What is simulated (CUDA C++ Programming Guide, "Compute Capabilities"), as compute capabilities times ten.

    limits -- whose limits hold.  lanes -- whose warps they are: from 70 on lanes are on their own, before they come to
    barriers as a whole.  Not simulated are registers, the number of blocks that run at once, caches and time.
    """

    limits: int
    lanes: int

    @property
    def shared(self) -> int:
        """Bytes of shared memory a block may ask for at its launch."""
        opted_in = {70: 96, 72: 96, 75: 64, 80: 163, 86: 99, 87: 163, 89: 99, 90: 227}
        return 1024 * opted_in.get(self.limits, 48)

    @property
    def parameters(self) -> int:
        """Bytes of parameters of a kernel (4 KiB before 7.0, then 32,764)."""
        return 4096 if self.limits < 70 else 32764


MACHINES = ("x86_64", "aarch64")  # whose threads the engine can switch
KNOWN = (50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90)


def architecture(name: str = "") -> Architecture:
    """The architecture `sm_NN`; without a name the strictest of all: limits of 5.3, lanes on their own.

    Raises DeviceUnavailable for a name that is not known.
    """
    if not name:
        return Architecture(53, 70)
    for number in KNOWN:
        if name == "sm_{}".format(number):
            return Architecture(number, number)
    known = ", ".join("sm_{}".format(number) for number in KNOWN)
    raise DeviceUnavailable(
        "cudasim", "it knows no architecture {!r}".format(name), "set OMPLS_CUDASIM_ARCH to one of " + known
    )


@dataclass(frozen=True)
class Object:
    """What is of interest in a relocatable ELF file: bytes of thread-local storage, those of them that are not zero at
    the start, undefined thread-local symbols.
    """

    shared: int
    initialised: int
    undefined_shared: Tuple[str, ...]


def read_object(data: bytes) -> Object:
    """Read a 64-bit little-endian object file (System V ABI, chapters 4 and 5).

    `__shared__` variables are thread-local to g++: their total is the static shared memory, and the undefined ones are
    the `extern __shared__` arrays.
    """
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    local = [section for section in sections if section[2] & 0x400]  # SHF_TLS
    shared = sum(section[5] for section in local)
    initialised = sum(section[5] for section in local if section[1] != 8)  # SHT_NOBITS
    undefined: List[str] = []
    for section in sections:
        if section[1] != 2:  # SHT_SYMTAB
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, info, _, index = struct.unpack_from("<IBBH", data, at)
            if info & 15 == 6 and index == 0:  # STT_TLS, SHN_UNDEF
                start = names + name
                undefined.append(data[start : data.index(b"\0", start)].decode())
    return Object(shared, initialised, tuple(n for n in undefined if not n.startswith("ompls_sim_")))


def wrap(text: bytes, label: str, kernels: Sequence[str]) -> bytes:
    """A kernel file as g++ gets it: the CUDA language before it, the entries of its kernels after it."""
    entries = "".join("OMPLS_SIM_KERNEL({})\n".format(name) for name in kernels)
    before = '#include "prelude.h"\n#line 1 {}\n'.format(c_string(label))
    return before.encode() + text + '\n#line 1 "ompls_entries"\n'.encode() + entries.encode()


def _library_files() -> Iterator[Path]:
    for directory in (ENGINE, ENGINE / "checks", LIBRARY):
        yield from sorted(p for p in directory.iterdir() if p.is_file())


KernelFile = Tuple[Path, str, Sequence[str]]  # its name in messages, its kernels


Debugged = Mapping[Path, Kernel]  # kernels that a debugger is to see, by their file


def _kernel_object(
    tools: Toolchain, file: KernelFile, defines: Tuple[str, ...], checked: bool, debugged: Debugged
) -> Path:
    """Compile one kernel file; give its dynamic shared memory and the size of the static one the names of engine.h."""
    path, label, kernels = file
    text = wrap(path.read_bytes(), label, kernels)
    # A stable name for the text, so that the cache finds it again whatever directory the bundle is in.
    source = tools.cached([b"cudasim kernel", text], ".cu", lambda made: (made.write_bytes(text), None)[1])
    depends = tuple(_library_files())
    # With checks always: gcc does not instrument what is plainly its own variable, and shared ones would be that.
    flags = ("-x", "c++", *KERNEL_FLAGS, *defines, *(ALIGNMENT if checked or CONVERSION.search(text) else ()))
    flags += CHECK_KERNEL if checked else ()
    directory = ""
    if path in debugged:
        flags += ("-g2", *(flag for flag in debugged[path].debug if flag in LESS and not checked))
        directory = debugged[path].directory
    compiled = tools.object(Compile(source, flags, "g++", depends, label, "prelude.h", directory))
    data = compiled.read_bytes()
    found = read_object(data)
    if found.shared > MAX_SHARED:
        reason = "{}: {} bytes of shared memory, a block has at most {}\n".format(label, found.shared, MAX_SHARED)
        raise BuildFailed("compiling " + label, reason, 1)
    if found.initialised:  # CUDA C++ Programming Guide, "__shared__"
        raise BuildFailed("compiling " + label, "{}: a shared variable has an initializer\n".format(label), 1)
    changes = ["--redefine-sym={}={}".format(name, DYNAMIC_SHARED) for name in found.undefined_shared]
    changes += ["--add-symbol=ompls_sim_shared_{}={:#x},global".format(name, found.shared) for name in kernels]

    def make(made: Path) -> None:
        tools.run([tools.machine.tool("objcopy"), *changes, str(compiled), str(made)], "compiling " + label)

    return tools.cached([data, "\0".join(changes).encode()], ".o", make)


def build_image(
    tools: Toolchain, files: Sequence[KernelFile], checked: bool = False, debugged: Optional[Debugged] = None
) -> Path:
    """The executable of kernel files.  Raises BuildFailed, DeviceUnavailable, ToolMissing.

    `checked`: kernels report data races and the like (host/findings.c says what).
    """
    library = tuple(_library_files())
    sources = sorted(ENGINE.glob("*.cpp"))
    simulated = architecture(os.environ.get("OMPLS_CUDASIM_ARCH", ""))
    defines = ("-DOMPLS_LOOPS", "-DSIM_ARCH={}".format(simulated.lanes), "-DSIM_MAX_SHARED={}".format(simulated.shared))
    flags: Tuple[str, ...] = (*FLAGS, "-Wall")
    link = ["-static", "-no-pie", "-Wl,-Ttext-segment={:#x}".format(IMAGE_BASE), "-pthread"]
    limits = {"architecture": simulated.limits, "max_shared": simulated.shared, "max_parameters": simulated.parameters}
    link += ["-Wl,--defsym=ompls_sim_{}={}".format(name, value) for name, value in limits.items()]
    if checked:
        sources += sorted((ENGINE / "checks").glob("*.cpp"))
        flags += CHECK
    if debugged:
        link.append("-Wl,--defsym={}=1".format(DEBUGGED))
    objects = tools.each(lambda file: _kernel_object(tools, file, defines, checked, debugged or {}), files)
    asks = {source: defines if _SIMULATED.search(source.read_bytes()) else () for source in sources}
    objects += tools.objects([Compile(source, (*flags, *asks[source]), "g++", library) for source in sources])
    return tools.link(link, objects, ".image", "linking the image of 'cudasim'", "g++")


class CudaSim(Device):
    """CUDA's threads, warps, blocks, shared memory and barriers on the CPU, in a process of its own."""

    image_class = "cudasim"
    kernel_class = "gpu"
    kind = "gpu"
    joins_functions = True
    debuggable = True
    checks = ("races", "uninit", "memory", "coalescing", "banks")

    def probe(self) -> Availability:
        """It is there when its compiler is, on the machines that the engine knows."""
        if HERE.architecture not in MACHINES:
            return Availability(False, "cudasim does not know " + HERE.architecture, "use the device `host`")
        for tool in ("g++", "objcopy"):
            if shutil.which(tool) is None:
                return Availability(False, tool + " is not on PATH", "apt-get install build-essential")
        return Availability(True, description="CUDA kernels on the CPU, in a process of their own")

    def probe_building(self, machine: Machine) -> Availability:
        """The compiler of another machine is asked when it compiles."""
        if machine.here or machine.architecture in MACHINES:
            return super().probe_building(machine)
        return Availability(False, "cudasim does not know " + machine.architecture, "use the device `host`")

    def build_image(self, job: ImageJob) -> Path:
        """All kernels in one executable.  The user's -D and -I are in the kernels already."""
        files: Dict[Path, Tuple[str, List[str]]] = {}
        for kernel, path in job.kernels:
            files.setdefault(path, (path.name, []))[1].append(kernel.name)
        checked = os.environ.get("OMPLS_CHECK", "none") != "none"
        listed = [(path, label, names) for path, (label, names) in files.items()]
        return build_image(job.tools, listed, checked, {path: kernel for kernel, path in job.kernels if kernel.debug})

    def prepare(self, tools: Toolchain) -> None:
        """Images of kernels that do nothing: the engine, and the header for kernels without and with conversions.

        The same for `run --check`, which has one header for both.
        """
        files = []
        for name, body in (("ompls_plain", ""), ("ompls_converting", "(void)(char *)0;")):
            path = tools.scratch / (name + ".cu")
            path.write_text('extern "C" __global__ void {}() {{ {} }}\n'.format(name, body))
            files.append((path, path.name, [name]))
        build_image(tools, files)
        build_image(tools, files[:1], checked=True)

    def native_sources(self) -> List[Path]:
        """The table, its parts in the library, and the run time's allocator and what watches a process."""
        shared = [RUNTIME / "core" / name for name in ("blocks.c", "watched.c")]
        return [*super().native_sources(), *sorted((ENGINE / "host").glob("*.c")), *shared]

    def native_inputs(self) -> List[Path]:
        """What they share, also with the image."""
        return [ENGINE / "host" / "sim.h", ENGINE / "protocol.h"]


DEVICE = CudaSim()
