"""The allocator of devices' memory (core/blocks.c): what it gives, and what an operation costs, by counting."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ompls.runtime.build import CORE
from ompls.runtime.toolchain import Compile, Toolchain

FLAGS = ("-O2", "-g", "-Wall", "-Wextra", "-Werror", f"-I{CORE}", "-fsanitize=address,undefined")


@pytest.mark.thorough
def test_blocks_are_found_in_logarithmic_time() -> None:
    sources = (CORE / "blocks.c", Path(__file__).with_name("core") / "blocks.c")
    with Toolchain() as tools:
        objects = tools.objects([Compile(source, FLAGS, depends=(CORE / "blocks.h",)) for source in sources])
        program = tools.link(FLAGS[-1:], objects, "", "linking the test")
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    steps = {int(count): float(each) for count, each in (line.split() for line in done.stdout.splitlines())}
    assert set(steps) == {100, 10000, 1000000}
    assert steps[1000000] - steps[10000] < 1.5 * (steps[10000] - steps[100])  # each a factor of 100
