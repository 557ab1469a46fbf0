"""Loops that take a lock and are left with it are found in PTX and in machine code; others are not.

The listings are of two kernels, a `critical` construct under an `if` and an atomic multiplication (which updates by
compare-and-swap), as nvrtc 12.9 and nvdisasm 12.8 made them: `behind` with a device library in which the optimizer
could move the release behind the loop, `inside` with one in which it cannot.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import waits

LISTINGS = Path(__file__).parent / "listings"
MADE = [f"{arch}.{kind}" for arch in ("sm_53", "sm_70") for kind in ("ptx", "sass")]


@pytest.mark.parametrize("made", MADE)
def test_a_release_behind_the_loop_is_found(made: str) -> None:
    (taking,) = waits.takings((LISTINGS / f"behind_{made}").read_text())
    assert (taking.function, taking.releases) == ("taken", False)
    assert str(taking).endswith("and is left with it")


@pytest.mark.parametrize("made", MADE)
def test_a_release_in_the_loop_is_right(made: str) -> None:
    listing = (LISTINGS / f"inside_{made}").read_text()
    assert {(t.function, t.releases) for t in waits.takings(listing)} == {("taken", True)}
    assert waits.swaps(listing)


AROUND = """.version 8.8
.func release(.param .b64 p)
{
\tatom.exch.b32 \t%r1, [%rd1], 0;
\tret;
}
.visible .entry k()
{
BODY
\tret;
}
"""
# A loop over iterations around the wait, and what the compiler may make of it; whether the lock is released in time.
BODIES = {
    "a loop around both does not help": (
        "$L__BB0_1:\n\tmov.u32 \t%r2, 0;\n$L__BB0_2:\n\tatom.cas.b32 \t%r1, [%rd1], %r2, 1;\n"
        "\tsetp.ne.s32 \t%p1, %r1, 0;\n\t@%p1 bra \t$L__BB0_2;\n"
        "\tatom.exch.b32 \t%r3, [%rd1], 0;\n\t@%p2 bra \t$L__BB0_1;",
        False,
    ),
    "one block begins both loops": (
        "$L__BB0_1:\n\tatom.cas.b32 \t%r1, [%rd1], 0, 1;\n\tsetp.ne.s32 \t%p1, %r1, 0;\n\t@%p1 bra \t$L__BB0_1;\n"
        "\tatom.exch.b32 \t%r3, [%rd1], 0;\n\t@%p2 bra \t$L__BB0_1;",
        False,
    ),
    "a called function releases": (
        "$L__BB0_1:\n\tatom.cas.b32 \t%r1, [%rd1], 0, 1;\n\tsetp.ne.s32 \t%p1, %r1, 0;\n\t@%p1 bra \t$L__BB0_2;\n"
        "\tcall.uni \trelease, (param0);\n$L__BB0_2:\n\t@%p2 bra \t$L__BB0_1;",
        True,
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_which_loop_counts(name: str) -> None:
    body, released = BODIES[name]
    found = waits.takings(AROUND.replace("BODY", body))
    assert found
    assert all(t.releases for t in found) == released


def test_one_swap_is_no_wait() -> None:
    assert waits.takings(AROUND.replace("BODY", "\tatom.cas.b32 \t%r1, [%rd1], 0, 1;")) == []
