"""What a kernel computes is what the host computes: `char` has the sign that it has in the program."""

from __future__ import annotations

import os
from pathlib import Path

import command
import pytest

from ompls.devices.epiphany.module import size
from ompls.runtime.devices import all_devices, state_of
from ompls.runtime.toolchain import Toolchain

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)

CHAR = """\
int main(void)
{
    int wide = 0, letter = 0;
    char c = (char)200;
#pragma omp target map(from: wide, letter)
    {
        wide = c;
        letter = '\\300';
    }
    return !(wide == c && letter == '\\300');
}
"""


@pytest.mark.parametrize("options", [(), ("-funsigned-char",), ("-fsigned-char",)], ids=" ".join)
def test_char_is_as_in_the_program(options: tuple[str, ...], tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(CHAR)
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory"}
    done = command.ompls("run", "--device", "epiphany", "--timeout", "60", *options, source, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_so_it_is_for_the_chip(tmp_path: Path) -> None:
    """By the size of an array that the sign decides."""
    kernel = tmp_path / "k.c"
    kernel.write_text("const int k[(char)200 < 0 ? 100 : 10] = {1};\n")
    with Toolchain() as tools:
        signed, unsigned = (
            size.measure().of(tools, [("k", kernel)], (flag,))["k"].own for flag in ("-fsigned-char", "-funsigned-char")
        )
    assert signed - unsigned == 360
