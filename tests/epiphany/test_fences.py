"""`flush` and atomics that release wait on a chip until what the core has written is there, as barriers do."""

from __future__ import annotations

import os
import re
from pathlib import Path

import command
import pytest
from thinned import thinned

from ompls.devices.epiphany.module import size
from ompls.runtime.devices import all_devices, state_of
from ompls.runtime.toolchain import Toolchain

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)

TEXT = """\
REQUIRES
int main(int argc, char **argv)
{
    int a = 0, b = 0;
    (void)argv;
#pragma omp target map(tofrom: a, b) firstprivate(argc)
    {
        a = argc;
        if (argc)
STATEMENT
    }
    return a + b == 5;
}
"""
ATOMIC = "#pragma omp atomic "
# What stands in the kernel, and how many fences there are.
FENCES = {
    "{\n#pragma omp flush\n}": 1,
    "{\n#pragma omp flush release\nb = 1;\n}": 1,
    "{\n#pragma omp flush(a)\n}": 1,
    "{\n#pragma omp flush acquire\n}": 0,
    f"{ATOMIC}write release\nb = 1;": 1,
    f"{ATOMIC}release\nb += 1;": 1,
    f"{ATOMIC}capture acq_rel\na = b++;": 1,
    f"{ATOMIC}write seq_cst\nb = 1;": 2,
    f"{ATOMIC}read seq_cst\na = b;": 2,
    f"{ATOMIC}write\nb = 1;": 0,
    f"{ATOMIC}read acquire\na = b;": 0,
}


def made(directory: Path, statement: str, requires: str = "") -> Path:
    source = directory / "x.c"
    source.write_text(TEXT.replace("STATEMENT", statement).replace("REQUIRES", requires))
    return source


def fences(source: Path) -> int:
    """As the board counts them."""
    environment = {**os.environ, "OMPLS_EPIPHANY_COUNT": "1", "OMPLS_EPIPHANY_DEADLINE": "50"}
    done = command.ompls("run", "--check", "--device", "epiphany", "--timeout", "60", source, env=environment)
    told = re.search(r"(\d+) fences", done.stderr)
    assert done.returncode == 0
    assert told, done.stderr
    return int(told[1])


@pytest.mark.parametrize("statement", thinned(FENCES, 4))
def test_what_releases_has_a_fence(statement: str, tmp_path: Path) -> None:
    assert fences(made(tmp_path, statement)) == FENCES[statement]


def test_the_order_of_the_unit_counts(tmp_path: Path) -> None:
    requires = "#pragma omp requires atomic_default_mem_order(acq_rel)"
    assert fences(made(tmp_path, f"{ATOMIC}write\nb = 1;", requires)) == 1


def test_on_a_chip_it_is_a_call_of_the_run_time(tmp_path: Path) -> None:
    """Which a kernel without it does not have: with this machine's compiler as with the chip's."""
    kernels = []
    for name, statement in (("plain", "b = 1;"), ("released", f"{ATOMIC}write release\nb = 1;")):
        shown = command.ompls("preview", "--device", "epiphany", made(tmp_path, statement))
        assert ("__sync_synchronize()" in shown.stdout) == (name == "released")
        kernel = tmp_path / f"{name}.c"
        kernel.write_text(re.sub(r"\bompls_x_\w+_main_0\b", name, shown.stdout))
        kernels.append((name, kernel))
    with Toolchain() as tools:
        sizes = size.measure().of(tools, kernels)
    plain, released = (sizes[name].all - sizes[name].own for name in ("plain", "released"))
    assert released > plain + 100


def test_an_atomic_write_takes_the_lock_of_updates(tmp_path: Path) -> None:
    """A core reads, changes and writes a word under a lock: a write without it, between the two, was lost."""
    shown = command.ompls(
        "preview", "--device", "epiphany", made(tmp_path, f"{ATOMIC}write release\nb = argc + 1;")
    ).stdout
    assert "omp atomic write" not in shown
    assert re.search(r"atomic capture release.*ompls_old = \*ompls_at; \*ompls_at = \S*argc\S* \+ 1;", shown, re.S), (
        shown
    )
    if size.measure().prefix is None:
        return  # this machine has an instruction
    kernels = []
    for name in ("b += 1;", "write\nb = 1;"):
        shown = command.ompls(
            "preview", "--device", "epiphany", made(tmp_path, ATOMIC + ("\n" * (name[0] == "b")) + name)
        )
        function = f"k{len(kernels)}"
        kernel = tmp_path / f"{function}.c"
        kernel.write_text(re.sub(r"\bompls_x_\w+_main_0\b", function, shown.stdout))
        kernels.append((function, kernel))
    with Toolchain() as tools:
        update, write = (found.all - found.own for found in size.measure().of(tools, kernels).values())
    assert update == write


def test_a_bit_field_is_written_as_it_is(tmp_path: Path) -> None:
    text = f"{{ struct {{ int low : 4; }} s = {{0}}, *p = &s;\n{ATOMIC}write\np->low = 1;\nb = s.low; }}"
    assert fences(made(tmp_path, text)) == 0
