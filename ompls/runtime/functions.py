"""Kernels that call device functions of other translation units, at the link step.

C has separate files, which the linker joins.  CUDA modules are linked as texts: what a kernel calls stands in front of
it, each function in a namespace of its own.  What the texts share (the pointers to `declare target` variables, locks)
is declared once, as `void *`, and a macro gives it the type that the text around has for it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from .bundle import Bundle, Function, Kernel
from .devices import Device
from .errors import BundleError

_GLOBAL = re.compile(r"^[ \t]*__attribute__\(\(weak\)\) __device__ (.*?\b(__ompls_g_\w+)\b.*);$", re.M)
_LOCK = re.compile(r"^[ \t]*static __device__ int (ompls_lock\w*);\n", re.M)
_INCLUDE = '#include "ompls_device.cuh"\n'
_COMPLEX = '#include "ompls_complex.cuh"\n'


def with_functions(
    scratch: Path, bundle: Bundle, kernels: Sequence[Tuple[Kernel, Path]], device: Device
) -> List[Tuple[Kernel, Path]]:
    """The kernels, with what they call in other units.  Raises BundleError when no unit has it."""
    known: Dict[str, Function] = {}
    for unit in bundle.units:
        for f in unit.functions:
            if f.name not in known or not known[f.name].files:
                known[f.name] = f
    out: List[Tuple[Kernel, Path]] = []
    separate: Dict[str, Tuple[Kernel, Path]] = {}
    for kernel, path in kernels:
        called = _called(kernel, known, device)
        if called and device.joins_functions:
            text = composed(_text(path), called, device.kernel_class)
            joined = scratch / "linked" / path.name
            joined.parent.mkdir(parents=True, exist_ok=True)
            joined.write_text(text, encoding="utf-8", errors="surrogateescape")
            out.append((kernel, joined))
        else:
            out.append((kernel, path))
        for f in called if not device.joins_functions else ():
            source = Kernel(f.name, f.files[device.kernel_class].name, 0, "spmd", (), {}, ())
            separate[f.name] = (source, f.files[device.kernel_class])
    return out + list(separate.values())


def _called(kernel: Kernel, known: Dict[str, Function], device: Device) -> List[Function]:
    """The functions of other units that a kernel calls, also through others; each after those that it calls."""
    done: Dict[str, Function] = {}
    path: List[str] = []

    def visit(name: str, caller: str) -> None:
        f = known.get(name)
        if f is None or device.kernel_class not in f.files:
            if not device.joins_functions:
                return  # the host may have it in a library
            why = f.reason if f is not None and f.reason else "no unit that is linked has its body under declare target"
            raise BundleError("{}:{}".format(kernel.file, kernel.line), "'{}' calls '{}': {}".format(caller, name, why),
                              "link the file with its body, or put the call out of the region")  # fmt: skip
        if name in done:
            return
        if name in path:
            if device.joins_functions:
                why = "functions of several files call each other in a circle: {}".format(" -> ".join([*path, name]))
                raise BundleError("{}:{}".format(kernel.file, kernel.line), why, "put them into one file")
            return
        path.append(name)
        for other in f.externals:
            visit(other, name)
        path.pop()
        done[name] = f

    for name in kernel.externals:
        visit(name, kernel.name)
    return list(done.values())


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="surrogateescape")


def composed(kernel: str, functions: Sequence[Function], kernel_class: str) -> str:
    """The text of a CUDA kernel file with the functions in front of it."""
    texts = [_text(f.files[kernel_class]) for f in functions] + [kernel]
    symbols = {m.group(2): None for text in texts for m in _GLOBAL.finditer(text)}
    locks = {m.group(1): None for text in texts for m in _LOCK.finditer(text)}
    texts = [_LOCK.sub("", _GLOBAL.sub(_typed, text)).replace(_COMPLEX, "") for text in texts]
    shared = "".join("static __device__ int {};\n".format(name) for name in locks)
    if symbols:
        shared += 'extern "C" {\n'
        shared += "".join("__attribute__((weak)) __device__ void *{};\n".format(name) for name in symbols)
        shared += "}\n" + "".join("#define {0} ((ompls_type_of{0}){0})\n".format(name) for name in symbols)
    before, _, after = texts.pop().partition(_INCLUDE)
    if any(f.parallel for f in functions) and not re.search(r"^#define OMPLS_(?:GENERIC|NESTED)\b", before, re.M):
        before += "#define OMPLS_NESTED  // a function of another unit has parallel regions\n"
    complex_numbers = _COMPLEX if any("ompls_complex<" in text for text in (*texts, after)) else ""
    return before + _INCLUDE + complex_numbers + shared + "".join(texts) + after


def _typed(m: "re.Match[str]") -> str:
    """The declaration of the pointer to a variable as that of its type, under the name that the macro uses."""
    return "typedef {};".format(re.sub(r"\b{}\b".format(m.group(2)), "ompls_type_of" + m.group(2), m.group(1)))
