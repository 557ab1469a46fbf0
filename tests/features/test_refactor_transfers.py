"""What is hoisted travels less: time-step programs print the same, and their traces have fewer copies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import ompls
from thinned import thinned

from .test_refactor_runs import refactored

HEAD = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#define N 64\n"
STENCIL = """
int main(void) {
    double *u = malloc(N * sizeof *u), *v = malloc(N * sizeof *v);
    for (int i = 0; i < N; i++) u[i] = v[i] = i % 7;
    for (int step = 0; step < 20; step++) {
        #pragma omp target teams distribute parallel for
        for (int i = 1; i < N - 1; i++) v[i] = (u[i - 1] + u[i] + u[i + 1]) / 3;
        #pragma omp target teams distribute parallel for
        for (int i = 1; i < N - 1; i++) u[i] = v[i];
    }
    double sum = 0;
    for (int i = 0; i < N; i++) sum += u[i] * (i + 1);
    printf("%.9f\\n", sum);
    free(u);
    free(v);
    return 0;
}
"""
CONVERGES = """
int main(void) {
    static double a[N][N];
    double x[N], next[N], error = 1;
    int rounds = 0;
    for (int i = 0; i < N; i++) {
        x[i] = 0;
        for (int j = 0; j < N; j++) a[i][j] = i == j ? 2.0 * N : 1.0 / (1 + i + j);
    }
    while (error > 1e-9) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < N; i++) {
            next[i] = 1;
            for (int j = 0; j < N; j++)
                if (i != j) next[i] -= a[i][j] * x[j];
            next[i] /= a[i][i];
        }
        error = 0;
        for (int i = 0; i < N; i++) error += fabs(next[i] - x[i]);
        for (int i = 0; i < N; i++) x[i] = next[i];
        rounds++;
    }
    printf("%d %.9f %.9f\\n", rounds, x[0], x[N - 1]);
    return 0;
}
"""
NOW_AND_THEN = """
static void drive(float *restrict field, const float *restrict source, int n, int steps) {
    for (int t = 0; t < steps; t++) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++) field[i] = 0.5f * field[i] + source[i];
        if (t % 8 == 7) {
            printf("%d: %g\\n", t, field[n / 2]);
            field[0] = 100;
        }
    }
}
int main(void) {
    float *field = malloc(N * sizeof *field), *source = malloc(N * sizeof *source);
    for (int i = 0; i < N; i++) field[i] = i, source[i] = 1.0f / (i + 1);
    drive(field, source, N, 24);
    printf("%g %g\\n", field[0], field[N - 1]);
    free(field);
    free(source);
    return 0;
}
"""
# name, text, copies before and after (None: as many as the rounds need)
PROGRAMS = [
    ("stencil", STENCIL, 20 * 4, 4),
    ("converges", CONVERGES, None, None),
    ("now_and_then", NOW_AND_THEN, 24 * 3, 3 + 3 * 2),
]


def traced(path: Path, source: bytes) -> tuple[str, int]:
    """What the program prints on a device with memory of its own, and how many copies there are."""
    path.write_bytes(source)
    trace = path.with_suffix(".trace")
    done = ompls("run", "--device", "cudasim", "--trace", str(trace), str(path), "-lm")
    assert done.returncode == 0, f"{done.stderr}\n{source.decode()}"
    events = [json.loads(line) for line in trace.read_text("utf-8").splitlines()[1:]]
    return done.stdout, sum(event["kind"] == "copy" for event in events)


@pytest.mark.parametrize(("name", "text", "before", "after"), thinned(PROGRAMS, 3, ids=[p[0] for p in PROGRAMS]))
@pytest.mark.thorough
def test_fewer_copies_and_the_same_output(
    name: str, text: str, before: int | None, after: int | None, tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.c"
    mapped, written = refactored(path, (HEAD + text).encode(), "Write all map clauses")
    assert written
    hoisted, times = refactored(path, mapped, "Hoist")
    assert times == 1
    expected, each_time = traced(path, mapped)
    printed, once = traced(path, hoisted)
    assert printed == expected
    assert once < each_time, hoisted.decode()
    if before is not None:
        assert (each_time, once) == (before, after), hoisted.decode()
