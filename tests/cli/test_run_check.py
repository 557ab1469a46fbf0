"""`ompls run --check`: findings name both lines and the variable, and become the exit code; right programs: silence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests_cli_paths import EXAMPLES
from thinned import thinned

RACE = """\
#include <stdio.h>
int main(void)
{
    int sum = 0, x[100], y[100];
    for (int i = 0; i < 100; i++) x[i] = i;
#pragma omp target teams distribute parallel for map(to: x) map(from: y) map(tofrom: sum)
    for (int i = 0; i < 100; i++) {
        y[i] = 2 * x[i];
        sum += x[i];
    }
    printf("%d\\n", y[3]);
    return 0;
}
"""


def test_a_race_is_told_with_line_and_variable(process, tmp_path: Path) -> None:
    path = tmp_path / "race.c"
    path.write_text(RACE)
    done = process("run", "--check", path)
    assert (done.code, done.out) == (1, "6\n")
    where = re.escape("race.c:9: region on cudasim:0: error: data race on 'sum' (byte 0): ")
    assert re.match(
        r"\S*\b" + where + r"thread 1 of block 0 \w+ it, thread 0 of block 0 writes it at race.c:9, and", done.err
    )
    assert done.err.endswith("ompls: the checks found 1 (races 1)\n")
    assert process("run", "--device", "cudasim", path).code == 0  # only when asked


def test_what_is_mapped_from_must_be_written_before_it_is_read(process, tmp_path: Path) -> None:
    path = tmp_path / "uninit.c"
    path.write_text(
        RACE.replace("y[i] = 2", "y[i] += 2")
        .replace("map(tofrom: sum)", "reduction(+: sum)")
        .replace("return 0", "return 3")
    )
    done = process("run", "--check=uninit", path)
    assert done.code == 3, "the program's own"
    assert "uninit.c:8: region on cudasim:0: error: uninitialised read of 'y' (byte 0): thread 0" in done.err
    assert "[uninit]" in done.err


def test_a_step_outside_of_what_is_mapped(process, tmp_path: Path) -> None:
    path = tmp_path / "outside.c"
    path.write_text(RACE.replace("map(to: x)", "map(to: x[0:99])").replace("map(tofrom: sum)", "reduction(+: sum)"))
    done = process("run", "--check", path)
    assert done.code == 125
    assert re.search(
        r"outside.c:[89]: region on cudasim:0 read device address 0x\w+ \(variable 'x\[0:99\]', 0 bytes past", done.err
    )


@pytest.mark.parametrize("name", thinned(["saxpy", "jacobi", "histogram", "master_worker"], 2))
def test_right_programs_are_silent(process, name: str) -> None:
    done = process("run", "--check", EXAMPLES / f"{name}.c")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--check=speed"], "there is no check 'speed': choose from races,uninit,memory,coalescing,banks,all"),
        (["--check", "--device", "host"], "--check: 'host' cannot check kernels; choose --device cudasim or epiphany"),
        (["--check=uninit", "--device", "epiphany"], "--check: 'epiphany' does not look for 'uninit', but for races"),
        (
            ["--check=races,banks", "--device", "epiphany"],
            "--check: 'epiphany' does not look for 'banks', but for races",
        ),
    ],
)
def test_wrong_requests(process, tmp_path: Path, words: list[str], says: str) -> None:
    path = tmp_path / "race.c"
    path.write_text(RACE)
    done = process("run", *words, path)
    assert done.code == 125
    assert says in done.err
