"""Reductions that the last of a kernel's teams joins: which these are, and that they are right."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from named import preview, translate
from thinned import thinned

from ompls.analysis.model.tu import TU

FOLDERS = Path(__file__).parents[1] / "devices/folders"
LEAGUE = "target teams distribute parallel for"
HEAD = """\
typedef struct { double v; long at; } best;
typedef struct { char at[65]; } large;
typedef struct { short at[2]; } word;
#define LESS omp_out = omp_in.v < omp_out.v ? omp_in : omp_out
#pragma omp declare reduction(least: best: LESS) initializer(omp_priv = {9, 0})
#pragma omp declare reduction(old: best: LESS) initializer(omp_priv = omp_orig)
#pragma omp declare reduction(least: large: omp_out.at[0] += omp_in.at[0]) initializer(omp_priv = {{0}})
#pragma omp declare reduction(least: word: omp_out.at[0] += omp_in.at[0]) initializer(omp_priv = {{0}})
void f(int n, best *x) {
    best b = {9, 0}, many[3] = {{0}}; large l = {{0}}; word w = {{0}};
    double d = 0; long double e = 0; double _Complex c = 0; float _Complex s = 0; __int128 i = 0;
    #pragma omp """
LOOP = "\n    for (int k = 0; k < n; k++) { b = x[k]; d += n; }\n}\n"


@pytest.mark.parametrize(
    ("directive", "parameters"),
    [
        (f"{LEAGUE} reduction(least: b)", {"b": 16}),
        (f"{LEAGUE} reduction(least: b) reduction(+: c, d, i)", {"b": 16, "c": 16, "i": 16}),
        (f"{LEAGUE} reduction(old: b)", {"b": 16}),
        (f"{LEAGUE} reduction(+: d, e, s)", {}),  # words of 8 bytes on a GPU, joined atomically
        (f"{LEAGUE} reduction(least: w, l)", {}),  # one is a word; the other goes from thread to thread
        (f"{LEAGUE} reduction(least: many)", {}),
        (f"{LEAGUE} reduction(least: x[:1])", {}),
        ("target teams reduction(least: b)\n    #pragma omp distribute parallel for reduction(least: b)", {"b": 16}),
        ("target teams\n    #pragma omp distribute parallel for reduction(least: b)", {}),  # a race
        ("target parallel for reduction(least: b)", {}),  # one team
        ("target teams distribute reduction(least: b)", {}),  # one thread a team
    ],
)
def test_which_reductions_the_last_team_joins(
    directive: str, parameters: dict[str, int], unit: Callable[[str], TU]
) -> None:
    tu = unit(HEAD + directive + LOOP)
    made = preview(tu, "cuda")
    assert not made.diagnostics
    assert [name for name in "bcdieslw" if f"ompls_partials_{name});" in made.text] == [*parameters]
    bundle = translate([tu], ["cuda"])
    (kernel,) = bundle.manifest["units"][0]["kernels"]
    given = {p["name"]: p["size"] for p in kernel["params"] if p["kind"] == "partials"}
    assert given == {f"ompls_partials_{name}": 8 for name in parameters}
    host = b"".join(text for name, text in bundle.files.items() if name.startswith("host/"))
    for name, size in parameters.items():
        assert f'"ompls_partials_{name}", 6, {size}, 8'.encode() in host


def test_a_program_for_several_classes_has_locks(unit: Callable[[str], TU]) -> None:
    """The host makes one call for all of them."""
    bundle = translate([unit(HEAD + f"{LEAGUE} reduction(least: b)" + LOOP)], ["cuda", "host"])
    assert not any(p["kind"] == "partials" for p in bundle.manifest["units"][0]["kernels"][0]["params"])


@pytest.mark.parametrize("setting", thinned(["OMP_NUM_TEAMS=2", "OMP_TEAMS_THREAD_LIMIT=3", "OMPLS_BLOCK=8x4"], 3))
def test_any_number_of_teams_is_right(setting: str) -> None:
    path, (name, value) = Path(__file__).parent / "programs/reductions_of_teams.c", setting.split("=")
    env = {**os.environ, "OMPLS_DEVICE_PATH": str(FOLDERS), name: value}
    done = ompls("run", "--timeout", "100", "--device", "simt", str(path), env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
