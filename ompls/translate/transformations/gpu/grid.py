"""Loops over the dimensions of the grid, one, two or three: each loop has its own, so nothing is divided.

The innermost loop lies along x, where the threads of a warp are neighbours.  Both phases of the distribution are one: a
thread's iterations of a loop are as far apart as the grid is long.  Which loops these are, `launch.dimensions_of` says.
"""

from __future__ import annotations

from ompls.translate.loops import Nest
from ompls.translate.transformations.gpu.emitter import Emitter
from ompls.translate.transformations.gpu.nest import advance, count_of, counter, private_counters

_AXES = "xyz"
_WORDS = {2: "Two", 3: "Three"}


def iterations(e: Emitter, nest: Nest, *, covered: bool) -> tuple[str, str]:
    """(text before the body, text after it): a loop over this thread's iterations for each dimension.

    covered -- a thread has one iteration at most, and there is a parameter for each dimension (`covering.py`)
    """
    axes = list(zip(nest.loops, reversed(_AXES[: len(nest.loops)]), strict=True))
    out = ""
    if len(axes) > 1:
        told = ", ".join(f"`{x.symbol.name}` along {axis}" for x, axis in reversed(axes))
        out += f"// {_WORDS[len(axes)]} dimensions of grid and block: {told}.\n"
        out += "// Neighbouring threads take neighbouring iterations of the innermost loop, and nothing is divided.\n"
    if covered:
        out += "// One iteration a thread: the launch is as large as its part of the loop.\n"
    for loop, axis in axes if not covered else ():
        along = f"ompls_count_{loop.symbol.name}"
        out += f"const {loop.kind} {along} = {count_of(e, loop, loop.kind)};\n"
        out += f"const ompls_range<{loop.kind}> ompls_{axis} = ompls_along_{axis}({along});\n"
    for loop, axis in axes:
        at, mine = f"ompls_at_{loop.symbol.name}", f"ompls_{axis}"
        if covered:
            out += f"for (const {loop.kind} {at} : ompls_iterations_{axis}(ompls_part_{axis})) {{\n"
        else:
            step = advance(at, mine, loop.kind, small=loop.small)
            out += f"for ({loop.kind} {at} = {mine}.begin; {at} < {mine}.end; {step}) {{\n"
        out += counter(e, loop, at, loop.kind)
    return out + private_counters(e, nest), "\n" + "}\n" * len(axes)


def pairs(e: Emitter, nest: Nest, *, covered: bool) -> tuple[str, str]:
    """`iterations` of two loops whose rows differ in length.

    Lengths are linear, so first and last row together are as long as second and last but one; where lengths end at 0,
    no pair is longer than that.  Of a pair, the threads along x take the first row and then the last.
    """
    outer, inner = nest.loops
    rows, kind = outer.kind, nest.pair_kind
    i, j = outer.symbol.name, inner.symbol.name
    count, row = f"ompls_count_{i}", f"ompls_row_{j}"
    out = f"""// Rows of `{j}` differ in length: first and last make a pair, second and last but one the next.
// Pairs are along y, both rows of one along x, and nothing is divided.
const {rows} {count} = {count_of(e, outer, rows)};
const auto {row} = [&]({rows} ompls_at_{i}) -> {kind} {{
{counter(e, outer, f"ompls_at_{i}", rows)}return {count_of(e, inner, kind)};
}};
"""
    if covered:
        pair = f"const {rows} ompls_first : ompls_iterations_y(ompls_part_y)"
        inside = f"const {kind} ompls_at : ompls_iterations_x(ompls_part_x)"
    else:
        slack = "" if inner.step is None else " + 1"  # lengths are rounded
        out += f"""const {kind} ompls_pair_{j} = {count} > 0 ? {row}(0) + {row}({count} - 1){slack} : 0;
const ompls_range<{rows}> ompls_y = ompls_along_y<{rows}>({count} / 2 + {count} % 2);
const ompls_range<{kind}> ompls_x = ompls_along_x(ompls_pair_{j});
"""
        step = advance("ompls_first", "ompls_y", rows, small=outer.small)
        pair = f"{rows} ompls_first = ompls_y.begin; ompls_first < ompls_y.end; {step}"
        step = advance("ompls_at", "ompls_x", kind, small=False)
        inside = f"{kind} ompls_at = ompls_x.begin; ompls_at < ompls_x.end; {step}"
    out += f"""for ({pair}) {{
const {rows} ompls_last = {count} - 1 - ompls_first;
const {kind} ompls_row = {row}(ompls_first);
const {kind} ompls_both = ompls_row + (ompls_first < ompls_last ? {row}(ompls_last) : 0);
for ({inside}) {{
if (ompls_at >= ompls_both) continue;
const {rows} ompls_at_{i} = ompls_at < ompls_row ? ompls_first : ompls_last;
const {kind} ompls_at_{j} = ompls_at < ompls_row ? ompls_at : ompls_at - ompls_row;
{counter(e, outer, f"ompls_at_{i}", rows)}{counter(e, inner, f"ompls_at_{j}", kind)}"""
    return out + private_counters(e, nest), "\n}\n}\n"


def is_last(nest: Nest) -> str:
    """Whether the iteration is the last one of all: no later one is, as each thread runs its own in order."""
    names = [x.symbol.name for x in nest.loops]
    return " && ".join(f"ompls_at_{name} == ompls_count_{name} - 1" for name in names)
