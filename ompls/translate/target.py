"""What a text is made for: the host's half of a unit, or a class of kernels.

Passes and emitters ask a target what it can do and never what it is called, so that a new class is a new object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ompls.analysis.model.ast import FunctionDef
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places
from ompls.translate.plan import RegionPlan


@dataclass(frozen=True)
class Target:
    """What the lowering passes have to know of it.

    on_device -- whether it is a class of kernels
    openmp    -- its compiler understands OpenMP, as gcc does: directives stay, and what is newer becomes what is older
    kinds     -- what holds of the trait `kind` of context selectors (OpenMP 5.2 §7.1)
    architectures -- the same of `arch`; None: what the macros of the C compiler say
    """

    name: str
    on_device: bool
    openmp: bool
    kinds: frozenset[str]
    architectures: frozenset[str] | None = None


@dataclass(frozen=True)
class KernelClass(Target):
    """And what makes its texts.

    extension -- of its files
    kernel    -- makes a kernel's file
    function  -- that of a function which other units may call
    waits     -- what stands in the text of a kernel whose threads wait for each other
    """

    extension: str = ""
    kernel: Callable[[Index, Places, RegionPlan, Needs], list[OutLine]] = lambda *_: []
    function: Callable[[Index, Places, Needs, FunctionDef], list[OutLine]] = lambda *_: []
    waits: tuple[str, ...] = ()


GPU_ARCHITECTURES = frozenset(("nvptx", "nvptx64", "cuda"))  # names of the trait `arch` that mean a GPU
HOST = Target("host", False, True, frozenset(("any", "host", "cpu")))
