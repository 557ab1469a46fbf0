"""What the table of known functions (known.py) says about where functions run and how threads come out of them."""

from __future__ import annotations

from ompls.analysis.spec.known import KNOWN

# What device code may call without a `declare target`: nvcc's device library or the LLVM GPU libc provides it.
DEVICE_FUNCTIONS = frozenset(name for name, row in KNOWN.items() if row.on_device)
# Functions of the C library and POSIX that need what only the host has, by what that is.
HOST_FUNCTIONS: dict[str, str] = {name: row.needs for name, row in KNOWN.items() if row.needs}
_PREFIXES = ("omp_", "llvm_omp_", "__builtin_", "__sync_", "__atomic_", "ompx_", "__kmpc_", "_mm_", "__ctype_", "GOMP_")

# What does not come back; functions of these names that a program defines itself do not, either.
NO_RETURN = frozenset(name for name, row in KNOWN.items() if row.ends)

# What tells threads (teams) apart, and what is the same for all of a team (league).
THREADS = frozenset(name for name, row in KNOWN.items() if row.number in ("thread", "team"))
SAME_FOR_ALL = frozenset(name for name, row in KNOWN.items() if row.number == "all")


def runs_on_devices(name: str) -> bool:
    """Whether device code may call the function although no `declare target` names it."""
    return name in DEVICE_FUNCTIONS or name.startswith(_PREFIXES)
