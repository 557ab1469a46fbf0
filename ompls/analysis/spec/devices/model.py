"""What is said of a device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ompls.analysis.model.datamodel import DataModel


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """One device.

    title     -- what it is, in a few words
    kernels   -- the transformation set that makes its kernels, or that its own target is derived from
    target    -- the device whose folder has the target that makes its kernels; '': the set alone does
    language  -- what people call their text; '': by the device's name
    planned   -- why no kernels are made for it yet; '': they are
    triples   -- how the targets begin that are this device to other compilers (`nvptx`)
    in_place_of -- the device whose kernels this one runs where that one is not there; '': none
    inner     -- another device may be inside, NAME(INNER): what that one can and lacks is then said of it
    lacks     -- ability (a key of `ABILITIES`) -> why there is none, and what to do instead
    slow      -- ability -> what it costs here
    older     -- ability -> why older models of this device lack it: code for these is refused when it is built
    functions -- library functions that kernels may call without a body of the user's; None: all of the C library
    no_function -- why another library function cannot be called
    main_thread -- sequential code of a kernel is run by a thread that wakes the others for a parallel region
    wide_long -- kernels have the host's `long` for the variables that they share
    stack     -- bytes of a thread for its variables; 0: as much as a host thread has
    team_memory -- bytes of a team for the variables that its threads share; 0: no limit of its own
    local     -- bytes near to a core for what is mapped with `ompx_local`, beside code and stack; 0: there are none
    threads   -- most threads of a team; 0: no limit of its own
    team      -- threads of a team when nobody says how many; 0: as many as the device has cores
    abi       -- what its compiler makes of C's types otherwise than the host's: fields of `DataModel`
    openmp    -- the version of OpenMP that its compiler has, where that is an old one ("4.5"): a board's
    """

    name: str
    title: str
    kernels: str
    target: str = ""
    language: str = ""
    planned: str = ""
    triples: tuple[str, ...] = ()
    in_place_of: str = ""
    inner: bool = False
    lacks: Mapping[str, str] = field(default_factory=dict, hash=False)
    slow: Mapping[str, str] = field(default_factory=dict, hash=False)
    older: Mapping[str, str] = field(default_factory=dict, hash=False)
    functions: frozenset[str] | None = None
    no_function: str = ""
    main_thread: bool = False
    wide_long: bool = False
    stack: int = 0
    team_memory: int = 0
    local: int = 0
    threads: int = 0
    team: int = 0
    abi: tuple[tuple[str, Any], ...] = ()
    openmp: str = ""

    def data_model(self, host: DataModel) -> DataModel:
        """The sizes of types on the device, in a program for this host."""
        return _changed(host, self.abi) if self.abi else host

    @property
    def kernel_class(self) -> str:
        """The class of its kernels, as bundles and modules name it."""
        return self.target or self.kernels

    def can_call(self, name: str) -> bool:
        """Whether a kernel may call the library function."""
        return self.functions is None or name in self.functions


@lru_cache(maxsize=256)
def _changed(host: DataModel, abi: tuple[tuple[str, Any], ...]) -> DataModel:
    return replace(host, **dict(abi))
