"""What bench/gpu/counts.py finds in PTX and in machine code.

The listings `sums` are of a loop over rows with a loop over columns in it, as nvrtc 12.9 and nvdisasm 12.8 made them:
`sum += a[i * n + j] * x[j]` with `a` behind `const __restrict__` and `x` not, not unrolled.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench/gpu"))
import blocks
import counts

LISTINGS = Path(__file__).parent / "listings"


@pytest.mark.parametrize(
    ("made", "inner", "whole"),
    [("sm_53.ptx", 8, 43), ("sm_90.ptx", 8, 43), ("sm_53.sass", 14, 46), ("sm_90.sass", 12, 46)],
)
def test_the_innermost_loop_is_hot(made: str, inner: int, whole: int) -> None:
    functions = blocks.functions((LISTINGS / f"sums_{made}").read_text())
    hot = counts.hot(functions, "sums")
    assert hot
    assert (hot.instructions, hot.floating, hot.read_only, hot.loads, hot.stores) == (inner, 1, 1, 1, 0)
    all_of_it = counts.whole(functions, "sums")
    assert (all_of_it.instructions, all_of_it.stores) == (whole, 2)


def ptx(body: str, more: str = "") -> dict[str, list[blocks.Block]]:
    lines = "".join(f"{line}\n" if line.endswith(":") else f"\t{line};\n" for line in body.split("; "))
    return blocks.functions(f".version 8.8\n{more}.visible .entry k()\n{{\n{lines}\tret;\n}}\n")


def test_64_bit_operations_are_counted_by_their_type() -> None:
    body = (
        "mul.wide.s32 %rd1, %r1, 4; add.s64 %rd2, %rd1, 8; setp.lt.s64 %p1, %rd1, %rd2; mul.lo.s64 %rd3, %rd1, %rd2; "
    )
    body += "div.u64 %rd4, %rd3, %rd1; add.s32 %r2, %r1, 1; fma.rn.f64 %fd1, %fd1, %fd1, %fd1; mov.u64 %rd5, %rd4"
    found = counts.whole(ptx(body), "k")
    assert (found.wide, found.address, found.floating) == (2, 3, 1)


def test_shared_memory_and_parameters_are_not_loads() -> None:
    body = "ld.param.u64 %rd1, [p]; ld.volatile.shared.f32 %f1, [%r1]; ld.volatile.global.u32 %r2, [%rd1]; "
    body += (
        "ld.f32 %f2, [%rd1]; st.shared.f32 [%r1], %f2; st.global.f32 [%rd1], %f1; atom.global.add.u32 %r3, [%rd1], 1; "
    )
    body += "red.global.add.f32 [%rd1], %f1"
    found = counts.whole(ptx(body), "k")
    assert (found.loads, found.read_only, found.stores) == (2, 0, 3)


def test_a_called_function_counts() -> None:
    callee = ".func part()\n{\n$L_1:\n\tld.global.f32 %f1, [%rd1];\n\t@%p1 bra $L_1;\n\tret;\n}\n"
    callee += ".func other()\n{\n\tret;\n}\n"
    functions = ptx("call.uni part, ()", callee)
    assert counts.whole(functions, "k").instructions == 5
    hot = counts.hot(functions, "k")
    assert hot
    assert hot.instructions == 2


def test_two_ways_back_are_one_loop() -> None:
    body = "$L_1:; ld.global.f32 %f1, [%rd1]; @%p1 bra $L_1; fma.rn.f32 %f2, %f1, %f1, %f2; @%p2 bra $L_1"
    hot = counts.hot(ptx(body), "k")
    assert hot
    assert hot.instructions == 4


@pytest.mark.parametrize(
    "joining", ["shfl.sync.down.b32 %r1, %r1, %r2, 31, -1", "atom.global.cas.b32 %r1, [%rd1], %r2, 1"]
)
def test_a_loop_that_joins_values_is_not_hot(joining: str) -> None:
    body = f"$L_1:; {joining}; add.f32 %f1, %f1, %f1; @%p1 bra $L_1"
    assert counts.hot(ptx(body), "k") is None


def test_a_loop_over_global_memory_is_hot_before_others() -> None:
    shared = "ld.shared.f32 %f1, [%r1]; " + "; ".join(["add.f32 %f2, %f2, %f1"] * 4)
    body = f"$L_1:; ld.global.f32 %f1, [%rd1]; @%p1 bra $L_1; $L_2:; {shared}; @%p1 bra $L_2"
    hot = counts.hot(ptx(body), "k")
    assert hot
    assert hot.instructions == 2


def test_of_equal_loops_the_cheapest_is_hot() -> None:
    dear = "$L_1:; ld.global.f32 %f1, [%rd1]; add.s32 %r1, %r1, 1; @%p1 bra $L_1"
    hot = counts.hot(ptx(f"{dear}; $L_2:; ld.global.nc.f32 %f1, [%rd1]; @%p1 bra $L_2"), "k")
    assert hot
    assert (hot.instructions, hot.read_only) == (2, 1)


def test_what_clears_barriers_on_sm_87_is_not_counted() -> None:
    lines = ["ISETP.NE.U32.AND P0, PT, RZ, UR2, PT", "@P0 BRA `(.L_x_0)", "BMOV.32.CLEAR B15, B14", "UMOV UR2, 0x1"]
    text = ".text.k:\n" + "".join(f"        /*0000*/ {line} ;\n" for line in lines)
    functions = blocks.functions(text + ".L_x_0:\n        /*0040*/ EXIT ;\n")
    assert counts.whole(functions, "k").instructions == 1


def test_no_loop_no_ratio() -> None:
    assert counts.hot(ptx("ld.global.f32 %f1, [%rd1]"), "k") is None
    assert counts.inner(None, counts.mix([])) is None


def test_loops_are_compared_by_their_work() -> None:
    once = "fma.rn.f32 %f1, %f2, %f3, %f1; add.s32 %r1, %r1, 1"
    rolled = counts.hot(ptx(f"$L_1:; {once}; @%p1 bra $L_1"), "k")
    unrolled = counts.hot(ptx("$L_1:; " + "; ".join([once] * 4) + "; @%p1 bra $L_1"), "k")
    assert counts.inner(rolled, unrolled) == pytest.approx(3 / (9 / 4))
    counting = counts.hot(ptx("$L_1:; red.global.add.u32 [%rd1], 1; @%p1 bra $L_1"), "k")
    reading = counts.hot(ptx("$L_1:; ld.global.u32 %r1, [%rd1]; @%p1 bra $L_1"), "k")
    assert counts.inner(counting, counting) == counts.inner(reading, reading) == 1


def test_loads_count_by_their_bytes() -> None:
    """A vector's braces are an operand; machine code names what is not 4 bytes."""
    loads = "ld.global.nc.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];\n\tld.global.u8 %r1, [%rd1];"
    found = counts.whole(blocks.functions(f".version 8.8\n.visible .entry k()\n{{\n\t{loads}\n\tret;\n}}\n"), "k")
    assert (found.instructions, found.read_only, found.loads, found.loaded) == (3, 1, 1, 17)
    sizes = {"LDG.E.128.CONSTANT": 16, "LDG.E.CI.64": 8, "LDG.E.LTC128B": 4, "LDG.E.U8": 1, "LDG.E.S16.SYS": 2}
    assert {opcode: counts._bytes(opcode) for opcode in sizes} == sizes
