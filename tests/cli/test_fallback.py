"""Host fallback in the middle of a device data environment: the region works on the device's data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# What the regions do to `x` and `calls` is in an order; the host's own values stay what they were.
THREE = """\
#include <stdio.h>
static int calls = 7, table[4] = {1, 2, 3, 4};
#pragma omp declare target to(calls, table)
struct list { int n, *at; };
int main(void)
{
    int x = 1, values[3] = {1, 2, 3}, seen[2] = {0, 0};
    struct list list = {3, values};
#pragma omp target data map(to: x, list, list.at[0:3])
    {
#pragma omp target map(tofrom: x, list)
        { x += 10; calls++; list.at[1] = x; }
#pragma omp target map(tofrom: x, list, seen)
        { x *= 2; calls *= 2; table[2] = calls; seen[0] = list.at[1]; list.at[1] += table[2]; }
#pragma omp target map(tofrom: x, list)
        { x += 100; calls += 100; list.at[2] = list.at[1]; }
        printf("%d %d %d %d\\n", x, calls, list.at[1], seen[0]);
#pragma omp target update from(x, calls, table, values)
    }
    printf("%d %d %d %d %d\\n", x, calls, table[2], values[1], values[2]);
    return 0;
}
"""


@pytest.mark.parametrize("missing", [{1}, {0, 1, 2}])
@pytest.mark.parametrize("device", ["host", "cudasim"])
def test_a_region_without_a_kernel_runs_on_the_devices_data(
    process, tmp_path: Path, device: str, missing: set[int]
) -> None:
    (tmp_path / "three.c").write_text(THREE)
    bundle = tmp_path / "bundle"
    assert process("translate", "--device", device, "-o", bundle, tmp_path / "three.c").code == 0
    manifest = json.loads((bundle / "manifest.json").read_text())
    (unit,) = manifest["units"]
    unit["kernels"] = [kernel for n, kernel in enumerate(unit["kernels"]) if n not in missing]
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    command = [sys.executable, "-m", "ompls.runtime", "run", "--device", device, bundle]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1 7 2 11\n122 116 16 27 27\n")
    assert f"three.c:{11 if 0 in missing else 13}: region on {device}:0: no kernel: " in done.stderr
    assert done.stderr.count("\n") == 1
    env = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory"}
    assert subprocess.run(command, capture_output=True, env=env, check=False).returncode == 125
