"""The device `epiphany`: kernels with the run time of `../library` are a program of 32 bits, the emulated board.

A kernel's OpenMP is lowered by gcc, and `../library` answers its calls.  The C files beside this start the board; what
does not fit the memory of a core is refused (size.py).
"""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path
from typing import List, Mapping, Tuple

from ompls.devices.epiphany.module import size
from ompls.runtime.bundle import Kernel
from ompls.runtime.devices import Availability, Device, ImageJob, Resources
from ompls.runtime.errors import RuntimeProblem
from ompls.runtime.machine import HERE, Machine
from ompls.runtime.toolchain import RUNTIME, Compile, Toolchain

LIBRARY = size.LIBRARY
SCRIPT = LIBRARY / "board.ld"
EMULATED = ("board.c", "functions.c", "machine.c", *size.SHARED)
# A chip's data model, and floating point as on the host; a core has neither threads' variables nor guards of its stack.
FLAGS = (
    "-m32",
    "-O2",
    "-g1",
    "-ffreestanding",
    "-fno-pie",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-msse2",
    "-mfpmath=sse",
    "-ffp-contract=off",
    "-malign-double",
)
# Without lines: a fault in what a kernel calls here is told at the region, and not in a file that no user has.
OURS = (
    *FLAGS,
    "-g0",
    "-funsigned-char",
    "-std=gnu17",
    "-DOMPLS_EMULATED",
    "-fno-tree-loop-distribute-patterns",
    "-Wall",
    "-Wextra",
    "-Werror",
)
# A core does not read a number from an address that is no multiple of its size; the compiler's checks find it.
KERNEL = (
    *FLAGS,
    "-w",
    "-fopenmp",
    "-foffload=disable",
    "-fsanitize=alignment",
    "-fsanitize-undefined-trap-on-error",
)
# With checks every access is a call that races.c answers; of the run time, volatile words are what others wait for.
CHECKED = (
    *("-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0"),
    *("-mmemset-strategy=libcall:-1:noalign", "-mmemcpy-strategy=libcall:-1:noalign"),  # arithmetic.c tells of them
)
CHECKED_OURS = (*CHECKED, "--param=tsan-distinguish-volatile=1")
UNCHECKED = ("arithmetic.c", "board.c", "races.c")
LINK = ("-m32", "-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none", "-Wl,-z,noexecstack", "-Wl,-T," + str(SCRIPT))

_REAL = "OMPLS_EPIPHANY_HAL"  # the SDK's library, for a real board


def _checked() -> bool:
    """Whether kernels are built for checks; of those that there are, this device does one (`checks`)."""
    chosen = os.environ.get("OMPLS_CHECK", "none").split(",")
    return not {"races", "all", ""}.isdisjoint(chosen)


def _char(job: ImageJob) -> str:
    """`char` is signed in a kernel where it is in the program."""
    return "-funsigned-char" if "__CHAR_UNSIGNED__" in job.tools.predefined(job.cflags) else "-fsigned-char"


def _is_function(kernel: Kernel) -> bool:
    """Whether it is a function of another unit, which kernels call (runtime/functions.py)."""
    return kernel.line == 0


def _refuse_missing(job: ImageJob) -> None:
    """Functions that no unit has for the device: a core has no libraries of the user's.  Raises RuntimeProblem."""
    there = {kernel.name for kernel, _ in job.kernels}
    for kernel, _ in job.kernels:
        for name in kernel.externals:
            if name not in there:
                where = "kernel {} ({}:{})".format(kernel.name, os.path.basename(kernel.file), kernel.line)
                why = "it calls '{}', and no unit that is linked has its body under declare target".format(name)
                raise RuntimeProblem(where, why, "link the file with its body, or put the call out of the region")


def _with_programs(tools: Toolchain, board: bytes, programs: Mapping[str, bytes]) -> Path:
    """The emulated board, or nothing, with the kernels' programs for a real chip behind it (image.c)."""
    data = bytearray(board)
    entries = b""
    for name, program in programs.items():
        data += b"\0" * (-len(data) % 16)
        entries += struct.pack("<256sII", name.encode(), len(data), len(program))
        data += program
    data += entries + struct.pack("<I12s", len(programs), b"ompls-cores")
    whole = tools.scratch / "epiphany.cores"
    whole.write_bytes(data)
    return whole


class Epiphany(Device):
    """Sixteen cores with 32 KiB each, emulated by processes of this machine."""

    image_class = "epiphany"
    kernel_class = "epiphany"
    kind = "accelerator"
    emulated = True
    checks = ("races",)
    tells_resources = True

    def probe(self) -> Availability:
        """The emulated board is there where gcc makes programs of 32 bits for this processor.

        A real one is asked when a program begins (hal.c).
        """
        real = os.environ.get(_REAL)
        if real is not None and os.sep in real and not os.path.isfile(real):
            return Availability(
                False,
                "{}={}: there is no such file".format(_REAL, real),
                "let OMPLS_EPIPHANY_HAL name the SDK's libe-hal.so",
            )
        if real is not None:
            return Availability(True, description="a board, by " + real)
        if HERE.architecture != "x86_64":
            return Availability(False, "the board is emulated on x86-64 only", "use the device `host`")
        if shutil.which("gcc") is None:
            return Availability(False, "gcc is not on PATH", "apt-get install build-essential")
        return Availability(True, description="an emulated board: 16 cores of 32 KiB, in processes of this machine")

    def probe_building(self, machine: Machine) -> Availability:
        """For the emulated board; for a real one with the chip's compiler."""
        if machine.here or machine.architecture == "x86_64":
            return super().probe_building(machine)
        if size.measure().prefix is None:
            return Availability(False, "kernels for a real board need the chip's compiler", "make epiphany-toolchain")
        return Availability(True)

    def build_image(self, job: ImageJob) -> Path:
        """All kernels and the board in one program; behind it, where the chip's compiler is there, theirs for the chip.

        The user's -D and -I are in the kernels already.
        """
        _refuse_missing(job)
        emulated = job.tools.machine.architecture == "x86_64"
        objects = self._objects(job) if emulated else []
        measure = size.measure()
        functions = [path for kernel, path in job.kernels if _is_function(kernel)]
        kernels = [(kernel, path) for kernel, path in job.kernels if not _is_function(kernel)]
        named = [(kernel.name, path) for kernel, path in kernels]
        sizes = measure.of(job.tools, named, (_char(job),), functions)
        for kernel, _ in kernels:
            where = "{}:{}".format(os.path.basename(kernel.file), kernel.line)
            size.refuse_large(kernel.name, where, sizes[kernel.name], measure.prefix is not None)
        programs = {name: taken.program for name, taken in sizes.items() if taken.program}
        if not emulated:
            return _with_programs(job.tools, b"", programs)
        ends = ["-Wl,--defsym=ompls_size_{}={}".format(name, size.CODE + taken.all) for name, taken in sizes.items()]
        ends += ["-Wl,--defsym=ompls_stack_{}={}".format(name, taken.stack) for name, taken in sizes.items()]
        image = job.tools.link((*LINK, *ends), objects, ".board", "linking the image of 'epiphany'")
        return _with_programs(job.tools, image.read_bytes(), programs) if programs else image

    def _objects(self, job: ImageJob) -> List[Path]:
        """Of the emulated board, and of the kernels for it."""
        headers = tuple(sorted(LIBRARY.glob("*.h")))
        checked = _checked()
        compiles: List[Compile] = []
        for name in (*EMULATED, "races.c") if checked else EMULATED:
            seen = checked and name not in UNCHECKED
            ours = (*OURS, "-DOMPLS_CHECKED") if checked else OURS
            ours = (*ours, *CHECKED_OURS) if seen else ours
            compiles.append(Compile(LIBRARY / name, ours, depends=headers))
        flags = (*KERNEL, _char(job), *(CHECKED if checked else ()))
        compiles += [Compile(path, flags, label=kernel.file or path.name) for kernel, path in job.kernels]
        return job.tools.objects(compiles)

    def resources(self, kernels: Mapping[str, bytes], target: str) -> Resources:
        """What of the 32 KiB each kernel takes."""
        if target:
            why, hint = "all its cores are of one model, not '{}'".format(target), "leave out --arch"
            raise RuntimeProblem("cannot tell what kernels need on epiphany", why, hint)
        measure = size.measure()
        rows: List[Tuple[str, ...]] = []
        with Toolchain() as tools:
            named = []
            for path, text in kernels.items():
                file = tools.scratch / Path(path).name
                file.write_bytes(text)
                named.append((file.stem, file))
            sizes = measure.of(tools, named)
        head: Tuple[str, ...] = ("kernel", "of 32 KiB" if measure.prefix else "of 32 KiB by estimate", "KiB left")
        if any(taken.sections for taken in sizes.values()):
            head = (*head, "KiB of ompx_local")
        for name, taken in sizes.items():
            counts = (size.LOCAL - taken.left, max(taken.left, 0), taken.sections)
            rows.append((name, *(format(count / 1024, ".1f") for count in counts[: len(head) - 1])))
        return Resources(measure.target, head, rows)

    def native_sources(self) -> List[Path]:
        """The table, and the run time's allocator and what watches a process."""
        return [*super().native_sources(), *(RUNTIME / "core" / name for name in ("blocks.c", "watched.c"))]

    def native_inputs(self) -> List[Path]:
        """What program and board share."""
        return [LIBRARY / "board.h", self.folder / "epiphany.h"]


DEVICE = Epiphany()
