"""The default device where libgomp, which knows nothing of ours, has none: gcc 13 and later under `mandatory`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from command import ompls

# What that libgomp answers until the program has set a default device.
NEWER = """
#include <limits.h>
static int number = INT_MIN;
int omp_get_default_device(void) { return number == INT_MIN ? -4 : number; }
void omp_set_default_device(int given) { number = given; }
"""
PROGRAM = r"""
#include <omp.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int host = -1;
    printf("%d\n", omp_get_default_device());
    if (argc > 1) omp_set_default_device(omp_invalid_device);
    #pragma omp target map(from: host)
    host = omp_is_initial_device();
    printf("%d\n", host);
    return 0;
}
"""


def test_it_is_our_first_one(tmp_path: Path) -> None:
    (tmp_path / "newer.c").write_text(NEWER)
    (tmp_path / "program.c").write_text(PROGRAM.replace("omp_invalid_device", "-4"))
    library, program = tmp_path / "newer.so", tmp_path / "program"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "newer.c"], check=True)
    made = ompls("cc", "-fopenmp", "-fopenmp-targets=host", "-o", program, tmp_path / "program.c")
    assert made.returncode == 0, made.stderr
    environment = {**os.environ, "LD_PRELOAD": str(library), "OMP_TARGET_OFFLOAD": "mandatory"}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n0\n", "")
    done = subprocess.run([program, "none"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (125, "0\n")
    assert "there is no device -4" in done.stderr
