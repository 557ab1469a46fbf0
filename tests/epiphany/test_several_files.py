"""Kernels that call functions of another file: with it they run, without it the function is named."""

from __future__ import annotations

import os
from pathlib import Path

import command
import pytest

from ompls.runtime.devices import all_devices, state_of

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)

CALLER = """\
#pragma omp declare target
int twice(int x);
extern int calls;
#pragma omp end declare target
int main(void)
{
    int a = 4, b = 0;
#pragma omp target map(tofrom: a)
    a = twice(a);
#pragma omp target map(from: b)
    b = calls;
    return !(a == 8 && b == 1);
}
"""
CALLED = """\
#pragma omp declare target
int calls = 0;
int twice(int x)
{
    calls++;
    return 2 * x;
}
#pragma omp end declare target
"""


def run(directory: Path, *names: str) -> tuple[int, str]:
    (directory / "caller.c").write_text(CALLER)
    (directory / "called.c").write_text(CALLED)
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory"}
    done = command.ompls("run", "--device", "epiphany", *(directory / name for name in names), env=environment)
    return done.returncode, done.stderr


def test_a_function_of_another_file(tmp_path: Path) -> None:
    assert run(tmp_path, "caller.c", "called.c") == (0, "")


def test_one_that_no_file_has_is_named(tmp_path: Path) -> None:
    code, told = run(tmp_path, "caller.c")
    assert code == 125
    assert "(caller.c:8): it calls 'twice', and no unit that is linked has its body under declare target; link" in told
    assert "undefined reference" not in told
