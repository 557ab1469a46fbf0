"""Which version of a kernel is launched, that which was told that nothing overlaps or the other, and that it is right.

The fake compiler hands the promise to g++, which makes use of it, too: `overlapping.c` is wrong where it does not hold.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from thinned import thinned

ROOT = Path(__file__).resolve().parents[2]
OVERLAPPING = ROOT / "tests/translate/programs/overlapping.c"


def launches(machine: dict[str, str], source: Path, log: Path, **more: str) -> list[str]:
    """What the program of `source` launches, of kernel names the region and the version; it has to be right."""
    log.touch()
    command = [sys.executable, "-m", "ompls", "run", "--device", "cuda", str(source)]
    env = {**machine, "OMPLS_FAKE_LAUNCHES": str(log), **more}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=400, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return ["_".join(name.split("_")[3:]) for name in log.read_text().split()]


@pytest.mark.thorough
def test_pointers_that_overlap_are_right(machine: dict[str, str], tmp_path: Path) -> None:
    found = launches(machine, OVERLAPPING, tmp_path / "log")
    # Six times in one array, then in two.
    assert [x for x in found if x.startswith("plain")] == ["plain_0"] * 6 + ["plain_0_restrict"]
    assert [x for x in found if x.startswith("by_atomics")] == ["by_atomics_0"] * 6 + ["by_atomics_0_restrict"]
    assert not any(x.endswith("_restrict") for x in found if x.startswith("through"))


VERSIONS = """
#include <stdlib.h>
enum { N = 100000 };
static void add(int *to, const int *from) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++) to[i] += from[i] + from[0];
}
int main(void) {
    int *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b), wrong = 0;
    for (int i = 0; i < N; i++) a[i] = i, b[i] = 2;
    #pragma omp target data map(tofrom: a[0:N], b[0:N])
    {
        add(a, b);
        add(b, a);
        add(a, b);
        #pragma omp target teams distribute parallel for nowait
        for (int i = 0; i < N; i++) b[i] += a[i];
        #pragma omp taskwait
    }
    for (int i = 0; i < N; i++) {
        int first = i + 4, second = 2 + first + 4, third = first + second + 10;
        wrong += a[i] != third || b[i] != second + third;
    }
    return wrong != 0;
}
"""


@pytest.mark.parametrize(
    ("settings", "version"),
    thinned([({"OMPLS_CUDA_LEND": "1"}, ""), ({}, "_restrict"), ({"OMPLS_FAKE_INTEGRATED": "1"}, "")], 3),
)
def test_memory_that_is_lent_is_the_hosts(
    machine: dict[str, str], tmp_path: Path, settings: dict[str, str], version: str
) -> None:
    source = tmp_path / "program.c"
    source.write_text(VERSIONS)
    found = launches(machine, source, tmp_path / "log", **settings)
    assert found == ["add_0" + version] * 3 + ["main_0" + version]
