"""Drives the module `cudasim` through its table (runtime/core/device.h), as the core does, on hand-written kernels."""

from __future__ import annotations

import ctypes
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ompls.devices.cudasim import module as cudasim
from ompls.runtime.toolchain import Compile, Toolchain

RUNTIME = Path(__file__).resolve().parents[2] / "ompls" / "runtime"
KERNELS = Path(__file__).resolve().parent / "kernels"
ENTRY = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(')

P = ctypes.c_void_p

# test_sanitizers.py runs the suite again like this: the module under ASan and UBSan (a report ends the process), the
# image under UBSan (a finding is a trap, hence an error of the launch).  The compilers, which take half as long again
# under ASan, do not inherit it; what loads the module needs ENVIRONMENT.
ENVIRONMENT = dict(os.environ)
SANITIZE = os.environ.get("OMPLS_TEST_SANITIZE") == "1"
MODULE_FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all") if SANITIZE else ()
AGAIN = SANITIZE or os.environ.get("OMPLS_TEST_AGAIN") == "1"  # what is compiled otherwise than for a user
CHECKS: tuple[str, ...] = ()
if SANITIZE:
    os.environ.pop("LD_PRELOAD", None)
    CHECKS = (
        "-fsanitize=undefined",
        "-fno-sanitize=null,vptr,integer-divide-by-zero",
        "-fsanitize-undefined-trap-on-error",
    )
if AGAIN:  # -O2 has had its run: with -O1 g++ takes half the time, and removes less that UBSan would find
    cudasim.FLAGS = (*cudasim.FLAGS, "-O1", *CHECKS)
    cudasim.KERNEL_FLAGS = (*cudasim.KERNEL_FLAGS, "-O1", *CHECKS)


class Error(ctypes.Structure):
    """ompls_error."""

    _fields_ = [
        ("reason", ctypes.c_char * 512),
        ("hint", ctypes.c_char * 256),
        ("fatal", ctypes.c_int),
        ("fault", ctypes.c_int),
        ("fault_address", ctypes.c_uint64),
        ("fault_line", ctypes.c_uint32),
        ("fault_file", ctypes.c_char * 128),
        ("detail", ctypes.c_char_p),
    ]


class Request(ctypes.Structure):
    """ompls_launch_request."""

    _fields_ = [
        ("region_file", ctypes.c_char_p),
        ("region_line", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("id", ctypes.c_char_p),
        ("mode", ctypes.c_uint32),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint32),
        ("nparams", ctypes.c_uint32),
        ("params", ctypes.POINTER(P)),
        ("sizes", ctypes.POINTER(ctypes.c_uint64)),
        ("kinds", ctypes.c_char_p),
    ]


FUNCTIONS = (
    *("probe", "open", "close", "properties", "alloc", "free", "copy_in", "copy_out", "copy_within"),
    *("load", "find_kernel", "find_symbol", "launch", "synchronize"),
)


class Module(ctypes.Structure):
    """ompls_module."""

    _fields_ = [
        ("abi", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("image_class", ctypes.c_char_p),
        *((name, P) for name in FUNCTIONS),
        ("user", P),
    ]


@dataclass
class SimError(Exception):
    """What a function of the module answered."""

    reason: str
    hint: str
    fatal: bool
    fault: int
    address: int
    line: int

    def __str__(self) -> str:
        return self.reason


def u64(value: int) -> ctypes.c_uint64:
    return ctypes.c_uint64(value)


class Device:
    """One opened device with an image."""

    files: Sequence[Path] = ()  # its kernels' sources

    def __init__(self, module: Module, index: int = 0, image: bytes | None = None) -> None:
        self.module = module
        self.pointer = ctypes.pointer(module)
        self.handle = P()
        self.call("open", self.pointer, ctypes.c_int(index), ctypes.byref(self.handle))
        self.loaded = P()
        self.image = image
        if image is not None:
            self.call("load", self.handle, image, u64(len(image)), ctypes.byref(self.loaded))

    def call(self, name: str, *arguments: Any) -> None:
        error = Error()
        function = ctypes.CFUNCTYPE(ctypes.c_int)(getattr(self.module, name))
        function.argtypes = None
        if function(*arguments, ctypes.byref(error)):
            text = [getattr(error, key).decode(errors="replace") for key in ("reason", "hint")]
            raise SimError(*text, bool(error.fatal), error.fault, error.fault_address, error.fault_line)

    def close(self) -> None:
        function = ctypes.CFUNCTYPE(None, P)(self.module.close)
        function(self.handle)

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def alloc(self, size: int) -> int:
        address = ctypes.c_uint64()
        self.call("alloc", self.handle, u64(size), ctypes.byref(address))
        return address.value

    def free(self, address: int) -> None:
        self.call("free", self.handle, u64(address))

    def put(self, address: int, data: Any) -> None:
        self.call("copy_in", self.handle, u64(address), ctypes.byref(data), u64(ctypes.sizeof(data)))

    def get(self, address: int, kind: Any) -> Any:
        result = kind()
        self.call("copy_out", self.handle, ctypes.byref(result), u64(address), u64(ctypes.sizeof(kind)))
        return result

    def array(self, kind: Any, values: Sequence[Any]) -> int:
        """Allocate and fill; the device's address."""
        data = (kind * len(values))(*values)
        address = self.alloc(ctypes.sizeof(data))
        self.put(address, data)
        return address

    def read(self, address: int, kind: Any, count: int) -> list[Any]:
        return list(self.get(address, kind * count))

    def symbol(self, name: str) -> int:
        address = ctypes.c_uint64()
        self.call("find_symbol", self.handle, self.loaded, name.encode(), ctypes.byref(address))
        return address.value

    def kernel(self, name: str) -> P:
        found = P()
        self.call("find_kernel", self.handle, self.loaded, name.encode(), ctypes.byref(found))
        return found

    def launch(self, name: str, grid: Any, block: Any, *params: Any, shared: int = 0) -> None:
        """Run a kernel; Python integers are 8-byte addresses, everything else is a ctypes value."""
        values = [u64(p) if isinstance(p, int) else p for p in params]
        pointers = (P * max(len(values), 1))(*[ctypes.addressof(v) for v in values])
        sizes = (ctypes.c_uint64 * max(len(values), 1))(*[ctypes.sizeof(v) for v in values])

        def three(n: Any) -> Any:
            return (ctypes.c_uint32 * 3)(*(n if isinstance(n, tuple) else (n, 1, 1)))

        text = name.encode()
        request = Request(b"test.c", 1, text, text, 0, three(grid), three(block), shared, len(values), pointers, sizes)
        self.call("launch", self.handle, self.kernel(name), ctypes.byref(request))


def load_module(directory: Path) -> Module:
    """Compile cudasim.c as a shared object and take its table."""
    stub = directory / "stub.c"
    stub.write_text(
        '#include "core/device.h"\nompls_module *registered;\n'
        "void ompls_register_module(ompls_module *m) { registered = m; }\n"
        "#include <stdio.h>\n#include <string.h>\nchar ompls_found[65536];\n"
        "void ompls_report_finding(void *device, const ompls_finding *f) {\n"
        "    size_t used = strlen(ompls_found);\n    (void)device;\n"
        "    snprintf(ompls_found + used, sizeof ompls_found - used, \"%s:%u: %s '%s'+%d: %s; %s [%s]\\n\",\n"
        "        f->file, f->line, f->kind, f->variable, f->address != 0, f->what, f->next, f->check);\n}\n"
    )
    with Toolchain() as tools:
        flags = ("-O2", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I" + str(RUNTIME), *MODULE_FLAGS)
        objects = tools.objects([Compile(source, flags) for source in (*cudasim.DEVICE.native_sources(), stub)])
        library = tools.link(["-shared", "-pthread", *MODULE_FLAGS], objects, ".so", "linking the module")
    loaded = ctypes.CDLL(str(library))
    found.append((ctypes.c_char * 65536).in_dll(loaded, "ompls_found"))
    return ctypes.POINTER(Module).in_dll(loaded, "registered").contents


found: list[Any] = []  # what the checks have reported, as text: one buffer a loaded module


def findings() -> list[str]:
    """What the checks have found since the last call, one line each."""
    text = "".join(buffer.value.decode() for buffer in found)
    for buffer in found:
        buffer.value = b""
    return text.splitlines()


def build(*files: Path, checked: bool = False) -> bytes:
    """The image of kernel files, with every `extern "C" __global__` function in them."""
    with Toolchain() as tools:
        listed = []
        for path in files:  # expanded, since macros define kernels too
            expand = ["g++", "-E", "-P", "-x", "c++", "-I" + str(cudasim.LIBRARY), str(path)]
            listed.append((path, path.name, ENTRY.findall(tools.run(expand, "listing kernels").decode())))
        return cudasim.build_image(tools, listed, checked).read_bytes()


def pages_of(process: int | str) -> set[str]:
    """The inodes of the control pages that a process has mapped."""
    try:
        maps = Path(f"/proc/{process}/maps").read_text().splitlines()
    except OSError:
        return set()
    return {line.split()[4] for line in maps if "ompls-cudasim-control" in line}


def device_of(program: int) -> int:
    """The device process of a program: not its child, but it shares a page with it."""
    shared = pages_of(program)
    for path in Path("/proc").glob("[0-9]*"):
        if path.name != str(program) and pages_of(path.name) & shared:
            return int(path.name)
    raise LookupError(f"no device process of {program}")


def gone(pid: int, seconds: float = 60) -> bool:
    """Whether the process has ended (a zombie has) within that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False
