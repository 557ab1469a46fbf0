"""Collapsed loops over two or three dimensions of the grid: each loop has its own, so nothing is divided.

The innermost loop lies along x, where the threads of a warp are neighbours.  Both phases of the distribution are one: a
thread's iterations of a loop are as far apart as the grid is long.  Which loops these are, `launch.dimensions_of` says.
"""

from __future__ import annotations

from ompls.translate.loops import Nest
from ompls.translate.transformations.gpu.emitter import Emitter
from ompls.translate.transformations.gpu.nest import count_of, counter, private_counters

_AXES = "xyz"
_WORDS = {2: "Two", 3: "Three"}


def iterations(e: Emitter, nest: Nest) -> tuple[str, str]:
    """(text before the body, text after it): a loop over this thread's iterations for each dimension."""
    axes = list(zip(nest.loops, reversed(_AXES[: len(nest.loops)]), strict=True))
    told = ", ".join(f"`{x.symbol.name}` along {axis}" for x, axis in reversed(axes))
    out = f"// {_WORDS[len(axes)]} dimensions of grid and block: {told}.\n"
    out += "// Neighbouring threads take neighbouring iterations of the innermost loop, and nothing is divided.\n"
    for loop, axis in axes:
        name, kind = loop.symbol.name, loop.kind
        out += f"const {kind} ompls_count_{name} = {count_of(e, loop, kind)};\n"
        out += f"const ompls_range<{kind}> ompls_{axis} = ompls_along_{axis}(ompls_count_{name});\n"
    for loop, axis in axes:
        at = f"ompls_at_{loop.symbol.name}"
        out += f"for ({loop.kind} {at} = ompls_{axis}.begin; {at} < ompls_{axis}.end; {at} += ompls_{axis}.stride) {{\n"
        out += counter(e, loop, at)
    return out + private_counters(e, nest), "\n" + "}\n" * len(axes)


def is_last(nest: Nest) -> str:
    """Whether the iteration is the last one of all: no later one is, as each thread runs its own in order."""
    names = [x.symbol.name for x in nest.loops]
    return " && ".join(f"ompls_at_{name} == ompls_count_{name} - 1" for name in names)
