"""`map(ompx_local, …)`: a section in the memory of a core, or why it cannot be there."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import command
import pytest

from ompls.runtime.devices import all_devices, state_of

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)
PROGRAM = Path(__file__).resolve().parent / "local_sections.c"

TEXT = """\
struct s { int *p; int n[4]; };
int main(int argc, char **argv)
{
    static int table[SIZE], other[7500], *p = other;
    struct s s = {other, {0}};
    (void)argc, (void)argv, (void)p, (void)s, (void)other;
#pragma omp target map(CLAUSE) map(tofrom: argc)
    argc += USE;
    return argc - 1;
}
"""


def made(directory: Path, clause: str, use: str, size: int = 10) -> Path:
    source = directory / "x.c"
    source.write_text(TEXT.replace("CLAUSE", clause).replace("USE", use).replace("SIZE", str(size)))
    return source


def run(source: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory", "OMPLS_EPIPHANY_DEADLINE": "50"}
    return command.ompls("run", "--device", "epiphany", "--timeout", "60", source, env=environment)


@pytest.mark.parametrize("device", ["host", "cudasim"])
def test_a_device_without_such_memory_does_the_same(device: str) -> None:
    assert command.ompls("run", "--device", device, PROGRAM).stdout == run(PROGRAM).stdout == "0 5151 120 4\n"


def test_it_lies_in_the_memory_of_the_core_behind_the_code(tmp_path: Path) -> None:
    """And begins where the section does in eight bytes, so that it is copied in large pieces."""
    use = "(unsigned)(unsigned long)&p[3] >> 15 == 0x80800000 >> 15 && ((unsigned long)&p[3] & 7) == 4 ? 0 : 7"
    assert run(made(tmp_path, "ompx_local, to: p[3:100]", use)).returncode == 0


def test_what_does_not_fit_is_told_with_the_bytes(tmp_path: Path) -> None:
    done = run(made(tmp_path, "ompx_local, to: p[0:7399 + argc]", "p[1]"))
    code, left = command.refusal(
        done,
        r"p\[0:7399\+argc\] needs 29600 bytes of the core's memory, and beside (\d+) of code, 0 of other sections "
        r"and 2048 for a stack it has (\d+)",
    )
    assert code + left <= 29312


def test_constant_lengths_are_counted_when_the_kernel_is_built(tmp_path: Path) -> None:
    source = made(tmp_path, "ompx_local, to: table", "table[1]", 2000)
    shown = command.ompls("preview", "--device", "epiphany", "--resources", "--json", source).stdout
    (needs,) = json.loads(shown)["regions"].values()
    taken, left, sections = needs.values()
    assert sections == pytest.approx(7.8)
    assert taken + left == pytest.approx(32, abs=0.11)
    done = run(made(tmp_path, "ompx_local, to: table", "table[1]", 7320))
    assert done.returncode == 125
    assert re.search(
        r"does not fit an Epiphany core: \d+ bytes of it, 29280 of ompx_local and \d+ of the run time", done.stderr
    )


REFUSED = {
    "ompx_local, to: s.n": ("s.n[0]", "it is neither a variable nor a section of one"),
    "ompx_local, to: s.p[0:4]": ("s.p[0]", "it is neither a variable nor a section of one"),
    "ompx_local, to: p": ("p != 0", "it is a pointer: say which section"),
}


@pytest.mark.parametrize("clause", REFUSED)
def test_what_cannot_be_near_is_refused_before_anybody_compiles(clause: str, tmp_path: Path) -> None:
    use, why = REFUSED[clause]
    done = command.ompls("check", "--device", "cudasim", made(tmp_path, clause, use))  # with pointers of the same size
    assert why in done.stdout
    assert done.returncode == 1


def test_only_a_region_can_have_a_copy(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("void f(int *x) {\n#pragma omp target enter data map(ompx_local, to: x[0:4])\n}\n")
    assert "only a target region can have a copy" in command.ompls("check", "--device", "epiphany", source).stdout
