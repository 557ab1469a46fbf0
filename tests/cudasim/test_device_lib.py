"""The device library: loops, teams, reductions, atomics; run on cudasim against models in Python."""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable
from ctypes import (
    c_byte,
    c_double,
    c_float,
    c_int,
    c_long,
    c_longlong,
    c_short,
    c_ubyte,
    c_uint,
    c_ulong,
    c_ulonglong,
    c_ushort,
)
from functools import reduce
from typing import Any

import pytest
import sim
from thinned import thinned

Open = Callable[..., sim.Device]
Inline = Callable[[str], sim.Device]
PLAIN, CONTIGUOUS, DISTRIBUTE_CHUNK, STATIC_CHUNK, BOTH_CHUNKS, AT_ONCE = range(6)

AS_ON_A_GPU = "#undef OMPLS_SIDE_BY_SIDE\n#undef OMPLS_LOOPS\n"


# --- loops --------------------------------------------------------------------------------------------------------


def shares(items: list[int], members: int) -> list[list[int]]:
    """Contiguous shares; the first ones take the rest."""
    each, rest = divmod(len(items), members)
    sizes = [each + (m < rest) for m in range(members)]
    ends = list(itertools.accumulate(sizes))
    return [items[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def dealt(items: list[int], members: int, chunk: int) -> list[list[int]]:
    """Chunks dealt round robin."""
    chunks = [items[i : i + chunk] for i in range(0, len(items), chunk)]
    return [list(itertools.chain(*chunks[m::members])) for m in range(members)]


def owners(count: int, teams: int, threads: int, schedule: int, chunk: int, *, coalesced: bool) -> list[int]:
    """Which thread runs each iteration, as OpenMP (5.2, sections 11.5.3 and 11.6) and the head of the library say."""
    result = [-1] * count
    every = list(range(count))
    parts = [(team, items) for team, items in enumerate(shares(every, teams))]
    if schedule == DISTRIBUTE_CHUNK:
        pieces = [every[i : i + chunk] for i in range(0, count, chunk)]
        parts = [(i % teams, piece) for i, piece in enumerate(pieces)]
    elif schedule == BOTH_CHUNKS:
        pieces = [every[i : i + 4 * chunk] for i in range(0, count, 4 * chunk)]
        parts = [(i % teams, piece) for i, piece in enumerate(pieces)]
    elif schedule == AT_ONCE:
        everybody = teams * threads
        mine = [every[t::everybody] for t in range(everybody)] if coalesced else shares(every, everybody)
        for member, iterations in enumerate(mine):
            for i in iterations:
                result[i] = member // threads * 1024 + member % threads
        return result
    for team, items in parts:
        if schedule == CONTIGUOUS:
            mine = shares(items, threads)
        elif schedule in {STATIC_CHUNK, BOTH_CHUNKS}:
            mine = dealt(items, threads, chunk)
        else:
            mine = [items[t::threads] for t in range(threads)] if coalesced else shares(items, threads)
        for thread, iterations in enumerate(mine):
            for i in iterations:
                result[i] = team * 1024 + thread
    return result


@pytest.mark.parametrize("coalesced", [False, True])
@pytest.mark.parametrize("schedule", range(6))
def test_every_iteration_has_its_thread(inline: Inline, schedule: int, coalesced: bool) -> None:
    text = (sim.KERNELS / "loops.cu").read_text()
    device = inline(f"{AS_ON_A_GPU}{text}" if coalesced else text)
    rng = random.Random(schedule)
    cases = [(0, 1, 1, 1), (1, 3, 64, 1), (1000, 1, 1, 7), (1000, 7, 33, 3), (96, 3, 32, 32), (5, 8, 128, 2)]
    cases += [(rng.randrange(700), rng.randrange(1, 9), rng.randrange(1, 130), rng.randrange(1, 50)) for _ in range(25)]
    for count, teams, threads, chunk in cases:
        room = max(count, 1)
        owner, times = device.array(c_int, [-1] * room), device.array(c_int, [0] * room)
        device.launch("loop", teams, threads, owner, times, c_int(count), c_int(schedule), c_int(chunk))
        assert device.read(times, c_int, count) == [1] * count, (count, teams, threads, chunk)
        assert device.read(owner, c_int, count) == owners(count, teams, threads, schedule, chunk, coalesced=coalesced)
        device.free(owner)
        device.free(times)


def test_ranges_do_not_overflow(opened: Open) -> None:
    device = opened("loops.cu")
    out = device.array(c_longlong, [0] * 6)
    count, big, teams = 2**31 - 1, 2**62 + 5, 1000
    device.launch("far", teams, 96, out, c_int(count), c_longlong(big))
    got = device.read(out, c_longlong, 6)
    assert got[1] == got[5] == count
    assert got[0] == got[4] == count - count // teams
    assert got[2:4] == [big - big // teams, big]


@pytest.mark.parametrize("count", [2**31, 2**31 - 1, 96_000, 95_999])
def test_nothing_overflows_at_the_end_of_a_loop(inline: Inline, count: int) -> None:
    device = inline(AS_ON_A_GPU + (sim.KERNELS / "loops.cu").read_text())
    out = device.array(c_longlong, [0, 0])
    device.launch("ends", 1000, 96, out, c_uint(count))
    mine = range(95_999, count, 96_000)
    assert device.read(out, c_longlong, 2) == [len(mine), mine[-1] if mine else 0]


def test_ids_of_an_spmd_region(opened: Open) -> None:
    device = opened("loops.cu")
    out = device.array(c_int, [0] * 8 * 6)
    device.launch("ids", 2, 3, out)
    got = device.read(out, c_int, 48)
    assert got == [v for team in range(2) for t in range(3) for v in (t, 3, team, 2, 1, 1, 0, 1)]


def test_the_devices_number(inline: Callable[..., sim.Device], opened: Open) -> None:
    text = '#include "ompls_device.cuh"\nextern "C" __global__ void k(int *out) { *out = omp_get_device_num(); }\n'
    first = inline(text, "number.cu")
    second = opened(first.files[0], "loops.cu", index=2)  # the variable is in both files
    for device, expected in ((first, 3), (second, 5)):
        device.put(device.symbol("ompls_image_device_number"), c_int(expected))  # as the core does at opening
        out = device.array(c_int, [-1])
        device.launch("k", 1, 1, out)
        assert device.read(out, c_int, 1) == [expected]


# --- master/worker ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [0, 1, 2, 31, 32, 33, 40, 64, 65, 95, 96, 1000])
def test_parallel_regions_with_barriers(opened: Open, threads: int) -> None:
    device = opened("generic.cu")
    out = device.array(c_int, [0] * 98)
    device.launch("counts", 1, 128, out, c_int(threads), c_int(3))
    n = threads if 0 < threads < 96 else 96
    values = [i + 1 for i in range(n)]
    for _ in range(3):
        values = [values[i] + values[(i + 1) % n] for i in range(n)]
    got = device.read(out, c_int, 98)
    assert got[:n] == values
    assert got[n:96] == [0] * (96 - n)
    assert got[96:] == [3, 10]  # popped vars; the master's ids outside a region


@pytest.mark.parametrize("threads", [1, 5, 32, 33, 95, 96])
def test_reduction_in_a_parallel_region(opened: Open, threads: int) -> None:
    device = opened("generic.cu")
    out = device.array(c_longlong, [7])
    device.launch("generic_sum", 4, 128, out, c_int(1001), c_int(threads))
    assert device.read(out, c_longlong, 1) == [7 + 4 * 1000 * 1001 // 2]


@pytest.mark.parametrize("threads", [1, 40, 96])
def test_nested_regions_are_teams_of_one(opened: Open, threads: int) -> None:
    device = opened("generic.cu")
    out = device.array(c_int, [-1] * 97)
    device.launch("nested", 1, 128, out, c_int(threads))
    got = device.read(out, c_int, 97)
    assert got[:threads] == [i * 1000 + 12 for i in range(threads)]  # thread 0 of 1, level 2
    assert got[threads:] == [-1] * (97 - threads)


def test_nested_regions_of_an_spmd_kernel(inline: Callable[..., sim.Device]) -> None:
    device = inline(
        '#define OMPLS_NESTED\n#include "ompls_device.cuh"\n'
        "static __device__ void inner(void *p) {\n"
        "    int *slot = static_cast<int *>(p); ompls_barrier();\n"
        "    const int ids = omp_get_thread_num() * 100 + omp_get_num_threads() * 10 + omp_get_level();\n"
        "    ompls_reduce<ompls_add>(slot, ids);\n}\n"
        'extern "C" __global__ void k(int *out) {\n'
        "    ompls_spmd_begin(); int *mine = out + 2 * threadIdx.x;\n"
        "    ompls_parallel(inner, ompls_push_shmem(mine, 4), 4); ompls_pop_shmem(mine, 4);\n"
        "    ompls_barrier(); mine[1] = omp_get_thread_num() * 10 + omp_get_level();\n}\n"
    )
    out = device.array(c_int, [0] * 100)
    device.launch("k", 1, 50, out)
    assert device.read(out, c_int, 100) == [v for t in range(50) for v in (12, t * 10 + 1)]


@pytest.mark.parametrize(("count", "threads"), [(-1, 1), (0, 1), (64, 1), (12287, 1), (12288, 96)])
def test_short_loops_call_no_workers(inline: Inline, count: int, threads: int) -> None:
    """A region of 96 threads costs microseconds; they share a core, so a short loop is faster without them."""
    device = inline(
        '#define OMPLS_GENERIC\n#include "ompls_device.cuh"\n'
        'extern "C" __global__ void k(int *out, int count) {\n'
        "    if (!ompls_target_begin()) return;\n"
        "    ompls_parallel_region([out] {\n"
        "        out[0] = omp_get_num_threads(); out[1] = omp_get_level(); out[2] = omp_get_active_level();\n"
        "        ompls_barrier();\n"
        "    }, ompls_threads_for(count));\n"
        "    out[3] = omp_get_level(); ompls_target_end();\n}\n"
    )
    out = device.array(c_int, [-1] * 4)
    device.launch("k", 1, 128, out, c_int(count))
    assert device.read(out, c_int, 4) == [threads, 1, int(threads > 1), 0]


def test_shared_stack_overflows_to_the_heap(opened: Open) -> None:
    device = opened("generic.cu")
    out = device.array(c_int, [0] * 1500)
    device.launch("stack", 1, 128, out, c_int(1500))
    assert device.read(out, c_int, 1500) == [2 * i + i % 100 + 5 for i in range(1500)]


# --- reductions ---------------------------------------------------------------------------------------------------

INTEGERS = {
    **{"i8": c_byte, "u8": c_ubyte, "i16": c_short, "u16": c_ushort, "i32": c_int, "u32": c_uint},
    **{"i64": c_longlong, "u64": c_ulong},
}
FLOATS = {"f32": c_float, "f64": c_double}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "mul": operator.mul,
    "min": min,
    "max": max,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "land": lambda a, b: int(bool(a) and bool(b)),
    "lor": lambda a, b: int(bool(a) or bool(b)),
}


@pytest.mark.parametrize("operation", thinned(OPERATORS, 5))
def test_reductions_of_every_type(opened: Open, operation: str) -> None:
    device = opened("reduce.cu")
    rng = random.Random(operation)
    apply = OPERATORS[operation]
    types = {**INTEGERS, **({} if operation in {"and", "or", "xor"} else FLOATS)}
    for (suffix, kind), (teams, threads, n) in itertools.product(
        types.items(), [(1, 1, 5), (1, 33, 20), (3, 128, 300), (2, 100, 777), (1, 1024, 1000), (4, 31, 3)]
    ):
        low, high = (0 if suffix[0] == "u" else -100), 100
        values = [kind(rng.randint(low, high)).value for _ in range(n)]
        if operation == "mul":  # no overflow: it would not be C
            values = [1 if v > 0 or suffix[0] == "u" else -1 for v in values]
            values[rng.randrange(n)] *= 5
        if operation in {"land", "lor"} and n > 100:
            values = [int(operation == "land")] * n
            values[rng.randrange(n)] ^= 1
        start = kind(3).value
        target, source = device.array(kind, [start]), device.array(kind, values)
        device.launch(f"{operation}_{suffix}", teams, threads, target, source, c_int(n))
        expected = kind(reduce(apply, values, start)).value
        assert device.read(target, kind, 1) == [expected], (suffix, teams, threads, n)
        device.free(target)
        device.free(source)


# --- atomics ------------------------------------------------------------------------------------------------------

ATOMIC_TYPES = {**INTEGERS, "i64": c_long, "u64": c_ulonglong, **FLOATS}


@pytest.mark.parametrize("suffix", thinned(ATOMIC_TYPES, 4))
def test_atomic_updates(opened: Open, suffix: str) -> None:
    device = opened("atomics.cu")
    kind = ATOMIC_TYPES[suffix]
    teams, threads, targets = 8, 128, 3  # neighbours of 1 and 2 bytes share a word
    updates = [len(range(t, teams * threads, targets)) for t in range(targets)]
    for operation, start, value, expected in (
        ("add", 1, 3, [1 + 3 * u for u in updates]),
        ("sub", 100, 2, [100 - 2 * u for u in updates]),
        ("mul", 3, 1, [3] * targets),
        ("min", 90, 17, [17] * targets),
        ("max", 90, 117, [117] * targets),
    ):
        address = device.array(kind, [start] * targets)
        device.launch(f"{operation}_{suffix}", teams, threads, address, kind(value), c_int(targets))
        assert device.read(address, kind, targets) == [kind(e).value for e in expected], operation
        device.free(address)


def test_atomics_of_other_operators(opened: Open) -> None:
    device = opened("atomics.cu")
    for name, kind, start, value, expected in (
        ("xor_i64", c_long, 5, 0x123456789ABCD, 5),  # an even number of times
        ("rsub_i32", c_int, 4, 10, 4),
        ("shl_u32", c_uint, 3, 1, 0),
    ):
        address = device.array(kind, [start])
        device.launch(name, 2, 64, address, kind(value), c_int(1))
        assert device.read(address, kind, 1) == [expected], name


def test_captured_values_are_all_different(opened: Open) -> None:
    device = opened("atomics.cu")
    counter, seen = device.array(c_int, [0]), device.array(c_int, [0] * 4096)
    device.launch("tickets", 32, 128, counter, seen)
    assert device.read(counter, c_int, 1) == [4096]
    assert device.read(seen, c_int, 4096) == [1] * 4096


def test_compare_exchange_read_and_write(opened: Open) -> None:
    device = opened("atomics.cu")
    biggest, swapped, written = device.array(c_long, [0]), device.array(c_float, [1]), device.array(c_double, [0])
    device.launch("others", 16, 64, biggest, swapped, written, c_long(2**40))
    assert device.read(biggest, c_long, 1) == [2**40 + 1023]
    assert device.read(swapped, c_float, 1) == [3.5]
    assert device.read(written, c_double, 1) == [9.0]


def test_critical_excludes_all_threads_of_all_blocks(opened: Open) -> None:
    device = opened("atomics.cu")
    total, square = device.array(c_long, [0]), device.array(c_long, [0])
    device.launch("locked", 16, 128, total, square)
    assert device.read(total, c_long, 1) == [2048]
    assert device.read(square, c_long, 1) == [2048 * 2048]
