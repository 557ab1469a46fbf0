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
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ompls.devices.epiphany.module.soft import bytes_for_double
from ompls.runtime.cache import cache_directory, not_ours
from ompls.runtime.errors import RuntimeProblem
from ompls.runtime.machine import Machine, path_of
from ompls.runtime.toolchain import Compile, Toolchain

LIBRARY = Path(__file__).resolve().parents[1] / "library"
_BOARD = (LIBRARY / "board.h").read_text(encoding="utf-8")


def _constant(name: str) -> int:
    """As board.h has it."""
    found = re.search(r"\b{}\s*(?:=|\s|\(EPI_EXTERNAL \+)\s*(\w+?)u?(?:\s*<<\s*(\d+))?[,)\s]".format(name), _BOARD)
    if found is None:
        raise RuntimeProblem("board.h", "it has no {}".format(name), "install ompls again")
    return int(found[1], 0) << int(found[2] or 0)


LOCAL, CODE, BLOCK = (_constant(name) for name in ("EPI_LOCAL", "EPI_CODE", "EPI_BLOCK"))
LEAST = _constant("EPI_STACK")  # bytes that a stack needs
DATA = _constant("EPI_EXTERNAL") + _constant("EPI_DATA")
_WORDS = _constant("EPI_WORDS")
_SHARED_WORD = re.compile(r"\b__ompls_g_\w+")  # a pointer to a variable under `declare target`
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
_AT_ONCE = re.compile(r"^/\* variables at once, in bytes: (\d+) \*/$", re.MULTILINE)  # there, too
# The functions of one or two `double` (library/functions.c).
_WITH_DOUBLE = frozenset(
    name.encode()
    for name in re.findall(
        r"^OF_(?:ONE|TWO)\((\w+),", (LIBRARY / "functions.c").read_text(encoding="utf-8"), re.MULTILINE
    )
)
_HERE = ("-m32", "-msse2", "-mfpmath=sse", "-malign-double", "-fno-pie")
_LINK = ("-nostdlib", "-static", "-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,-T," + str(LIBRARY / "ecore.ld"))


class Size(NamedTuple):
    """Bytes in a core's memory: of a kernel with its run time, of its own text alone, of `ompx_local`."""

    all: int
    own: int
    sections: int  # those of constant length
    variables: int  # that its stack holds at once, where they are many
    program: bytes = b""  # the kernel's, for a core; of an estimate there is none

    @property
    def left(self) -> int:
        """For the stack: between what lies there and the run time's own data."""
        return BLOCK - CODE - self.all - self.sections

    @property
    def stack(self) -> int:
        """What it needs at least."""
        return LEAST + self.variables


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

    def of(
        self,
        tools: Toolchain,
        kernels: Sequence[Tuple[str, Path]],
        flags: Sequence[str] = (),
        functions: Sequence[Path] = (),
    ) -> Dict[str, Size]:
        """Of kernels, by name; they are given with the file of each.  Raises BuildFailed.

        flags -- of the compiler, for them
        functions -- files of functions that they call
        """
        if self.prefix is None:
            return self._with(tools, kernels, flags, functions)
        with Toolchain(machine=Machine("epiphany", self.prefix)) as cross:
            return self._with(cross, kernels, flags, functions)

    def _with(
        self,
        tools: Toolchain,
        kernels: Sequence[Tuple[str, Path]],
        flags: Sequence[str],
        functions: Sequence[Path],
    ) -> Dict[str, Size]:
        headers = tuple(sorted(LIBRARY.glob("*.h")))
        begin = ["start.S" if self.prefix else "functions.c"]
        parts = [self._object(tools, LIBRARY / name, (_OURS,), headers) for name in (*begin, "ecore.c", *SHARED)]
        called = [self._object(tools, path, flags) for path in functions]
        own = dict(tools.each(lambda kernel: (kernel[0], self._object(tools, kernel[1], flags)), kernels))
        held = {name: _variables(file) for name, file in kernels}
        words = _shared_words([*(path for _, path in kernels), *functions]) if self.prefix else []

        def link(name: str, variables: int) -> Path:
            places = {"epi_variables": variables, "_ompls_stack_" + name: LEAST + held[name]}  # for image.c
            places.update(("_" + word, DATA + 4 * i) for i, word in enumerate(words))
            return self._link(tools, name, [own[name], *called, *parts], places)

        made = dict(tools.each(lambda kernel: (kernel[0], link(kernel[0], DATA + _WORDS)), kernels))
        if self.prefix is not None:
            made = _apart(made, link)
        longer = 1.0 if self.prefix else LONGER
        return {
            name: Size(
                _local(made[name], longer) + (0 if self.prefix else _for_double(made[name])),
                _local(own[name], longer),
                _sections(file),
                held[name],
                made[name].read_bytes() if self.prefix else b"",
            )
            for name, file in kernels
        }

    def _link(self, tools: Toolchain, name: str, objects: List[Path], places: Mapping[str, int]) -> Path:
        """places -- values of symbols: where variables begin, and those that it shares with other kernels."""
        strict = ("-Wl,--fatal-warnings",) if self.strict else ()
        known = ["-Wl,--defsym={}={:#x}".format(symbol, value) for symbol, value in places.items()]
        if self.prefix is None:
            ends: Tuple[str, ...] = ("-Wl,-e,chip_begin", "-Wl,-u," + name, "-m32", "-no-pie")
        else:
            libraries = ("-Wl,--start-group", "-lm", "-lc", "-lgcc", "-Wl,--end-group")
            ends = ("-Wl,-e,__start", "-Wl,-u,_" + name, *libraries)
        return tools.link((*_LINK, *strict, *known, *ends), objects, ".core", "linking kernel " + name)

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
            return tools.object(Compile(path, (*flags, "-DSTACK={:#x}".format(BLOCK - 16)), depends=depends))
        gcc = tools.machine.tool("gcc")
        proper = tools.run([gcc, "-print-prog-name=cc1"], gcc).decode().strip()

        def make(made: Path) -> None:
            text = made.with_suffix(".s")
            what = "compiling {} for the chip".format(path.name)
            tools.run([proper, "-quiet", *flags, _FENCE, "-std=gnu17", "-fopenmp", str(path), "-o", str(text)], what)
            tools.run([gcc, "-c", str(text), "-o", str(made)], what)

        content = [tools.version("gcc").encode(), os.fsencode("\0".join((*flags, _FENCE))), path.read_bytes()]
        return tools.cached(content, ".o", make)


def _shared_words(files: Sequence[Path]) -> List[str]:
    """Variables of four bytes that have one place for all kernels.  Raises RuntimeProblem."""
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
    words = sorted({"ompls_image_device_number", *(word for text in texts for word in _SHARED_WORD.findall(text))})
    if 4 * len(words) > _WORDS:
        why = "{} variables under declare target; {} are possible".format(len(words), _WORDS // 4)
        raise RuntimeProblem("the image of 'epiphany'", why, "make structures of them")
    return words


def _apart(made: Mapping[str, Path], link: Callable[[str, int], Path]) -> Dict[str, Path]:
    """The programs, those with static variables linked again so that each has its own place for them."""
    placed, first = {}, DATA + _WORDS
    at = first
    for name, program in made.items():
        taken = _end(program) - first
        placed[name] = link(name, at) if taken > 0 and at != first else program
        at += (max(taken, 0) + 15) // 16 * 16
    return placed


def measure() -> Measure:
    """With the chip's own tools, or by estimate."""
    built = cache_directory() / "epiphany-elf"
    compiler = built / "bin/epiphany-elf-gcc"
    kept = (built / "ready").exists() and not_ours(compiler) is None
    found = path_of("epiphany-elf-gcc") or (str(compiler) if kept else "")
    return Measure(found[: -len("gcc")] or None)


def refuse_large(name: str, where: str, size: Size, exact: bool) -> None:
    """Raises RuntimeProblem for a kernel that leaves no room for a stack."""
    if size.left >= size.stack:
        return
    estimate = "" if exact else " (an estimate)"
    near = ", {} of ompx_local".format(size.sections) if size.sections else ""
    held = ", and {} for the variables that it holds at once".format(size.variables) if size.variables else ""
    why = "{} bytes of it{} and {} of the run time{} leave {} of the core's {} for a stack, which needs {}{}".format(
        size.own, near, size.all - size.own, estimate, max(size.left, 0), LOCAL, LEAST, held
    )
    next_step = "make several regions of it" + (", or map large arrays" if size.variables else "")
    raise RuntimeProblem("kernel {} ({}) does not fit an Epiphany core".format(name, where), why, next_step)


def _sections(kernel: Path) -> int:
    """Bytes of what the kernel has `ompx_local`, which its text says; of what has no constant length none."""
    said = _NEAR.search(kernel.read_text(encoding="utf-8", errors="replace"))
    return sum(int(n) for n in re.findall(r" (\d+)(?:,|$)", said[1])) if said else 0


def _variables(kernel: Path) -> int:
    """Bytes of its arrays and structures that are there at once, where the translator has said that they are many."""
    said = _AT_ONCE.search(kernel.read_text(encoding="utf-8", errors="replace"))
    return int(said[1]) if said else 0


def _sections_of(path: Path) -> Iterator[Tuple[int, ...]]:
    """(name, type, flags, address, offset, length, …) of each section of a file, as ELF has them."""
    data = path.read_bytes()
    table = struct.unpack_from("<I", data, 32)[0]
    size, number = struct.unpack_from("<HH", data, 46)
    for at in range(table, table + size * number, size):
        yield struct.unpack_from("<10I", data, at)


def _end(path: Path) -> int:
    """Where a program's variables end; 0: it has none."""
    return max(
        (
            address + length
            for _, _, flags, address, _, length, *_ in _sections_of(path)
            if flags & _LOADED and address >= DATA
        ),
        default=0,
    )


_WRITABLE, _LOADED, _EXECUTED = 1, 2, 4
_NAMES = 3  # SHT_STRTAB


def _local(path: Path, longer: float) -> int:
    """Bytes in the sections of an object or program that lie in a core's memory, in an object all but variables.

    longer -- how much longer the code is on a core
    """
    relocatable, total = struct.unpack_from("<H", path.read_bytes(), 16)[0] == 1, 0.0
    for _, _, flags, address, _, length, *_ in _sections_of(path):
        if flags & _LOADED and address < LOCAL and not (relocatable and flags & _WRITABLE):
            total += length * longer if flags & _EXECUTED else length
    return int(total)


def _for_double(path: Path) -> int:
    """Bytes of the chip's library for `double` that a program needs which this machine's gcc has made."""
    data, code, names = path.read_bytes(), b"", b""
    for _, kind, flags, _, offset, length, *_ in _sections_of(path):
        part = data[offset : offset + length]
        code += part if flags & _EXECUTED else b""
        names += part if kind == _NAMES and not flags & _LOADED else b""
    return bytes_for_double(code, not _WITH_DOUBLE.isdisjoint(names.split(b"\0")))
