"""`ompls_next_idle_device`: which device a task of a farm gets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command import ompls

PROGRAM = """
#include <omp.h>
#include <stdio.h>
static volatile int go, running;
static void spin(int device) {
    volatile int *until = &go, *begun = &running;
    #pragma omp target nowait device(device) is_device_ptr(until, begun)
    {
        __atomic_fetch_add(begun, 1, __ATOMIC_RELAXED);
        while (!*until) {}
    }
}
int main(void) {
    for (int i = 0; i < 4; i++) printf("%d ", ompls_next_idle_device());
    int first = ompls_next_idle_device();
    spin(first);
    spin((first + 1) % 3);
    while (running < 2) {}
    printf("| %d %d ", ompls_next_idle_device(), ompls_next_idle_device());
    spin(0), spin(0), spin((first + 2) % 3); /* all have some, device 0 has most */
    int zero = 0, few = 0;
    for (int i = 0; i < 6; i++) {
        int next = ompls_next_idle_device();
        zero += next == 0;
        few += next != 0;
    }
    printf("| %d %d ", zero, few);
    go = 1;
    #pragma omp taskwait
    for (int i = 0; i < 30; i++) {
        int next = ompls_next_idle_device();
        #pragma omp target device(next)
        { }
    }
    int counts[3] = {0};
    for (int i = 0; i < 9; i++) counts[ompls_next_idle_device()]++;
    printf("| %d %d %d\\n", counts[0], counts[1], counts[2]);
    return 0;
}
"""


def test_idle_devices_come_in_turn_and_busy_ones_last(tmp_path: Path) -> None:
    source = tmp_path / "farm.c"
    source.write_text(PROGRAM)
    done = ompls("run", "--device", "host:3", source)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "0 1 2 0 | 0 0 | 0 6 | 3 3 3\n"


FARM = """
#include <omp.h>
#include <stdio.h>
enum { TASKS = 64 };
int main(void) {
    int sum = 0, used[2] = {0};
    #pragma omp parallel for num_threads(4) schedule(dynamic) reduction(+: sum)
    for (int task = 0; task < TASKS; task++) {
        int device = ompls_next_idle_device(), result = 0;
        #pragma omp target device(device) map(from: result)
        {
            result = 0;
            for (int i = 0; i <= task; i++) result += i;
        }
        #pragma omp atomic
        used[device]++;
        sum += result;
    }
    printf("%d %d\\n", sum, used[0] > 0 && used[1] > 0);
    return 0;
}
"""


@pytest.mark.parametrize("device", ["host:2", "cudasim:2"])
def test_a_farm_of_threads_is_right(device: str, tmp_path: Path) -> None:
    source = tmp_path / "farm.c"
    source.write_text(FARM)
    done = ompls("run", "--device", device, source)
    expected = sum(task * (task + 1) // 2 for task in range(64))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{expected} 1\n", "")


def test_without_devices_it_is_the_initial_one(tmp_path: Path) -> None:
    source = tmp_path / "none.c"
    source.write_text(
        "#include <omp.h>\nint main(void) {\n    int d = ompls_next_idle_device(), x = 0;\n"
        "#pragma omp target device(d) map(tofrom: x)\n    x = 1;\n"
        "    return d != omp_get_initial_device() || x != 1;\n}\n"
    )
    done = ompls("run", "--device", "host", source, env={**os.environ, "OMP_TARGET_OFFLOAD": "disabled"})
    assert (done.returncode, done.stderr) == (0, "")


WHERE_OURS_IS = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    int there = 0;
#ifdef OMPLS_OMP_H
    #pragma omp target map(tofrom: there) device(ompls_next_idle_device())
    there = omp_is_initial_device() == 0;
#endif
#if defined(omp_atv_multiple) || __GNUC__ >= 16
    #pragma omp target map(tofrom: there)
    there += omp_is_initial_device() == 0;
#endif
    printf("%d\\n", there);
    return 0;
}
"""


def test_regions_where_our_header_is_known_are_regions(tmp_path: Path) -> None:
    """The analysis read gcc's <omp.h>, the build ours: it compiled what had not been translated."""
    source = tmp_path / "ours.c"
    source.write_text(WHERE_OURS_IS)
    done = ompls("run", "--device", "host", source)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")
