"""Loops over the dimensions of the grid, one, two or three: each loop has its own, so nothing is divided.

The innermost loop lies along x, where the threads of a warp are neighbours.  Both phases of the distribution are one: a
thread's iterations of a loop are as far apart as the grid is long.  Which loops these are, `launch` says.
"""

from __future__ import annotations

from ompls.translate.loops import Nest
from ompls.translate.transformations.gpu.emitter import Emitter
from ompls.translate.transformations.gpu.nest import count_of, counter, private_counters

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
    kinds = {loop: loop.kind if covered else uncovered(loop.kind, small=loop.small) for loop, _ in axes}
    for loop, _ in axes if not covered else ():
        kind = kinds[loop]
        out += f"const {kind} ompls_count_{loop.symbol.name} = {count_of(e, loop, kind)};\n"
    mine = {}
    for loop, axis in axes:
        shared_out = f"ompls_part_{axis}" if covered else f"ompls_count_{loop.symbol.name}"
        mine[axis] = f"ompls_iterations_{axis}({shared_out})"
    if covered and len(axes) > 1:  # all before the first loop: to the compiler the nest is one `if`
        out += "".join(f"const auto ompls_mine_{axis} = {what};\n" for axis, what in mine.items())
        mine = {axis: f"ompls_mine_{axis}" for axis in mine}
    for loop, axis in axes:
        kind, at = kinds[loop], f"ompls_at_{loop.symbol.name}"
        out += f"for (const {kind} {at} : {mine[axis]}) {{\n"
        out += counter(e, loop, at, kind)
    return out + private_counters(e, nest), "\n" + "}\n" * len(axes)


def pairs(e: Emitter, nest: Nest, *, covered: bool) -> tuple[str, str]:
    """`iterations` of two loops whose rows differ in length.

    Lengths are linear, so first and last row together are as long as second and last but one; where lengths end at 0,
    no pair is longer than that.  Of a pair, the threads along x take the first row and then the last.
    """
    outer, inner = nest.loops
    rows, kind = outer.kind, nest.pair_kind
    if not covered:
        rows, kind = uncovered(rows, small=outer.small), "long long"
    i, j = outer.symbol.name, inner.symbol.name
    count, row = f"ompls_count_{i}", f"ompls_row_{j}"
    out = f"""// Rows of `{j}` differ in length: first and last make a pair, second and last but one the next.
// Pairs are along y, both rows of one along x, and nothing is divided.
const {rows} {count} = {count_of(e, outer, rows)};
const auto {row} = [&]({rows} ompls_at_{i}) -> {kind} {{
{counter(e, outer, f"ompls_at_{i}", rows)}return {count_of(e, inner, kind)};
}};
"""
    pairs_, longest = "ompls_part_y", "ompls_part_x"
    if not covered:
        pairs_, longest = "ompls_pairs", f"ompls_pair_{j}"
        slack = "" if inner.step is None else " + 1"  # lengths are rounded
        out += f"""const {rows} {pairs_} = {count} / 2 + {count} % 2;
const {kind} {longest} = {count} > 0 ? {row}(0) + {row}({count} - 1){slack} : 0;
"""
    out += f"""for (const {rows} ompls_first : ompls_iterations_y({pairs_})) {{
const {rows} ompls_last = {count} - 1 - ompls_first;
const {kind} ompls_row = {row}(ompls_first);
const {kind} ompls_both = ompls_row + (ompls_first < ompls_last ? {row}(ompls_last) : 0);
for (const {kind} ompls_at : ompls_iterations_x({longest})) {{
if (ompls_at >= ompls_both) continue;
const {rows} ompls_at_{i} = ompls_at < ompls_row ? ompls_first : ompls_last;
const {kind} ompls_at_{j} = ompls_at < ompls_row ? ompls_at : ompls_at - ompls_row;
{counter(e, outer, f"ompls_at_{i}", rows)}{counter(e, inner, f"ompls_at_{j}", kind)}"""
    return out + private_counters(e, nest), "\n}\n}\n"


def uncovered(kind: str, *, small: bool) -> str:
    """The type for numbers of iterations where a thread has several: of 32 bits for 2^31 at most."""
    return kind if small else "long long"


def is_last(nest: Nest) -> str:
    """Whether the iteration is the last one of all: no later one is, as each thread runs its own in order."""
    names = [x.symbol.name for x in nest.loops]
    return " && ".join(f"ompls_at_{name} == ompls_count_{name} - 1" for name in names)
