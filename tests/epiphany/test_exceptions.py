"""A core's first instructions: its exceptions go to the function that tells the program of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ompls.devices.epiphany.module import size
from ompls.runtime.toolchain import Toolchain

PREFIX = size.measure().prefix


@pytest.mark.skipif(PREFIX is None, reason="needs the chip's compiler (make epiphany-toolchain)")
def test_a_cores_exceptions_are_caught(tmp_path: Path) -> None:
    kernel, program = tmp_path / "k.c", tmp_path / "k.core"
    kernel.write_text("void k(void **p)\n{\n    **(int **)p = 1;\n}\n")
    with Toolchain() as tools:
        program.write_bytes(size.measure().of(tools, [("k", kernel)])["k"].program)
    told = subprocess.run(
        [f"{PREFIX}objdump", "-d", "-j", ".vectors", program], capture_output=True, text=True, check=True
    ).stdout
    places = [line.split()[0] for line in told.splitlines() if "\tb " in line]
    targets = [line.rpartition("<")[2] for line in told.splitlines() if "\tb " in line]
    assert places == ["0:", "4:", "8:"]
    assert targets[1] == targets[2] == "failed>"
