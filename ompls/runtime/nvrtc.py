"""NVIDIA's run-time compiler, through ctypes: CUDA C++ text to PTX or cubin, with no GPU and no toolkit.

The library comes from the wheel ``nvidia-cuda-nvrtc-cu12`` (the extra ``cuda-preview``), from a CUDA toolkit, or from
the loader's search path.  This is the only file that knows it; standard library only, Python 3.8.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .errors import RuntimeProblem

DEVICE_LIB = Path(__file__).resolve().parent / "device_lib" / "cuda"
_HINT = "install the extra with: pip install 'ompls[cuda-preview]', or a CUDA toolkit"


class NvrtcUnavailable(RuntimeProblem):
    """There is no usable libnvrtc.  ``reason`` says what was tried, ``hint`` the next step."""

    def __init__(self, reason: str, hint: str = _HINT) -> None:
        super().__init__("nvrtc is not available", reason, hint)
        self.reason = reason


@dataclass(frozen=True)
class Message:
    """One message of the compiler.  ``file`` and ``line`` (1-based) are the user's where the text has ``#line``."""

    file: str
    line: int
    severity: str
    text: str


@dataclass(frozen=True)
class Compiled:
    """The result of :func:`compile`.  ``code`` is empty when ``ok`` is false; ``log`` is the compiler's own words.

    ``ptx`` is what a cubin was made of, where that was asked for.
    """

    ok: bool
    arch: str
    kind: str
    code: bytes
    log: str
    messages: List[Message] = field(default_factory=list)
    ptx: bytes = b""


@dataclass(frozen=True)
class Resources:
    """What ptxas says a kernel needs: registers a thread; bytes of shared memory, stack frame, spills and constants."""

    registers: int
    shared: int = 0
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    constant: int = 0
    barriers: int = 0


def _candidates() -> Iterator[str]:
    """Where a libnvrtc may be, the best first."""
    override = os.environ.get("OMPLS_NVRTC")
    if override:
        yield override
        return
    try:
        spec = importlib.util.find_spec("nvidia.cuda_nvrtc")
    except ImportError:
        spec = None
    for root in (spec.submodule_search_locations or []) if spec else []:
        yield from sorted((str(p) for p in Path(root).glob("lib/libnvrtc.so.*")), reverse=True)
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home:
            for sub in ("lib64", "lib"):
                yield from sorted((str(p) for p in Path(home, sub).glob("libnvrtc.so*")), reverse=True)
    yield from ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so")


class _Library:
    """A loaded libnvrtc with its functions typed; one per process."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.dll = ctypes.CDLL(path)
        self.lock = threading.Lock()  # programs are independent, but compiling twice at once gains nothing on few cores
        self.dll.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(self, name: str, *arguments: Any) -> int:
        """Call ``name``; returns nvrtcResult (0 is success)."""
        return int(getattr(self.dll, name)(*arguments))

    def check(self, name: str, *arguments: Any) -> None:
        """Call ``name`` and raise RuntimeError on failure: only for calls that our own mistakes can make fail."""
        status = self.call(name, *arguments)
        if status:
            raise RuntimeError("{} failed: {}".format(name, self.dll.nvrtcGetErrorString(status).decode()))

    def text(self, program: ctypes.c_void_p, what: str) -> bytes:
        """The bytes of the program's ``what``: "ProgramLog", "PTX" or "CUBIN"."""
        size = ctypes.c_size_t()
        self.check("nvrtcGet{}Size".format(what), program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.check("nvrtcGet{}".format(what), program, buffer)
        return buffer.raw if what == "CUBIN" else buffer.value


@functools.lru_cache(maxsize=1)  # a failure is not kept: the next call looks again
def _library() -> _Library:
    tried = []
    for path in _candidates():
        try:
            return _Library(path)
        except (OSError, AttributeError) as error:
            tried.append("{} ({})".format(path, error) if os.sep in path else path)
    raise NvrtcUnavailable("no libnvrtc among {}".format(", ".join(tried)))


def available() -> Optional[str]:
    """The library's path, or None when there is none."""
    try:
        return _library().path
    except NvrtcUnavailable:
        return None


def version() -> Tuple[int, int]:
    """The compiler's version, e.g. (12, 9).  Raises NvrtcUnavailable."""
    library = _library()
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.check("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def architectures() -> List[int]:
    """The compute capabilities (MAJOR * 10 + MINOR) it compiles for, ascending; empty: it cannot tell (before 11.2).

    Raises NvrtcUnavailable.
    """
    library = _library()
    count = ctypes.c_int()
    try:
        library.check("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        numbers = (ctypes.c_int * max(count.value, 1))()
        library.check("nvrtcGetSupportedArchs", numbers)
    except AttributeError:
        return []
    return sorted(numbers[: count.value])


# Said of every Jetson's architecture and about nothing in the text.
_DEPRECATED = re.compile(r"^nvrtc: warning: Architectures prior to .*\n", re.MULTILINE)
_MESSAGE = re.compile(
    r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d+)\): (?P<severity>(?:catastrophic )?error|warning|remark)"
    r"(?: #\S+)?: (?P<text>.*)$",
    re.MULTILINE,
)


def compile(  # noqa: PLR0917 -- all but the text have defaults
    text: str,
    arch: str = "sm_53",
    headers: Optional[Mapping[str, str]] = None,
    name: str = "kernel.cu",
    kind: str = "cubin",
    options: Sequence[str] = (),
    with_ptx: bool = False,
) -> Compiled:
    """Compile CUDA C++ ``text`` for ``arch`` ("sm_53", "sm_90", …) to ``kind`` "ptx" or "cubin".

    ``headers`` are includable texts by name; the device library is always on the include path.  A program with errors
    is a result with ``ok`` false; only a missing compiler raises (NvrtcUnavailable).
    ``with_ptx``: keep a cubin's PTX, too.
    """
    library = _library()
    number = arch.rsplit("_", 1)[-1]
    target = "--gpu-architecture={}_{}".format("sm" if kind == "cubin" else "compute", number)
    arguments = [target, "--std=c++17", "--device-int128", "--include-path={}".format(DEVICE_LIB), *options]
    if kind == "cubin":
        arguments.append("--ptxas-options=-v")
    extra = dict(headers or {})
    names = (ctypes.c_char_p * max(len(extra), 1))(*[n.encode() for n in extra])
    texts = (ctypes.c_char_p * max(len(extra), 1))(*[t.encode() for t in extra.values()])
    argv = (ctypes.c_char_p * len(arguments))(*[os.fsencode(a) for a in arguments])
    program = ctypes.c_void_p()
    with library.lock:
        library.check(
            "nvrtcCreateProgram", ctypes.byref(program), os.fsencode(text), os.fsencode(name), len(extra), texts, names
        )
        try:
            status = library.call("nvrtcCompileProgram", program, len(arguments), argv)
            log = _DEPRECATED.sub("", library.text(program, "ProgramLog").decode(errors="replace"))
            code = b"" if status else library.text(program, "CUBIN" if kind == "cubin" else "PTX")
            ptx = library.text(program, "PTX") if with_ptx and not status else b""
        finally:
            library.call("nvrtcDestroyProgram", ctypes.byref(program))
    if status and not log:
        log = library.dll.nvrtcGetErrorString(status).decode()
    messages = [Message(m["file"], int(m["line"]), m["severity"], m["text"]) for m in _MESSAGE.finditer(log)]
    return Compiled(status == 0, arch, kind, code, log, messages, ptx)


_ENTRY = re.compile(r"Compiling entry function '(?P<name>[^']+)'")
_NUMBERS = (
    ("registers", re.compile(r"Used (\d+) registers")),
    ("shared", re.compile(r"(\d+) bytes smem")),
    ("barriers", re.compile(r"used (\d+) barriers")),
    ("stack", re.compile(r"(\d+) bytes stack frame")),
    ("spill_stores", re.compile(r"(\d+) bytes spill stores")),
    ("spill_loads", re.compile(r"(\d+) bytes spill loads")),
    ("constant", re.compile(r"(\d+) bytes cmem\[0\]")),
)


def resources(compiled: Compiled) -> Dict[str, Resources]:
    """Registers, shared memory and spills by kernel, from the log of a cubin compilation."""
    found: Dict[str, Resources] = {}
    starts = list(_ENTRY.finditer(compiled.log))
    for index, start in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(compiled.log)
        part = compiled.log[start.end() : end]
        values = {key: int(match.group(1)) for key, pattern in _NUMBERS for match in [pattern.search(part)] if match}
        values.setdefault("registers", 0)
        found[start["name"]] = Resources(**values)
    return found
