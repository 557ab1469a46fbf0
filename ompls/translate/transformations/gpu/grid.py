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
    for loop, axis in axes:
        name, kind, along = loop.symbol.name, loop.kind, f"ompls_part_{axis}"
        if not covered:
            along = f"ompls_count_{name}"
            out += f"const {kind} {along} = {count_of(e, loop, kind)};\n"
        out += f"const ompls_range<{kind}> ompls_{axis} = ompls_along_{axis}({along});\n"
    for loop, axis in axes:
        at, mine = f"ompls_at_{loop.symbol.name}", f"ompls_{axis}"
        step = f"{at} = ompls_after({mine}, {at})" if covered else advance(at, mine, loop.kind, small=loop.small)
        number = f"ompls_number(ompls_part_{axis}, {at})" if covered else at
        out += f"for ({loop.kind} {at} = {mine}.begin; {at} < {mine}.end; {step}) {{\n"
        out += counter(e, loop, number, loop.kind)
    return out + private_counters(e, nest), "\n" + "}\n" * len(axes)


def pairs(e: Emitter, nest: Nest) -> tuple[str, str]:
    """`iterations` of two loops whose rows differ in length.

    Lengths are linear, so first and last row together are as long as second and last but one; where lengths end at 0,
    no pair is longer than that.  The threads along x take both rows of a pair, one after the other.
    """
    outer, inner = nest.loops
    rows, kind, most = outer.kind, "long long", inner.most()
    if most is not None and 2 * most + 1 < 1 << 32:
        kind = "unsigned int"
    i, j = outer.symbol.name, inner.symbol.name
    slack = "" if inner.step is None else " + 1"  # lengths are rounded
    step = advance(f"ompls_at_{j}", "ompls_x", kind, small=False)
    next_pair = advance("ompls_first", "ompls_y", rows, small=outer.small)
    out = f"""// Rows of `{j}` differ in length: first and last make a pair, second and last but one the next.
// Pairs are along y, both rows of one along x, and nothing is divided.
const {rows} ompls_count_{i} = {count_of(e, outer, rows)};
const auto ompls_row_{j} = [&]({rows} ompls_at_{i}) -> {kind} {{
{counter(e, outer, f"ompls_at_{i}", rows)}return {count_of(e, inner, kind)};
}};
const {kind} ompls_pair_{j} = ompls_count_{i} > 0 ? ompls_row_{j}(0) + ompls_row_{j}(ompls_count_{i} - 1){slack} : 0;
const ompls_range<{rows}> ompls_y = ompls_along_y<{rows}>(ompls_count_{i} / 2 + ompls_count_{i} % 2);
const ompls_range<{kind}> ompls_x = ompls_along_x(ompls_pair_{j});
for ({rows} ompls_first = ompls_y.begin; ompls_first < ompls_y.end; {next_pair}) {{
const {rows} ompls_last = ompls_count_{i} - 1 - ompls_first;
{kind} ompls_at_{j} = ompls_x.begin, ompls_start = 0;
for (int ompls_half = 0; ompls_half < (ompls_first < ompls_last ? 2 : 1); ompls_half++) {{
const {rows} ompls_at_{i} = ompls_half == 0 ? ompls_first : ompls_last;
{counter(e, outer, f"ompls_at_{i}", rows)}const {kind} ompls_stop = ompls_start + ompls_row_{j}(ompls_at_{i});
for (; ompls_at_{j} < ompls_least(ompls_stop, ompls_x.end); {step}) {{
{counter(e, inner, f"ompls_at_{j} - ompls_start", kind)}"""
    return out + private_counters(e, nest), "\n}\nompls_start = ompls_stop;\n}\n}\n"


def is_last(nest: Nest) -> str:
    """Whether the iteration is the last one of all: no later one is, as each thread runs its own in order."""
    names = [x.symbol.name for x in nest.loops]
    return " && ".join(f"ompls_at_{name} == ompls_count_{name} - 1" for name in names)
