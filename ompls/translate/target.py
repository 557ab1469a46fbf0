"""What a text is made for: the host's half of a unit, or a class of kernels.

Passes and emitters ask a target what it can do and never what it is called, so that a new class is a new object.  A
device's `target/` may define one of its own; what that raises is a TargetFault.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

from ompls.analysis.model.ast import FunctionDef
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places
from ompls.translate.plan import RegionPlan
from ompls.translate.problem import Problem


@dataclass(frozen=True)
class Target:
    """What the lowering passes have to know of it.

    on_device -- whether it is a class of kernels
    openmp    -- its compiler understands OpenMP, as gcc does: directives stay, and what is newer becomes what is older
    kinds     -- what holds of the trait `kind` of context selectors (OpenMP 5.2 §7.1)
    architectures -- the same of `arch`; None: what the macros of the C compiler say
    passes    -- lowering of its own, each a function of a `lowering.Round`; before that of all
    version   -- of OpenMP that its compiler has, where that is an old one ("4.5"); "": what gcc 12 has
    """

    name: str
    on_device: bool
    openmp: bool
    kinds: frozenset[str]
    architectures: frozenset[str] | None = None
    passes: tuple[Callable[[Any], None], ...] = ()
    version: str = ""


@dataclass(frozen=True)
class KernelClass(Target):
    """And what makes its texts.

    extension -- of its files
    language  -- of these, as editors call it (LSP, "Text Document Language Identifiers")
    kernel    -- makes a kernel's file; raises Problem for what it cannot write
    function  -- that of a function which other units may call
    covers    -- its kernels can have one iteration a thread (`covering.py`)
    partials  -- its teams can leave parts of a reduction for the last of them (`partials.py`)
    """

    extension: str = ""
    language: str = "plaintext"
    kernel: Callable[[Index, Places, RegionPlan, Needs], list[OutLine]] = lambda *_: []
    function: Callable[[Index, Places, Needs, FunctionDef], list[OutLine]] = lambda *_: []
    covers: bool = False
    partials: bool = False


class TargetFault(Exception):
    """The target of a device's folder does not work: `__cause__` is what it raised."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@lru_cache(maxsize=64)
def brought(made: KernelClass, name: str) -> KernelClass:
    """The class of the device's folder `name`: called so, and with its faults told as such."""
    return replace(
        made,
        name=name,
        passes=tuple(_guarded(work, name) for work in made.passes),
        kernel=_guarded(_checked(made.kernel), name),
        function=_guarded(_checked(made.function), name),
    )


def unfit(made: KernelClass) -> str:
    """Which field of a class that others made has no value of its type; '': all fit."""
    words = {"architectures": made.architectures or frozenset(), "kinds": made.kinds}
    right = {
        "name": isinstance(made.name, str),
        "openmp": isinstance(made.openmp, bool),
        "extension": isinstance(made.extension, str) and _EXTENSION.fullmatch(made.extension),
        "language": isinstance(made.language, str) and made.language.isprintable(),
        "passes": isinstance(made.passes, tuple) and all(map(callable, made.passes)),
        "kernel": callable(made.kernel),
        "function": callable(made.function),
    }
    for key, value in words.items():
        right[key] = isinstance(value, frozenset) and all(isinstance(word, str) for word in value)
    return next((key for key, fits in right.items() if not fits), "")


_EXTENSION = re.compile(r"[\w+.-]*")  # of a file's name
_R = TypeVar("_R")


def _guarded(work: Callable[..., _R], name: str) -> Callable[..., _R]:
    def run(*given: Any) -> _R:
        try:
            with redirect_stdout(sys.stderr):  # what it prints is no part of our output
                return work(*given)
        except (Problem, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise TargetFault(name) from error

    return run


def _checked(make: Callable[..., list[OutLine]]) -> Callable[..., list[OutLine]]:
    def run(*given: Any) -> list[OutLine]:
        lines = make(*given)
        if not isinstance(lines, list) or not all(isinstance(line, OutLine) for line in lines):
            raise TypeError(f"it gives {type(lines).__name__}, no list of OutLine")
        for at in lines:
            kinds = ((at.text, str), (at.path, str), (at.line, int), (at.entry, bool))
            if not all(isinstance(value, kind) for value, kind in kinds):
                raise TypeError("a field of an OutLine has a value of another type")
        return lines

    return run


GPU_ARCHITECTURES = frozenset(("nvptx", "nvptx64", "cuda"))  # names of the trait `arch` that mean a GPU
HOST = Target("host", False, True, frozenset(("any", "host", "cpu")))
