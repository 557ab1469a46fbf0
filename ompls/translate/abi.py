"""What a unit's translation takes from the machine that its program is for: by the compiler's own predefined macros.

The text that was analysed has the macros of that machine's headers in it, and sizes of its types: another machine's
compiler would take it, and make something else of it.  So the manifest says for which one it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ompls.analysis.source import Macro

# GCC manual, "System-specific Predefined Macros": each is defined for one architecture only.
_ARCHITECTURES = {
    "__x86_64__": "x86_64",
    "__aarch64__": "aarch64",
    "__arm__": "armhf",
    "__i386__": "i386",
    "__riscv": "riscv",
    "__powerpc__": "powerpc",
    "__s390__": "s390",
}
_DATA = ("__BYTE_ORDER__", "__LDBL_MANT_DIG__", "__SIZEOF_LONG__", "__SIZEOF_POINTER__", "__SIZEOF_WCHAR_T__")


def abi_of(predefined: Iterable[Macro]) -> dict[str, Any]:
    """The entry `abi` of a unit: the architecture's name, and the macros that a compiler has to agree with.

    Both are empty when no compiler was asked.
    """
    known = {macro.name: macro.body for macro in predefined if macro.params is None}
    kept = {name: known[name] for name in (*_ARCHITECTURES, *_DATA) if name in known}
    return {"architecture": next((_ARCHITECTURES[m] for m in kept if m in _ARCHITECTURES), ""), "macros": kept}
