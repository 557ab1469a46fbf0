"""How much of a core's 32 KiB a kernel takes with the parts of the run time that it needs.

GCC's target epiphany tells it, where `make epiphany-toolchain` has built one or `epiphany-elf-gcc` is on PATH; without
it, what this machine's gcc makes of the same text for 32 bits is an estimate.
"""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, NamedTuple, Optional, Sequence, Tuple

from ompls.runtime.cache import cache_directory
from ompls.runtime.errors import RuntimeProblem
from ompls.runtime.machine import Machine, path_of
from ompls.runtime.toolchain import Compile, Toolchain

LIBRARY = Path(__file__).resolve().parents[1] / "library"
LOCAL, CODE, BLOCK = 32 << 10, 0x100, 0x7B80  # as board.h has them
LEAST = 2048  # bytes that a stack needs
LONGER = 1.5  # code of the chip's compiler to code of this machine's, of the same text (tests/epiphany/programs)
# The parts of the run time that the emulated board and a real core share.
SHARED = (
    *("arithmetic.c", "cancel.c", "external.c", "locks.c", "loops.c", "ordered.c", "queries.c", "reductions.c"),
    *("shared.c", "taskloop.c", "tasks.c", "team.c"),
)
_FLAGS = (
    *("-Os", "-ffreestanding", "-ffunction-sections", "-fdata-sections", "-fno-asynchronous-unwind-tables"),
    *("-fno-stack-protector", "-fno-tree-loop-distribute-patterns", "-ffp-contract=off"),
)
_OURS = "-funsigned-char"
# Writes of the kernel have arrived (target/__init__.py): gcc makes nothing of it for the chip.
_FENCE = "-D__sync_synchronize()=({extern void chip_fence(void);chip_fence();})"
_NEAR = re.compile(r"^/\* ompx_local, in bytes:(.*) \*/$", re.MULTILINE)  # translate/transformations/default.py
_HERE = ("-m32", "-msse2", "-mfpmath=sse", "-malign-double", "-fno-pie")
_LINK = ("-nostdlib", "-static", "-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,-T," + str(LIBRARY / "ecore.ld"))


class Size(NamedTuple):
    """Bytes in a core's memory: of a kernel with its run time, of its own text alone, of `ompx_local`."""

    all: int
    own: int
    sections: int  # those of constant length
    program: bytes = b""  # the kernel's, for a core; of an estimate there is none

    @property
    def left(self) -> int:
        """For the stack: between what lies there and the run time's own data."""
        return BLOCK - CODE - self.all - self.sections


@dataclass(frozen=True)
class Measure:
    """How sizes are found.

    prefix -- of the chip's own tools; None: they are estimated
    strict -- what a compiler or the linker warns of is an error
    """

    prefix: Optional[str]
    strict: bool = False

    @property
    def target(self) -> str:
        return "an Epiphany core" + (
            "" if self.prefix else " (estimates by this machine's gcc: make epiphany-toolchain)"
        )

    def of(self, tools: Toolchain, kernels: Sequence[Tuple[str, Path]], flags: Sequence[str] = ()) -> Dict[str, Size]:
        """Of kernels, by name; they are given with the file of each.  Raises BuildFailed.

        flags -- of the compiler, for them
        """
        if self.prefix is None:
            return self._with(tools, kernels, flags)
        with Toolchain(machine=Machine("epiphany", self.prefix)) as cross:
            return self._with(cross, kernels, flags)

    def _with(
        self, tools: Toolchain, kernels: Sequence[Tuple[str, Path]], of_kernels: Sequence[str]
    ) -> Dict[str, Size]:
        headers = tuple(sorted(LIBRARY.glob("*.h")))
        begin = ["start.S" if self.prefix else "functions.c"]
        parts = [self._object(tools, LIBRARY / name, (_OURS,), headers) for name in (*begin, "ecore.c", *SHARED)]

        def size(kernel: Tuple[str, Path]) -> Tuple[str, Size]:
            name, file = kernel
            chip = self.prefix is not None
            roots = ("-Wl,-e,__start", "-Wl,-u,_" + name) if chip else ("-Wl,-e,chip_begin", "-Wl,-u," + name)
            strict = ("-Wl,--fatal-warnings",) if self.strict else ()
            libraries = ("-Wl,--start-group", "-lm", "-lc", "-lgcc", "-Wl,--end-group") if chip else ("-m32", "-no-pie")
            own = self._object(tools, file, of_kernels)
            whole = tools.link((*_LINK, *strict, *roots, *libraries), [own, *parts], ".core", "linking kernel " + name)
            all_, alone = (_local(path, 1.0 if chip else LONGER) for path in (whole, own))
            return name, Size(all_, alone, _sections(file), whole.read_bytes() if chip else b"")

        return dict(tools.each(size, kernels))

    def _object(
        self, tools: Toolchain, path: Path, more: Sequence[str], depends: Optional[Tuple[Path, ...]] = None
    ) -> Path:
        """For a chip, gcc's driver would ask for threads with -fopenmp: the compiler proper does not."""
        openmp = () if depends is not None else ("-fopenmp", "-foffload=disable", _FENCE)
        # A program may call what <omp.h> does not declare yet.
        strict = (
            ("-Werror", "-Wno-implicit-function-declaration") if depends is None else ("-Wall", "-Wextra", "-Werror")
        )
        flags = (*_FLAGS, *more, *(strict if self.strict else ("-w",)))
        if self.prefix is None:
            return tools.object(Compile(path, (*_HERE, *flags, "-std=gnu17", *openmp), depends=depends))
        if depends is not None:
            return tools.object(Compile(path, flags, depends=depends))
        gcc = tools.machine.tool("gcc")
        proper = tools.run([gcc, "-print-prog-name=cc1"], gcc).decode().strip()

        def make(made: Path) -> None:
            text = made.with_suffix(".s")
            what = "compiling {} for the chip".format(path.name)
            tools.run([proper, "-quiet", *flags, _FENCE, "-std=gnu17", "-fopenmp", str(path), "-o", str(text)], what)
            tools.run([gcc, "-c", str(text), "-o", str(made)], what)

        content = [tools.version("gcc").encode(), os.fsencode("\0".join((*flags, _FENCE))), path.read_bytes()]
        return tools.cached(content, ".o", make)


def measure() -> Measure:
    """With the chip's own tools, or by estimate."""
    built = cache_directory() / "epiphany-elf"
    found = path_of("epiphany-elf-gcc") or (str(built / "bin/epiphany-elf-gcc") if (built / "ready").exists() else "")
    return Measure(found[: -len("gcc")] or None)


def refuse_large(name: str, where: str, size: Size, exact: bool) -> None:
    """Raises RuntimeProblem for a kernel that leaves no room for a stack."""
    if size.left >= LEAST:
        return
    estimate, near = (
        "" if exact else " (an estimate)",
        ", {} of ompx_local".format(size.sections) if size.sections else "",
    )
    why = "{} bytes of it{} and {} of the run time{} leave {} of the core's {} for a stack, which needs {}".format(
        size.own, near, size.all - size.own, estimate, max(size.left, 0), LOCAL, LEAST
    )
    raise RuntimeProblem(
        "kernel {} ({}) does not fit an Epiphany core".format(name, where), why, "make several regions of it"
    )


def _sections(kernel: Path) -> int:
    """Bytes of what the kernel has `ompx_local`, which its text says; of what has no constant length none."""
    said = _NEAR.search(kernel.read_text(encoding="utf-8", errors="replace"))
    return sum(int(n) for n in re.findall(r" (\d+)(?:,|$)", said[1])) if said else 0


def _local(path: Path, longer: float) -> int:
    """Bytes in the sections of an object or program that lie in a core's memory, in an object all but variables.

    longer -- how much longer the code is on a core
    """
    data = path.read_bytes()
    kind, table = struct.unpack_from("<H", data, 16)[0], struct.unpack_from("<I", data, 32)[0]
    size, number = struct.unpack_from("<HH", data, 46)
    relocatable, writable, loaded, executed, total = 1, 1, 2, 4, 0.0
    for at in range(table, table + size * number, size):
        _, _, flags, address, _, length = struct.unpack_from("<6I", data, at)
        if flags & loaded and address < LOCAL and not (kind == relocatable and flags & writable):
            total += length * longer if flags & executed else length
    return int(total)
