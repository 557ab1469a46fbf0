"""What libraries make and a server never asks for: texts of the protocol's classes, OpenSSL, holes in the heap.

And what the system says of memory and processors.

`attrs` gives the methods of every class the whole module as their globals (for `typing.get_type_hints`), in a
dictionary of their own: 5 MB for the 550 classes of `lsprotocol.types`.  And it keeps the source that it writes for
them, for debuggers.
"""

from __future__ import annotations

import ctypes
import linecache
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from types import CodeType, FunctionType, ModuleType
from typing import Any

_OF_MODULE = ("__name__", "__builtins__")
_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1  # M_ARENA_MAX, … of <malloc.h>
_TEXT = 1 << 19  # bytes
_LINE = 200  # bytes, of which a line of /proc has less


@contextmanager
def without_texts() -> Iterator[None]:
    """Classes that `attrs` makes in here share one `__repr__`.  Else it writes and compiles one for
    each, which is a third of the time that the protocol's take."""
    import attrs  # noqa: PLC0415 - workers do without

    original = attrs.define

    def define(cls: Any = None, **options: Any) -> Any:
        if cls is None:
            return partial(define, **options)
        made = original(cls, **{**options, "repr": False})
        made.__repr__ = _shown
        return made

    attrs.define = define  # type: ignore[assignment]
    try:
        yield
    finally:
        attrs.define = original


def _shown(value: Any) -> str:
    """As `attrs` shows it."""
    import attrs  # noqa: PLC0415 - as above

    fields = ", ".join(f"{a.name}={getattr(value, a.name)!r}" for a in attrs.fields(type(value)))
    return f"{type(value).__name__}({fields})"


@contextmanager
def without_openssl() -> Iterator[None]:
    """Imports in here do not load OpenSSL, which is 5 MB: nothing is encrypted on standard input or 127.0.0.1, and
    `hashlib` has functions of its own, unless whoever built the interpreter left them out."""
    hidden = ["ssl"]
    if all(map(find_spec, ("_md5", "_sha1"))) and (find_spec("_sha2") or all(map(find_spec, ("_sha256", "_sha512")))):
        hidden.append("_hashlib")
    hidden = [name for name in hidden if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment] # importing it is an ImportError
    try:
        yield
    finally:
        for name in hidden:
            sys.modules.pop(name, None)


def use_one_heap() -> None:
    """Have glibc use one heap for all threads, of which one runs at a time.  Else each keeps holes for the largest
    texts that it has seen.

    Texts of half a megabyte are no part of it, and are given back at once; glibc would put them there as soon as it has
    seen a few.  At 20,000 lines that costs a tenth of a keystroke and saves 10 MB of holes.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # other C libraries have none
        library.mallopt(_ARENA_MAX, 1)
        library.mallopt(_MMAP_THRESHOLD, _TEXT)
        library.mallopt(_TRIM_THRESHOLD, 2 * _TEXT)  # else what is read is taken from the system at each message


def resident(statm: int) -> int:
    """Bytes of memory that this process has, shared or not.  statm -- its /proc/self/statm, opened (Linux)."""
    return int(os.pread(statm, _LINE, 0).split()[1]) * resource.getpagesize()


def several_processors() -> bool:
    """Whether two of our processes may run at once."""
    try:
        return len(os.sched_getaffinity(0)) > 1
    except AttributeError:  # not Linux
        return (os.cpu_count() or 1) > 1


def waited(process: int) -> float:
    """Seconds that the main thread of a process was ready to run and others had the processor (Linux); 0: not known.

    A wait counts when it is over.
    """
    return _schedule(process)[1]


def used(process: int) -> float:
    """Seconds that it had the processor."""
    return _schedule(process)[0]


def _schedule(process: int) -> tuple[float, float]:
    try:
        with open(f"/proc/{process}/schedstat", "rb") as file:
            had, without = file.read().split()[:2]
            return int(had) / 1e9, int(without) / 1e9
    except OSError:
        return 0.0, 0.0


def is_ready(process: int) -> bool:
    """Whether a process has a processor, or would like to (Linux); False: not known."""
    return _state(process) == b"R"


def is_stopped(process: int) -> bool:
    """Whether a signal has stopped a process, which goes on when somebody says so (Linux); False: not known."""
    return _state(process) == b"T"


def _state(process: int) -> bytes:
    """proc(5), stat."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0]
    except OSError:
        return b""


def give_back() -> None:
    """Give the holes in the heap back to the system: when old versions of a large file were forgotten, they are most of
    what the heap holds."""
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


def forget_sources(module: ModuleType) -> None:
    """Leave the methods of the `attrs` classes in `module` the globals that they name; forget all kept source lines."""
    linecache.clearcache()
    for cls in vars(module).values():
        if isinstance(cls, type) and "__attrs_attrs__" in vars(cls):
            copies = [f for f in vars(cls).values() if isinstance(f, FunctionType) and _is_copy(f, module)]
            named = {name for f in copies for name in _names(f.__code__)}.union(_OF_MODULE)
            for names in {id(f.__globals__): f.__globals__ for f in copies}.values():
                kept = {name: names[name] for name in named if name in names}
                names.clear()  # gives its memory back; taking single names out does not
                names.update(kept)


def _is_copy(f: FunctionType, module: ModuleType) -> bool:
    """Whether the globals of `f` are a copy of the module's; those of methods that all classes share are not."""
    return f.__globals__ is not vars(module) and f.__globals__.get("__name__") == module.__name__


def _names(code: CodeType) -> set[str]:
    """The names that a function looks up, inner functions included."""
    inner = [_names(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)
