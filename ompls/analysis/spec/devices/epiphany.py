"""`epiphany`: the 16 cores of a Parallella.  A core has 32 KiB for code, data and stack (Epiphany architecture manual,
§4), numbers of 32 bits in hardware, and no operating system."""

from __future__ import annotations

from ompls.analysis.spec.devices.host import LACKS
from ompls.analysis.spec.devices.model import DeviceSpec
from ompls.analysis.spec.runtime import FLOAT_FUNCTIONS

_THREADS = "a core runs one thread"
_SMALL = "a core has 32 KiB for code, data and stack"

EPIPHANY = DeviceSpec(
    "epiphany",
    "default",
    False,
    lacks={
        **LACKS,
        **{f"construct {name}": "there are no tasks on a core" for name in ("task", "taskloop", "taskgroup", "taskwait",
                                                                            "taskyield", "taskgraph", "depobj")},
        "clause detach": "there are no tasks on a core",
        "construct cancel": "a core does not poll for cancellation",
        "construct cancellation point": "a core does not poll for cancellation",
        "type long double": "a core has no number of its size",
        "type _Float128": "a core has no number of its size",
        "type _Float16": "a core has no number of its size",
        "type complex": "the core's library has no complex arithmetic",
        "vla": f"{_SMALL}; give it a constant length",
        "firstprivate vla": f"{_SMALL}; map it",
        "alloca": f"{_SMALL}; declare an array",
    },
    slow={
        "type double": "a core has no hardware for it: every operation is a call; use `float`",
        "division": "a core has no hardware for it: it is a call",
        "recursion": "its frames grow on a stack that shares the 32 KiB of the core",
        "construct critical": f"{_THREADS}, and a lock goes over the network of the chip",
    },
    functions=frozenset((*FLOAT_FUNCTIONS, "abs", "labs", "memcpy", "memset", "memmove", "memcmp")),
    no_function="a core has 32 KiB and no operating system",
    stack=8 * 1024,
    memory=32 * 1024,
    threads=1,
)  # fmt: skip
