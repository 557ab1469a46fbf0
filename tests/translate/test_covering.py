"""Kernels of which each thread has one iteration: which these are, and that they are right where teams are few."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from named import preview, translate
from thinned import thinned
from together import together

from ompls.analysis.model.tu import TU

FOLDERS = Path(__file__).parents[1] / "devices/folders"
LEAGUE = "target teams distribute parallel for"
HEAD = "for (int i = k + 1; i < n; i++)"


@together(
    ("directive", "loops", "covered"),
    [
        (LEAGUE, HEAD, True),
        ("target teams loop", HEAD, True),
        ("target\n#pragma omp teams distribute parallel for reduction(+: r)", HEAD, False),
        (f"{LEAGUE} num_threads(k) thread_limit(n) if(parallel: n)", HEAD, True),
        (f"{LEAGUE} schedule(static)", HEAD, True),
        (f"{LEAGUE} schedule(static, 1)", HEAD, True),
        (f"{LEAGUE} schedule(static, 2)", HEAD, False),
        (f"{LEAGUE} schedule(dynamic)", HEAD, False),
        (f"{LEAGUE} dist_schedule(static)", HEAD, False),
        (f"{LEAGUE} num_teams(n)", HEAD, False),
        (f"{LEAGUE} lastprivate(r)", HEAD, False),
        (f"{LEAGUE} collapse(2)", f"{HEAD} for (int j = n; j > k; j -= 2)", True),
        (f"{LEAGUE} collapse(2) schedule(static)", f"{HEAD} for (int j = 0; j < n; j++)", False),
        (f"{LEAGUE} map(tofrom: n)", HEAD, False),  # the device's may be another one
        (LEAGUE, "for (int i = 0; i < p[0]; i++)", False),
        (LEAGUE, "for (int i = 0; i < g; i++)", False),
        (LEAGUE, "for (int i = 0; i < n; i += k)", True),
        (LEAGUE, "for (long i = 0; i < l; i++)", True),
        (LEAGUE, "for (int i = 0; i < l; i++)", True),
        (LEAGUE, "for (int i = k; i < u; i++)", False),
        (LEAGUE, "for (int i = 0; i < e; i++)", True),
        (f"{LEAGUE} simd", HEAD, True),
        (f"{LEAGUE} simd", "for (o = 0; o < n; o++)", False),  # which has its last value afterwards
        ("target teams distribute", HEAD, False),
        ("target parallel for", HEAD, False),
    ],
)
def test_which_kernels_have_one_iteration_a_thread(
    directive: str, loops: str, covered: bool, unit: Callable[[str], TU]
) -> None:
    parameters = "int n, int k, int *p, long l, unsigned u, int o, enum size e"
    text = "enum size { SIZE = 9 };\nint g;\n#pragma omp declare target(g)\n"
    tu = unit(f"{text}void f({parameters}) {{ int r = 0;\n#pragma omp {directive}\n{loops} r = n; }}")
    made = preview(tu, "cuda")
    assert not made.diagnostics
    assert ("ompls_iterations_x(ompls_part_x)" in made.text) == covered
    part = "ompls_long_part" if "long i" in loops else "ompls_part"
    assert (f"{part} ompls_part_x" in made.text) == covered
    bundle = translate([tu], ["cuda"])
    (kernel,) = bundle.manifest["units"][0]["kernels"]
    assert [p["name"] for p in kernel["params"] if p["kind"] == "part"] == [
        f"ompls_part_{x}" for x in "xy"[: (2 if "collapse" in directive else 1) if covered else 0]
    ]


def test_a_program_for_several_classes_has_loops(unit: Callable[[str], TU]) -> None:
    """The host makes one call for all of them."""
    tu = unit(f"void f(int n, int k, int *x) {{\n#pragma omp {LEAGUE}\n{HEAD} x[i] = n; }}")
    bundle = translate([tu], ["cuda", "host"])
    assert not any(p["kind"] == "part" for p in bundle.manifest["units"][0]["kernels"][0]["params"])


@pytest.mark.parametrize("program", thinned(["grids", "loops_rows", "loops_triangles", "reductions"], 4, of_rest=2))
@pytest.mark.parametrize("setting", thinned(["OMP_NUM_TEAMS=2", "OMP_TEAMS_THREAD_LIMIT=3", "OMPLS_BLOCK=8x4"], 3))
def test_any_number_of_teams_is_right(program: str, setting: str) -> None:
    """On lanes that have one iteration each: what the grid does not reach is the next launch's."""
    path, (name, value) = Path(__file__).parent / f"programs/{program}.c", setting.split("=")
    env = {**os.environ, "OMPLS_DEVICE_PATH": str(FOLDERS), name: value}
    done = ompls("run", "--timeout", "100", "--device", "simt", str(path), "-lm", env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
