"""Values that only the launch of a GPU's kernel needs: the kernel has no parameters for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from named import preview, translate

from ompls.analysis.model.tu import TU

LOOP = "\nfor (int i = 0; i < n; i++) x[i] += k;\n}\n"
TURNS = "\n{ x[n] = k;\n#pragma omp distribute parallel for\nfor (int i = 0; i < n; i++) x[i] = i; }}"
LEAGUE = "target teams distribute parallel for"
HEAD = "void f(int n, int k, int t, int w, int *x) {\n#pragma omp "


@pytest.mark.parametrize(
    ("directive", "body", "parameters"),
    [
        (f"{LEAGUE} num_teams(t)", LOOP, "x n k"),
        (f"{LEAGUE} num_teams(t / 2) thread_limit(w) num_threads(t) if(w > 1)", LOOP, "x n k"),
        (f"{LEAGUE} num_teams(k)", LOOP, "x n k"),  # the region names it, too
        (f"{LEAGUE} num_teams(t) firstprivate(t)", LOOP, "x n t k"),
        (f"{LEAGUE} schedule(static, w)", LOOP, "x n k ompls_c_schedule"),
        ("target teams num_teams(t) thread_limit(w)", TURNS, "x n k ompls_c_thread_limit"),
    ],
)
def test_which_parameters_a_kernel_has(directive: str, body: str, parameters: str, unit: Callable[[str], TU]) -> None:
    tu = unit(HEAD + directive + body)
    assert not preview(tu, "cuda").diagnostics
    (kernel,) = translate([tu], ["cuda"]).manifest["units"][0]["kernels"]
    assert {p["name"] for p in kernel["params"] if p["kind"] != "part"} == set(parameters.split())


def test_a_program_for_several_classes_has_all(unit: Callable[[str], TU]) -> None:
    """gcc's own code for the region asks for the clauses' values."""
    bundle = translate([unit(HEAD + f"{LEAGUE} num_teams(t) num_threads(w)" + LOOP)], ["cuda", "host"])
    (kernel,) = bundle.manifest["units"][0]["kernels"]
    assert {p["name"] for p in kernel["params"]} == {"x", "n", "k", "w", "ompls_c_num_teams", "ompls_c_num_threads"}


PROGRAM = """\
#include <omp.h>
#include <stdio.h>
static int asked;
static int once(int value) { asked++; return value; }
int main(void) {
    int teams[2] = {0}, threads = 0, n = 3, w = 5;
#pragma omp target teams num_teams(once(n)) thread_limit(once(w)) map(tofrom: teams)
    if (omp_get_team_num() == 0) teams[0] = omp_get_num_teams();
#pragma omp target parallel num_threads(once(n + 1)) map(from: threads)
    if (omp_get_thread_num() == 0) threads = omp_get_num_threads();
#pragma omp target teams distribute parallel for num_teams(once(n - 1)) nowait map(tofrom: teams) depend(out: teams)
    for (int i = 0; i < 64; i++)
        if (i == 0) teams[1] = omp_get_num_teams();
    n = 9;
#pragma omp taskwait
    printf("%d %d %d, asked %d times\\n", teams[0], threads, teams[1], asked);
    return 0;
}
"""


@pytest.mark.parametrize("device", ["cudasim", "cudasim,host"])
def test_the_launch_has_them(device: str, tmp_path: Path) -> None:
    """Each evaluated once, also where the construct is deferred."""
    source = tmp_path / "x.c"
    source.write_text(PROGRAM)
    done = ompls("run", "--device", device, source)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "3 4 2, asked 4 times\n")
