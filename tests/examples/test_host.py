"""The examples are good C: no warnings, and right with nothing but gcc.  Breaking the computation makes them fail."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from thinned import thinned

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.c"))

# A change that makes the result wrong: proves that the verification in each program verifies.
SABOTAGE = {
    "declare_target": ("return b->mass * gravity", "return 2 * b->mass * gravity"),
    "dot_devices": ("first += x[i] * y[i]", "first += x[i] + y[i]"),
    "histogram": ("counts[bin]++;", "counts[bin] += 2;"),
    "jacobi": ("change = fmax(change, fabs(mean - now[AT(i, j)]));", "change = 1.0;"),
    "master_worker": ("total += values[i];", "total -= values[i];"),
    "matmul": ("sum += a[i][k] * b[k][j];\n            c[i][j]", "sum += a[i][k];\n            c[i][j]"),
    "pipeline": ("block[i] * block[i] + 1", "block[i] * block[i]"),
    "saxpy": ("y[i] = a * x[i] + y[i];", "y[i] = a * x[i];"),
    "vector_add": ("sum[i] = a[i] + b[i];", "sum[i] = a[i];"),
}


def _compile(source: str, target: Path) -> None:
    target.with_suffix(".c").write_text(source)
    command = ["gcc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-foffload=disable"]
    subprocess.run([*command, target.with_suffix(".c"), "-o", target, "-lm"], check=True)


def test_all_eight_are_there() -> None:
    assert [path.stem for path in EXAMPLES] == sorted(SABOTAGE)


@pytest.mark.parametrize("path", thinned(EXAMPLES, 3), ids=lambda path: path.stem)
def test_is_right_on_the_host(path: Path, tmp_path: Path) -> None:
    _compile(path.read_text(), tmp_path / path.stem)
    done = subprocess.run([tmp_path / path.stem], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{path.stem}: ")
    assert done.stdout.endswith(", correct\n")


@pytest.mark.parametrize("path", thinned(EXAMPLES, 3), ids=lambda path: path.stem)
@pytest.mark.thorough
def test_notices_a_wrong_result(path: Path, tmp_path: Path) -> None:
    right, wrong = SABOTAGE[path.stem]
    source = path.read_text()
    assert right in source
    _compile(source.replace(right, wrong, 1), tmp_path / path.stem)
    done = subprocess.run([tmp_path / path.stem], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert done.stdout.endswith(", WRONG\n")
