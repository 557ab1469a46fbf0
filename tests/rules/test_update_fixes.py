"""Fixes with `target update` in another function than the access: the program then prints what it does on the host."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from command import ompls
from drawing import analyze

from ompls.analysis import fixing
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.rules import check

PROGRAMS = {
    # text, and the line that is inserted; the line it stands before (after: `behind`)
    "what a called function wrote beside newer elements": (
        """
#include <stdio.h>
static void edge(double *g) {
    g[0] = 1;
}
static void step(double *g, int n) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        g[i] = g[i] + 1;
}
int main(void) {
    double g[20] = {0};
    #pragma omp target data map(tofrom: g)
    for (int k = 0; k < 3; k++) {
        edge(g);
        step(g, 20);
    }
    printf("%g\\n", g[0] + g[19] + g[3]);
    return 0;
}
""",
        ("    g[0] = 1;\n", "    g[0] = 1;\n    #pragma omp target update to(g[0:1])\n"),
    ),
    "a region in a called function, by its own map": (
        """
#include <stdio.h>
static void step(const double *x, double *y, int n) {
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n])
    for (int i = 0; i < n; i++)
        y[i] = x[i] + 1;
}
int main(void) {
    double x[20] = {0}, y[20], s = 0;
    #pragma omp target data map(to: x)
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 20; i++)
            x[i] = k;
        step(x, y, 20);
        s += y[3];
    }
    printf("%g\\n", s);
    return 0;
}
""",
        ("    #pragma omp target teams", "    #pragma omp target update to(x[0:n])\n    #pragma omp target teams"),
    ),
    "a function of the device that reads a variable of the file": (
        """
#include <stdio.h>
#define N 10
#pragma omp declare target
double table[N];
static double get(int i) { return table[i]; }
static double twice(int i) { return 2 * get(i); }
#pragma omp end declare target
int main(void) {
    double found = 0;
    for (int i = 0; i < N; i++)
        table[i] = i;
    #pragma omp target map(from: found)
    found = twice(3);
    printf("%g\\n", found);
    return 0;
}
""",
        ("    #pragma omp target map", "    #pragma omp target update to(table)\n    #pragma omp target map"),
    ),
    "a function that has no name for the data": (
        """
#include <stdio.h>
struct s { int n; double *x; };
static double norm(const struct s *s) {
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        sum += s->x[i] * s->x[i];
    return sum;
}
int main(void) {
    double x[20] = {0};
    struct s s = {20, x};
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 20; i++)
            x[i] = i;
        printf("%g\\n", norm(&s));
    }
    return 0;
}
""",
        ("        printf", "        #pragma omp target update from(x)\n        printf"),
    ),
    "a call of a call": (
        """
#include <stdio.h>
#include <stdlib.h>
#define N 4
static double at(const double *x, int i) { return x[i]; }
static void show(const double *x, int n) {
    for (int i = 0; i < n; i++)
        printf("%g\\n", at(x, i));
}
int main(void) {
    double *y = malloc(N * sizeof(double));
    for (int i = 0; i < N; i++)
        y[i] = 7;
    #pragma omp target data map(tofrom: y[0:N])
    for (int k = 0; k < 2; k++) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < N; i++)
            y[i] += i;
        if (k > 0)
            show(y, N);
    }
    return 0;
}
""",
        ("        if (k > 0)", "        #pragma omp target update from(y[0:N])\n        if (k > 0)"),
    ),
}  # fmt: skip


def judge(data: bytes) -> list[Diagnostic]:
    return check(analyze(data.decode()))


def mended(text: str) -> list[Diagnostic]:
    found = judge(text.encode())
    return [d for d in fixing.tried(found, found, text.encode(), judge) if d.rule.startswith("missing-update")]


@pytest.mark.parametrize("what", PROGRAMS)
def test_an_update_where_the_data_are_known(what: str, tmp_path: Path) -> None:
    text, change = PROGRAMS[what]
    (diagnostic,) = mended(text)
    changed = fixing.apply(text.encode(), diagnostic.fixes[0].edits)
    assert changed.decode() == text.replace(*change)
    assert not mended(changed.decode())
    program = tmp_path / "program.c"
    program.write_bytes(changed)
    subprocess.run(["gcc", "-fopenmp", "-w", program, "-o", tmp_path / "host"], check=True)
    expected = subprocess.run([tmp_path / "host"], capture_output=True, text=True, check=True).stdout
    assert ompls("run", "--device", "host", program).stdout == expected


NOT_OFFERED = {
    "another variable has that name where the region is": """
#pragma omp declare target
double table[10];
static double get(int i) { return table[i]; }
#pragma omp end declare target
static void fill(void) {
    for (int i = 0; i < 10; i++)
        table[i] = i;
}
int main(void) {
    double found = 0, table[2] = {0};
    fill();
    #pragma omp target map(from: found)
    found = get(3);
    return found + table[0];
}
""",
    "two regions call it": """
#pragma omp declare target
double table[10];
static double get(int i) { return table[i]; }
#pragma omp end declare target
int main(void) {
    double found = 0;
    for (int i = 0; i < 10; i++)
        table[i] = i;
    #pragma omp target map(from: found)
    found = get(3);
    #pragma omp target map(tofrom: found)
    found += get(4);
    return found;
}
""",
    "the data have a name in an inner block only": """
static double at(const double *x) { return x[0]; }
int main(void) {
    double a[4] = {0}, *p = a;
    {
        double *x = a;
        #pragma omp target enter data map(to: x[0:4])
        #pragma omp target
        for (int i = 0; i < 4; i++)
            x[i] = i;
    }
    return at(p);
}
""",
    "a region runs between the place and the read": """
static double both(double *x, int n) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] += 1;
    return x[0] + x[n - 1];
}
int main(void) {
    double x[4] = {0}, s;
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target
        for (int i = 0; i < 4; i++)
            x[i] = i;
        s = both(x, 4);
    }
    return s;
}
""",
}


@pytest.mark.parametrize("why", NOT_OFFERED)
def test_no_update_where_it_would_mean_something_else(why: str) -> None:
    found = mended(NOT_OFFERED[why])
    assert found
    places = [(d.where.start, fix.edits[0].where.start) for d in found for fix in d.fixes]
    assert not any("\n}" in NOT_OFFERED[why][min(place) : max(place)] for place in places)
