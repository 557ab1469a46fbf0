"""What is said of a device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """One device.

    title     -- what it is, in a few words
    kernels   -- the transformation set that makes its kernels
    language  -- what people call their text; '': by the device's name
    planned   -- why no kernels are made for it yet; '': they are
    triples   -- how the targets begin that are this device to other compilers (`nvptx`)
    in_place_of -- the device whose kernels this one runs where that one is not there; '': none
    lacks     -- ability (a key of `ABILITIES`) -> why there is none, and what to do instead
    slow      -- ability -> what it costs here
    functions -- library functions that kernels may call without a body of the user's; None: all of the C library
    no_function -- why another library function cannot be called
    main_thread -- sequential code of a kernel is run by a thread that wakes the others for a parallel region
    stack     -- bytes of a thread for its variables; 0: as much as a host thread has
    team_memory -- bytes of a team for the variables that its threads share; 0: no limit of its own
    threads   -- most threads of a team; 0: no limit of its own
    team      -- threads of a team when nobody says how many; 0: as many as the device has cores
    """

    name: str
    title: str
    kernels: str
    language: str = ""
    planned: str = ""
    triples: tuple[str, ...] = ()
    in_place_of: str = ""
    lacks: Mapping[str, str] = field(default_factory=dict, hash=False)
    slow: Mapping[str, str] = field(default_factory=dict, hash=False)
    functions: frozenset[str] | None = None
    no_function: str = ""
    main_thread: bool = False
    stack: int = 0
    team_memory: int = 0
    threads: int = 0
    team: int = 0

    def can_call(self, name: str) -> bool:
        """Whether a kernel may call the library function."""
        return self.functions is None or name in self.functions
