"""The latency of target regions and the bandwidth of copies, against the driver called by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import hand

from ompls.runtime.toolchain import Toolchain

PRESENT = (0, 1, 10, 100)
PROGRAM = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
{functions}
int main(void)
{{
    size_t size = {size};
    double start, to = 1e9, from = 1e9;
    char *x = calloc(size, 1);
    if (!x) return 2;
{calls}
    #pragma omp target data map(alloc: x[0:size])
    for (int i = 0; i < {copies}; i++) {{
        start = omp_get_wtime();
        #pragma omp target update to(x[0:size])
        to = omp_get_wtime() - start < to ? omp_get_wtime() - start : to;
        start = omp_get_wtime();
        #pragma omp target update from(x[0:size])
        from = omp_get_wtime() - start < from ? omp_get_wtime() - start : from;
    }}
    printf("%.9f\\n%.9f\\n", to, from);
    return 0;
}}
"""
FUNCTION = """
static void region_{count}(void)
{{
    double best = 1e9;
{arrays}
{data}
    for (int i = 0; i < {rounds}; i++) {{
        double start = omp_get_wtime();
        #pragma omp target {maps}
        {{
{body}
        }}
        double took = omp_get_wtime() - start;
        if (took < best) best = took;
    }}
    printf("%.9f\\n", best);
}}
"""


def region(count: int, rounds: int) -> str:
    """A function that times a region with so many arrays, which are present."""
    names = [f"a{i}" for i in range(count)]
    sections = ", ".join(names)
    return FUNCTION.format(
        count=count,
        rounds=rounds,
        arrays="\n".join(f"    static float {name}[4];" for name in names),
        data=f"    #pragma omp target data map(tofrom: {sections})" if names else "",
        maps=f"map(tofrom: {sections})" if names else "",
        body="\n".join(f"            {name}[0] = 1;" for name in names) or "            ;",
    )


def measure(tools: Toolchain, work: Path, run: Callable[..., str], small: bool) -> dict[str, Any]:
    """Print and return microseconds and bytes a second.

    run -- builds a C file for `cuda` and gives its output, with more of the environment
    """
    rounds, copies, size = (20, 2, 1 << 20) if small else (2000, 10, 256 << 20)
    source = work / "latency.c"
    functions = "".join(region(count, rounds) for count in PRESENT)
    calls = "\n".join(f"    region_{count}();" for count in PRESENT)
    source.write_text(PROGRAM.format(functions=functions, calls=calls, size=size, copies=copies))
    numbers = [float(line) for line in run(source).split()]
    staged = [float(line) for line in run(source, OMPLS_CUDA_STAGING="1").split()][-2:]
    with hand.Gpu("empty", tools) as gpu:
        launch = gpu.launch_latency(rounds)
        plain = gpu.bandwidth(size, copies)
    figures: dict[str, Any] = {"launch_us": launch * 1e6}
    print(f"  launch and wait by hand (pycuda): {launch * 1e6:.1f} us")
    for count, seconds in zip(PRESENT, numbers, strict=False):
        figures[f"region_{count}_us"] = seconds * 1e6
        print(f"  region with {count:>3} present arrays: {seconds * 1e6:.1f} us")
    for way, seconds, pinned, reached in zip(("to", "from"), numbers[-2:], staged, plain, strict=True):
        speeds = {"bytes_s": size / seconds, "staged_bytes_s": size / pinned, "by_hand_bytes_s": reached}
        figures[f"copy_{way}"] = speeds
        ours, through, theirs = (speed / 1e9 for speed in speeds.values())
        print(f"  copy {way:<5}{ours:8.2f} GB/s, through pinned buffers {through:.2f} GB/s, by hand {theirs:.2f} GB/s")
    return figures
