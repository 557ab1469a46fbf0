"""What is said of a device class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """One device class.

    transformations -- the set that makes its kernels
    proven    -- a test holds the table against the transformation set
    lacks     -- ability (a key of `ABILITIES`) -> why there is none, and what to do instead
    slow      -- ability -> what it costs here
    functions -- library functions that kernels may call without a body of the user's; None: all of the C library
    no_function -- why another library function cannot be called
    stack     -- bytes of a thread for its variables; 0: as much as a host thread has
    team_memory -- bytes of a team for the variables that its threads share; 0: no limit of its own
    memory    -- bytes for code, data and stack together; 0: no limit of its own
    threads   -- most threads of a team; 0: no limit of its own
    """

    name: str
    transformations: Literal["default", "gpu"]
    proven: bool
    lacks: Mapping[str, str]
    slow: Mapping[str, str]
    functions: frozenset[str] | None = None
    no_function: str = ""
    stack: int = 0
    team_memory: int = 0
    memory: int = 0
    threads: int = 0

    def can_call(self, name: str) -> bool:
        """Whether a kernel may call the library function."""
        return self.functions is None or name in self.functions
