"""The device `tiny`: kernels with the loop of `../library/tiny.c` are a program of 32 bits, which a process runs."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import threading
from pathlib import Path

from ompls.runtime.devices import Availability, Device, ImageJob
from ompls.runtime.errors import BuildFailed
from ompls.runtime.toolchain import Compile

LIBRARY = Path(__file__).resolve().parents[1] / "library"
SIZE = 32 * 1024  # bytes of a core
MEMORY = 20 * 1024  # of these, for what is mapped
READ, WRITE, LAUNCH = 1, 2, 3
ADDRESS = 0  # OMPLS_PASS_ADDRESS
FLAGS = (
    "-m32", "-O1", "-ffreestanding", "-fno-pie", "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-w",
    "-ffp-contract=off", "-mfpmath=sse", "-msse2", "-fopenmp", "-foffload=disable", f"-DTINY_MEMORY={MEMORY}",
    f"-I{LIBRARY}",
)  # fmt: skip
LINK = ("-m32", "-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none", "-Wl,-z,noseparate-code")


class TinyError(Exception):
    def __init__(self, reason: str, hint: str, fatal: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.hint, self.fatal = reason, hint, int(fatal)


def symbols(image: bytes) -> dict[str, int]:
    """The addresses of a 32-bit ELF file's symbols (System V ABI, chapter 4)."""
    (offset,) = struct.unpack_from("<I", image, 32)
    size, count = struct.unpack_from("<HH", image, 46)
    sections = [struct.unpack_from("<10I", image, offset + k * size) for k in range(count)]
    found = {}
    for section in sections:
        if section[1] != 2:  # SHT_SYMTAB
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 16):
            name, value = struct.unpack_from("<II", image, at)
            start = names + name
            found[image[start : image.index(b"\0", start)].decode()] = value
    return found


def footprint(image: bytes) -> int:
    """The bytes of memory that it takes when it runs."""
    (offset,) = struct.unpack_from("<I", image, 28)
    size, count = struct.unpack_from("<HH", image, 42)
    headers = [struct.unpack_from("<8I", image, offset + k * size) for k in range(count)]
    return sum(header[5] for header in headers if header[0] == 1)  # PT_LOAD


class OpenCore:
    """A core: a process that answers requests.  Where memory is free is known here."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._core: subprocess.Popen[bytes] | None = None
        self._symbols: dict[str, int] = {}
        self._taken: dict[int, int] = {}  # address -> end

    def properties(self) -> dict[str, object]:
        return {"name": "32 KiB", "max_threads": 1, "max_teams": 1, "default_threads": 1, "pointer_bytes": 4}

    def _ask(self, what: int, at: int, size: int = 0, count: int = 0, *, data: bytes = b"", answer: int = 4) -> bytes:
        core = self._core
        if core is None or core.stdin is None or core.stdout is None:
            raise TinyError("the core has no program yet", "report it")
        with self._lock:
            try:
                core.stdin.write(struct.pack("<IIII", what, at, size, count) + data)
                core.stdin.flush()
                got = core.stdout.read(answer)
            except OSError:
                got = b""
        if len(got) != answer:
            raise TinyError("the core has stopped", "look at what its kernel does with its memory", fatal=True)
        return got

    def load(self, image: memoryview) -> dict[str, int]:
        file = os.memfd_create("tiny")
        os.write(file, image)
        program = f"/proc/{os.getpid()}/fd/{file}"
        self._core = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})
        os.close(file)
        self._symbols = symbols(bytes(image))
        return self._symbols

    def find_kernel(self, loaded: dict[str, int], name: str) -> int:
        return loaded[name]

    def find_symbol(self, loaded: dict[str, int], name: str) -> int:
        return loaded[name]

    def alloc(self, size: int) -> int:
        start = at = self._symbols["tiny_memory"]
        wanted = (max(size, 1) + 15) // 16 * 16
        with self._lock:
            for taken, end in sorted(self._taken.items()):
                if at + wanted <= taken:
                    break
                at = end
            if at + wanted > start + MEMORY:
                raise TinyError(f"no room for {size} bytes in {MEMORY}", "map less at a time")
            self._taken[at] = at + wanted
        return at

    def free(self, address: int) -> None:
        with self._lock:
            del self._taken[address]

    def copy_in(self, to: int, data: memoryview) -> None:
        self._ask(WRITE, to, len(data), data=bytes(data))

    def copy_out(self, into: memoryview, address: int) -> None:
        into[:] = self._ask(READ, address, len(into), answer=len(into))

    def copy_within(self, to: int, address: int, size: int) -> None:
        self._ask(WRITE, to, size, data=self._ask(READ, address, size, answer=size))

    def attach(self, at: int, target: int) -> None:
        self._ask(WRITE, at, 4, data=struct.pack("<I", target))

    def launch(
        self, kernel: int, _name: str, _where: tuple[str, int], _mode: int, grid: tuple[int, ...],
        block: tuple[int, ...], _shared: int, params: tuple[bytes, ...], kinds: bytes, _id: str,
    ) -> None:  # fmt: skip
        values = [value[:4] if kind == ADDRESS else value for value, kind in zip(params, kinds)]  # noqa: B905 - since Python 3.10
        sizes = struct.pack(f"<{len(values)}I", *map(len, values))
        self._ask(LAUNCH, kernel, count=len(values), data=sizes + b"".join(values))

    def synchronize(self) -> None:
        return None

    def close(self) -> None:
        if self._core is not None:
            self._core.communicate()


class Cores:
    name = "tiny"
    image_class = "tiny"

    def probe(self, wanted: int) -> int:
        return wanted or 1

    def open(self, index: int) -> OpenCore:
        return OpenCore()


class Tiny(Device):
    image_class = "tiny"
    kernel_class = "tiny"
    python_module = Cores

    def probe(self) -> Availability:
        if shutil.which("gcc") is None:
            return Availability(False, "gcc is not on PATH", "install it")
        return Availability(True, description="one core, in a process of 32 bits")

    def build_image(self, job: ImageJob) -> Path:
        headers = tuple(sorted(LIBRARY.glob("*.h")))
        compiles: list[Compile] = [Compile(LIBRARY / "tiny.c", FLAGS, depends=headers)]
        compiles += [Compile(path, FLAGS, depends=headers, label=path.name) for _, path in job.kernels]
        image = job.tools.link(LINK, job.tools.objects(compiles), ".tiny", "linking the image of 'tiny'")
        taken = footprint(image.read_bytes())
        if taken > SIZE:
            reason = f"code, data and stack take {taken} bytes, a core has {SIZE}\n"
            raise BuildFailed("linking the image of 'tiny'", reason, 1)
        return image


DEVICE = Tiny()
