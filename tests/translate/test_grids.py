"""Kernels over two and three dimensions of the grid: which these are, and that they are right whatever the block is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from named import preview, translate
from thinned import thinned
from together import together

from ompls.analysis.model.tu import TU

PROGRAM = Path(__file__).parent / "programs/grids.c"
NEST = "for (int i = 0; i < n; i++) for (long j = n; j > 2; j -= 3)"
CUBE = f"{NEST} for (int k = 0; k != 5; k++)"
TRIANGLE = "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++)"


@together(
    ("directive", "loops", "dimensions"),
    [
        ("target teams distribute parallel for collapse(2)", NEST, 2),
        ("target teams distribute parallel for simd collapse(3) lastprivate(x)", CUBE, 3),
        ("target teams loop collapse(2) order(concurrent)", CUBE, 2),
        ("target teams distribute parallel for", NEST, 1),
        ("target teams distribute parallel for collapse(2)", TRIANGLE, 2),
        ("target teams distribute parallel for collapse(2) lastprivate(x)", TRIANGLE, 1),
        ("target teams distribute parallel for collapse(3)", f"{TRIANGLE} for (int k = 0; k < n; k++)", 1),
        ("target teams distribute parallel for collapse(2) schedule(static, 1)", NEST, 1),
        ("target teams distribute parallel for collapse(2) dist_schedule(static, 4)", NEST, 1),
        ("target teams distribute parallel for collapse(2) lastprivate(conditional: x)", NEST, 1),
        ("target teams distribute collapse(2)", NEST, 1),
        ("target teams distribute simd collapse(2)", NEST, 1),
        ("target parallel for collapse(2)", NEST, 1),
        ("target parallel loop collapse(2)", NEST, 1),
        ("target teams\n#pragma omp parallel loop collapse(2)", NEST, 1),
    ],
)
def test_what_has_several_dimensions(directive: str, loops: str, dimensions: int, unit: Callable[[str], TU]) -> None:
    tu = unit(f"void f(int n) {{ int x = 0;\n#pragma omp {directive}\n{loops} x = n; }}")
    made = preview(tu, "cuda")
    if "conditional" in directive:
        assert made.diagnostics, "the iterations of several teams have no order"
        return
    assert not made.diagnostics
    for k, axis in enumerate("xyz"):
        assert (f"= {axis}(" in made.text or f" ompls_iterations_{axis}(" in made.text) == (
            k < dimensions and ("ompls_part" in made.text or dimensions > 1)
        )
    assert ("#define OMPLS_GRID" in made.text) == (dimensions > 1)
    (host,) = (v.decode() for k, v in translate([tu], ["cuda"]).files.items() if k.endswith(".begin.h"))
    launch = next(line for line in host.splitlines() if "const struct __ompls_launch __ompls_l_" in line)
    assert (f", {dimensions}, {{(unsigned long long)" in launch) == (dimensions > 1)


def test_rows_of_a_triangle_come_in_pairs(unit: Callable[[str], TU]) -> None:
    """So each thread along x has as much to do as any other, and nothing is divided by a length of 64 bits."""
    head = "void f(int n) { int x = 0;\n#pragma omp target teams distribute parallel for collapse(2)\n"
    text = preview(unit(f"{head}{TRIANGLE} x = n; }}"), "cuda").text
    assert "const unsigned int ompls_first : ompls_iterations_y(ompls_part_y)" in text
    assert "const unsigned int ompls_at_i = ompls_at < ompls_row ? ompls_first : ompls_last;" in text
    assert "long long" not in text
    assert "ompls_quotient" not in text


def test_a_triangle_of_known_size_counts_in_32_bits(unit: Callable[[str], TU]) -> None:
    """The box around its rows does, too; how long a row is stands in one place."""
    head = "void f(void) { int x = 0;\n#pragma omp target teams distribute parallel for collapse(2) lastprivate(x)\n"
    loops = "for (int i = 2; i < 64; i += 3) for (int j = i; j < 64; j++) x = i * j; }"
    text = preview(unit(head + loops), "cuda").text
    assert "long long" not in text
    assert text.count("(unsigned int)64 - (unsigned int)i") == 1
    assert "ompls_row_j(2 + (int)(ompls_count_i - 1) * 3)" in text
    assert "if (ompls_at_j >= ompls_row_j(i)) continue;" in text
    large = preview(unit((head + loops).replace("64", "90000")), "cuda").text
    assert "const long long ompls_count = ompls_count_i * ompls_count_j;" in large


@pytest.mark.parametrize("devices", [["cuda", "host"], ["host", "cuda"], ["cuda"]], ids=",".join)
def test_the_host_launches_what_all_sets_have(devices: list[str], unit: Callable[[str], TU]) -> None:
    """A kernel of one dimension in a grid of two would run its iterations several times."""
    for gpu, other in (("", "collapse(2)"), ("collapse(2)", "")):
        tu = unit(f"""void f(int n, int *x) {{
#pragma omp target map(x[0 : n * n])
#pragma omp metadirective when(device = {{kind(gpu)}} : teams distribute parallel for {gpu}) \\
    default(teams distribute parallel for {other})
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[i * n + j]++; }}""")
        bundle = translate([tu], devices)
        assert not bundle.diagnostics
        (kernel,) = (v.decode() for k, v in bundle.files.items() if k.endswith(".cu"))
        (host,) = (v.decode() for k, v in bundle.files.items() if k.endswith(".begin.h"))
        several = bool(gpu) and devices == ["cuda"]
        assert ("OMPLS_GRID" in kernel) == several
        assert (", 1, {0}};" in host) == (not several)
        assert ("ompls_row = " in kernel) == (bool(gpu) and not several)


def test_the_preview_tells_the_geometry(unit: Callable[[str], TU]) -> None:
    def shape(clauses: str, loops: str = NEST) -> str:
        collapse = "collapse(3)" if loops is CUBE else "collapse(2)"
        directive = f"target teams distribute parallel for {collapse} {clauses}"
        tu = unit(f"void f(int n) {{ int x;\n#pragma omp {directive}\n{loops} x = n; }}")
        story = preview(tu, "cuda", explain=True).text
        return next(line for line in story.splitlines() if line.startswith("//   launch"))

    assert "/ 32 x (0 < n ? n : 0) / 8 teams, rounded up, of 256 threads: 32 x 8" in shape("")
    assert "of 256 threads: 32 x 4 x 2" in shape("", CUBE)
    assert "of 128 threads: 32 x 4 of" in shape("num_threads(128)", CUBE).replace(" x 1 of", " of")
    assert "7 teams of 33 threads: 33 x 1" in shape("num_teams(7) thread_limit(33)")
    assert "teams of n threads: x x y" in shape("num_threads(n)")


@pytest.mark.parametrize("block", thinned(["32x8", "32x4x2", "256x1", "1x7", "5x3x2"], 3))
@pytest.mark.thorough
def test_any_block_is_right(block: str) -> None:
    done = _run({"OMPLS_BLOCK": block, "OMPLS_INFO": "16"})
    assert (done.returncode, done.stdout) == (0, "")
    sides = [*block.split("x"), "1"][:3]
    assert f" block {' x '.join(sides)} " in done.stderr


@pytest.mark.thorough
def test_a_gpu_of_old_and_checked_threads_agree() -> None:
    done = _run({"OMPLS_BLOCK": "32x8", "OMPLS_CUDASIM_ARCH": "sm_53"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = _run({}, "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.thorough
def test_a_block_that_is_none_is_ignored() -> None:
    for block in ("0x8", "many", "32x8x65"):
        done = _run({"OMPLS_BLOCK": block})
        assert (done.returncode, done.stdout) == (0, "")
        said = f"OMPLS_BLOCK={block}: it is no block: use XxY or XxYxZ, as in 32x8 (it is ignored)"
        assert done.stderr == f"ompls: warning: {said}\n"


def _run(env: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return ompls("run", "--timeout", "100", "--device", "cudasim", *options, str(PROGRAM), env={**os.environ, **env})
