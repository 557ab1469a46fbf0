"""NVIDIA's run-time compiler, through ctypes: CUDA C++ text to PTX or cubin, with no GPU and no toolkit.

The library comes from a wheel such as ``nvidia-cuda-nvrtc-cu12`` (the extra ``cuda-preview``), from a CUDA toolkit, or
from the loader's search path, and may be that of CUDA 10.2 or of any later version: what it can do it is asked, not
told.  This is the only file that knows it; standard library only, Python 3.8.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ompls.runtime.errors import ToolMissing

# The newest C++ that a compiler takes; 128-bit integers are there from CUDA 11.5 on.
DIALECTS = (("--std=c++17", "--device-int128"), ("--std=c++17",), ("--std=c++14",))
# Compute capability -> the CUDA versions whose compilers know it, from NVIDIA's release notes; those that are not here
# came with 12.9 or later.
TOOLKITS = {
    20: ("3.0", "8.0"), 21: ("3.1", "8.0"),
    30: ("4.2", "10.2"), 32: ("6.0", "10.2"), 35: ("5.0", "11.8"), 37: ("6.5", "11.8"), 50: ("6.0", "12.9"),
    52: ("6.5", "12.9"), 53: ("7.0", "12.9"), 60: ("8.0", "12.9"), 61: ("8.0", "12.9"), 62: ("8.0", "12.9"),
    70: ("9.0", "12.9"), 72: ("9.2", "12.9"), 75: ("10.0", ""), 80: ("11.0", ""), 86: ("11.1", ""), 87: ("11.4", ""),
    89: ("11.8", ""), 90: ("11.8", ""), 100: ("12.8", ""), 101: ("12.8", "12.9"), 103: ("12.9", ""), 110: ("13.0", ""),
    120: ("12.8", ""), 121: ("12.9", ""),
}  # fmt: skip
_INVALID_OPTION, _NO_BUILTINS = 5, 7  # nvrtcResult
_NOT_FOR_ONE = "failed to load builtins for compute_"  # other failures of that kind are of the installation
LIBRARY = Path(__file__).resolve().parent.parent / "library"  # what kernels include
_HINT = "install the extra with: pip install 'ompls[cuda-preview]', or a CUDA toolkit"


class NvrtcUnavailable(ToolMissing):
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

    ``ptx`` is what a cubin was made of, where that was asked for.  ``unknown``: the compiler does not know ``arch``, or
    one of the options.
    """

    ok: bool
    arch: str
    kind: str
    code: bytes
    log: str
    messages: List[Message] = field(default_factory=list)
    ptx: bytes = b""
    unknown: bool = False


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
    for package in ("nvidia.cuda_nvrtc", "nvidia.cu13"):
        try:
            spec = importlib.util.find_spec(package)
        except ImportError:
            spec = None
        for root in (spec.submodule_search_locations or []) if spec else []:
            yield from sorted((str(p) for p in Path(root).glob("lib/libnvrtc.so.*")), reverse=True)
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home:
            for sub in ("lib64", "lib"):
                yield from sorted((str(p) for p in Path(home, sub).glob("libnvrtc.so*")), reverse=True)
    yield from ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.10.2", "libnvrtc.so")


class _Library:
    """A loaded libnvrtc with its functions typed; one per process."""

    def __init__(self, path: str) -> None:
        self.path = path
        # It opens this one by its bare name, which is found when it is loaded already.
        for beside in sorted(Path(path).parent.glob("libnvrtc-builtins.so*")) if os.sep in path else []:
            with contextlib.suppress(OSError):
                ctypes.CDLL(str(beside))
        self.dll = ctypes.CDLL(path)
        self.lock = threading.Lock()  # programs are independent, but compiling twice at once gains nothing on few cores
        self.dll.nvrtcGetErrorString.restype = ctypes.c_char_p
        self.makes_cubins = hasattr(self.dll, "nvrtcGetCUBIN")  # from CUDA 11.1 on
        self.dialects: Sequence[Sequence[str]] = DIALECTS  # those that it may take, the best first

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


def makes_cubins() -> bool:
    """Whether it makes machine code; before CUDA 11.1 it stops at PTX.  Raises NvrtcUnavailable."""
    return _library().makes_cubins


def known_by(capability: int) -> str:
    """Which CUDA versions know a compute capability, in words."""
    first, last = TOOLKITS.get(capability, ("", ""))
    if not first:
        return "the newest CUDA may know it"
    return "CUDA {} knows it".format("{} to {}".format(first, last) if last else first + " and later")


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
    is a result with ``ok`` false; only a missing compiler raises (NvrtcUnavailable).  A compiler that makes no cubins
    makes PTX: the result's ``kind`` says it.
    ``with_ptx``: keep a cubin's PTX, too.
    """
    library = _library()
    if kind == "cubin" and not library.makes_cubins:
        kind = "ptx"
    number = arch.rsplit("_", 1)[-1]
    target = "--gpu-architecture={}_{}".format("sm" if kind == "cubin" else "compute", number)
    arguments = [target, "--include-path={}".format(LIBRARY), *options]
    if kind == "cubin":
        arguments.append("--ptxas-options=-v")
    with library.lock:
        for tried, dialect in enumerate(library.dialects):
            done = _once(library, text, name, headers or {}, [*dialect, *arguments], arch, kind, with_ptx)
            if not done.unknown:  # what it did not take goes for good
                library.dialects = library.dialects[tried:]
                break
    return done


def _once(  # noqa: PLR0917 -- what one call of the compiler is
    library: _Library,
    text: str,
    name: str,
    headers: Mapping[str, str],
    arguments: Sequence[str],
    arch: str,
    kind: str,
    with_ptx: bool,
) -> Compiled:
    names = (ctypes.c_char_p * max(len(headers), 1))(*[n.encode() for n in headers])
    texts = (ctypes.c_char_p * max(len(headers), 1))(*[t.encode() for t in headers.values()])
    argv = (ctypes.c_char_p * len(arguments))(*[os.fsencode(a) for a in arguments])
    program = ctypes.c_void_p()
    source = (os.fsencode(text), os.fsencode(name), len(headers), texts, names)
    library.check("nvrtcCreateProgram", ctypes.byref(program), *source)
    try:
        status = library.call("nvrtcCompileProgram", program, len(arguments), argv)
        log = _DEPRECATED.sub("", library.text(program, "ProgramLog").decode(errors="replace"))
        code = b"" if status else library.text(program, "CUBIN" if kind == "cubin" else "PTX")
        ptx = library.text(program, "PTX") if with_ptx and not status else b""
    finally:
        library.call("nvrtcDestroyProgram", ctypes.byref(program))
    if status and not log:
        log = library.dll.nvrtcGetErrorString(status).decode()
    unknown = status == _INVALID_OPTION or (status == _NO_BUILTINS and _NOT_FOR_ONE in log)
    return Compiled(status == 0, arch, kind, code, log, messages(log), ptx, unknown)


def messages(log: str) -> List[Message]:
    """What a compiler of CUDA says, by places."""
    return [Message(m["file"], int(m["line"]), m["severity"], m["text"]) for m in _MESSAGE.finditer(log)]


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
