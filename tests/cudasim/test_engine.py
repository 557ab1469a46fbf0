"""The engine: what CUDA promises to a kernel -- warps, barriers, shared memory, dimensions, atomics between threads."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from ctypes import c_float, c_int, c_long, c_uint
from pathlib import Path

import pytest
import sim

Open = Callable[..., sim.Device]
Inline = Callable[[str], sim.Device]


@pytest.mark.parametrize("width", [32, 16, 8, 1])
@pytest.mark.parametrize("amount", [0, 1, 5, 16, 31])
def test_shuffles(opened: Open, width: int, amount: int) -> None:
    """PTX ISA, shfl.sync: out of the segment the own value comes back."""
    device = opened("warps.cu")
    out = device.array(c_int, [-1] * 512)
    device.launch("shuffles", 1, 128, out, c_int(width), c_int(amount))
    got = device.read(out, c_int, 512)
    for t in range(128):
        warp, lane = t // 32 * 32, t % 32
        base = lane // width * width
        expected = [
            base + amount % width,
            lane - amount if lane - amount >= base else lane,
            lane + amount if lane + amount < base + width else lane,
            lane ^ amount if lane ^ amount < base + width else lane,
        ]
        assert [got[k * 128 + t] for k in range(4)] == [warp + e for e in expected], t


def test_votes(opened: Open) -> None:
    device = opened("warps.cu")
    out = device.array(c_uint, [0] * 256)
    device.launch("votes", 1, 64, out)
    got = device.read(out, c_uint, 256)
    for t in range(64):
        warp = [w for w in range(64) if w // 32 == t // 32]
        ballot = sum(1 << w % 32 for w in warp if w % 3 == 0)
        vote = 2 * (40 in warp) + all(w < 40 for w in warp)
        match = sum(1 << w % 32 for w in warp if w // 5 == t // 5)
        assert got[4 * t : 4 * t + 4] == [ballot, vote, match, (t // 32 * 32 + 31) * 3]


def test_parts_of_a_warp_take_different_ways(opened: Open) -> None:
    device = opened("warps.cu")
    out = device.array(c_int, [0] * 64)
    device.launch("halves", 1, 64, out)
    expected = list(range(64))
    for warp in (0, 32):
        low = expected[warp : warp + 16]
        for _ in range(3):
            low = [low[i] + low[i ^ 1] for i in range(16)]
        high = [warp + 16 + i + warp + 16 + (i ^ 8) for i in range(16)]
        expected[warp : warp + 32] = low + high
    assert device.read(out, c_int, 64) == expected


def test_dynamic_and_static_shared_memory(opened: Open) -> None:
    device = opened("warps.cu")
    values = [float(i % 7) for i in range(16 * 256)]
    source, out = device.array(c_float, values), device.array(c_float, [0] * 16)
    device.launch("tree", 16, 256, source, out, shared=1024)
    assert device.read(out, c_float, 16) == [sum(values[b * 256 : b * 256 + 256]) for b in range(16)]


@pytest.mark.parametrize(("grid", "block"), [((3, 2, 4), (5, 3, 2)), ((1, 1, 1), (16, 8, 8)), ((7, 1, 2), (1, 33, 1))])
def test_three_dimensions(opened: Open, grid: tuple[int, int, int], block: tuple[int, int, int]) -> None:
    device = opened("warps.cu")
    blocks, threads = grid[0] * grid[1] * grid[2], block[0] * block[1] * block[2]
    out = device.array(c_int, [-1] * blocks * threads)
    device.launch("dimensions", grid, block, out)
    assert device.read(out, c_int, blocks * threads) == [b * 1000 + t for b in range(blocks) for t in range(threads)]


def test_exited_threads_are_not_waited_for(opened: Open) -> None:
    device = opened("warps.cu")
    out = device.array(c_int, [0] * 64)
    device.launch("counted", 1, 64, out)
    assert device.read(out, c_int, 64) == [102510] * 50 + [0] * 14


def test_threads_that_spin_on_each_other_come_through(opened: Open) -> None:
    device = opened("warps.cu")
    turn, out = device.array(c_int, [0]), device.array(c_int, [0] * 100)
    device.launch("handshake", 1, 100, turn, out)
    assert device.read(out, c_int, 100) == list(range(99, -1, -1))


def test_blocks_run_on_all_cores(inline: Inline) -> None:
    """Two blocks that wait for each other end only when two cores run them."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("this process may use one core only; two blocks have to run at once")
    device = inline(
        'extern "C" __global__ void meet(int *flags) {\n'
        "    atomicExch(&flags[blockIdx.x], 1);\n"
        "    while (atomicAdd(&flags[1 - blockIdx.x], 0) == 0) __nanosleep(100);\n"
        "}\n"
    )
    flags = device.array(c_int, [0, 0])
    device.launch("meet", 2, 1, flags)
    assert device.read(flags, c_int, 2) == [1, 1]


def test_a_million_threads_without_barriers_are_a_loop(opened: Open) -> None:
    device = opened("saxpy.cu")
    n = 1 << 20
    x, y = device.array(c_float, range(n)), device.array(c_float, [1] * n)
    for name in ("saxpy", "saxpy_direct"):
        device.launch(name, n // 128, 128, c_float(0.5), x, y, c_int(n))
    assert device.read(y, c_float, n) == [1 + i for i in range(n)]


def test_variables_of_the_image(inline: Inline) -> None:
    device = inline(
        "__device__ int *pointer;\n__device__ long table[20000];\n"
        'extern "C" __global__ void through(long *sum) {\n'
        "    *pointer += 1;\n    for (int i = 0; i < 20000; ++i) *sum += table[i];\n}\n"
    )
    counter, total = device.array(c_int, [41]), device.array(c_long, [0])
    device.put(device.symbol("pointer"), c_long(counter))
    device.put(device.symbol("table"), (c_long * 20000)(*range(20000)))  # more than one message
    device.launch("through", 1, 1, total)
    assert device.read(counter, c_int, 1) == [42]
    assert device.read(total, c_long, 1) == [sum(range(20000))]
    assert device.read(device.symbol("table"), c_long, 20000) == list(range(20000))
    with pytest.raises(sim.SimError, match="nothing_of_the_kind is not in the image"):
        device.symbol("nothing_of_the_kind")


def test_kernels_of_several_files_share_an_image(opened: Open) -> None:
    device = opened("saxpy.cu", "generic.cu", "warps.cu")
    out = device.array(c_int, [0] * 98)
    device.launch("counts", 1, 128, out, c_int(3), c_int(1))
    device.launch("counted", 1, 64, out)
    assert device.read(out, c_int, 1) == [102510]


PRINTER = r"""
extern "C" __global__ void talk(int lines) {
    for (int i = 0; i < lines; ++i) printf("block %d line %d %s\n", (int)blockIdx.x, i, "abc");
}
"""


def test_printf_keeps_the_programs_order(tmp_path: Path, module: sim.Module) -> None:
    """More than the buffer holds, between two lines of the program itself, all into a pipe."""
    (tmp_path / "talk.cu").write_text(PRINTER)
    script = (
        "import ctypes, sys, pathlib; sys.path.insert(0, sys.argv[1]); import sim\n"
        "libc = ctypes.CDLL(None); libc.printf(b'before\\n')\n"
        "p = pathlib.Path(sys.argv[2])\n"
        "d = sim.Device(sim.load_module(p), 0, sim.build(p / 'talk.cu'))\n"
        "d.launch('talk', 1, 1, ctypes.c_int(20000)); libc.printf(b'after\\n'); libc.fflush(None); d.close()\n"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", script, here, str(tmp_path)],
        env=sim.ENVIRONMENT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert lines == ["before", *(f"block 0 line {i} abc" for i in range(20000)), "after"]


def test_time_passes(inline: Inline) -> None:
    device = inline(
        '#include "ompls_device.cuh"\n'
        'extern "C" __global__ void timed(double *out) {\n'
        "    const double start = omp_get_wtime(); const long long ticks = clock64();\n"
        "    while (omp_get_wtime() - start < 0.01) __nanosleep(1000);\n"
        "    out[0] = clock64() - ticks;\n}\n"
    )
    out = device.array(c_long, [0])
    began = time.monotonic()
    device.launch("timed", 1, 1, out)
    assert time.monotonic() - began >= 0.01


def test_malloc_in_a_kernel(inline: Inline) -> None:
    device = inline(
        'extern "C" __global__ void heap(int *out) {\n'
        "    int *p = static_cast<int *>(malloc(4000)); for (int i = 0; i < 1000; ++i) p[i] = threadIdx.x + i;\n"
        "    __syncthreads(); out[blockIdx.x * blockDim.x + threadIdx.x] = p[999]; free(p);\n}\n"
    )
    out = device.array(c_int, [0] * 512)
    device.launch("heap", 4, 128, out)
    assert device.read(out, c_int, 512) == [i % 128 + 999 for i in range(512)]
