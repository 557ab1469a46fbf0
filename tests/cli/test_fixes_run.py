"""Fixes that move data, applied and run: on a device with memory of its own the program computes what the host does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ompls.cli import fixes
from ompls.cli.problem import Problem

# Every function has one mistake, and newer values beside it that a transfer of everything would overwrite.
PROGRAM = """
#include <stdio.h>
enum { N = 24 };
static double u[N], s[N], v[N], w[N], g[N][N], h[N][N];

static void refreshed_ends(double *u, double *v, int n)
{
    #pragma omp target data map(tofrom: u[0:n]) map(alloc: v[0:n])
    for (int step = 0; step < 4; step++) {
        #pragma omp target teams distribute parallel for
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i - 1] + u[i] + u[i + 1];
        #pragma omp target teams distribute parallel for
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i] / 3;
        u[0] = step; // the left end
        u[n - 1] = u[1];
    }
}

static void refreshed_row_and_column(void)
{
    #pragma omp target data map(tofrom: g)
    for (int step = 0; step < 3; step++) {
        #pragma omp target teams distribute parallel for collapse(2)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                g[i][j] = 0.5 * g[i][j] + g[0][j] + g[i][0];
        for (int j = 0; j < N; j++)
            g[0][j] = step + j;
        for (int i = 1; i < N; i++)
            g[i][0] = i - step;
    }
}

static double host_is_newer_elsewhere(void)
{
    double sum = 0;
    #pragma omp target data map(to: v)
    {
        #pragma omp target
        for (int i = 4; i < N; i++)
            v[i] = 2 * i;
        v[0] = 77;
        sum += v[5];
        sum += v[0];
    }
    return sum;
}

static double beside_another_item(void)
{
    double sum = 0;
    #pragma omp target data map(to: w, u)
    {
        #pragma omp target
        for (int i = 0; i < N; i++)
            u[i] = i + w[i];
        w[3] = 9;
    }
    for (int i = 0; i < N; i++)
        sum += u[i] * w[i];
    return sum;
}

static double written_again_in_the_environment(void)
{
    double sum = 0;
    #pragma omp target data map(to: h)
    {
        #pragma omp target
        for (int i = 0; i < N; i++)
            h[i][1] = i;
        h[0][0] = 5;
    }
    for (int i = 0; i < N; i++)
        sum += h[i][0] + (i < 0 ? h[i][1] : 0);
    return sum;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        u[i] = i * i % 7;
        w[i] = i % 5;
        for (int j = 0; j < N; j++)
            g[i][j] = h[i][j] = (i * j) % 11;
    }
    refreshed_ends(u, s, N);
    refreshed_row_and_column();
    printf("%g %g\\n", host_is_newer_elsewhere(), beside_another_item());
    printf("%g\\n", written_again_in_the_environment());
    for (int i = 0; i < N; i++)
        printf("%g %g %g\\n", u[i], g[i][3], g[7][i]);
    return 0;
}
"""
INSERTED = [
    "u[0] = step; // the left end\n        #pragma omp target update to(u[0:1])\n",
    "u[n - 1] = u[1];\n        #pragma omp target update to(u[n - 1:1])\n",
    "            g[0][j] = step + j;\n        #pragma omp target update to(g[0:1][0:24])\n",
    "            g[i][0] = i - step;\n        #pragma omp target update to(g[1:23][0:1])\n",
    "        #pragma omp target update from(v[5:1])\n        sum += v[5];\n",
    "target data map(to: w) map(tofrom: u)\n",
]


def test_a_program_with_all_fixes_computes_the_hosts_result(ompls, process, tmp_path: Path) -> None:
    path = tmp_path / "halo.c"
    path.write_text(PROGRAM)
    done = ompls("check", "--select", "mapping", "--fix", "--unsafe-fixes", path)
    text = path.read_text()
    assert [part for part in INSERTED if part not in text] == [], done.out + text
    subprocess.run(["gcc", "-w", "-o", tmp_path / "halo", path], check=True)
    host = subprocess.run([tmp_path / "halo"], capture_output=True, text=True, check=True).stdout
    assert process("run", "--device", "cudasim", path, env={"OMP_TARGET_OFFLOAD": "mandatory"}).out == host


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    one, other = tmp_path / "a.c", tmp_path / "b.c"
    one.write_text("int a;\n")
    other.write_text("int c;\n")
    originals = {str(one): b"int a;\n", str(other): b"int b;\n"}
    with pytest.raises(Problem, match=r"b\.c: it changed while it was checked"):
        fixes.write(originals, dict.fromkeys(originals, b"int d;\n"))
    assert (one.read_text(), other.read_text()) == ("int a;\n", "int c;\n")
